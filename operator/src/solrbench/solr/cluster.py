"""What a SolrCloud looks like: live nodes, shards, replicas, versions."""

from dataclasses import dataclass
from typing import Any

from solrbench.decide.solr_views import Replica
from solrbench.solr.client import SolrClient


@dataclass(frozen=True)
class NodeInfo:
    """One Solr node as it describes itself."""

    url: str
    solr_version: str
    jvm: str
    heap_max_bytes: int
    processors: int


def live_nodes(solr: SolrClient) -> list[str]:
    """Return the names of the nodes that ZooKeeper holds to be alive."""
    response = solr.get("/admin/collections", {"action": "CLUSTERSTATUS"})
    return sorted(response["cluster"]["live_nodes"])


def replicas(solr: SolrClient, collection: str) -> list[Replica]:
    """Return every replica of a collection, or none if there is no such collection."""
    response = solr.get("/admin/collections", {"action": "CLUSTERSTATUS"})
    found = response["cluster"]["collections"].get(collection)
    if found is None:
        return []
    return [
        _replica(shard_name, replica)
        for shard_name, shard in sorted(found["shards"].items())
        for _, replica in sorted(shard["replicas"].items())
    ]


def _replica(shard: str, body: dict[str, Any]) -> Replica:
    return Replica(
        shard=shard,
        core=body["core"],
        node=body["node_name"],
        base_url=str(body["base_url"]),
        type=body.get("type", "NRT"),
        state=body["state"],
        leader=body.get("leader") == "true",
    )


def config_set_of(solr: SolrClient, collection: str) -> str | None:
    """Return the name of a collection's config set, or `None` if there is no such collection."""
    response = solr.get("/admin/collections", {"action": "CLUSTERSTATUS"})
    found = response["cluster"]["collections"].get(collection)
    return None if found is None else str(found["configName"])


def resolve_alias(solr: SolrClient, name: str) -> str:
    """Return the collection that a name stands for: itself, unless it is an alias for one."""
    response = solr.get("/admin/collections", {"action": "CLUSTERSTATUS"})
    return str(response["cluster"].get("aliases", {}).get(name, name))


def node_info(solr: SolrClient, url: str) -> NodeInfo:
    """Return what the node behind `url` says of itself."""
    body = solr.get("/admin/info/system", url=url)
    jvm = body["jvm"]
    return NodeInfo(
        url=url,
        solr_version=body["lucene"]["solr-spec-version"],
        jvm=f"{jvm.get('name', '')} {jvm.get('version', '')}".strip(),
        heap_max_bytes=int(jvm["memory"]["raw"]["max"]),
        processors=int(jvm.get("processors", 0)),
    )
