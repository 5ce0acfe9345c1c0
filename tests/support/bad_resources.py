"""Every bad resource: one table for both validators.

pydantic reads it in the unit tests, the real API server in the integration tests.
"""

from support.bad_datasets import DATA
from support.bad_endpoints import ENDPOINTS, ROUTING
from support.bad_existing import EXISTING_TARGETS
from support.bad_loads import LOAD, WHOLE
from support.bad_topologies import QUANTITIES, TOPOLOGY
from support.bad_workloads import WORKLOADS

BAD = [
    *QUANTITIES,
    *TOPOLOGY,
    *DATA,
    *LOAD,
    *ENDPOINTS,
    *ROUTING,
    *WHOLE,
    *EXISTING_TARGETS,
    *WORKLOADS,
]
