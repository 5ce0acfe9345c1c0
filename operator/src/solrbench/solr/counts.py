"""Documents and bytes on every replica, counted by Solr itself."""

from solrbench.errors import NotYet
from solrbench.solr.client import SolrClient
from solrbench.solr.cluster import Replica

COMMIT_TIMEOUT_SECONDS = 600.0


def commit(solr: SolrClient, collection: str, max_segments: int | None = None) -> None:
    """Make every document sent so far visible, merging segments first if asked."""
    params: dict[str, str] = {"commit": "true", "waitSearcher": "true"}
    if max_segments is not None:
        params |= {"optimize": "true", "maxSegments": str(max_segments)}
    solr.post(f"/{collection}/update", params, json=[], timeout_seconds=COMMIT_TIMEOUT_SECONDS)


def count_documents(solr: SolrClient, replicas: list[Replica]) -> dict[str, int]:
    """Return the documents of each shard, counted on each of its replicas by itself.

    Raises:
        NotYet: if the replicas of a shard disagree, as they do until a PULL or TLOG replica has
            copied the leader's last commit.

    """
    counts: dict[str, dict[str, int]] = {}
    for replica in replicas:
        body = solr.get(
            f"/{replica.core}/select",
            {"q": "*:*", "rows": 0, "distrib": "false"},
            url=replica.base_url,
        )
        counts.setdefault(replica.shard, {})[replica.core] = body["response"]["numFound"]
    for shard, by_core in counts.items():
        if len(set(by_core.values())) > 1:
            raise NotYet("ReplicasDisagree", f"documents of {shard} by replica: {by_core}")
    return {shard: next(iter(by_core.values())) for shard, by_core in counts.items()}


def index_bytes(solr: SolrClient, replicas: list[Replica]) -> int:
    """Return the bytes of the index files over all replicas."""
    total = 0
    for url in {replica.base_url for replica in replicas}:
        body = solr.get("/admin/metrics", {"group": "core", "prefix": "INDEX.sizeInBytes"}, url=url)
        total += sum(
            int(registry.get("INDEX.sizeInBytes", 0)) for registry in body["metrics"].values()
        )
    return total
