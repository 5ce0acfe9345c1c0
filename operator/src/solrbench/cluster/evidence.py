"""Evidence of failures in a ConfigMap of the benchmark."""

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.cluster.client import Cluster
from solrbench.decide.evidence.text import add_entry
from solrbench.decide.ownership import controller_uid
from solrbench.manifests.report import build_evidence
from solrbench.plan import names


def read_evidence(cluster: Cluster, benchmark: SolrBenchmark) -> dict[str, str]:
    """Return what was kept, oldest first; nothing if there was no failure."""
    namespace, name = benchmark.metadata.namespace, names.evidence(benchmark)
    body = cluster.get("v1", "ConfigMap", namespace, name)
    if body is None or controller_uid(body) != benchmark.metadata.uid:
        return {}
    return dict(sorted((body.get("data") or {}).items(), key=lambda entry: entry[1]))


def store_evidence(cluster: Cluster, benchmark: SolrBenchmark, key: str, text: str) -> None:
    """Add an entry to what is kept; the oldest go where there is no room.

    Raises:
        SolrbenchError: if it cannot be written.

    """
    entries = add_entry(read_evidence(cluster, benchmark), key, text)
    cluster.apply(build_evidence(benchmark, entries))
