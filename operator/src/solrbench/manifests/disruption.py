"""The PodDisruptionBudget that keeps drains and autoscalers off the pods while a run lasts."""

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.manifests.common import Manifest, metadata
from solrbench.plan import names

API_VERSION = "policy/v1"
KIND = "PodDisruptionBudget"


def build_disruption_budget(
    benchmark: SolrBenchmark, component: str, attempt: int, pods: int
) -> Manifest:
    """Return the budget of a component that lets none of its pods be evicted.

    It is a number of pods because Jobs have no scale, which `maxUnavailable` needs (Kubernetes
    documentation, "Arbitrary workloads and arbitrary selectors").
    """
    return {
        "apiVersion": API_VERSION,
        "kind": KIND,
        "metadata": metadata(benchmark, names.child(benchmark, component), component, attempt),
        "spec": {
            "minAvailable": pods,
            "selector": {"matchLabels": names.selector(benchmark, component)},
        },
    }
