"""Who stands at Solr's endpoint, and what lies behind a single one."""

from typing import Any

import httpx2 as httpx
import pytest

from solrbench.decide.views import Replica, ReplicaSize
from solrbench.errors import PermanentError, TemporaryError
from solrbench.net.http import HttpAuth, basic_auth
from solrbench.solr.cluster import (
    commit,
    node_identities,
    replica_sizes,
    replica_sizes_via_proxy,
    replicas,
    resolve,
    zookeepers,
)
from support.failing import failing
from support.solr.cloud import Cloud
from support.solr.recorded_solr import Solr


def test_credentials_go_with_every_request() -> None:
    login = basic_auth("solr", "SolrRocks")
    cloud = Cloud(authorization=login)
    with cloud.client(HttpAuth(login)) as client:
        assert set(node_identities(client)) == {"a:8983_solr", "b:8983_solr"}


@pytest.mark.parametrize("access", [HttpAuth(), HttpAuth(basic_auth("solr", "secret-guess"))])
def test_wrong_password_is_reported_without_the_password(access: HttpAuth) -> None:
    cloud = Cloud(authorization=basic_auth("solr", "SolrRocks"))
    with cloud.client(access) as client, pytest.raises(PermanentError) as caught:
        node_identities(client)
    assert caught.value.reason == "AuthenticationFailed"
    assert "basicAuth.secret.name" in caught.value.message
    assert "guess" not in str(caught.value)
    assert "Basic" not in str(caught.value)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirect_is_an_error_and_not_followed(status: int) -> None:
    seen = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(str(request.url))
        return httpx.Response(status, headers={"Location": "http://169.254.169.254/latest"})

    client = Solr({}).client()
    client._http = httpx.Client(transport=httpx.MockTransport(answer))
    with client, failing(PermanentError, "RedirectRefused", r"169\.254\.169\.254"):
        client.get("/admin/info/system")
    assert len(seen) == 1


def test_one_life_of_each_node() -> None:
    cloud = Cloud(nodes={"a:8983_solr": "2026-01-01T00:00:00Z", "b:8983_solr": "later"})
    with cloud.client() as client:
        lives = node_identities(client)
    assert {name: life.started for name, life in lives.items()} == cloud.nodes
    assert lives["a:8983_solr"].solr_version == "9.10.1"
    assert lives["a:8983_solr"].heap_max_bytes == 1 << 30


def test_answer_that_names_no_node_is_waited_for() -> None:
    with Cloud(nodes={}).client() as client, pytest.raises(TemporaryError, match="no live node"):
        node_identities(client)


def test_size_of_every_replica_through_one_endpoint() -> None:
    cloud = Cloud()
    cloud.make("books", "books")
    cloud.make("others", "others")
    with cloud.client() as client:
        (engine,) = replica_sizes_via_proxy(client, replicas(client, "books"))
    assert (engine.shard, engine.core) == ("shard1", "books_shard1_replica_n1")
    assert (engine.documents, engine.bytes) == (5, 700)


def test_missing_replica_is_waited_for() -> None:
    cloud = Cloud()
    cloud.make("books", "books")
    with cloud.client() as client:
        found = replicas(client, "books")
        cloud.collections.clear()
        with pytest.raises(TemporaryError, match="books_shard1_replica_n1"):
            replica_sizes_via_proxy(client, found)


def test_ensemble_is_absent_where_solr_does_not_know_it() -> None:
    with Cloud().client() as client:
        assert zookeepers(client) is None
    with Solr({"/admin/zookeeper/status": {"zkStatus": {"ensembleSize": 3}}}).client() as client:
        assert zookeepers(client) == 3


def test_names_are_resolved() -> None:
    assert "127.0.0.1" in resolve("127.0.0.1")
    with failing(TemporaryError, "HostNotFound", "cannot be resolved"):
        resolve("no-such-host.invalid")


def core(shard: str, name: str, documents: int, size: int = 10, deleted: int = 2) -> ReplicaSize:
    return ReplicaSize(shard, name, documents, size, deleted)


def status(**documents: int) -> dict[str, Any]:
    """Return core status; the fields of Solr 9.10.1 that count."""
    return {
        "status": {
            name: {
                "name": name,
                "index": {"numDocs": number, "deletedDocs": 2, "sizeInBytes": 1000 + number},
            }
            for name, number in documents.items()
        }
    }


def on(node: str, shard: str, name: str) -> Replica:
    url = f"http://{node}:8983/solr"
    return Replica(shard, name, f"{node}:8983_solr", url, "NRT", "active", leader=True)


@pytest.mark.parametrize(
    ("max_segments", "more"), [(None, {}), (1, {"optimize": "true", "maxSegments": "1"})]
)
def test_commit_waits_for_the_searcher(max_segments: int | None, more: dict[str, str]) -> None:
    solr = Solr({"/books/update": {"responseHeader": {"status": 0}}})
    with solr.client() as client:
        commit(client, "books", max_segments)
    expected = {"wt": "json", "commit": "true", "waitSearcher": "true", **more}
    assert solr.asked == [("POST", "/books/update", expected, b"[]")]


def test_every_core_is_asked_of_its_own_node() -> None:
    replicas = [on("b", "shard1", "s1b"), on("a", "shard1", "s1a"), on("a", "shard2", "s2a")]
    solr = Solr({"STATUS": [status(s1a=3, s2a=4, other=9), status(s1b=3)]})
    with solr.client(("http://a:8983/solr", "http://b:8983/solr")) as client:
        found = replica_sizes(client, replicas)
    assert solr.actions() == ["STATUS", "STATUS"]
    assert found == [
        core("shard1", "s1a", 3, 1003),
        core("shard2", "s2a", 4, 1004),
        core("shard1", "s1b", 3, 1003),
    ]


@pytest.mark.parametrize(
    "address",
    ["http://10.0.0.1/latest/user-data?x=", "http://a@b:8983/solr", "http://[a", "b:8983"],
)
def test_a_host_that_is_not_the_targets_is_never_asked(address: str) -> None:
    foreign = Replica("shard1", "s1", "a:8983_solr", address, "NRT", "active", leader=True)
    solr = Solr({"STATUS": status(s1=3)})
    with solr.client() as client, failing(PermanentError, "ForeignNode"):
        replica_sizes(client, [on("a", "shard1", "s1"), foreign])
    assert solr.asked == []


def test_a_node_is_asked_at_its_known_url() -> None:
    address = "http://A:2181/latest?x="
    elsewhere = Replica("shard1", "s1", "a:8983_solr", address, "NRT", "active", leader=True)
    solr = Solr({"/admin/cores": status(s1=3), "STATUS": status(s1=3)})
    with solr.client() as client:
        assert replica_sizes(client, [elsewhere]) == [core("shard1", "s1", 3, 1003)]
    assert [path for _, path, _, _ in solr.asked] == ["/admin/cores"]
