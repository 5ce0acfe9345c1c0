from typing import Any

import pytest

from solrbench.decide.solr_views import Replica, ReplicaSize
from solrbench.errors import PermanentError
from solrbench.solr.replica_counts import commit, replica_sizes
from unit.solr.recorded_solr import Solr


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
    with solr.client() as client, pytest.raises(PermanentError) as caught:
        replica_sizes(client, [on("a", "shard1", "s1"), foreign])
    assert caught.value.reason == "ForeignNode"
    assert solr.asked == []


def test_a_node_is_asked_at_its_known_url() -> None:
    address = "http://A:2181/latest?x="
    elsewhere = Replica("shard1", "s1", "a:8983_solr", address, "NRT", "active", leader=True)
    solr = Solr({"/admin/cores": status(s1=3), "STATUS": status(s1=3)})
    with solr.client() as client:
        assert replica_sizes(client, [elsewhere]) == [core("shard1", "s1", 3, 1003)]
    assert [path for _, path, _, _ in solr.asked] == ["/admin/cores"]
