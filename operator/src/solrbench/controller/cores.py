"""The index of every replica, asked in the way that the target allows."""

from solrbench.controller.run import Run
from solrbench.plan import names
from solrbench.solr.client import SolrClient
from solrbench.solr.cluster import Replica, replicas, resolve_alias
from solrbench.solr.counts import CoreIndex, core_indexes
from solrbench.solr.nodes import core_indexes_anywhere


def find_replicas(run: Run, solr: SolrClient) -> list[Replica]:
    """Return the replicas of the benchmark's collection; the user's may be behind an alias."""
    name = names.collection(run.benchmark)
    return replicas(solr, resolve_alias(solr, name) if run.existing else name)


def read_cores(run: Run, solr: SolrClient, found: list[Replica]) -> list[CoreIndex]:
    """Return the index of each of these replicas."""
    if run.existing is not None:
        return core_indexes_anywhere(solr, found)
    return core_indexes(solr, found)
