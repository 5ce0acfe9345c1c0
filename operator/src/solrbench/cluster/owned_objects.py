"""The objects of a benchmark, found by their labels."""

from collections.abc import Sequence

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.cluster.client import Cluster, Manifest
from solrbench.plan import names
from solrbench.plan.names import LABEL_BENCHMARK, LABEL_COMPONENT


def list_labelled(
    cluster: Cluster, benchmark: SolrBenchmark, api_version: str, kind: str
) -> Sequence[Manifest]:
    """Return the objects of a kind: those of the benchmark, and those of a target that it shares.

    Raises:
        TemporaryError: if the API server does not respond.

    """
    namespace, own = benchmark.metadata.namespace, benchmark.metadata.name
    target = names.target(benchmark)

    def read(name: str) -> Sequence[Manifest]:
        return cluster.list(api_version, kind, namespace, {LABEL_BENCHMARK: name})

    return read(own) if target == own else [*read(own), *filter(is_of_nodes, read(target))]


def is_of_nodes(body: Manifest) -> bool:
    """Return whether an object is one of Solr or ZooKeeper."""
    return (body["metadata"].get("labels") or {}).get(LABEL_COMPONENT) in names.NODES
