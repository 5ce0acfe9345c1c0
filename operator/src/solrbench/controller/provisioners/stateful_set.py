"""`provisioner: StatefulSet`: Services and StatefulSets of our own."""

from solrbench.api.v1alpha1.target.zookeeper import ZooKeeperMode
from solrbench.controller.children import apply_all, pods
from solrbench.controller.context import Run
from solrbench.controller.provisioners.pod_check import explain
from solrbench.controller.provisioners.zookeeper import bring_up_ensemble, check_external
from solrbench.errors import TemporaryError
from solrbench.manifests.solr import build_solr
from solrbench.plan import names


def bring_up(run: Run) -> None:
    """Make ZooKeeper, then Solr, and wait until every pod is ready.

    Raises:
        TemporaryError: until then, with the trouble of a pod as the reason if there is one.

    """
    if run.solr_cloud.zookeeper.mode is ZooKeeperMode.EXTERNAL:
        check_external(run)
    else:
        bring_up_ensemble(run)
    wanted, attempt = run.solr_cloud.nodes, run.status.attempts.target
    apply_all(run, build_solr(run.benchmark, run.solr_cloud, attempt, run.state_path))
    ready = sum(pod.ready for pod in pods(run, names.SOLR))
    if ready != wanted:
        explain(run, names.SOLR)
        raise TemporaryError("SolrNotReady", f"{ready} of {wanted} Solr pods are ready")
