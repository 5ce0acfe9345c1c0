"""Every bad resource: one table for both validators.

pydantic reads it in the unit tests, the real API server in the integration tests.
"""

from support.resources.bad_companions import COMPANIONS
from support.resources.bad_comparisons import COMPARISONS
from support.resources.bad_datasets import DATA
from support.resources.bad_endpoints import ENDPOINTS, ROUTING
from support.resources.bad_existing import EXISTING_TARGETS
from support.resources.bad_loads import LOAD
from support.resources.bad_steps import STEPS
from support.resources.bad_topologies import QUANTITIES, TOPOLOGY
from support.resources.bad_wholes import WHOLE
from support.resources.bad_workloads import WORKLOADS
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
    *COMPARISONS,
]
