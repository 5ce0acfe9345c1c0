"""The operators that `hack/cluster/operators` puts beside solrbench, as tests stop them."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from support.cluster import kube

START_SECONDS = 60
SOLR_CLOUDS = "solrclouds.solr.apache.org"
LEVEL = "pod-security.kubernetes.io/enforce"


@dataclass(frozen=True)
class Operator:
    """A Deployment of one pod, by the label of both."""

    deployment: str
    pods: str

    def stop(self) -> None:
        """End it as the failure of its node would: at once, in the middle of anything."""
        self._scale(0)
        kube.kubectl("delete", "pods", "-l", self.pods, "--grace-period=0", "--force")
        kube.wait_for("end of the operator", lambda: not kube.items("pods", self.pods), 30)

    def start(self) -> None:
        """Start it and wait until it is ready."""
        self._scale(1)
        kube.wait_for("operator", self.is_running, START_SECONDS)

    def kill(self) -> None:
        """End its pod at once; its Deployment makes another one."""
        kube.kubectl("delete", "pods", "-l", self.pods, "--grace-period=0", "--force")

    def is_running(self) -> bool:
        found = kube.items("deployments", self.deployment)
        return bool(found) and found[0].get("status", {}).get("readyReplicas") == 1

    def is_installed(self) -> bool:
        """Return whether the suite's cluster has it."""
        return bool(kube.items("deployments", self.deployment))

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """Keep it away until the end of the block."""
        self.stop()
        try:
            yield
        finally:
            self.start()

    def _scale(self, replicas: int) -> None:
        kube.kubectl("scale", "deployment", "-l", self.deployment, f"--replicas={replicas}")


SOLR_OPERATOR = Operator("control-plane=solr-operator", "control-plane=solr-operator")
ZOOKEEPER_OPERATOR = Operator(
    "app.kubernetes.io/name=zookeeper-operator", "component=zookeeper-operator"
)


@contextmanager
def no_definition() -> Iterator[None]:
    """Let the API server not know SolrClouds until the end of the block; none may be left."""
    assert not kube.items("solrclouds")
    body = kube.get("customresourcedefinitions", SOLR_CLOUDS)
    assert body is not None
    kube.kubectl("delete", "crd", SOLR_CLOUDS)
    try:
        yield
    finally:
        name = {"name": SOLR_CLOUDS, "annotations": body["metadata"]["annotations"]}
        again = body | {"metadata": name, "status": None}
        kube.kubectl("create", "-f", "-", stdin=json.dumps(again))


def enforce(level: str) -> None:
    """Set the level of Pod Security: Solr Operator 0.9 makes pods that `restricted` refuses."""
    kube.kubectl("label", "namespace", kube.NAMESPACE, f"{LEVEL}={level}", "--overwrite")


def left_of(name: str) -> list[str]:
    """Return what the operators made for a benchmark and what they made it from."""
    kinds = "solrclouds,zookeeperclusters,statefulsets,services,configmaps,pods,pvc,pdb"
    found = kube.kubectl("get", kinds, "-o", "name").split()
    return [each for each in found if f"/{name}" in each or f"-{name}-solrcloud" in each]
