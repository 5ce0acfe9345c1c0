"""A small client: apply, read, list, watch, delete; API errors become ours.

- `connect`: from the kubeconfig or a pod's credentials to a client
- `cluster`: what writes; `reader`: what reads; `pagination`: lists in parts
- `known_kinds`: how the kinds of a cluster are addressed
- `connection`: requests and responses; `tls`, `credentials`: how they are secured
- `official`: requests and responses by the official client
- `kubeconfig`: which cluster and user are meant
- `api_errors`: what the API server's refusals become

The operator sends its requests by the official client (`official`), the commands by httpx: the
library of Kubernetes has 120 MB, most of it models that are not used here (docs/adr/0016).
"""

from solrbench.api.identity import BENCHMARKS, SWEEPS
from solrbench.cluster.client.api_errors import (
    ExpiredError,
    ForbiddenError,
    KindNotServedError,
    NotFoundError,
    UnauthorizedError,
    UnreachableError,
)
from solrbench.cluster.client.cluster import Cluster, refuse_taken
from solrbench.cluster.client.connect import connect, current_namespace
from solrbench.cluster.client.kubeconfig import NoClusterError
from solrbench.cluster.client.reader import Manifest

__all__ = [
    "BENCHMARKS",
    "SWEEPS",
    "Cluster",
    "ExpiredError",
    "ForbiddenError",
    "KindNotServedError",
    "Manifest",
    "NoClusterError",
    "NotFoundError",
    "UnauthorizedError",
    "UnreachableError",
    "connect",
    "current_namespace",
    "refuse_taken",
]
