"""What a SolrCloud looks like: live nodes, shards, replicas, versions, through one endpoint.

`nodes=all` lets the node that gets the request send it to the others (`AdminHandlersProxy` of
Solr 9), so a proxy or a load balancer in front of them is enough, and a response stands under each
node's own name.
"""

from typing import Any

from solrbench.contract.prometheus_text import read_samples
from solrbench.decide.existing_target import host_of
from solrbench.decide.views import NodeIdentity, Replica, ReplicaSize
from solrbench.errors import PermanentError, TemporaryError
from solrbench.net.deadline import lookup
from solrbench.reasons.lifecycle import LifecycleReason
from solrbench.reasons.target import TargetReason
from solrbench.solr.client import SolrClient


def _cluster_status(solr: SolrClient, **params: str) -> dict[str, Any]:
    response = solr.get("/admin/collections", {"action": "CLUSTERSTATUS"} | params)
    cluster: dict[str, Any] = response["cluster"]
    return cluster


def _status_of(solr: SolrClient, name: str) -> dict[str, Any]:
    """Return the part of a cluster's status about a collection or an alias; empty without one."""
    try:
        # All of a cloud with thousands of collections would be more than a response may have.
        return _cluster_status(solr, collection=name)
    except PermanentError as error:
        if f"Collection: {name} not found" in error.message:
            return {}
        raise


def live_nodes(solr: SolrClient) -> list[str]:
    """Return the names of the nodes that ZooKeeper holds to be alive."""
    # Solr 9.8 leaves out all else; one before ignores these and sends the status of the cluster.
    status = _cluster_status(solr, includeAll="false", liveNodes="true")
    return sorted(status["live_nodes"])


def collection_state(solr: SolrClient, name: str) -> dict[str, Any] | None:
    """Return what Solr knows of a collection, or `None` if there is no such collection."""
    state: dict[str, Any] | None = _status_of(solr, name).get("collections", {}).get(name)
    return state


def replicas(solr: SolrClient, collection: str) -> list[Replica]:
    """Return every replica of a collection, or none if there is no such collection."""
    state = collection_state(solr, collection)
    if state is None:
        return []
    return [
        Replica(
            shard=shard_name,
            core=body["core"],
            node=body["node_name"],
            base_url=str(body["base_url"]),
            type=body.get("type", "NRT"),
            state=body["state"],
            leader=body.get("leader") == "true",  # a text; the key is absent from all others
        )
        for shard_name, shard in sorted(state["shards"].items())
        for _, body in sorted(shard["replicas"].items())
    ]


def config_set_of(solr: SolrClient, collection: str) -> str | None:
    """Return the name of a collection's config set, or `None` if there is no such collection."""
    state = collection_state(solr, collection)
    return None if state is None else str(state["configName"])


def resolve_alias(solr: SolrClient, name: str) -> str:
    """Return the collection that a name stands for: itself, unless it is an alias for one."""
    return str(_status_of(solr, name).get("aliases", {}).get(name, name))


def node_identity(solr: SolrClient, url: str) -> NodeIdentity:
    """Return the node behind `url`."""
    return _parse_identity(solr.get("/admin/info/system", url=url))


def _parse_identity(body: dict[str, Any]) -> NodeIdentity:
    jvm = body["jvm"]
    return NodeIdentity(
        solr_version=body["lucene"]["solr-spec-version"],
        heap_max_bytes=int(jvm["memory"]["raw"]["max"]),
        started=str(jvm["jmx"]["startTime"]),
        jvm=f"{jvm.get('name', '')} {jvm.get('version', '')}".strip(),
    )


SIZE, DOCUMENTS, NAME = "INDEX.sizeInBytes", "SEARCHER.searcher.numDocs", "CORE.coreName"
DELETED = "SEARCHER.searcher.deletedDocs"
"""Metrics of a core in Solr 9."""

_MEGABYTES = "solr_core_index_size_megabytes"
_LIVE, _ALL = "solr_core_indexsearcher_index_num_docs", "solr_core_indexsearcher_index_docs"
"""The same in Solr 10, where the last one counts deleted documents, too."""

NO_JSON = "Only Prometheus and OpenMetrics metric formats supported"
"""What Solr 10 responds to a request for metrics in JSON, with HTTP status 400."""


def node_identities(solr: SolrClient) -> dict[str, NodeIdentity]:
    """Return every live node by Solr's name of it.

    It raises `TemporaryError` if a node does not respond to the one that got the request.
    """
    response = solr.get("/admin/info/system", {"nodes": "all"})
    lives = {
        name: _parse_identity(body)
        for name, body in response.items()
        if name.endswith("_solr")  # `responseHeader` stands beside them
    }
    if not lives:
        raise TemporaryError(
            TargetReason.SOLR_NOT_LIVE,
            f"{solr.urls[0]} reports no live node; see the logs of Solr and ZooKeeper",
        )
    return lives


def replica_sizes_via_proxy(solr: SolrClient, replicas: list[Replica]) -> list[ReplicaSize]:
    """Return the index of every replica from the metrics of its node.

    It does what `replica_sizes` does without an address of the nodes themselves.

    It raises `TemporaryError` if a core is missing, as while a node starts.
    """
    try:
        cores = _cores_in_json(solr)
    except PermanentError as error:
        if NO_JSON not in error.message:
            raise
        cores = _cores_in_text(solr, replicas)
    missing = [replica.core for replica in replicas if DOCUMENTS not in cores.get(replica.core, {})]
    if missing:
        raise TemporaryError(
            TargetReason.CORES_NOT_READY, f"no node has metrics of {', '.join(missing[:10])}"
        )
    return [
        ReplicaSize(
            replica.shard,
            replica.core,
            documents=int(core[DOCUMENTS]),
            bytes=int(core[SIZE]),
            deleted_documents=None if core.get(DELETED) is None else int(core[DELETED]),
        )
        for replica in replicas
        for core in [cores[replica.core]]
    ]


def _cores_in_json(solr: SolrClient) -> dict[str, dict[str, Any]]:
    prefix = f"{SIZE},{DOCUMENTS},{DELETED},{NAME}"
    response = solr.get("/admin/metrics", {"nodes": "all", "group": "core", "prefix": prefix})
    return {
        engine[NAME]: engine
        for node in response.values()
        if isinstance(node, dict)
        for engine in node.get("metrics", {}).values()
        if NAME in engine
    }


def _cores_in_text(solr: SolrClient, replicas: list[Replica]) -> dict[str, dict[str, Any]]:
    """Return the same of Solr 10, under the names that Solr 9 has for it."""
    cores: dict[str, dict[str, Any]] = {}
    for node in sorted({replica.node for replica in replicas}):
        # 10.0 passes a request on to the node in `node`, code after it to those in `nodes`. Without
        # categories, the histograms of all request handlers would be in the response.
        own = ",".join(replica.core for replica in replicas if replica.node == node)
        where = {"node": node, "nodes": node, "core": own, "category": "CORE,SEARCHER"}
        text = solr.get_text("/admin/metrics", {"wt": "prometheus", **where})
        found: dict[str, dict[str, float]] = {}
        for metric in (_MEGABYTES, _LIVE, _ALL):
            for labels, value in read_samples(text, metric):
                found.setdefault(labels.get("core", ""), {})[metric] = value
        for core, values in found.items():
            if len(values) == len((_MEGABYTES, _LIVE, _ALL)):
                live = values[_LIVE]
                size = {SIZE: values[_MEGABYTES] * (1 << 20), DOCUMENTS: live}
                cores[core] = size | {DELETED: values[_ALL] - live}
    return cores


def zookeepers(solr: SolrClient) -> int | None:
    """Return the members of the ensemble as Solr knows them; `None` if unknown."""
    try:
        status = solr.get("/admin/zookeeper/status")["zkStatus"]
    except (TemporaryError, PermanentError, KeyError, TypeError):
        return None  # needs a permission of its own, and nothing depends on it
    size = status.get("ensembleSize") if isinstance(status, dict) else None
    return int(size) if size else None


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

    Raises:
        PermanentError: `ForeignNode` if a replica is on a host that is not one of the client's.
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
    sizes = []
    for url, on_node in replicas_by_node.items():
        # A search would count the documents too, but it would also fill caches and be counted among
        # the requests, before the first measured one.
        cores = solr.get("/admin/cores", {"action": "STATUS"}, url=url)["status"]
        for replica in on_node:
            index = cores[replica.core]["index"]
            size, deleted = int(index["sizeInBytes"]), index.get("deletedDocs")
            sizes.append(ReplicaSize(replica.shard, replica.core, index["numDocs"], size, deleted))
    return sizes


def resolve(host: str) -> list[str]:
    """Return every address of a host.

    Raises:
        TemporaryError: `HostNotFound` if there is none in time; its Service may come later.
    """
    try:
        return sorted(lookup(host))
    except (OSError, UnicodeError) as error:
        raise TemporaryError(
            LifecycleReason.HOST_NOT_FOUND,
            f"target.existing: {host} cannot be resolved: {error}; correct the host name",
        ) from error
