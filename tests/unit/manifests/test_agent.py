import json
from typing import Any

import pytest

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.target import SolrCloud
from solrbench.contract import names
from solrbench.contract.endpoints import pod_agents, zookeeper_path, zookeeper_servers
from solrbench.manifests.agent import add_agents, build_agent_token
from solrbench.manifests.common import OperatorImage
from solrbench.manifests.solr import build_solr
from solrbench.manifests.solr_cloud import build_solr_cloud
from solrbench.manifests.zookeeper import build_zookeeper
from support.narrowing import not_none
from support.resources.small_resource import resource

IMAGE = OperatorImage("registry/solrbench:1", "Always", ("ours",))


def benchmark(**changes: Any) -> SolrBenchmark:
    paths = {f"spec.{key.replace('__', '.')}": value for key, value in changes.items()}
    body = resource({"metadata.namespace": "ns", "metadata.uid": "u"} | paths)
    return SolrBenchmark.model_validate(body)


def solr_of(subject: SolrBenchmark) -> SolrCloud:
    return not_none(subject.spec.target.solr_cloud)


def stateful_set(subject: SolrBenchmark) -> dict[str, Any]:
    solr = solr_of(subject)
    built = build_solr(subject, solr, 1, zookeeper_path(subject, solr, None, 1))
    manifests = add_agents(subject, IMAGE, built)
    assert len(manifests) == len(built)
    found = next(each for each in manifests if each["kind"] == "StatefulSet")
    pod: dict[str, Any] = found["spec"]["template"]["spec"]
    return pod


def test_pods_get_a_small_container_that_sees_the_server() -> None:
    subject = benchmark(load__telemetry={"collect": "ServersAndPods"})
    pod = stateful_set(subject)
    server, agent = pod["containers"]
    assert (server["name"], agent["name"]) == ("solr", "solrbench-agent")
    assert pod["shareProcessNamespace"] is True
    assert (agent["image"], agent["imagePullPolicy"]) == ("registry/solrbench:1", "Always")
    assert pod["imagePullSecrets"] == [{"name": "ours"}]
    # Of the pod's user, as the server: only so may it read the server's root folder.
    assert "runAsUser" not in agent["securityContext"]
    assert agent["securityContext"] == server["securityContext"]
    assert agent["resources"]["requests"] == agent["resources"]["limits"]
    # The ConfigMap is there before the pods, and is the target's as they are.
    source = {"configMapKeyRef": {"name": "base-solr", "key": "token"}}
    assert agent["env"] == [{"name": names.AGENT_TOKEN, "valueFrom": source}]
    made = build_agent_token(subject, 3, "t")
    assert (made["metadata"]["name"], made["data"]) == ("base-solr", {"token": "t"})
    assert made["metadata"]["labels"]["solrbench.io/attempt"] == "3"


@pytest.mark.parametrize("diagnostics", [{}, {"gcLog": True}, {"flightRecording": {}}])
def test_only_solr_is_recorded_and_only_if_asked_for(diagnostics: dict[str, Any]) -> None:
    subject = benchmark(load__telemetry={"collect": "ServersAndPods"}, diagnostics=diagnostics)
    _, agent = stateful_set(subject)["containers"]
    assert (names.AGENT_RECORDS in agent["command"]) == ("flightRecording" in diagnostics)
    (ensemble,) = (
        each
        for each in add_agents(subject, IMAGE, build_zookeeper(subject, solr_of(subject), 1))
        if each["kind"] == "StatefulSet"
    )
    assert names.AGENT_RECORDS not in json.dumps(ensemble)


@pytest.mark.parametrize("collect", ["Servers", "None"])
def test_without_reading_pods_nothing_of_them_changes(collect: str) -> None:
    subject = benchmark(load__telemetry={"collect": collect})
    pod = stateful_set(subject)
    assert [each["name"] for each in pod["containers"]] == ["solr"]
    assert "shareProcessNamespace" not in pod
    assert pod_agents(subject) == []


def test_the_solr_operator_gets_it_as_a_sidecar() -> None:
    subject = benchmark(load__telemetry={"collect": "ServersAndPods"})
    solr = not_none(subject.spec.target.solr_cloud)
    path = zookeeper_path(subject, solr, None, 1)
    (cloud,) = add_agents(subject, IMAGE, [build_solr_cloud(subject, solr, 1, path, set())])
    options = cloud["spec"]["customSolrKubeOptions"]["podOptions"]
    assert [each["name"] for each in options["sidecarContainers"]] == ["solrbench-agent"]
    assert options["shareProcessNamespace"] is True
    assert "resources" in options


def test_agents_are_found_at_the_pods_of_solr_and_zookeeper() -> None:
    subject = benchmark(
        load__telemetry={"collect": "ServersAndPods"}, target__solrCloud__provisioner="StatefulSet"
    )
    found = pod_agents(subject)
    assert [(each.address, each.component) for each in found] == [
        ("base-solr-0.base-solr.ns.svc:9101", "solr"),
        ("base-solr-1.base-solr.ns.svc:9101", "solr"),
        ("base-zookeeper-1.base-zookeeper.ns.svc:9101", "zookeeper"),
    ]
    assert zookeeper_servers(subject) == ["base-zookeeper-1.base-zookeeper.ns.svc:2181"]


def test_an_outside_ensemble_is_not_read() -> None:
    zookeeper = {"mode": "External", "connectionString": "zk.example:2181"}
    subject = benchmark(
        load__telemetry={"collect": "ServersAndPods"}, target__solrCloud__zookeeper=zookeeper
    )
    assert zookeeper_servers(subject) == []
    assert {each.component for each in pod_agents(subject)} == {"solr"}
