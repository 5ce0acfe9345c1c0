"""A small client: apply, read, list, watch, delete; API errors become ours.

- `connect`: from the kubeconfig or a pod's credentials to a client
- `cluster`: what writes; `reader`: what reads
- `known_kinds`: how the kinds of a cluster are addressed
- `api_errors`: the tree of errors
"""

from solrbench.api.kinds import BENCHMARK
from solrbench.cluster.client.api_errors import ExpiredError, ForbiddenError
from solrbench.cluster.client.cluster import Cluster, refuse_taken
from solrbench.cluster.client.connect import connect, current_namespace
from solrbench.cluster.client.reader import Manifest

BENCHMARKS = BENCHMARK.reference

__all__ = [
    "BENCHMARKS",
    "Cluster",
    "ExpiredError",
    "ForbiddenError",
    "Manifest",
    "connect",
    "current_namespace",
    "refuse_taken",
]
