"""Documents and bytes on every replica, counted by Solr itself."""

from dataclasses import dataclass

from solrbench.errors import TemporaryError
from solrbench.reasons.indexing import IndexingReason
from solrbench.solr.client import SolrClient
from solrbench.solr.cluster import Replica

COMMIT_TIMEOUT_SECONDS = 600.0


def commit(solr: SolrClient, collection: str, max_segments: int | None = None) -> None:
    """Make every document sent so far visible, merging segments first if asked."""
    params: dict[str, str] = {"commit": "true", "waitSearcher": "true"}
    if max_segments is not None:
        params |= {"optimize": "true", "maxSegments": str(max_segments)}
    solr.post(f"/{collection}/update", params, json=[], timeout_seconds=COMMIT_TIMEOUT_SECONDS)


@dataclass(frozen=True)
class ReplicaSize:
    """The index of one core as its current searcher sees it."""

    shard: str
    core: str
    documents: int
    bytes: int


def replica_sizes(solr: SolrClient, replicas: list[Replica]) -> list[ReplicaSize]:
    """Return the index of every replica, by Solr's core status.

    A search would count the documents too, but it would also fill caches and be counted among
    the requests, before the first measured one.
    """
    found = []
    for url in sorted({replica.base_url for replica in replicas}):
        cores = solr.get("/admin/cores", {"action": "STATUS"}, url=url)["status"]
        for replica in replicas:
            if replica.base_url == url:
                index = cores[replica.core]["index"]
                size = int(index["sizeInBytes"])
                found.append(ReplicaSize(replica.shard, replica.core, index["numDocs"], size))
    return found


def documents_by_shard(cores: list[ReplicaSize]) -> dict[str, int]:
    """Return the documents of each shard.

    Raises:
        TemporaryError: if the replicas of a shard disagree, as they do until a PULL or TLOG replica
            has copied the leader's last commit.

    """
    by_shard: dict[str, dict[str, int]] = {}
    for each in cores:
        by_shard.setdefault(each.shard, {})[each.core] = each.documents
    for shard, by_core in by_shard.items():
        if len(set(by_core.values())) > 1:
            raise TemporaryError(
                IndexingReason.REPLICAS_DISAGREE,
                f"documents of {shard} by replica: {by_core}, expected the same on each",
            )
    return {shard: next(iter(by_core.values())) for shard, by_core in by_shard.items()}
