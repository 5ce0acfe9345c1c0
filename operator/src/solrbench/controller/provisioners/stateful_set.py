"""`provisioner: StatefulSet`: Services and StatefulSets of our own."""

from solrbench.api.v1alpha1.target.zookeeper import ZooKeeperMode
from solrbench.controller.children import apply_all, pods
from solrbench.controller.context import ReconcileContext
from solrbench.controller.provisioners.pod_check import raise_pod_problem
from solrbench.controller.provisioners.zookeeper import check_external, ensure_ensemble
from solrbench.errors import TemporaryError
from solrbench.manifests.solr import build_solr
from solrbench.plan import names
from solrbench.reasons.target import TargetReason


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
    ready = sum(pod.ready for pod in pods(context, names.SOLR))
    if ready != wanted:
        raise_pod_problem(context, names.SOLR)
        raise TemporaryError(
            TargetReason.SOLR_NOT_READY, f"{ready} of {wanted} Solr pods are ready"
        )
