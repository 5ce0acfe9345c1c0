"""What the operator expects of the local cluster: names, volumes, security, and no way out."""

import json
from typing import Any

import pytest

from support.cluster import kube
from support.cluster.benchmarks import claim

pytestmark = pytest.mark.cluster

IMAGE = "localhost/solrbench/solrbench:dev"

PROBE = """
import json, pathlib, socket

def reach(host, port):
    try:
        socket.create_connection((host, port), timeout=3).close()
    except OSError as error:
        return type(error).__name__
    return "connected"

pathlib.Path("/data/file").write_text("x")
print(json.dumps({
    "api": reach("kubernetes.default.svc", 443),
    "outside": reach("198.51.100.1", 80),  # an address for documentation (RFC 5737)
    "unknown": reach("nowhere.example", 80),
}))
"""


def pod(*, privileged: bool) -> dict[str, Any]:
    security = {
        "allowPrivilegeEscalation": privileged,
        "capabilities": {"drop": ["ALL"]},
        "readOnlyRootFilesystem": True,
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "probe"},
        "spec": {
            "restartPolicy": "Never",
            "securityContext": {
                "runAsNonRoot": True,
                "runAsUser": 8983,
                "fsGroup": 8983,
                "seccompProfile": {"type": "RuntimeDefault"},
            },
            "containers": [
                {
                    "name": "probe",
                    "image": IMAGE,
                    "imagePullPolicy": "Never",
                    "command": ["python", "-c", PROBE],
                    "securityContext": security,
                    "volumeMounts": [{"name": "data", "mountPath": "/data"}],
                }
            ],
            "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}],
        },
    }


def await_end_of_probe(namespace: str) -> None:
    """Wait until the probe's only container has ended well; else say what the cluster knows."""
    exit_code = "{.status.containerStatuses[0].state.terminated.exitCode}"
    ended = f"--for=jsonpath={exit_code}=0"
    try:
        # The first pod of a cluster whose host is short of CPUs took longer than 90 s once.
        kube.kubectl("wait", "pod/probe", ended, "--timeout=150s", namespace=namespace)
    except AssertionError as error:
        described = kube.kubectl("describe", "pod/probe", "pvc/data", namespace=namespace)
        nodes = kube.kubectl("describe", "nodes")
        pytest.fail(f"{error}\n{described}\n{nodes}")


@pytest.fixture(scope="module")
def answers(namespace: str) -> dict[str, str]:
    """Return what a pod saw that also wrote to a volume as an ordinary user."""
    kube.apply(claim("data", "1Mi"), pod(privileged=False), namespace=namespace)
    await_end_of_probe(namespace)
    found: dict[str, str] = json.loads(kube.kubectl("logs", "probe", namespace=namespace))
    return found


def test_pod_finds_the_api_server_by_its_name(answers: dict[str, str]) -> None:
    assert answers["api"] == "connected"


def test_pod_reaches_nothing_outside(answers: dict[str, str]) -> None:
    assert answers["outside"] != "connected"


def test_unknown_name_fails_at_once(answers: dict[str, str]) -> None:
    assert answers["unknown"] == "gaierror"


def test_volume_of_the_default_class_is_gone_with_its_claim(
    namespace: str, answers: dict[str, str]
) -> None:
    get = ("get", "pvc", "data", "-o", "jsonpath={.spec.volumeName}")
    volume = kube.kubectl(*get, namespace=namespace)
    kube.kubectl("delete", "pod/probe", "pvc/data", "--wait=true", namespace=namespace)
    kube.kubectl("wait", f"pv/{volume}", "--for=delete", "--timeout=60s")


def test_restricted_namespace_refuses_escalation(namespace: str) -> None:
    with pytest.raises(AssertionError, match="violates PodSecurity"):
        kube.apply(pod(privileged=True), namespace=namespace)
