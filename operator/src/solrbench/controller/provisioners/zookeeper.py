"""The ZooKeeper of a target: made here, provided by the Solr Operator, or there already."""

from solrbench.api.quantities import parse_bytes
from solrbench.contract import names
from solrbench.contract.endpoints import member_hosts
from solrbench.controller.context import ReconcileContext
from solrbench.controller.endpoint import address_check, check_hosts
from solrbench.controller.objects import creation_problem, pods
from solrbench.controller.owned_objects import ZOOKEEPER_CLUSTERS
from solrbench.decide.outcome import apply_outcome
from solrbench.decide.target import (
    ComponentPods,
    check_ensemble,
    check_heap,
    check_provided_made,
    check_reachable,
)
from solrbench.manifests.agent import add_agents
from solrbench.manifests.zookeeper import build_zookeeper
from solrbench.net import zookeeper


def ensure_ensemble(context: ReconcileContext) -> None:
    """Make an ensemble, wait until it is whole and check its heap."""
    attempt = context.status.attempts.target
    members = build_zookeeper(context.benchmark, context.solr_cloud, attempt)
    for manifest in add_agents(context.benchmark, context.settings.image, members):
        context.cluster.apply(manifest)
    _wait_for_ensemble(context, names.child(context.benchmark, names.ZOOKEEPER))
    hosts = member_hosts(context.benchmark, context.solr_cloud)
    heap = {host: zookeeper.max_heap_bytes(host, names.ZOOKEEPER_PORT) for host in hosts}
    wanted = parse_bytes(context.solr_cloud.zookeeper.heap)
    apply_outcome(check_heap(heap, wanted, "spec.target.solrCloud.zookeeper.heap"))


def _wait_for_ensemble(context: ReconcileContext, stateful_set: str) -> None:
    """Wait until every member of an ensemble of the benchmark serves."""
    wanted = context.solr_cloud.zookeeper.replicas
    hosts = member_hosts(context.benchmark, context.solr_cloud)
    size = zookeeper.ensemble_size(hosts, names.ZOOKEEPER_PORT)
    context.update_part("target", zookeepers=size or None)
    members = pods(context, names.ZOOKEEPER)
    creation = creation_problem(context, "StatefulSet", stateful_set, wanted, members)
    ensemble = ComponentPods(members, context.now, size, wanted, creation=creation)
    apply_outcome(check_ensemble(ensemble))


def wait_for_provided(context: ReconcileContext) -> None:
    """Wait for the ensemble of the Solr Operator's `provided` ZooKeeper."""
    name = names.provided_zookeeper(context.benchmark)
    cluster = context.cluster.get(*ZOOKEEPER_CLUSTERS.reference, context.namespace, name)
    apply_outcome(check_provided_made(name, cluster is not None))
    _wait_for_ensemble(context, name)


def check_external(context: ReconcileContext) -> None:
    """Check that an outside ensemble can be reached at all."""
    servers = context.zookeeper_path.servers
    members = [f"//{each}" for each in servers.split(",")]
    check_hosts(context.cluster, context.allowed_hosts, members)
    check = address_check(context.cluster, allowed=context.allowed_hosts)
    apply_outcome(check_reachable(servers, zookeeper.any_reachable(servers, check)))
