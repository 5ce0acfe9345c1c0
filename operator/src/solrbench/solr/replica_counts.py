"""Documents and bytes on every replica, counted by Solr itself."""

from solrbench.decide.solr_views import Replica, ReplicaSize
from solrbench.solr.client import SolrClient

COMMIT_TIMEOUT_SECONDS = 600.0


def commit(solr: SolrClient, collection: str, max_segments: int | None = None) -> None:
    """Make every document sent so far visible, merging segments first if asked."""
    params: dict[str, str] = {"commit": "true", "waitSearcher": "true"}
    if max_segments is not None:
        params |= {"optimize": "true", "maxSegments": str(max_segments)}
    solr.post(f"/{collection}/update", params, json=[], timeout_seconds=COMMIT_TIMEOUT_SECONDS)


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
