"""Documents and bytes on every replica, counted by Solr itself at an address that was checked."""

from solrbench.decide.existing_target import host_of
from solrbench.decide.views import Replica, ReplicaSize
from solrbench.errors import PermanentError, TemporaryError
from solrbench.net.deadline import LOOKUP_SECONDS, lookup
from solrbench.reasons.lifecycle import LifecycleReason
from solrbench.reasons.target import TargetReason
from solrbench.solr.client import SolrClient

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
        return sorted(lookup(host, LOOKUP_SECONDS))
    except (OSError, UnicodeError) as error:
        raise TemporaryError(
            LifecycleReason.HOST_NOT_FOUND,
            f"target.existing: {host} cannot be resolved: {error}; correct the host name",
        ) from error
