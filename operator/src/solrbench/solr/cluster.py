"""What a SolrCloud looks like: live nodes, shards, replicas, versions, through one endpoint.

`nodes=all` lets the node that gets the request send it to the others (`AdminHandlersProxy` of
Solr 9), so a proxy or a load balancer in front of them is enough, and a response stands under each
node's own name.
"""

from collections.abc import Collection

from solrbench.contract.foreign import read_samples
from solrbench.decide.hosts import host_of
from solrbench.decide.views import NodeIdentity, Replica, ReplicaSize
from solrbench.errors import PermanentError, SolrbenchError, TemporaryError
from solrbench.net.deadline import lookup
from solrbench.reasons.lifecycle import LifecycleReason
from solrbench.reasons.target import TargetReason
from solrbench.solr.client import SolrClient
from solrbench.solr.responses import (
    INDEX_METRICS,
    ClusterState,
    ClusterStatus,
    CollectionState,
    CoreStatus,
    IndexSize,
    LiveNodes,
    MetricsByNode,
    SystemInfo,
    SystemsByNode,
    ZooKeeperStatus,
)

MAX_NAMED = 10
"""Nodes or cores that a message names."""
_CLUSTER_STATUS = {"action": "CLUSTERSTATUS"}


def _state_of(solr: SolrClient, name: str) -> ClusterState:
    """Return the part of a cluster's state about a collection or an alias; empty without one."""
    try:
        # All of a cloud with thousands of collections would be more than a response may have.
        wanted = _CLUSTER_STATUS | {"collection": name}
        return solr.get("/admin/collections", ClusterStatus, wanted).cluster
    except PermanentError as error:
        if f"Collection: {name} not found" in error.message:
            return ClusterState()
        raise


def live_nodes(solr: SolrClient) -> list[str]:
    """Return the names of the nodes that ZooKeeper holds to be alive."""
    # Solr 9.8 leaves out all else; one before ignores these and sends the status of the cluster.
    wanted = _CLUSTER_STATUS | {"includeAll": "false", "liveNodes": "true"}
    return sorted(solr.get("/admin/collections", LiveNodes, wanted).names)


def collection_state(solr: SolrClient, name: str) -> CollectionState | None:
    """Return what Solr knows of a collection, or `None` if there is no such collection."""
    return _state_of(solr, name).collections.get(name)


def replicas(solr: SolrClient, collection: str) -> list[Replica]:
    """Return every replica of a collection, or none if there is no such collection.

    Those of the parent of a split shard, which stays until it is deleted, serve no more.
    """
    state = collection_state(solr, collection)
    if state is None:
        return []
    return [
        Replica(
            shard=shard_name,
            core=replica.core,
            node=replica.node_name,
            base_url=replica.base_url,
            type=replica.type,
            state=replica.state,
            leader=replica.leader == "true",
        )
        for shard_name, shard in sorted(state.shards.items())
        if shard.state == "active"
        for _, replica in sorted(shard.replicas.items())
    ]


def config_set_of(solr: SolrClient, collection: str) -> str | None:
    """Return the name of a collection's config set, or `None` if there is no such collection."""
    state = collection_state(solr, collection)
    return None if state is None else state.config_set


def resolve_alias(solr: SolrClient, name: str) -> str:
    """Return the collection that a name stands for: itself, unless it is an alias for one.

    Solr follows an alias of an alias, and no further.
    """
    aliases = _state_of(solr, name).aliases
    found = aliases.get(name, name)
    return aliases.get(found, found)


def node_identity(solr: SolrClient, url: str) -> NodeIdentity:
    """Return the node behind `url`."""
    return _identity(solr.get("/admin/info/system", SystemInfo, url=url))


def _identity(info: SystemInfo) -> NodeIdentity:
    return NodeIdentity(
        solr_version=info.solr_version,
        heap_max_bytes=info.heap_max_bytes,
        started=info.started,
        jvm=f"{info.jvm_name} {info.jvm_version}".strip(),
    )


_MEGABYTES = "solr_core_index_size_megabytes"
_LIVE, _ALL = "solr_core_indexsearcher_index_num_docs", "solr_core_indexsearcher_index_docs"
"""Metrics of a core in Solr 10; the last one counts deleted documents, too."""

NO_JSON = "Only Prometheus and OpenMetrics metric formats supported"
"""What Solr 10 responds to a request for metrics in JSON, with HTTP status 400."""


def node_identities(solr: SolrClient) -> dict[str, NodeIdentity]:
    """Return the live nodes by Solr's names of them, as far as they respond.

    One that fails, or takes more than 10 s, is left out of a response that is good all the same. It
    raises `TemporaryError` if the node that got the request, or the way to it, does not respond.
    """
    found = solr.get("/admin/info/system", SystemsByNode, {"nodes": "all"}).root
    lives = {k: _identity(v) for k, v in found.items() if isinstance(v, SystemInfo)}
    if not lives:
        text = f"{solr.urls[0]} reports no live node; see the logs of Solr and ZooKeeper"
        raise TemporaryError(TargetReason.SOLR_NOT_LIVE, text)
    return lives


def all_node_identities(
    solr: SolrClient, known: Collection[str] | None = None
) -> dict[str, NodeIdentity]:
    """Return every live node by Solr's name of it; `TemporaryError` if one does not respond.

    Which are alive is asked only if one of those that are `known` did not respond.
    """
    lives = node_identities(solr)
    if known is not None and lives.keys() >= {*known}:
        return lives
    if silent := sorted({*live_nodes(solr)} - lives.keys()):
        named = ", ".join(silent[:MAX_NAMED])
        text = f"live, but did not respond through {solr.urls[0]}: {named}; see their logs"
        raise TemporaryError(TargetReason.SOLR_UNREACHABLE, text)
    return lives


def replica_sizes_via_proxy(solr: SolrClient, replicas: list[Replica]) -> list[ReplicaSize]:
    """Return the index of every replica from the metrics of its node.

    It does what `replica_sizes` does without an address of the nodes themselves. It raises
    `TemporaryError` if a core is missing, as while a node starts.
    """
    try:
        cores = _cores_in_json(solr)
    except PermanentError as error:
        if NO_JSON not in error.message:
            raise
        cores = _cores_in_text(solr, replicas)
    return _sizes(replicas, cores)


def _sizes(replicas: list[Replica], cores: dict[str, IndexSize]) -> list[ReplicaSize]:
    sizes, missing = list[ReplicaSize](), list[str]()
    for replica in replicas:
        core = cores.get(replica.core, IndexSize())
        if core.documents is None or core.bytes is None:
            missing.append(replica.core)
            continue
        size = (core.documents, core.bytes, core.deleted_documents)
        sizes.append(ReplicaSize(replica.shard, replica.core, *size))
    if missing:
        text = f"no node reports the index of {', '.join(missing[:MAX_NAMED])}"
        raise TemporaryError(TargetReason.CORES_NOT_READY, text)
    return sizes


def _cores_in_json(solr: SolrClient) -> dict[str, IndexSize]:
    params = {"nodes": "all", "group": "core", "prefix": INDEX_METRICS}
    response = solr.get("/admin/metrics", MetricsByNode, params)
    return {
        core.core: core
        for node in response.root.values()
        for core in node.metrics.values()
        if core.core is not None
    }


def _cores_in_text(solr: SolrClient, replicas: list[Replica]) -> dict[str, IndexSize]:
    """Return the same of Solr 10."""
    cores: dict[str, IndexSize] = {}
    for node in sorted({replica.node for replica in replicas}):
        # 10.0 passes a request on to the node in `node`, code after it to those in `nodes`. Without
        # categories, the histograms of all request handlers would be in the response.
        own = ",".join(replica.core for replica in replicas if replica.node == node)
        where = {"node": node, "nodes": node, "core": own, "category": "CORE,SEARCHER"}
        text = solr.get_text("/admin/metrics", {"wt": "prometheus", **where})
        found: dict[str, dict[str, float]] = {}
        for metric, labels, value in read_samples(text, f"{_MEGABYTES}|{_LIVE}|{_ALL}"):
            found.setdefault(labels.get("core", ""), {})[metric] = value
        for core, values in found.items():
            # A node may be anything, and what is larger is no count.
            if len(values) == len((_MEGABYTES, _LIVE, _ALL)) and max(values.values()) < 1 << 53:
                cores[core] = IndexSize(
                    bytes=int(values[_MEGABYTES] * (1 << 20)),
                    documents=int(values[_LIVE]),
                    deleted_documents=int(values[_ALL] - values[_LIVE]),
                )
    return cores


def zookeepers(solr: SolrClient) -> int | None:
    """Return the members of the ensemble as Solr knows them; `None` if unknown."""
    try:
        return solr.get("/admin/zookeeper/status", ZooKeeperStatus).ensemble_size or None
    except SolrbenchError:
        return None  # needs a permission of its own, and nothing depends on it


COMMIT_TIMEOUT_SECONDS = 600.0
"""A merge to one segment writes the whole index anew."""


def commit(solr: SolrClient, collection: str, max_segments: int | None = None) -> None:
    """Make every document sent so far visible, merging segments first if requested."""
    params: dict[str, str] = {"commit": "true", "waitSearcher": "true"}
    if max_segments is not None:
        params |= {"optimize": "true", "maxSegments": str(max_segments)}
    solr.post(f"/{collection}/update", params, json=[], timeout_seconds=COMMIT_TIMEOUT_SECONDS)


def replica_sizes(solr: SolrClient, replicas: list[Replica]) -> list[ReplicaSize]:
    """Return the index of every replica, by Solr's core status.

    It raises `PermanentError` with `ForeignNode` if a replica is on a host that is not one of the
    client's; `TemporaryError` if a core is missing, as while a node starts.
    """
    # What CLUSTERSTATUS calls a node's address may have been written by any client of ZooKeeper:
    # requests go to the URL that the client has of it.
    own = {host_of(url): url for url in solr.urls}
    replicas_by_node: dict[str, list[Replica]] = {}
    for replica in sorted(replicas, key=lambda each: each.base_url):
        try:
            url = own[host_of(replica.base_url)]
        except (KeyError, ValueError) as error:  # ValueError: it is no URL
            raise PermanentError(
                TargetReason.FOREIGN_NODE,
                f"replica {replica.core} is on {replica.base_url[:200]}, which is none of the"
                f" target's nodes ({', '.join(sorted(own))}); use an image that does not change"
                " Solr's host name and a ZooKeeper path of its own",
            ) from error
        replicas_by_node.setdefault(url, []).append(replica)
    sizes = list[ReplicaSize]()
    for url, on_node in replicas_by_node.items():
        # A search would count the documents too, but it would also fill caches and be counted among
        # the requests, before the first measured one.
        cores = solr.get("/admin/cores", CoreStatus, {"action": "STATUS"}, url=url).cores
        sizes += _sizes(on_node, {name: core.index for name, core in cores.items()})
    return sizes


def resolve(host: str) -> list[str]:
    """Return every address of a host.

    It raises `TemporaryError` with `HostNotFound` without one in time; its Service may come later.
    """
    try:
        return sorted(lookup(host))
    except (OSError, UnicodeError) as error:
        text = f"spec.target: {host} cannot be resolved: {error}; correct the host name"
        raise TemporaryError(LifecycleReason.HOST_NOT_FOUND, text) from error
