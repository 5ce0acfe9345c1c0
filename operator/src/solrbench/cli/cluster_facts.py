"""What several commands ask a cluster about itself."""

from dataclasses import dataclass
from typing import Any

from solrbench.api.v1alpha1 import GROUP
from solrbench.cluster.client import Cluster, ForbiddenError

OPERATOR_LABELS = {"app.kubernetes.io/name": "solr-benchmark-operator"}


@dataclass(frozen=True)
class OperatorFacts:
    """A Deployment of the operator.

    Attributes:
        namespace: where it is
        name: of the Deployment
        version: of the operator, as its chart says
        ready: pods that are ready
        namespaces: those that it watches; all if there is none

    """

    namespace: str
    name: str
    version: str
    ready: int
    namespaces: tuple[str, ...]

    def watches(self, namespace: str) -> bool:
        """Return whether it looks after benchmarks of a namespace."""
        return not self.namespaces or namespace in self.namespaces


def find_operators(cluster: Cluster, namespace: str | None = None) -> list[OperatorFacts]:
    """Return the operators of a cluster, or of one namespace where only that may be read.

    Raises:
        ForbiddenError: if no Deployment may be read.

    """
    try:
        found = cluster.list("apps/v1", "Deployment", None, OPERATOR_LABELS)
    except ForbiddenError:
        if namespace is None:
            raise
        found = cluster.list("apps/v1", "Deployment", namespace, OPERATOR_LABELS)
    return [_facts(each) for each in found]


def _facts(body: dict[str, Any]) -> OperatorFacts:
    metadata = body["metadata"]
    containers = body["spec"]["template"]["spec"]["containers"]
    variables = {
        each["name"]: each.get("value", "") for part in containers for each in part.get("env", [])
    }
    watched = [each for each in variables.get("SOLRBENCH_NAMESPACES", "").split(",") if each]
    return OperatorFacts(
        namespace=metadata["namespace"],
        name=metadata["name"],
        version=metadata["labels"].get("app.kubernetes.io/version", "unknown"),
        ready=(body.get("status") or {}).get("readyReplicas", 0),
        namespaces=() if "*" in watched else tuple(watched),
    )


def served_versions(cluster: Cluster) -> list[str]:
    """Return the versions of the definition that the API server serves; none without it."""
    found = cluster.read(f"/apis/{GROUP}")
    return [] if found is None else [each["version"] for each in found["versions"]]
