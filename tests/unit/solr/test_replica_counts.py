from typing import Any

import pytest

from solrbench.errors import TemporaryError
from solrbench.solr.cluster import Replica
from solrbench.solr.replica_counts import ReplicaSize, commit, documents_by_shard, replica_sizes
from unit.solr.answering import Solr


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


def test_documents_of_a_shard_count_once() -> None:
    found = [core("shard1", "a", 3), core("shard1", "b", 3), core("shard2", "c", 0)]
    assert documents_by_shard(found) == {"shard1": 3, "shard2": 0}


@pytest.mark.parametrize("followers", [(0, 0), (3, 0), (0, 3), (2, 2)])
def test_followers_that_have_not_copied_everything_are_waited_for(
    followers: tuple[int, int],
) -> None:
    # The leader commits at once; TLOG and PULL replicas fetch later, each in its own time.
    found = [core("shard1", "leader", 3), core("shard2", "other", 5), core("shard2", "copy", 5)]
    found += [core("shard1", f"follower{i}", n) for i, n in enumerate(followers)]
    with pytest.raises(TemporaryError) as caught:
        documents_by_shard(found)
    assert caught.value.reason == "ReplicasDisagree"


def test_replicas_that_disagree_are_waited_for() -> None:
    with pytest.raises(TemporaryError, match="documents of shard1 by replica") as caught:
        documents_by_shard([core("shard1", "a", 3), core("shard1", "b", 2)])
    assert caught.value.reason == "ReplicasDisagree"
    assert "'b': 2" in caught.value.message
