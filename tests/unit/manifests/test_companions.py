"""Companions are secured, named and labelled as everything of a benchmark."""

from typing import Any

import pytest

from solrbench.manifests.agent import add_companion_agents
from solrbench.manifests.common import OperatorImage
from support.resources.companions import CONTAINER, DEPLOYMENT, changed
from support.resources.objects import companions, stored

RESTRICTED = {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}}


def by_kind(manifests: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {each["kind"]: each for each in manifests}


def pod_of(manifests: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the spec of the pods of the only Deployment."""
    found: dict[str, Any] = by_kind(manifests)["Deployment"]["spec"]["template"]["spec"]
    return found


def test_objects_have_our_names_and_labels() -> None:
    found = by_kind(companions())
    assert {kind: each["metadata"]["name"] for kind, each in found.items()} == {
        "ConfigMap": "base-files",
        "Service": "base-proxy",
        "PodDisruptionBudget": "base-proxy",
        "Deployment": "base-proxy",
    }
    for each in found.values():
        assert each["metadata"]["labels"]["app.kubernetes.io/component"] == "companion"
        assert each["metadata"]["labels"]["solrbench.io/attempt"] == "2"


def test_selectors_never_pick_pods_of_others() -> None:
    found = by_kind(companions())
    own = {"solrbench.io/benchmark": "base", "app.kubernetes.io/component": "companion"}
    assert found["Service"]["spec"]["selector"] == own | {"app": "proxy"}
    spec = found["Deployment"]["spec"]
    assert spec["selector"]["matchLabels"] == own | {"solrbench.io/companion": "proxy"}
    assert spec["selector"]["matchLabels"].items() <= spec["template"]["metadata"]["labels"].items()


@pytest.mark.parametrize(
    "where", [f"{CONTAINER}.securityContext", "spec.template.spec.securityContext"]
)
def test_a_user_of_the_manifest_stays_and_changes_nothing_else(where: str) -> None:
    pod = pod_of(companions(changed(DEPLOYMENT, where, {"runAsUser": 7})))
    users = [pod["securityContext"].get("runAsUser")]
    users += [each["securityContext"].get("runAsUser") for each in pod["containers"]]
    assert users.count(7) == 1
    assert pod["securityContext"] | RESTRICTED == pod["securityContext"]


def test_references_lead_to_our_objects() -> None:
    pod = pod_of(companions())
    assert pod["volumes"][0] == {"name": "files", "configMap": {"name": "base-files"}}
    source = pod["containers"][0]["env"][1]["valueFrom"]["configMapKeyRef"]
    assert source == {"name": "base-files", "key": "proxy.py"}


@pytest.mark.parametrize("collect", ["Servers", "ServersAndPods"])
def test_pods_that_are_read_have_an_agent_of_the_same_user(collect: str) -> None:
    changes = {"spec.load.telemetry": {"collect": collect}}
    own = changed(DEPLOYMENT, f"{CONTAINER}.securityContext", {"runAsUser": 7, "runAsGroup": 8})
    made = companions(own, changes)
    image = OperatorImage("registry/solrbench:1", "Always", ())
    found = add_companion_agents(stored(changes), image, made, 2)
    if collect == "Servers":
        assert found == made
        return
    service, *rest = found
    assert service["metadata"]["name"] == "base-companion"
    assert service["spec"]["clusterIP"] == "None"
    (deployment,) = (each for each in rest if each["kind"] == "Deployment")
    pod = deployment["spec"]["template"]["spec"]
    assert pod["shareProcessNamespace"] is True
    _, agent = pod["containers"]
    assert agent["name"] == "solrbench-agent"
    assert (agent["securityContext"]["runAsUser"], agent["securityContext"]["runAsGroup"]) == (7, 8)
    selector = service["spec"]["selector"]
    assert selector.items() <= deployment["spec"]["template"]["metadata"]["labels"].items()
