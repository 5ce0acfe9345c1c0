import json
from typing import Any

import pytest

from solrbench.contract import names
from solrbench.contract.endpoints import pod_agents, zookeeper_servers
from solrbench.manifests.agent import build_agent_token
from support.resources.objects import operated_target, pick, pod, stored, target
from support.resources.small_resource import SOLR, Changes

READ: Changes = {"spec.load.telemetry": {"collect": "ServersAndPods"}}


def nodes(changes: Changes) -> dict[str, Any]:
    """Return the pod spec of the Solr nodes."""
    return pod(pick(target(changes), "StatefulSet", "base-solr"))


def test_pods_get_a_small_container_that_sees_the_server() -> None:
    spec = nodes(READ)
    server, agent = spec["containers"]
    assert (server["name"], agent["name"]) == ("solr", "solrbench-agent")
    assert spec["shareProcessNamespace"] is True
    image = "registry.example.org/solrbench:1.0"
    assert (agent["image"], agent["imagePullPolicy"]) == (image, "Never")
    assert spec["imagePullSecrets"] == [{"name": "registry"}]
    # Of the pod's user, as the server: only so may it read the server's root folder.
    assert "runAsUser" not in agent["securityContext"]
    assert agent["securityContext"] == server["securityContext"]
    assert agent["resources"]["requests"] == agent["resources"]["limits"]
    # The ConfigMap is there before the pods, and is the target's as they are.
    source = {"configMapKeyRef": {"name": "base-solr", "key": "token"}}
    assert agent["env"] == [{"name": names.AGENT_TOKEN, "valueFrom": source}]
    made = build_agent_token(stored(READ), 3, "t")
    assert (made["metadata"]["name"], made["data"]) == ("base-solr", {"token": "t"})
    assert made["metadata"]["labels"]["solrbench.io/attempt"] == "3"


@pytest.mark.parametrize("diagnostics", [{}, {"gcLog": True}, {"flightRecording": {}}])
def test_only_solr_is_recorded_and_only_if_asked_for(diagnostics: dict[str, Any]) -> None:
    changes = READ | {"spec.diagnostics": diagnostics}
    _, agent = nodes(changes)["containers"]
    assert (names.AGENT_RECORDS in agent["command"]) == ("flightRecording" in diagnostics)
    ensemble = pick(target(changes), "StatefulSet", "base-zookeeper")
    assert names.AGENT_RECORDS not in json.dumps(ensemble)


@pytest.mark.parametrize("collect", ["Servers", "None"])
def test_without_reading_pods_nothing_of_them_changes(collect: str) -> None:
    changes = {"spec.load.telemetry": {"collect": collect}}
    spec = nodes(changes)
    assert [each["name"] for each in spec["containers"]] == ["solr"]
    assert "shareProcessNamespace" not in spec
    assert pod_agents(stored(changes)) == []


def test_the_solr_operator_gets_it_as_a_sidecar() -> None:
    options = operated_target(READ)["spec"]["customSolrKubeOptions"]["podOptions"]
    assert [each["name"] for each in options["sidecarContainers"]] == ["solrbench-agent"]
    assert options["shareProcessNamespace"] is True
    assert "resources" in options


def test_agents_are_found_at_the_pods_of_solr_and_zookeeper() -> None:
    found = pod_agents(stored(READ))
    assert [(each.address, each.component) for each in found] == [
        ("base-solr-0.base-solr.search.svc:9101", "solr"),
        ("base-solr-1.base-solr.search.svc:9101", "solr"),
        ("base-zookeeper-1.base-zookeeper.search.svc:9101", "zookeeper"),
    ]
    servers = ["base-zookeeper-1.base-zookeeper.search.svc:2181"]
    assert zookeeper_servers(stored(READ)) == servers


def test_an_outside_ensemble_is_not_read() -> None:
    zookeeper = {"mode": "External", "connectionString": "zk.example:2181"}
    subject = stored(READ | {f"{SOLR}.zookeeper": zookeeper})
    assert zookeeper_servers(subject) == []
    assert {each.component for each in pod_agents(subject)} == {"solr"}
