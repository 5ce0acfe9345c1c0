"""The target stage: ZooKeeper, Solr, config set, collection, caches; each made, then checked."""

from contextlib import suppress

from solrbench.api.quantities import parse_bytes
from solrbench.api.v1alpha1.status.target import TargetStatus
from solrbench.controller.children import (
    TARGET,
    delete_components,
    find_removal_obstacle,
    pods,
    removal_of,
)
from solrbench.controller.config_set import read_archive
from solrbench.controller.context import ReconcileContext, TargetLostError
from solrbench.controller.outcomes import apply_outcome
from solrbench.controller.provisioners.provisioner import PROVISIONERS
from solrbench.controller.provisioners.target_status import update_target
from solrbench.controller.replica_sizes import check_created
from solrbench.controller.stages import existing_target
from solrbench.controller.stages.late_evidence import add_late_pod_events
from solrbench.decide.checks.collection import check_settings
from solrbench.decide.checks.lifecycle import check_target_attempts, next_target_attempt
from solrbench.decide.checks.outcome import first_outcome
from solrbench.decide.checks.target import (
    NODE_CHECKS,
    TargetNodes,
    TargetPods,
    check_pods_unchanged,
)
from solrbench.decide.conditions import DATA_INDEXED, TARGET_READY
from solrbench.errors import TemporaryError
from solrbench.plan import names
from solrbench.reasons.target import TargetReason
from solrbench.solr import collections
from solrbench.solr.cluster import live_nodes, node_info, replicas


def reconcile_target(context: ReconcileContext) -> None:
    """Bring the target to where the spec wants it.

    Raises:
        TemporaryError: while pods start, with their trouble as the reason if they have one.
        PermanentError: if Solr refuses what the spec asks for.
        TargetLostError: if a pod of a finished target is not the one it was.

    """
    if context.existing is not None:
        existing_target.reconcile_existing_target(context)
        return
    if context.conditions.is_true(TARGET_READY):
        # An API server that does not answer says nothing of Solr; the next reconcile looks again.
        with suppress(TemporaryError):
            verify_target(context)
        return
    context.set_phase("Provisioning")
    attempt = context.status.attempts.target
    if not delete_components(context, *TARGET, attempt_below=attempt):
        raise find_removal_obstacle(removal_of(context)) or TemporaryError(
            TargetReason.REMOVING_OLD_TARGET, "pods of the previous attempt are terminating"
        )
    PROVISIONERS[context.solr_cloud.provisioner].ensure_ready(context)
    _check_nodes(context)
    _make_collection(context)
    context.conditions.set(
        TARGET_READY, "True", TargetReason.READY, "live nodes, replicas and caches match the spec"
    )


def _check_nodes(context: ReconcileContext) -> None:
    nodes = _observe_nodes(context)
    apply_outcome(first_outcome(NODE_CHECKS, nodes))
    update_target(
        context,
        solr_version=", ".join(sorted(set((nodes.versions or {}).values()))),
        heap_bytes=min((nodes.heap_bytes or {}).values()),
    )


def _observe_nodes(context: ReconcileContext) -> TargetNodes:
    wanted = context.solr_cloud.nodes
    with context.solr() as solr:
        live = len(live_nodes(solr))
        update_target(context, live_nodes=live)
        # One that is not live yet does not answer.
        infos = [node_info(solr, url) for url in context.solr_urls] if live == wanted else []
    return TargetNodes(
        live=live,
        wanted=wanted,
        versions={each.url: each.solr_version for each in infos},
        heap_bytes={each.url: each.heap_max_bytes for each in infos},
        wanted_heap_bytes=parse_bytes(context.solr_cloud.heap),
    )


def _make_collection(context: ReconcileContext) -> None:
    name = names.collection(context.benchmark)
    wanted = context.benchmark.spec.collection
    with context.solr(timeout_seconds=30) as solr:
        if not replicas(solr, name):
            collections.upload_config_set(solr, name, read_archive(context))
            collections.create_collection(solr, name, wanted, live_nodes(solr))
        check_created(context, solr, context.nodes)
        apply_outcome(check_settings(collections.apply_properties(solr, name, wanted)))
    update_target(
        context,
        url=f"{context.solr_urls[0]}/{name}",
        pods={pod.name: pod.identity for pod in pods(context, names.SOLR, names.ZOOKEEPER)},
    )


def verify_target(context: ReconcileContext) -> None:
    """Check that every pod of the target is the one that was there when it became ready."""
    if context.existing is not None:
        existing_target.verify_nodes_unchanged(context)
        return
    seen = pods(context, names.SOLR, names.ZOOKEEPER)
    add_late_pod_events(context, seen)
    known = TargetPods(context.status.target.pods, tuple(seen), context.now)
    apply_outcome(check_pods_unchanged(known))


def restart_target(context: ReconcileContext, lost: TargetLostError) -> None:
    """Begin a new attempt of target and load; stored steps stay.

    Raises:
        PermanentError: if there were enough attempts.

    """
    attempts, limit = context.status.attempts, context.benchmark.spec.backoff_limit
    apply_outcome(check_target_attempts(attempts, limit, lost.reason, lost.message))
    # Nodes of an existing target may know requests of earlier attempts.
    again = next_target_attempt(attempts, fresh_nodes=context.existing is None)
    # Nodes that were there at first must be back: half a cluster would be another target.
    expected = TargetStatus(nodes=dict.fromkeys(context.status.target.nodes, ""))
    context.update(attempts=again, target=expected, live_load=None, phase="")
    for type_ in (TARGET_READY, DATA_INDEXED):
        context.conditions.set(
            type_, "False", lost.reason, f"{lost.message}; target and data are made again"
        )
