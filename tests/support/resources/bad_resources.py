"""Every bad resource: one table for both validators.

pydantic reads it in the unit tests, the real API server in the integration tests.
"""

from support.resources.bad.datasets import DATA
from support.resources.bad.endpoints import ENDPOINTS, ROUTING
from support.resources.bad.existing import EXISTING_TARGETS
from support.resources.bad.exports import EXPORTS
from support.resources.bad.loads import LOAD
from support.resources.bad.steps import STEPS
from support.resources.bad.topologies import QUANTITIES, TOPOLOGY
from support.resources.bad.wholes import COMPANIONS, COMPARISONS, WHOLE
from support.resources.bad.workloads import WORKLOADS
from support.resources.pod_options import POD_OPTIONS

BAD = [
    *QUANTITIES,
    *TOPOLOGY,
    *DATA,
    *LOAD,
    *STEPS,
    *ENDPOINTS,
    *ROUTING,
    *WHOLE,
    *EXISTING_TARGETS,
    *WORKLOADS,
    *POD_OPTIONS,
    *COMPANIONS,
    *EXPORTS,
    *COMPARISONS,
]
