"""`provisioner: StatefulSet`: Services and StatefulSets of our own."""

from solrbench.api.v1alpha1.target.zookeeper import ZooKeeperMode
from solrbench.controller.context import ReconcileContext
from solrbench.controller.objects import children
from solrbench.controller.outcomes import apply_outcome
from solrbench.controller.provisioners.created import CreatedTarget
from solrbench.controller.provisioners.zookeeper import check_external, ensure_ensemble
from solrbench.decide.checks.targets.provisioning import ComponentPods, check_solr_pods
from solrbench.manifests.agent import add_agents
from solrbench.manifests.solr import build_solr
from solrbench.plan import names


class StatefulSetTarget(CreatedTarget):
    """Nodes in a StatefulSet of the benchmark."""

    def ensure_pods(self, context: ReconcileContext) -> None:
        """Make ZooKeeper, then Solr, and wait until every pod is ready.

        Raises:
            TemporaryError: until then, with the trouble of a pod as the reason if there is one.

        """
        if context.solr_cloud.zookeeper.mode is ZooKeeperMode.EXTERNAL:
            check_external(context)
        else:
            ensure_ensemble(context)
        wanted, attempt = context.solr_cloud.nodes, context.status.attempts.target
        path = context.zookeeper_path
        solr = build_solr(context.benchmark, context.solr_cloud, attempt, path)
        children.apply_all(context, add_agents(context.benchmark, context.settings.image, solr))
        seen = children.pods(context, names.SOLR)
        ready = sum(pod.ready for pod in seen)
        name = names.child(context.benchmark, names.SOLR)
        creation = children.creation_problem(context, "StatefulSet", name, wanted, seen)
        found = ComponentPods(ready, wanted, tuple(seen), context.now, creation)
        apply_outcome(check_solr_pods(found))
