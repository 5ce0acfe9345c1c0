"""The options that hold for the pods of one component, from all that the spec says of them."""

from functools import reduce
from typing import Any

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.pod.pod_options import PodComponent, PodOptions
from solrbench.plan import names

COMPONENTS = {
    names.SOLR: PodComponent.SOLR,
    names.ZOOKEEPER: PodComponent.ZOOKEEPER,
    names.INDEX: PodComponent.INDEX,
    names.LOAD_MASTER: PodComponent.LOAD_MASTER,
    names.LOAD_WORKER: PodComponent.LOAD_WORKER,
    names.COMPANION: PodComponent.COMPANION,
    names.EXPORT: PodComponent.EXPORT,
}
"""Components by their label."""


def pod_options(benchmark: SolrBenchmark, component: str) -> PodOptions:
    """Return the options of a component's pods.

    Labels, annotations and variables of later entries add to those of earlier ones, by key; any
    other option replaces that of an earlier entry.
    """
    entries = [
        each for each in benchmark.spec.pod_options if COMPONENTS[component] in each.components
    ]
    return reduce(_add, entries, _shared_placement(benchmark, component))


def _shared_placement(benchmark: SolrBenchmark, component: str) -> PodOptions:
    """Return where `target.solrCloud` places Solr and ZooKeeper pods."""
    solr = benchmark.spec.target.solr_cloud
    if solr is None or component not in (names.SOLR, names.ZOOKEEPER):
        return PodOptions()
    return PodOptions(
        node_selector=solr.node_selector,
        tolerations=solr.tolerations,
        topology_spread_constraints=[solr.topology_spread],
    )


def _add(before: PodOptions, entry: PodOptions) -> PodOptions:
    given = {name: getattr(entry, name) for name in PodOptions.model_fields}
    changes: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    for name in {"labels", "annotations"} & changes.keys():
        changes[name] = (getattr(before, name) or {}) | changes[name]
    if entry.env is not None:
        variables = {each.name: each for each in [*(before.env or ()), *entry.env]}
        changes["env"] = list(variables.values())
    return before.model_copy(update=changes)
