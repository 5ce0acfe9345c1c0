"""The ZooKeeper of a target: made here, provided by the Solr Operator, or there already."""

from solrbench.controller.children import ZOOKEEPER_CLUSTERS, apply_all
from solrbench.controller.context import Run
from solrbench.controller.provisioners.pod_check import explain, update_target
from solrbench.errors import TemporaryError
from solrbench.manifests.zookeeper import build_zookeeper
from solrbench.plan import names
from solrbench.plan.zookeeper_path import member_hosts
from solrbench.solr import zookeeper


def bring_up_ensemble(run: Run) -> None:
    """Make an ensemble and wait until it is whole.

    Raises:
        TemporaryError: until then.

    """
    apply_all(run, build_zookeeper(run.benchmark, run.solr_cloud, run.status.attempts.target))
    wait_for_ensemble(run)


def wait_for_ensemble(run: Run) -> None:
    """Wait until every member of an ensemble of the benchmark serves.

    Raises:
        TemporaryError: until then, with the trouble of a pod as the reason if there is one.

    """
    wanted = run.solr_cloud.zookeeper.replicas
    hosts = member_hosts(run.benchmark, run.solr_cloud)
    size = zookeeper.ensemble_size(hosts, names.ZOOKEEPER_PORT)
    update_target(run, zookeepers=size or None)
    if size != wanted:
        explain(run, names.ZOOKEEPER)
        raise TemporaryError(
            "ZooKeeperNotReady", f"{size} of {wanted} ZooKeepers are in the ensemble"
        )


def check_provided(run: Run) -> None:
    """Check that there is somebody who makes a ZookeeperCluster.

    Raises:
        TemporaryError: if there is not.

    """
    if not run.cluster.serves(*ZOOKEEPER_CLUSTERS):
        raise TemporaryError(
            "ZooKeeperOperatorMissing",
            "the cluster does not know zookeeperclusters.zookeeper.pravega.io; install the"
            " ZooKeeper operator with its definition, or set zookeeper.mode to Ensemble",
        )


def wait_for_provided(run: Run) -> None:
    """Wait for the ensemble of the Solr Operator's `provided` ZooKeeper.

    Raises:
        TemporaryError: until every member serves.

    """
    name = names.provided_zookeeper(run.benchmark)
    if run.cluster.get(*ZOOKEEPER_CLUSTERS, run.namespace, name) is None:
        raise TemporaryError(
            "ZooKeeperNotReady",
            f"the Solr Operator has not made ZookeeperCluster {name}; it must be installed with"
            " zookeeper-operator.use or zookeeper-operator.install",
        )
    wait_for_ensemble(run)


def check_external(run: Run) -> None:
    """Check that an outside ensemble can be reached at all.

    Raises:
        TemporaryError: if no member takes a connection.

    """
    servers = run.state_path.servers
    if not zookeeper.any_reachable(servers):
        raise TemporaryError(
            "ZooKeeperUnreachable",
            f"no ZooKeeper of {servers} takes a connection from the operator; check"
            " spec.target.solrCloud.zookeeper.connectionString, whose names must hold in every"
            " namespace, and network policies",
        )
