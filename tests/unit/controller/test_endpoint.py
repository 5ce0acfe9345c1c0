from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import pytest

from solrbench.controller import endpoint
from solrbench.controller.endpoint import (
    TargetEndpoint,
    address_check,
    check_hosts,
    leader_urls,
    resolve_endpoint,
)
from solrbench.decide.hosts import DEFAULT_PATTERNS, patterns_in
from solrbench.decide.views import Replica
from solrbench.errors import PermanentError, TemporaryError
from solrbench.kube.connection import KindNotServedError
from solrbench.net.deadline import AddressCheck
from solrbench.net.http import basic_auth
from solrbench.reasons.end import ApiServerReason
from solrbench.reasons.lifecycle import LifecycleReason
from solrbench.solr.client import SolrClient
from support.cluster.benchmarks import secret, service
from support.failing import failing
from support.fakes.fake_cluster import FakeCluster, refusal
from support.narrowing import not_none
from support.resources.objects import stored
from support.resources.small_resource import create
from support.solr.recorded_solr import Solr
from support.solr.table_server import SYSTEM

ALLOWED = ("*.svc",)
DEFAULT = patterns_in(DEFAULT_PATTERNS, "search")
ADDRESSES = {
    "search.search.svc": ["10.0.0.7"],
    "nodes-0.nodes.search.svc": ["10.0.0.8"],
    "nodes-1.nodes.search.svc": ["10.0.0.9"],
    "kubernetes.default.svc": ["10.96.0.1"],
    "metadata.search.svc": ["169.254.169.254"],
    "rebound.search.svc": ["10.0.0.7", "127.0.0.1"],
    "api.search.svc": ["192.0.2.10"],
    "192.0.2.10": ["192.0.2.10"],
}


def resolved(host: str) -> list[str]:
    if host not in ADDRESSES:
        raise TemporaryError(LifecycleReason.HOST_NOT_FOUND, f"{host} cannot be resolved")
    return ADDRESSES[host]


@pytest.fixture(autouse=True)
def names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint, "resolve", resolved)


def find(cluster: FakeCluster, **fields: Any) -> TargetEndpoint:
    existing = not_none(stored(create(**fields)).spec.target.existing)
    return resolve_endpoint(cluster, ALLOWED, "search", existing)


def test_service_of_the_namespace() -> None:
    cluster = FakeCluster(secret("login", username="solr", password="SolrRocks"))
    found = find(cluster, basicAuth={"secret": {"name": "login"}})
    assert found.urls == ["http://search.search.svc:8983/solr"]
    assert found.auth.authorization == basic_auth("solr", "SolrRocks")
    assert not found.nodes


@pytest.mark.parametrize(
    "host", ["example.org", "kubernetes.default.svc", "metadata", "rebound", "api", "10.0.0.7"]
)
def test_hosts_that_are_refused(host: str) -> None:
    cluster = FakeCluster(hosts=["192.0.2.10"])
    with failing(PermanentError, "HostNotAllowed"):
        find(cluster, urls=[f"http://{host}:8983/solr"])


def test_one_bad_host_among_good_ones_is_enough() -> None:
    with pytest.raises(PermanentError, match=r"example[.]org"):
        find(FakeCluster(), urls=["http://search/solr", "http://example.org/solr"])


def test_service_that_is_not_there_may_come() -> None:
    with pytest.raises(TemporaryError, match="cannot be resolved"):
        find(FakeCluster(), urls=["http://unknown/solr"])


def cloud(*ready: bool) -> dict[str, Any]:
    nodes = [
        {"internalAddress": f"http://nodes-{number}.nodes.search:8983", "ready": each}
        for number, each in zip("01", ready, strict=False)
    ]
    return solr_cloud(status={"solrNodes": nodes})


def solr_cloud(**fields: Any) -> dict[str, Any]:
    metadata = {"name": "books", "namespace": "search"}
    return {"kind": "SolrCloud", "metadata": metadata, **fields}


BY_NAME = {"urls": None, "solrCloudName": "books"}


def test_nodes_of_a_solr_cloud() -> None:
    found = find(FakeCluster(cloud(True, True)), **BY_NAME)
    assert found.urls == [f"http://nodes-{n}.nodes.search.svc:8983/solr" for n in (0, 1)]
    assert found.nodes


@pytest.mark.parametrize(
    ("cluster", "reason", "words"),
    [
        (FakeCluster(), "SolrCloudNotFound", "no SolrCloud books in namespace search"),
        (FakeCluster(cloud(True, False)), "SolrCloudNotReady", "1 of 2 nodes of books are ready"),
        (FakeCluster(solr_cloud()), "SolrCloudNotReady", "0 of 0 nodes of books"),
        (FakeCluster(solr_cloud(status=None)), "SolrCloudNotReady", "0 of 0 nodes of books"),
        (
            FakeCluster(fault=refusal(KindNotServedError(ApiServerReason.KIND_NOT_SERVED, "no"))),
            "SolrOperatorMissing",
            "install the Solr Operator, or set urls",
        ),
    ],
)
def test_solr_cloud_that_is_not_there_yet(cluster: FakeCluster, reason: str, words: str) -> None:
    with failing(TemporaryError, reason, words):
        find(cluster, **BY_NAME)


@pytest.mark.parametrize(("node", "found"), [("worker-1", 2), ("", 1)])
def test_a_solr_cloud_that_was_ready_may_be_busy_or_grow(node: str, found: int) -> None:
    existing, body = not_none(stored(create(**BY_NAME)).spec.target.existing), cloud(True, False)
    body["status"]["solrNodes"][1]["nodeName"] = node
    way = resolve_endpoint(FakeCluster(body), ALLOWED, "search", existing, True)
    assert len(way.urls) == found
    body["status"]["solrNodes"] = [{"internalAddress": "http://n", "nodeName": "", "ready": False}]
    with failing(TemporaryError, "SolrCloudNotReady", "0 of 1 nodes"):
        resolve_endpoint(FakeCluster(body), ALLOWED, "search", existing, True)


def replica(node: str) -> Replica:
    url = f"http://{node}:8983/solr"
    return Replica("shard1", "c", f"{node}:8983_solr", url, "NRT", "active", leader=True)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the URLs that are asked for Solr; the second node does not respond."""
    urls_asked = []

    def client(urls: list[str], _: float, __: object, check: AddressCheck) -> SolrClient:
        # As the real one does when it connects.
        host = urlsplit(urls[0]).hostname or ""
        check(host, resolved(host))
        urls_asked.extend(urls)
        down = "nodes-1" in urls[0]
        return Solr({"/admin/info/system": (503, {}) if down else SYSTEM}).client(tuple(urls))

    monkeypatch.setattr(endpoint, "SolrClient", client)
    return urls_asked


def test_leaders_that_answer_and_are_allowed_are_asked_directly(
    asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = find(FakeCluster(), urls=["http://search/solr", "http://search:80/solr"])
    nodes = ["nodes-0.nodes.search", "nodes-1.nodes.search", "example.org", "metadata", "unknown"]
    given = FakeCluster(), ALLOWED, "search", found, [replica(node) for node in nodes]
    way = {"http://nodes-0.nodes.search:8983/solr": "http://nodes-0.nodes.search.svc:8983/solr"}
    assert leader_urls(*given) == way
    hosts = [url.split("/")[2] for url in asked]
    assert hosts == [f"nodes-{number}.nodes.search.svc:8983" for number in (0, 1)]
    monkeypatch.setattr(endpoint, "LEADERS_SECONDS", -1.0)
    assert leader_urls(*given) == {}


@pytest.mark.usefixtures("asked")
def test_leaders_are_not_passed_by_since_the_api_server_does_not_respond() -> None:
    found = find(FakeCluster(), urls=["http://search/solr", "http://search:80/solr"])
    error = TemporaryError(ApiServerReason.API_UNREACHABLE, "a gateway times out")
    cluster = FakeCluster(fault=refusal(error, kinds=["Service"]))
    with pytest.raises(TemporaryError, match="times out"):
        leader_urls(cluster, DEFAULT, "search", found, [replica("nodes-0.nodes.search")])


def test_single_endpoint_is_not_bypassed() -> None:
    found = find(FakeCluster())
    cluster = FakeCluster()
    assert leader_urls(cluster, ALLOWED, "search", found, [replica("nodes-0.nodes.search")]) == {}


def pod(name: str, ip: str, app: str = "solr") -> dict[str, Any]:
    metadata = {"name": name, "namespace": "search", "labels": {"app": app}}
    return {"kind": "Pod", "metadata": metadata, "status": {"podIPs": [{"ip": ip}]}}


SELECTED = {"selector": {"app": "solr"}}


@pytest.mark.parametrize(
    ("spec", "pods", "error"),
    [
        (SELECTED | {"clusterIP": "10.0.0.7"}, [], None),
        (SELECTED | {"clusterIP": "None"}, [pod("solr-0", "10.0.0.7")], None),
        (SELECTED | {"clusterIP": "None"}, [pod("other", "10.0.0.7", "web")], TemporaryError),
        (SELECTED | {"clusterIP": "10.0.0.6"}, [], TemporaryError),
        ({"clusterIP": "10.0.0.7"}, [pod("solr-0", "10.0.0.7")], PermanentError),
        (SELECTED | {"type": "ExternalName", "externalName": "vault.ops.svc"}, [], PermanentError),
    ],
)
@pytest.mark.parametrize("is_named", [False, True])
def test_a_service_that_only_the_default_permits_must_lead_to_its_pods(
    spec: dict[str, Any], pods: list[dict[str, Any]], error: type[Exception] | None, is_named: bool
) -> None:
    cluster = FakeCluster(service("search", **spec), *pods)
    existing = not_none(stored(create()).spec.target.existing)
    allowed = (*DEFAULT, *(["search.*.svc"] if is_named else []))
    with (
        nullcontext()
        if error is None or is_named
        else pytest.raises(error, match=r"10\.0\.0\.7|any")
    ):
        resolve_endpoint(cluster, allowed, "search", existing)
    check = address_check(cluster, allowed=allowed)
    with nullcontext() if error is None or is_named else pytest.raises(error):
        check("search.search.svc", ["10.0.0.7"])  # as each connection does


def test_pods_of_a_service_are_read_in_parts_of_few() -> None:
    spec: dict[str, Any] = SELECTED | {"clusterIP": "None"}
    cluster = FakeCluster(service("search", **spec), pod("a", "10.0.0.7"))
    existing = not_none(stored(create()).spec.target.existing)
    resolve_endpoint(cluster, DEFAULT, "search", existing)
    assert [each.method for each in cluster.requests if each.kind == "Pod"] == ["list_in_parts"]


def test_the_names_of_all_hosts_together_have_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]

    def resolve_slowly(host: str) -> list[str]:
        clock[0] += 5
        return ["10.0.0.7" if host.startswith("node-") else "192.0.2.1"]

    monkeypatch.setattr(endpoint, "resolve", resolve_slowly)
    monkeypatch.setattr(endpoint, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    with failing(TemporaryError, "HostNotFound", "100 hosts were not resolved in 60 s"):
        check_hosts(FakeCluster(), ("*",), [f"http://node-{n}.example/solr" for n in range(100)])
    assert clock[0] < 75


def test_a_service_that_goes_after_the_check_is_waited_for() -> None:
    check = address_check(FakeCluster(), allowed=DEFAULT)
    with pytest.raises(TemporaryError, match="no Service"):
        check("solr-0.search.search.svc.cluster.local", ["10.0.0.7"])
    check("10.0.0.7", ["10.0.0.7"])
