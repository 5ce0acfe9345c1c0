"""Resources, servers and objects of a user with bad intentions: each is refused or contained.

Whatever one benchmark does, another runs to its end beside it, the operator's memory stays, and a
listener on loopback never hears of the operator.
"""

import json
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from solrbench.api.v1alpha1.target import Existing
from solrbench.controller.context import TargetAccess
from solrbench.controller.endpoint import TargetEndpoint, connect_checked, resolve_endpoint
from solrbench.net import deadline
from solrbench.net.http import NO_AUTH, HttpAuth
from solrbench.solr.client import SolrClient
from support.cluster.admission import ApiServer, RejectedError
from support.cluster.benchmarks import config_map
from support.controller.runs import ENDPOINT
from support.controller.world import SETTINGS
from support.fakes.fake_cluster import FakeCluster
from support.fakes.operator_driver import OperatorDriver, condition
from support.resources import companions
from support.resources.hostile_values import BASE_URLS, MESSAGES, SPECS, URLS
from support.resources.small_resource import Changes, create, resource
from support.servers import hostile
from support.servers.hostile import Canary, Script, say
from support.servers.hostile_documents import resident

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(120)]
Body = dict[str, Any]
MAX_GROWTH = 50
"""In MiB."""
GOOD = create() | {"metadata.name": "good", "spec.suspend": False}
INNER = "{port}"
SECRET = "hunter2"


class World:
    """An operator, a good benchmark and a bad one, and the servers they talk to."""

    def __init__(self, patch: pytest.MonkeyPatch, canary: Canary) -> None:
        self.canary = canary
        self.cluster = FakeCluster()
        self.solr = ""
        access = TargetAccess(self._connect, self._resolve)
        settings = replace(SETTINGS, allowed_hosts=("*",), concurrency=2)
        self.operator = OperatorDriver(self.cluster, patch, access=access, settings=settings)
        self.cluster.put(resource(GOOD))

    def _connect(
        self, cluster: Any, urls: list[str], seconds: float, auth: HttpAuth, *_: object
    ) -> SolrClient:
        if urls == ENDPOINT.urls:
            return self.operator.cloud.client(auth)
        if urls == [self.solr]:
            return SolrClient(urls, min(seconds, 0.5), auth)
        return connect_checked(cluster, urls, min(seconds, 0.5), auth)

    def _resolve(
        self, cluster: Any, allowed: tuple[str, ...], namespace: str, existing: Existing, _: bool
    ) -> TargetEndpoint:
        host = (existing.urls or [""])[0]
        if host == "http://search:8983/solr":
            return ENDPOINT
        if host == "http://hostile/solr":
            return TargetEndpoint([self.solr], NO_AUTH, nodes=True)
        return resolve_endpoint(cluster, allowed, namespace, existing)

    def attack(self, changes: Changes, rounds: int = 4) -> Body:
        """Store the bad benchmark, and reconcile it beside the good one."""
        body = resource({"spec.suspend": False} | changes | {"metadata.name": "bad"})
        self.cluster.put(body)
        for _ in range(rounds):
            self.operator.workloads.advance()
            self.operator.reconcile("bad", seconds=1)
            self.operator.reconcile("good", seconds=1)
        return self.operator.read("bad")

    def finish(self) -> Body:
        """Let the good benchmark go on to its end."""
        for _ in range(30):
            self.operator.workloads.advance()
            self.operator.reconcile("good", seconds=2)
        return self.operator.read("good")


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """Yield a world; whatever was done to it, the other benchmark and the listener are well."""
    canary = Canary()
    found = World(monkeypatch, canary)
    before = resident("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins here
    yield found
    good = found.finish()
    canary.close()
    assert condition(good, "Succeeded")[:2] == ("True", "Succeeded"), good["status"]
    assert canary.heard == []
    assert resident("VmHWM") - before < MAX_GROWTH


def shown(body: Body) -> tuple[str, str]:
    """Return reason and message of what stands in the way."""
    _, reason, message = condition(body, "Succeeded")
    return reason, message


def refusal_of(server: ApiServer, changes: Changes) -> str:
    """Return why the API server refuses a resource; it is empty if it does not."""
    try:
        server.try_create(resource(changes))
    except RejectedError as refused:
        return str(refused)
    return ""


@pytest.mark.parametrize("name", URLS)
def test_address_is_refused(server: ApiServer, world: World, name: str) -> None:
    url = URLS[name].replace(INNER, str(world.canary.port))
    changes = create(urls=[url])
    refusal = refusal_of(server, changes)
    if refusal:
        assert "spec.target.existing.urls" in refusal
        return
    reason, message = shown(world.attack(changes))
    assert reason in ("HostNotAllowed", "HostNotFound")
    assert "spec.target" in message or "target.existing" in message


def test_name_that_resolves_to_loopback_after_the_check(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def honest(host: str) -> list[str]:
        if host != "rebinding.example":
            raise OSError("no such host")
        return ["192.0.2.7"]

    monkeypatch.setattr("solrbench.solr.cluster.lookup", honest)
    monkeypatch.setattr(deadline, "lookup", lambda *_: ["127.0.0.1"])
    url = f"http://rebinding.example:{world.canary.port}/solr"
    reason, message = shown(world.attack(create(urls=[url])))
    assert reason == "HostNotAllowed"
    assert "127.0.0.1" in message


def cluster_status(base_url: Any) -> Body:
    """Return what a Solr says whose replica is at an address of its choice."""
    replica = {"core": "books_1", "node_name": "a:8983_solr", "base_url": base_url}
    replica |= {"state": "active", "type": "NRT", "leader": "true"}
    shards = {"shard1": {"replicas": {"core_node1": replica}}}
    books = {"configName": "books", "shards": shards}
    jvm = {"memory": {"raw": {"max": 1 << 30}}, "jmx": {"startTime": "1"}}
    node = {"lucene": {"solr-spec-version": "9.10.1"}, "jvm": jvm}
    core = {"CORE.coreName": "books_1", "INDEX.sizeInBytes": 7, "SEARCHER.searcher.numDocs": 5}
    return {
        "cluster": {"collections": {"books": books, "bad": books}, "live_nodes": ["a:8983_solr"]},
        "a:8983_solr": node | {"metrics": {"solr.core.books": core}},
        "configSets": [],
    }


@pytest.mark.parametrize("name", BASE_URLS)
def test_address_that_solr_reports_is_not_followed(world: World, name: str) -> None:
    value = json.loads(json.dumps(BASE_URLS[name]).replace(INNER, str(world.canary.port)))
    with hostile.hostile_server() as (kind, url):
        world.solr, kind.script = url, say(cluster_status(value))
        changes = create(
            urls=["http://hostile/solr"], collectionPolicy="UseExisting", collectionName="books"
        )
        queries = {"configMap": {"name": "queries"}}
        world.cluster.put(config_map("queries", queries__txt="*:*"))
        body = world.attack(
            changes | {"spec.workload.queries": queries, "spec.dataset": None}, rounds=8
        )
    assert shown(body)[0] not in ("", "InternalError")
    assert SECRET not in json.dumps(body)


def deep(levels: int = 100_000) -> bytes:
    return b"[" * levels + b"]" * levels


ANSWERS: dict[str, Script] = {
    "zip bomb": hostile.bomb(),
    "zip bomb by another name": hostile.bomb("br"),
    "endless": hostile.endless,
    "drip": hostile.drip,
    "endless head": hostile.endless_head,
    "hang up": hostile.hang_up,
    "deep": say(deep()),
    "not a number": say(b'{"a:1_solr": NaN}'),
    "huge number": say(b'{"a:1_solr": ' + b"9" * 6000 + b"}"),
    "infinite heap": say(
        b'{"a_solr": {"lucene": {"solr-spec-version": "9"}, "jvm": {"memory": {"raw": {"max": 1e999'
        b'}}, "jmx": {"startTime": "1"}}}}'
    ),
    "list": say([1]),
    "text": say("ok"),
    "no JSON": say(f"<html>{SECRET}</html>".encode()),
    "no text": say(random.Random(1).randbytes(5000)),
    "error with control characters": say(
        {"error": {"msg": "\x1b[31mred\r\nINFO all is well"}}, 500
    ),
    "long error": say({"error": {"msg": "x" * 5_000_000}}, 400),
    "error that is a list": say({"error": {"msg": [1], "details": {"a": {}}}}, 500),
    "many nodes": say({f"{number}_solr": {} for number in range(100_000)}),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_response_is_contained(world: World, name: str) -> None:
    with hostile.hostile_server() as (kind, url):
        world.solr, kind.script = url, ANSWERS[name]
        body = world.attack(create(urls=["http://hostile/solr"]), rounds=2)
    reason, message = shown(body)
    assert reason
    assert len(message) < 2500
    assert SECRET not in message
    assert "\x1b" not in json.dumps(body, ensure_ascii=False)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirect_is_not_followed(world: World, status: int) -> None:
    place = f"http://127.0.0.1:{world.canary.port}/latest/user-data"
    with hostile.hostile_server() as (kind, url):
        world.solr = url
        kind.script = lambda one: one.send(b"", status, Location=place)
        body = world.attack(create(urls=["http://hostile/solr"]), rounds=2)
    assert shown(body)[0] == "RedirectRefused"


COMPANIONS: Changes = {"spec.companions": [{"configMap": {"name": "manifests"}}]}


@pytest.mark.parametrize("name", companions.REFUSED_TEXTS)
def test_texts_that_are_no_companions_are_contained(world: World, name: str) -> None:
    world.cluster.put(config_map("manifests", all=companions.REFUSED_TEXTS[name][0]))
    reason, message = shown(world.attack(create() | COMPANIONS, rounds=2))
    assert reason == "CompanionRefused"
    assert len(message) < 2500


RIGHTS = ("network of the node", "path of the node", "a Secret", "service account", "privileged")


@pytest.mark.parametrize("name", RIGHTS)
def test_companions_lend_no_rights(world: World, name: str) -> None:
    body, path, value, words = companions.REFUSED_FIELDS[name]
    values = companions.VALUES | companions.WORKERS
    changed = companions.changed(body, path, value)
    others = [each for each in companions.MANIFESTS if each is not body]
    text = companions.text_of(changed, *others).replace("$(WORKERS)", values["WORKERS"])
    world.cluster.put(config_map("manifests", all=text))
    reason, message = shown(world.attack(create() | COMPANIONS, rounds=3))
    assert reason == "CompanionRefused"
    assert words in message
    assert world.cluster.names("Deployment") == set()


def test_a_companion_that_never_runs_holds_nothing_else_up(world: World) -> None:
    text = companions.text_of(*companions.MANIFESTS).replace("$(WORKERS)", "1")
    world.cluster.put(config_map("manifests", all=text))
    body = world.attack(create() | COMPANIONS | {"spec.deadlines": {"provisioningSeconds": 1}})
    assert shown(body)[0] not in ("", "InternalError")


PLANTED = "planted"


@pytest.mark.parametrize("name", MESSAGES)
def test_termination_message_is_contained(world: World, name: str) -> None:
    uid = world.attack(create() | {"spec.suspend": False}, rounds=3)["metadata"]["uid"]
    labels = {
        "solrbench.io/benchmark": "bad",
        "app.kubernetes.io/component": "index",
        "solrbench.io/attempt": "x; drop",
    }
    ended = {"exitCode": 1, "reason": "Error", "message": MESSAGES[name]}
    status = {
        "phase": "Failed",
        "containerStatuses": [{"name": "index", "state": {"terminated": ended}}],
    }
    # As if the program of our own pod said it: those of others are not looked at.
    owners = [{"uid": uid, "controller": True}]
    metadata = {"name": PLANTED, "labels": labels, "ownerReferences": owners}
    world.cluster.put({"kind": "Pod", "metadata": metadata, "status": status})
    for _ in range(4):
        body = world.operator.reconcile("bad", seconds=1)
    assert not world.operator.errors, world.operator.errors
    assert shown(body)[0]
    json.dumps(body["status"], allow_nan=False)


@pytest.mark.parametrize("name", SPECS)
def test_spec_is_refused_by_name(server: ApiServer, name: str) -> None:
    with pytest.raises(RejectedError) as refused:
        server.try_create(resource(SPECS[name]))
    path = next(iter(SPECS[name]))
    words = {*path.split("."), "limit", "too large", "Too many", "Too long"}
    assert any(word in str(refused.value) for word in words)
