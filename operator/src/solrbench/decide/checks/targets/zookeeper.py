"""Whether the ZooKeeper that others make or run can serve a target."""

from solrbench.decide.checks.outcome import Outcome, wait
from solrbench.reasons.target import TargetReason


def check_clusters_served(served: bool) -> Outcome | None:
    """Wait until the cluster serves ZookeeperClusters."""
    if served:
        return None
    return wait(
        TargetReason.ZOOKEEPER_OPERATOR_MISSING,
        "the cluster does not serve zookeeperclusters.zookeeper.pravega.io; install the"
        " ZooKeeper operator with its definition, or set zookeeper.mode to Ensemble",
    )


def check_provided_made(name: str, made: bool) -> Outcome | None:
    """Wait until the Solr Operator has made its ZookeeperCluster."""
    if made:
        return None
    return wait(
        TargetReason.ZOOKEEPER_NOT_READY,
        f"the Solr Operator has not made ZookeeperCluster {name}; it must be installed with"
        " zookeeper-operator.use or zookeeper-operator.install",
    )


def check_reachable(servers: str, reachable: bool) -> Outcome | None:
    """Wait until a member of an outside ensemble takes a connection."""
    if reachable:
        return None
    return wait(
        TargetReason.ZOOKEEPER_UNREACHABLE,
        f"no ZooKeeper of {servers} accepts a connection from the operator; check"
        " spec.target.solrCloud.zookeeper.connectionString, whose names must be resolvable"
        " from every namespace, and network policies",
    )
