"""Rules about pod options that the resources of other operators do not have."""

from typing import Any

from solrbench.api.rules import Rule
from solrbench.api.v1alpha1.pod.pod_options import PodComponent, PodOptions


def _cel_none_sets(field: str, component: PodComponent) -> str:
    used = f"has(each.{field}) && '{component}' in each.components"
    return f"!self.podOptions.exists(each, {used})"


def _options_of(spec: Any, component: PodComponent) -> list[PodOptions]:
    return [each for each in spec.pod_options if component in each.components]


def _is_possible_in_solr_cloud(spec: Any) -> bool:
    solr = spec.target.solr_cloud
    if solr is None or solr.provisioner != "SolrOperator":
        return True
    return all(each.runtime_class_name is None for each in _options_of(spec, PodComponent.SOLR))


def _is_possible_in_zookeeper_cluster(spec: Any) -> bool:
    solr = spec.target.solr_cloud
    if solr is None or solr.zookeeper.mode != "Provided":
        return True
    return all(
        each.priority_class_name is None and each.runtime_class_name is None
        for each in _options_of(spec, PodComponent.ZOOKEEPER)
    )


POD_OPTION_RULES = (
    Rule(
        cel=(
            "!has(self.target.solrCloud) || self.target.solrCloud.provisioner != 'SolrOperator'"
            f" || {_cel_none_sets('runtimeClassName', PodComponent.SOLR)}"
        ),
        message=(
            "podOptions must not set runtimeClassName for Solr with provisioner SolrOperator, a"
            " SolrCloud has no such field; name other components, or use StatefulSet"
        ),
        is_satisfied=_is_possible_in_solr_cloud,
    ),
    Rule(
        cel=(
            "!has(self.target.solrCloud) || self.target.solrCloud.zookeeper.mode != 'Provided'"
            f" || {_cel_none_sets('priorityClassName', PodComponent.ZOOKEEPER)}"
            f" && {_cel_none_sets('runtimeClassName', PodComponent.ZOOKEEPER)}"
        ),
        message=(
            "podOptions must not set priorityClassName or runtimeClassName for ZooKeeper with"
            " zookeeper.mode Provided, a ZookeeperCluster has no such field; name other"
            " components, or use Ensemble"
        ),
        is_satisfied=_is_possible_in_zookeeper_cluster,
    ),
)
"""Rules of `Spec`."""
