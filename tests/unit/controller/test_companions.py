"""Companions are made when the target is ready, waited for, watched, and removed with it."""

import copy
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from solrbench.controller.companions import _values
from solrbench.controller.context import TargetAccess
from support.controller.runs import ENDPOINT, reconcile_context
from support.controller.world import SETTINGS
from support.fakes.fake_cluster import FakeCluster
from support.fakes.operator_driver import OperatorDriver, condition
from support.resources.companions import DEPLOYMENT, MANIFESTS, changed, text_of
from support.resources.small_resource import Changes, create, resource
from support.solr.cloud import Cloud

Body = dict[str, Any]
COMPANIONS = [{"configMap": {"name": "manifests"}, "values": {"WORKERS": "2"}}]
PROXY: Changes = create() | {
    "metadata.name": "one",
    "metadata.uid": "uid-of-one",
    "spec.suspend": False,
    "spec.companions": COMPANIONS,
}


class World:
    """A benchmark with a proxy in front of an existing Solr."""

    def __init__(self, patch: pytest.MonkeyPatch, text: str, settings: Any = SETTINGS) -> None:
        self.cluster = FakeCluster()
        self.operator = OperatorDriver(self.cluster, patch, settings=settings)
        self.write(text)
        self.cluster.put(resource(PROXY))

    def write(self, text: str) -> None:
        metadata = {"name": "manifests", "namespace": "default"}
        self.cluster.put({"kind": "ConfigMap", "metadata": metadata, "data": {"all": text}})

    def reconcile(self, rounds: int = 1) -> Body:
        for _ in range(rounds):
            body = self.operator.reconcile("one", seconds=2)
        return body

    def go_on(self, rounds: int = 1) -> Body:
        """Let pods start and Jobs get on, too."""
        for _ in range(rounds):
            self.operator.workloads.advance()
            body = self.reconcile()
        return body

    def until(self, reached: Callable[[Body], bool]) -> Body:
        for _ in range(40):
            if reached(body := self.go_on()):
                return body
        raise AssertionError(body["status"])

    def objects(self) -> set[str]:
        """Return the companions that are there."""
        return {
            f"{kind}/{name}"
            for (kind, _, name), body in self.cluster.objects.items()
            if (body["metadata"].get("labels") or {}).get("app.kubernetes.io/component")
            == "companion"
        }


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    return World(monkeypatch, text_of(*MANIFESTS))


def is_ready(body: Body) -> bool:
    return condition(body, "TargetReady")[0] == "True"


def has_ended(body: Body) -> bool:
    return condition(body, "Succeeded")[0] != "Unknown"


def test_companions_are_made_waited_for_and_removed(world: World) -> None:
    body = world.reconcile(3)
    assert condition(body, "TargetReady")[:2] == ("False", "CompanionNotReady")
    assert "available are 0 of 2 pods of Deployment one-proxy" in condition(body, "TargetReady")[2]
    made = {"ConfigMap/one-files", "Service/one-proxy", "Deployment/one-proxy"}
    assert world.objects() == made | {"PodDisruptionBudget/one-proxy"}
    body = world.until(is_ready)
    known = body["status"]["companions"]
    assert (sorted(known["pods"]), known["services"]) == (["one-proxy-0", "one-proxy-1"], ["proxy"])
    body = world.until(has_ended)
    assert condition(body, "Succeeded")[:2] == ("True", "Succeeded")
    world.reconcile(3)
    assert world.objects() == set()


def test_nothing_is_made_of_manifests_that_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    bad = changed(DEPLOYMENT, "spec.template.spec.hostNetwork", True)
    world = World(monkeypatch, text_of(*MANIFESTS[1:], bad))
    body = world.reconcile(2)
    _, reason, message = condition(body, "Succeeded")
    assert reason == "CompanionRefused"
    assert "Deployment proxy: spec.template.spec.hostNetwork: must not be set" in message
    assert "spec.companions[0].configMap manifests, key all" in message
    assert world.objects() == set()


def test_what_the_installer_allows_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(monkeypatch, text_of(*MANIFESTS), replace(SETTINGS, allowed_pod_options=()))
    assert condition(world.reconcile(2), "Succeeded")[1] == "CompanionRefused"


def test_a_missing_config_map_is_waited_for(world: World) -> None:
    place = ("ConfigMap", "default", "manifests")
    manifests = world.cluster.objects.pop(place)
    assert condition(world.reconcile(), "Accepted")[1] == "ConfigMapNotFound"
    world.cluster.put(manifests)
    assert world.until(is_ready)


def test_a_lost_companion_makes_the_target_again(world: World) -> None:
    world.until(is_ready)
    pod = world.cluster.objects["Pod", "default", "one-proxy-1"]
    pod["status"]["containerStatuses"] = [{"name": "proxy", "restartCount": 1}]
    body = world.reconcile()
    assert condition(body, "TargetReady")[:2] == ("False", "CompanionLost")
    assert "one-proxy-1" in condition(body, "TargetReady")[2]
    assert body["status"]["attempts"]["target"] == 2
    body = world.until(is_ready)
    labels = world.cluster.objects["Deployment", "default", "one-proxy"]["metadata"]["labels"]
    assert labels["solrbench.io/attempt"] == "2"
    assert condition(world.until(has_ended), "Succeeded")[0] == "True"


def test_hosts_of_an_existing_target_have_the_port_of_their_scheme() -> None:
    urls = ["https://a.b/solr", "http://c.d:8983/solr", "http://c.d/solr"]
    endpoint = replace(ENDPOINT, urls=urls)
    run = reconcile_context(Cloud())
    run.access = TargetAccess(resolve=lambda *_: endpoint)
    found = _values(run)
    assert found["SOLR_HOSTS"] == "a.b:443,c.d:8983,c.d:80"
    assert found["SOLR_SERVICE"] == "a.b:443"


def test_a_pod_that_was_evicted_is_not_waited_for(world: World) -> None:
    world.reconcile(3)
    world.operator.workloads.advance()
    evicted = copy.deepcopy(world.cluster.objects["Pod", "default", "one-proxy-0"])
    evicted["metadata"] |= {"name": "one-proxy-2", "uid": "evicted"}
    world.cluster.put(evicted | {"status": {"phase": "Failed", "reason": "Evicted"}})
    body = world.until(is_ready)
    assert sorted(body["status"]["companions"]["pods"]) == ["one-proxy-0", "one-proxy-1"]


def test_manifests_that_change_are_not_mixed(world: World) -> None:
    body = world.until(is_ready)
    world.write(text_of(*MANIFESTS[1:], changed(DEPLOYMENT, "spec.replicas", 1)))
    body = world.reconcile(2)
    assert is_ready(body)  # what was read at the start goes on
    pod = world.cluster.objects["Pod", "default", "one-proxy-0"]
    pod["metadata"]["uid"] = "another"
    body = world.until(has_ended)
    _, reason, message = condition(body, "Succeeded")
    assert reason == "CompanionsChanged"
    assert "SHA-256" in message


def test_a_deployment_of_others_is_left_alone(world: World) -> None:
    other = {"name": "one-proxy", "namespace": "default", "labels": {"a": "b"}}
    world.cluster.put({"kind": "Deployment", "metadata": other, "spec": {"replicas": 0}})
    body = world.reconcile(4)
    assert condition(body, "TargetReady")[1] == "NameTaken"


def test_suspension_removes_companions(world: World) -> None:
    world.until(is_ready)
    world.cluster.objects["SolrBenchmark", "default", "one"]["spec"]["suspend"] = True
    world.reconcile(3)
    assert world.objects() == set()
    world.cluster.objects["SolrBenchmark", "default", "one"]["spec"]["suspend"] = False
    assert condition(world.until(has_ended), "Succeeded")[0] == "True"
