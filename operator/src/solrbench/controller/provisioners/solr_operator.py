"""The two ways to make a SolrCloud: by the Solr Operator's resource, or by our own StatefulSets."""

from solrbench.api.v1alpha1.target import ZooKeeperMode
from solrbench.contract import names
from solrbench.controller.context import ReconcileContext
from solrbench.controller.objects import creation_problem, pods
from solrbench.controller.owned_objects import SOLR_CLOUDS, ZOOKEEPER_CLUSTERS
from solrbench.controller.provisioners.created import CreatedTarget
from solrbench.controller.provisioners.zookeeper import (
    check_external,
    ensure_ensemble,
    wait_for_provided,
)
from solrbench.decide.outcome import apply_outcome
from solrbench.decide.solr_cloud import (
    SolrCloudState,
    check_cloud_ready,
    check_clouds_served,
    check_owned,
    check_reconciled,
)
from solrbench.decide.target import ComponentPods, check_clusters_served, check_solr_pods
from solrbench.kube.facts import known_fields
from solrbench.kube.reader import Manifest
from solrbench.manifests.agent import add_agents
from solrbench.manifests.common import build_disruption_budget, owner_uid
from solrbench.manifests.solr import build_solr
from solrbench.manifests.solr_cloud import POD_OPTIONS, build_solr_cloud


class SolrOperatorTarget(CreatedTarget):
    """Nodes that the Solr Operator makes of a SolrCloud resource."""

    def ensure_pods(self, context: ReconcileContext) -> None:
        """Make a SolrCloud and wait until the Solr Operator has brought it up."""
        apply_outcome(check_clouds_served(context.cluster.serves(*SOLR_CLOUDS.reference)))
        mode = context.solr_cloud.zookeeper.mode
        match mode:
            case ZooKeeperMode.ENSEMBLE:
                ensure_ensemble(context)
            case ZooKeeperMode.EXTERNAL:
                check_external(context)
            case ZooKeeperMode.PROVIDED:
                # Without the definition of ZookeeperClusters the Solr Operator cannot make one.
                served = context.cluster.serves(*ZOOKEEPER_CLUSTERS.reference)
                apply_outcome(check_clusters_served(served))
        state = _observe(context)
        apply_outcome(check_reconciled(state))
        if mode is ZooKeeperMode.PROVIDED:
            wait_for_provided(context)
        apply_outcome(check_cloud_ready(state))


def _observe(context: ReconcileContext) -> SolrCloudState:
    """Return the SolrCloud, which is made if there is none."""
    name = names.target(context.benchmark)
    cloud = context.cluster.get(*SOLR_CLOUDS.reference, context.namespace, name)
    if cloud is not None:
        apply_outcome(check_owned(cloud, owner_uid(context.benchmark, names.SOLR)))
    nodes = names.solr_operator_stateful_set(context.benchmark)
    stateful_set = context.cluster.get("apps/v1", "StatefulSet", context.namespace, nodes)
    seen = pods(context, names.SOLR)
    return SolrCloudState(
        seen,
        context.now,
        cloud or _make_cloud(context),
        stateful_set,
        creation=creation_problem(context, "StatefulSet", nodes, context.solr_cloud.nodes, seen),
    )


def _make_cloud(context: ReconcileContext) -> Manifest:
    attempt, solr = context.status.attempts.target, context.solr_cloud
    options = known_fields(context.cluster, *SOLR_CLOUDS.reference, POD_OPTIONS)
    counts = {names.SOLR: solr.nodes}
    if solr.zookeeper.mode is ZooKeeperMode.PROVIDED:
        counts[names.ZOOKEEPER] = solr.zookeeper.replicas
    for name, wanted in counts.items():
        context.cluster.apply(build_disruption_budget(context.benchmark, name, attempt, wanted))
    cloud = build_solr_cloud(context.benchmark, solr, attempt, context.zookeeper_path, options)
    (whole,) = add_agents(context.benchmark, context.settings.image, [cloud])
    return context.cluster.apply(whole)


class StatefulSetTarget(CreatedTarget):
    """Nodes in a StatefulSet of the benchmark."""

    def ensure_pods(self, context: ReconcileContext) -> None:
        """Make ZooKeeper, then Solr, and wait until every pod is ready."""
        if context.solr_cloud.zookeeper.mode is ZooKeeperMode.EXTERNAL:
            check_external(context)
        else:
            ensure_ensemble(context)
        wanted, attempt = context.solr_cloud.nodes, context.status.attempts.target
        solr = build_solr(context.benchmark, context.solr_cloud, attempt, context.zookeeper_path)
        for manifest in add_agents(context.benchmark, context.settings.image, solr):
            context.cluster.apply(manifest)
        seen = pods(context, names.SOLR)
        ready = sum(pod.ready for pod in seen)
        name = names.child(context.benchmark, names.SOLR)
        creation = creation_problem(context, "StatefulSet", name, wanted, seen)
        solr_pods = ComponentPods(seen, context.now, ready, wanted, creation=creation)
        apply_outcome(check_solr_pods(solr_pods))
