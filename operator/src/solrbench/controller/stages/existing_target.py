"""The target stage where Solr is there already: looked at, never changed but for our collection."""

from datetime import timedelta

from solrbench.api.v1alpha1.status.target import TargetStatus
from solrbench.controller.children import TARGET, delete_components
from solrbench.controller.config_set import read_archive
from solrbench.controller.context import ReconcileContext
from solrbench.controller.outcomes import apply_outcome
from solrbench.controller.replica_sizes import check_created, find_replicas
from solrbench.decide.checks.collection import (
    USER_COLLECTION_CHECKS,
    UserCollection,
    check_enough_nodes,
    check_settings,
)
from solrbench.decide.checks.outcome import first_outcome
from solrbench.decide.checks.target import (
    EXISTING_CHECKS,
    NODE_CHECKS,
    ExistingNodes,
    TargetNodes,
)
from solrbench.decide.conditions import TARGET_READY
from solrbench.decide.solr_views import NodeIdentity
from solrbench.errors import SolrbenchError, TemporaryError
from solrbench.plan import names
from solrbench.reasons.target import TargetReason
from solrbench.solr import collections, managed_collection
from solrbench.solr.client import SolrClient
from solrbench.solr.cluster_nodes import node_identities, zookeepers

CHECK_PAUSE = timedelta(seconds=10)
"""Between two looks at the nodes while others measure them."""


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
        identities = node_identities(solr)
        apply_outcome(first_outcome(NODE_CHECKS, _observe_nodes(context, identities)))
        # Before nodes are recorded in the status: with a wrong password, or a foreign collection
        # of the same name, the benchmark ends here and needs no clean-up.
        is_made = not context.benchmark.spec.target.uses_collection and _is_created(context, solr)
        _record_target(context, solr, identities)
        if context.benchmark.spec.target.uses_collection:
            _check_collection(context, solr)
        elif not context.benchmark.status.target.nodes:
            # The nodes are recorded before the collection is created: clean-up depends on them.
            raise TemporaryError(
                TargetReason.CREATING_COLLECTION, "the nodes answer, the collection is created next"
            )
        else:
            _make_collection(context, solr, identities, is_made=is_made)
    context.conditions.set(
        TARGET_READY, "True", TargetReason.READY, "the existing nodes and replicas are active"
    )


def _observe_nodes(context: ReconcileContext, identities: dict[str, NodeIdentity]) -> TargetNodes:
    return TargetNodes(
        live=len(identities),
        missing=tuple(sorted(context.status.target.nodes.keys() - identities.keys())),
        versions={name: each.solr_version for name, each in identities.items()},
        version_field="target.existing",
    )


def _record_target(
    context: ReconcileContext, solr: SolrClient, identities: dict[str, NodeIdentity]
) -> None:
    target = TargetStatus(
        live_nodes=len(identities),
        zookeepers=zookeepers(solr),
        solr_version=", ".join(sorted({each.solr_version for each in identities.values()})),
        heap_bytes=min(each.heap_max_bytes for each in identities.values()),
        url=f"{solr.urls[0]}/{names.collection(context.benchmark)}",
        nodes={name: each.started for name, each in identities.items()},
        check_time=context.now,
    )
    context.update(target=target)


def _check_collection(context: ReconcileContext, solr: SolrClient) -> None:
    name = names.collection(context.benchmark)
    found = UserCollection(name, tuple(find_replicas(context, solr)))
    apply_outcome(first_outcome(USER_COLLECTION_CHECKS, found))


def _is_created(context: ReconcileContext, solr: SolrClient) -> bool:
    """Return whether the collection of this attempt exists."""
    config_set = names.config_set(context.benchmark, context.status.attempts.target)
    prefix = names.config_set_prefix(context.benchmark)
    return managed_collection.collection_exists(
        solr, names.collection(context.benchmark), config_set, prefix
    )


def _make_collection(
    context: ReconcileContext,
    solr: SolrClient,
    identities: dict[str, NodeIdentity],
    *,
    is_made: bool,
) -> None:
    name, wanted = names.collection(context.benchmark), context.benchmark.spec.collection
    config_set = names.config_set(context.benchmark, context.status.attempts.target)
    apply_outcome(check_enough_nodes(wanted, len(identities)))
    if not is_made:
        prefix = names.config_set_prefix(context.benchmark)
        managed_collection.delete_stale_collection(solr, name, config_set, prefix)
        collections.upload_config_set(solr, config_set, read_archive(context))
        collections.create_collection(solr, name, wanted, sorted(identities), config_set)
    check_created(context, solr, len(identities))
    apply_outcome(check_settings(collections.apply_properties(solr, name, wanted)))


def verify_nodes_unchanged(context: ReconcileContext, *, now: bool = False) -> None:
    """Check that no node left or was restarted since the target became ready.

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
    found = _observe_unchanged(context, required=now)
    answered = not isinstance(found.found, SolrbenchError)
    since = None if answered else context.now - found.unanswered
    times = {"unanswered_since": since} | ({"check_time": context.now} if answered else {})
    context.update(target=context.status.target.model_copy(update=times))
    apply_outcome(first_outcome(EXISTING_CHECKS, found))


def _observe_unchanged(context: ReconcileContext, *, required: bool) -> ExistingNodes:
    """Ask the nodes what they are.

    Silence counts from the first request without an answer: between the last answer and that one
    the operator itself may have been away.
    """
    started = context.status.target.nodes
    unanswered = context.now - (context.status.target.unanswered_since or context.now)
    try:
        with context.solr() as solr:
            return ExistingNodes(started, node_identities(solr), unanswered, required)
    except SolrbenchError as error:
        return ExistingNodes(started, error, unanswered, required)


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
