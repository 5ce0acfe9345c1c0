"""The index of every replica, asked in the way that the target allows."""

from solrbench.controller.context import ReconcileContext
from solrbench.errors import PermanentError, TemporaryError
from solrbench.plan import names
from solrbench.solr import collections
from solrbench.solr.client import SolrClient
from solrbench.solr.cluster import Replica, replicas, resolve_alias
from solrbench.solr.cluster_nodes import replica_sizes_via_proxy
from solrbench.solr.replica_counts import ReplicaSize, replica_sizes


def find_replicas(context: ReconcileContext, solr: SolrClient) -> list[Replica]:
    """Return the replicas of the benchmark's collection; the user's may be behind an alias."""
    name = names.collection(context.benchmark)
    return replicas(solr, resolve_alias(solr, name) if context.existing else name)


def check_created(context: ReconcileContext, solr: SolrClient, nodes: int) -> None:
    """Check the replicas of a collection that was made a moment ago, on so many nodes.

    Raises:
        TemporaryError: if they are not as asked; Solr may still be making them for an operator that
            is gone.

    """
    try:
        collections.check_replicas(
            find_replicas(context, solr), context.benchmark.spec.collection, nodes
        )
    except PermanentError as never:
        raise TemporaryError(never.reason, never.message) from never


def read_replica_sizes(
    context: ReconcileContext, solr: SolrClient, found: list[Replica]
) -> list[ReplicaSize]:
    """Return the index of each of these replicas."""
    if context.existing is not None:
        return replica_sizes_via_proxy(solr, found)
    return replica_sizes(solr, found)
