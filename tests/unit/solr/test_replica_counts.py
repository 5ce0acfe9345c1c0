from typing import Any

import pytest

from solrbench.decide.solr_views import Replica, ReplicaSize
from solrbench.solr.replica_counts import commit, replica_sizes
from unit.solr.recorded_solr import Solr


def core(shard: str, name: str, documents: int, size: int = 10) -> ReplicaSize:
    return ReplicaSize(shard, name, documents, size)


def status(**documents: int) -> dict[str, Any]:
    """Return core status; the fields of Solr 9.10.1 that count."""
    return {
        "status": {
            name: {"name": name, "index": {"numDocs": number, "sizeInBytes": 1000 + number}}
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
    with solr.client() as client:
        found = replica_sizes(client, replicas)
    assert solr.actions() == ["STATUS", "STATUS"]
    assert found == [
        core("shard1", "s1a", 3, 1003),
        core("shard2", "s2a", 4, 1004),
        core("shard1", "s1b", 3, 1003),
    ]
