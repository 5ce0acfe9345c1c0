"""The index of every replica, asked in the way that the target allows."""

from solrbench.controller.context import ReconcileContext
from solrbench.controller.outcomes import apply_outcome
from solrbench.decide.checks.collection import REPLICA_CHECKS, CollectionReplicas
from solrbench.decide.checks.outcome import first_outcome
from solrbench.decide.solr_views import Replica, ReplicaSize
from solrbench.plan import names
from solrbench.solr.client import SolrClient
from solrbench.solr.cluster import replicas, resolve_alias
from solrbench.solr.cluster_nodes import replica_sizes_via_proxy
from solrbench.solr.replica_counts import replica_sizes


def find_replicas(context: ReconcileContext, solr: SolrClient) -> list[Replica]:
    """Return the replicas of the benchmark's collection; the user's may be behind an alias."""
    name = names.collection(context.benchmark)
    return replicas(solr, resolve_alias(solr, name) if context.existing else name)


def check_created(context: ReconcileContext, solr: SolrClient, nodes: int) -> None:
    """Check the replicas of a collection that was created a moment ago, on so many nodes.

    Raises:
        TemporaryError: if they are not those of the spec; Solr may still be creating them for an
            operator that is gone.

    """
    found = observe_replicas(context, solr, nodes)
    outcome = first_outcome(REPLICA_CHECKS, found)
    apply_outcome(None if outcome is None else outcome.waiting())


def observe_replicas(context: ReconcileContext, solr: SolrClient, nodes: int) -> CollectionReplicas:
    """Return the replicas of the benchmark's collection beside its spec."""
    found = tuple(find_replicas(context, solr))
    return CollectionReplicas(context.benchmark.spec.collection, found, nodes)


def read_replica_sizes(
    context: ReconcileContext, solr: SolrClient, found: list[Replica]
) -> list[ReplicaSize]:
    """Return the index of each of these replicas."""
    if context.existing is not None:
        return replica_sizes_via_proxy(solr, found)
    return replica_sizes(solr, found)
