"""Companions are secured, named and labelled as everything of a benchmark."""

import pytest

from solrbench.manifests.agent import add_companion_agents
from support.resources.companions import CONTAINER, DEPLOYMENT, changed
from support.resources.objects import IMAGE, companions, pick, pod, stored

RESTRICTED = {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}}
PROXY = ("Deployment", "base-proxy")


def test_objects_have_our_names_and_labels() -> None:
    made = companions()
    assert {each["kind"]: each["metadata"]["name"] for each in made} == {
        "ConfigMap": "base-files",
        "Service": "base-proxy",
        "PodDisruptionBudget": "base-proxy",
        "Deployment": "base-proxy",
    }
    for each in made:
        assert each["metadata"]["labels"]["app.kubernetes.io/component"] == "companion"
        assert each["metadata"]["labels"]["solrbench.io/attempt"] == "2"


def test_selectors_never_pick_pods_of_others() -> None:
    made = companions()
    own = {"solrbench.io/benchmark": "base", "app.kubernetes.io/component": "companion"}
    service = pick(made, "Service", "base-proxy")["spec"]
    assert service["selector"] == own | {"app": "proxy"}
    spec = pick(made, *PROXY)["spec"]
    assert spec["selector"]["matchLabels"] == own | {"solrbench.io/companion": "proxy"}
    assert spec["selector"]["matchLabels"].items() <= spec["template"]["metadata"]["labels"].items()


@pytest.mark.parametrize(
    "where", [f"{CONTAINER}.securityContext", "spec.template.spec.securityContext"]
)
def test_a_user_of_the_manifest_stays_and_changes_nothing_else(where: str) -> None:
    spec = pod(pick(companions(changed(DEPLOYMENT, where, {"runAsUser": 7})), *PROXY))
    users = [spec["securityContext"].get("runAsUser")]
    users += [each["securityContext"].get("runAsUser") for each in spec["containers"]]
    assert users.count(7) == 1
    assert spec["securityContext"] | RESTRICTED == spec["securityContext"]


def test_references_lead_to_our_objects() -> None:
    spec = pod(pick(companions(), *PROXY))
    assert spec["volumes"][0] == {"name": "files", "configMap": {"name": "base-files"}}
    source = spec["containers"][0]["env"][1]["valueFrom"]["configMapKeyRef"]
    assert source == {"name": "base-files", "key": "proxy.py"}


@pytest.mark.parametrize("collect", ["Servers", "ServersAndPods"])
def test_pods_that_are_read_have_an_agent_of_the_same_user(collect: str) -> None:
    changes = {"spec.load.telemetry": {"collect": collect}}
    own = changed(DEPLOYMENT, f"{CONTAINER}.securityContext", {"runAsUser": 7, "runAsGroup": 8})
    made = companions(own, changes)
    found = add_companion_agents(stored(changes), IMAGE, made, 2)
    if collect == "Servers":
        assert found == made
        return
    service, *rest = found
    assert service["metadata"]["name"] == "base-companion"
    assert service["spec"]["clusterIP"] == "None"
    deployment = pick(rest, *PROXY)
    assert pod(deployment)["shareProcessNamespace"] is True
    _, agent = pod(deployment)["containers"]
    assert agent["name"] == "solrbench-agent"
    assert (agent["securityContext"]["runAsUser"], agent["securityContext"]["runAsGroup"]) == (7, 8)
    selector = service["spec"]["selector"]
    assert selector.items() <= deployment["spec"]["template"]["metadata"]["labels"].items()
