"""What a SolrCloud looks like: live nodes, shards, replicas, versions, through one endpoint.

`nodes=all` lets the node that gets the request send it to the others (`AdminHandlersProxy` of
Solr 9), so a proxy or a load balancer in front of them is enough, and a response stands under each
node's own name.
"""

from dataclasses import dataclass
from typing import Any

from solrbench.decide.views import NodeIdentity, Replica, ReplicaSize
from solrbench.errors import PermanentError, TemporaryError
from solrbench.reasons.target import TargetReason
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
    state = response["cluster"]["collections"].get(collection)
    if state is None:
        return []
    return [
        _replica(shard_name, replica)
        for shard_name, shard in sorted(state["shards"].items())
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
    state = response["cluster"]["collections"].get(collection)
    return None if state is None else str(state["configName"])


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


SIZE, DOCUMENTS, NAME = "INDEX.sizeInBytes", "SEARCHER.searcher.numDocs", "CORE.coreName"
DELETED = "SEARCHER.searcher.deletedDocs"
"""Metrics of a core in Solr 9."""


def node_identities(solr: SolrClient) -> dict[str, NodeIdentity]:
    """Return every live node by Solr's name of it.

    Raises:
        TemporaryError: if a node does not respond to the one that got the request.
    """
    response = solr.get("/admin/info/system", {"nodes": "all"})
    lives = {name: _identity(body) for name, body in response.items() if name.endswith("_solr")}
    if not lives:
        raise TemporaryError(
            TargetReason.SOLR_NOT_LIVE,
            f"{solr.urls[0]} reports no live node; see the logs of Solr and ZooKeeper",
        )
    return lives


def _identity(body: dict[str, Any]) -> NodeIdentity:
    jvm = body["jvm"]
    return NodeIdentity(
        solr_version=body["lucene"]["solr-spec-version"],
        heap_max_bytes=int(jvm["memory"]["raw"]["max"]),
        started=str(jvm["jmx"]["startTime"]),
    )


def replica_sizes_via_proxy(solr: SolrClient, replicas: list[Replica]) -> list[ReplicaSize]:
    """Return the index of every replica from the metrics of its node.

    Like `counts.core_indexes`, but without an address of the nodes themselves, and without a
    search that would fill caches.

    Raises:
        TemporaryError: if a core is missing, as while a node starts.
    """
    prefix = f"{SIZE},{DOCUMENTS},{DELETED},{NAME}"
    response = solr.get("/admin/metrics", {"nodes": "all", "group": "core", "prefix": prefix})
    cores = {
        engine[NAME]: engine
        for node in response.values()
        if isinstance(node, dict)
        for engine in node.get("metrics", {}).values()
        if NAME in engine
    }
    missing = [replica.core for replica in replicas if DOCUMENTS not in cores.get(replica.core, {})]
    if missing:
        raise TemporaryError(
            TargetReason.CORES_NOT_READY, f"no node has metrics of {', '.join(missing[:10])}"
        )
    return [_size(replica, cores[replica.core]) for replica in replicas]


def _size(replica: Replica, core: dict[str, Any]) -> ReplicaSize:
    deleted = core.get(DELETED)
    return ReplicaSize(
        replica.shard,
        replica.core,
        documents=int(core[DOCUMENTS]),
        bytes=int(core[SIZE]),
        deleted_documents=None if deleted is None else int(deleted),
    )


def zookeepers(solr: SolrClient) -> int | None:
    """Return the members of the ensemble as Solr knows them; `None` if unknown."""
    try:
        status = solr.get("/admin/zookeeper/status")["zkStatus"]
    except (TemporaryError, PermanentError, KeyError, TypeError):
        return None  # needs a permission of its own, and nothing depends on it
    size = status.get("ensembleSize") if isinstance(status, dict) else None
    return int(size) if size else None
