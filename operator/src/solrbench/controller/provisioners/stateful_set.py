"""`provisioner: StatefulSet`: Services and StatefulSets of our own."""

from solrbench.api.v1alpha1.target.zookeeper import ZooKeeperMode
from solrbench.controller.children import apply_all, creation_problem, pods
from solrbench.controller.context import ReconcileContext
from solrbench.controller.outcomes import apply_outcome
from solrbench.controller.provisioners.zookeeper import check_external, ensure_ensemble
from solrbench.decide.checks.provisioning import ComponentPods, check_solr_pods
from solrbench.manifests.solr import build_solr
from solrbench.plan import names


def ensure_ready(context: ReconcileContext) -> None:
    """Make ZooKeeper, then Solr, and wait until every pod is ready.

    Raises:
        TemporaryError: until then, with the trouble of a pod as the reason if there is one.

    """
    if context.solr_cloud.zookeeper.mode is ZooKeeperMode.EXTERNAL:
        check_external(context)
    else:
        ensure_ensemble(context)
    wanted, attempt = context.solr_cloud.nodes, context.status.attempts.target
    apply_all(
        context, build_solr(context.benchmark, context.solr_cloud, attempt, context.zookeeper_path)
    )
    seen = pods(context, names.SOLR)
    ready = sum(pod.ready for pod in seen)
    name = names.child(context.benchmark, names.SOLR)
    creation = creation_problem(context, "StatefulSet", name, wanted, seen)
    found = ComponentPods(ready, wanted, tuple(seen), context.now, creation)
    apply_outcome(check_solr_pods(found))
