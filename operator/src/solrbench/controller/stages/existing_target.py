"""The target stage where Solr is there already: looked at, never changed but for our collection."""

from datetime import timedelta

from solrbench.api.v1alpha1.status.target import TargetStatus
from solrbench.controller.children import TARGET, delete_components
from solrbench.controller.config_set import read_archive
from solrbench.controller.context import ReconcileContext, TargetLostError
from solrbench.controller.replica_sizes import check_created, find_replicas
from solrbench.decide.conditions import TARGET_READY
from solrbench.errors import PermanentError, SolrbenchError, TemporaryError
from solrbench.plan import names
from solrbench.reasons.target import TargetReason
from solrbench.solr import collections, managed_collection
from solrbench.solr.client import SolrClient
from solrbench.solr.cluster_nodes import NodeIdentity, node_identities, zookeepers

CHECK_PAUSE = timedelta(seconds=10)
"""Between two looks at the nodes while others measure them."""

PATIENCE = timedelta(seconds=60)
"""How long a target may stay silent; a saturated one answers late."""


def reconcile_existing_target(context: ReconcileContext) -> None:
    """Check the existing target, and make the collection if it is to be ours.

    Raises:
        TemporaryError: while it does not answer, or the collection is not there.
        PermanentError: if it may not be asked, or cannot do what the spec asks for.
        TargetLostError: if a node of a target that was ready is not the one it was.

    """
    if context.conditions.is_true(TARGET_READY):
        verify_nodes_unchanged(context)
        return
    context.set_phase("Provisioning")
    if not delete_components(context, *TARGET, attempt_below=context.status.attempts.target):
        raise TemporaryError(
            TargetReason.REMOVING_OLD_TARGET, "pods of the previous attempt are terminating"
        )
    with context.solr(timeout_seconds=30) as solr:
        lives = node_identities(solr)
        if missing := sorted(context.status.target.nodes.keys() - lives.keys()):
            raise TemporaryError(
                TargetReason.SOLR_NOT_LIVE,
                f"not live: {', '.join(missing)}; these nodes were live when the benchmark started",
            )
        _check_versions(lives)
        # Before nodes are recorded in the status: with a wrong password, or a foreign collection
        # of the same name, the benchmark ends here and needs no clean-up.
        is_made = not context.benchmark.spec.target.uses_collection and _is_created(context, solr)
        _record_target(context, solr, lives)
        if context.benchmark.spec.target.uses_collection:
            _check_collection(context, solr)
        elif not context.benchmark.status.target.nodes:
            # The nodes are recorded before the collection is created: clean-up depends on them.
            raise TemporaryError(
                TargetReason.CREATING_COLLECTION, "the nodes answer, the collection is created next"
            )
        else:
            _make_collection(context, solr, lives, is_made=is_made)
    context.conditions.set(
        TARGET_READY, "True", TargetReason.READY, "the existing nodes and replicas are active"
    )


def _check_versions(lives: dict[str, NodeIdentity]) -> None:
    versions = sorted({life.solr_version for life in lives.values()})
    if any(not version.startswith("9.") for version in versions):
        raise PermanentError(
            TargetReason.UNSUPPORTED_SOLR_VERSION,
            f"target.existing runs Solr {', '.join(versions)}, supported is 9.x; choose another"
            " target",
        )


def _record_target(
    context: ReconcileContext, solr: SolrClient, lives: dict[str, NodeIdentity]
) -> None:
    target = TargetStatus(
        live_nodes=len(lives),
        zookeepers=zookeepers(solr),
        solr_version=", ".join(sorted({life.solr_version for life in lives.values()})),
        heap_bytes=min(life.heap_max_bytes for life in lives.values()),
        url=f"{solr.urls[0]}/{names.collection(context.benchmark)}",
        nodes={name: life.started for name, life in lives.items()},
        check_time=context.now,
    )
    context.update(target=target)


def _check_collection(context: ReconcileContext, solr: SolrClient) -> None:
    name = names.collection(context.benchmark)
    found = find_replicas(context, solr)
    if not found:
        raise TemporaryError(
            TargetReason.COLLECTION_NOT_FOUND,
            f"target.existing.collectionName: there is no collection {name}; create it",
        )
    waiting = [f"{each.core} is {each.state}" for each in found if each.state != "active"]
    if waiting:
        raise TemporaryError(TargetReason.REPLICAS_NOT_ACTIVE, ", ".join(waiting))


def _is_created(context: ReconcileContext, solr: SolrClient) -> bool:
    """Return whether the collection of this attempt exists."""
    config_set = names.config_set(context.benchmark, context.status.attempts.target)
    prefix = names.config_set_prefix(context.benchmark)
    return managed_collection.collection_exists(
        solr, names.collection(context.benchmark), config_set, prefix
    )


def _make_collection(
    context: ReconcileContext, solr: SolrClient, lives: dict[str, NodeIdentity], *, is_made: bool
) -> None:
    name, wanted = names.collection(context.benchmark), context.benchmark.spec.collection
    config_set = names.config_set(context.benchmark, context.status.attempts.target)
    if wanted.replicas.total > len(lives):
        raise PermanentError(
            TargetReason.TOO_FEW_NODES,
            f"collection.replicas adds up to {wanted.replicas.total}, but target.existing has"
            f" {len(lives)} live nodes; lower the replicas or add nodes, as replicas of one shard"
            " on the same"
            " node add no redundancy",
        )
    if not is_made:
        prefix = names.config_set_prefix(context.benchmark)
        managed_collection.delete_stale_collection(solr, name, config_set, prefix)
        collections.upload_config_set(solr, config_set, read_archive(context))
        collections.create_collection(solr, name, wanted, sorted(lives), config_set)
    check_created(context, solr, len(lives))
    collections.ensure_properties(solr, name, wanted)


def verify_nodes_unchanged(context: ReconcileContext, *, now: bool = False) -> None:
    """Check that every node still lives the life it lived when the target became ready.

    Args:
        context: the reconcile
        now: whether to check even right after another check, as before a result is stored

    Raises:
        TemporaryError: if it must be known now, and Solr did not answer.
        TargetLostError: if a node is gone or was started again, or Solr has not answered for long.

    """
    seen = context.status.target.check_time or context.now
    if not now and context.now - seen < CHECK_PAUSE:
        return
    try:
        with context.solr() as solr:
            lives = node_identities(solr)
    except SolrbenchError as error:
        if context.now - seen > PATIENCE:
            raise TargetLostError(TargetReason.TARGET_UNREACHABLE, error.message) from error
        if now:
            raise TemporaryError(error.reason, error.message) from error
        return
    for name, started in context.status.target.nodes.items():
        if name not in lives:
            raise TargetLostError(TargetReason.TARGET_NODE_LOST, f"node {name} is no longer live")
        if lives[name].started != started:
            raise TargetLostError(TargetReason.TARGET_NODE_LOST, f"node {name} was restarted")
    context.update(target=context.status.target.model_copy(update={"check_time": context.now}))


def remove_collection(context: ReconcileContext, *, at_once: bool = False) -> None:
    """Delete the collection that was made for this benchmark; one of the user's stays.

    Args:
        context: the reconcile
        at_once: whether not to wait for nodes that are away

    Raises:
        SolrbenchError: if it could not be done.

    """
    if not may_hold_collection(context):
        return
    with context.solr(timeout_seconds=30) as solr:
        name, prefix = (
            names.collection(context.benchmark),
            names.config_set_prefix(context.benchmark),
        )
        managed_collection.remove(solr, name, prefix, at_once=at_once)


def may_hold_collection(context: ReconcileContext) -> bool:
    """Return whether the existing target may hold something of this benchmark.

    One whose nodes were never seen, as with a wrong password, need not be asked at the end.
    """
    target = context.benchmark.spec.target
    made = target.existing is not None and not target.uses_collection
    return made and bool(context.status.target.nodes)
