"""The index of every replica, asked in the way that the target allows."""

from solrbench.controller.context import Run
from solrbench.errors import PermanentError, TemporaryError
from solrbench.plan import names
from solrbench.solr import collections
from solrbench.solr.client import SolrClient
from solrbench.solr.cluster import Replica, replicas, resolve_alias
from solrbench.solr.cluster_nodes import core_indexes_anywhere
from solrbench.solr.replica_counts import CoreIndex, core_indexes


def find_replicas(run: Run, solr: SolrClient) -> list[Replica]:
    """Return the replicas of the benchmark's collection; the user's may be behind an alias."""
    name = names.collection(run.benchmark)
    return replicas(solr, resolve_alias(solr, name) if run.existing else name)


def check_made(run: Run, solr: SolrClient, nodes: int) -> None:
    """Check the replicas of a collection that was made a moment ago, on so many nodes.

    Raises:
        TemporaryError: if they are not as asked; Solr may still be making them for an operator that
            is gone.

    """
    try:
        collections.check_replicas(find_replicas(run, solr), run.benchmark.spec.collection, nodes)
    except PermanentError as never:
        raise TemporaryError(never.reason, never.message) from never


def read_cores(run: Run, solr: SolrClient, found: list[Replica]) -> list[CoreIndex]:
    """Return the index of each of these replicas."""
    if run.existing is not None:
        return core_indexes_anywhere(solr, found)
    return core_indexes(solr, found)
