"""The target stage: nodes and collection are made where they must be, then checked."""

from contextlib import suppress

from solrbench.api.v1alpha1.status.target import TargetStatus
from solrbench.controller.companions import (
    companion_pods,
    ensure_companions,
    verify_companions,
)
from solrbench.controller.context import ReconcileContext
from solrbench.controller.deletion import delete_components, find_removal_obstacle, removal_of
from solrbench.controller.objects.children import LOAD
from solrbench.controller.objects.failure_evidence import keep_evidence
from solrbench.controller.outcomes import TargetLostError, apply_outcome
from solrbench.controller.provisioners.registry import provisioner_of
from solrbench.controller.stages.late_evidence import add_late_pod_events
from solrbench.decide.checks.lifecycle import check_target_attempts, next_target_attempt
from solrbench.decide.conditions import DATA_INDEXED, TARGET_READY
from solrbench.errors import TemporaryError
from solrbench.plan import names
from solrbench.reasons.target import TargetReason

NODES = (names.SOLR, names.ZOOKEEPER, names.COMPANION)
"""What is made anew with each attempt of the target."""


def reconcile_target(context: ReconcileContext) -> None:
    """Bring the target to where the spec wants it.

    Raises:
        TemporaryError: while pods start, with their trouble as the reason if they have one.
        PermanentError: if Solr refuses what the spec requires.
        TargetLostError: if a pod or node of a finished target is not the one it was.

    """
    if context.conditions.is_true(TARGET_READY):
        # An API server that does not respond says nothing of Solr; the next reconcile looks again.
        with suppress(TemporaryError):
            verify_target(context)
        return
    context.set_phase("Provisioning")
    if context.conditions.is_true(DATA_INDEXED):  # the index is used again, so it must be whole
        provisioner_of(context).check_unchanged(context, provisioner_of(context).pods(context))
    if not _remove_old(context):
        raise find_removal_obstacle(removal_of(context)) or TemporaryError(
            TargetReason.REMOVING_OLD_TARGET, "pods of the previous attempt are terminating"
        )
    provisioner = provisioner_of(context)
    provisioner.ensure_ready(context)
    ensure_companions(context)
    message = provisioner.ready_message
    context.conditions.set(TARGET_READY, "True", TargetReason.READY, message)


def _remove_old(context: ReconcileContext) -> bool:
    """Delete what was made for earlier attempts; return whether nothing of it is left."""
    attempts = context.status.attempts
    gone = [
        delete_components(context, *LOAD, attempt_below=attempts.load),
        delete_components(context, names.INDEX, attempt_below=attempts.index),
        delete_components(context, *NODES, attempt_below=attempts.target),
    ]
    return all(gone)


def verify_target(context: ReconcileContext) -> None:
    """Check that the target is the one that became ready.

    Raises:
        TargetLostError: if it is not.

    """
    provisioner = provisioner_of(context)
    seen, companions = provisioner.pods(context), companion_pods(context)
    add_late_pod_events(context, [*seen, *companions])
    provisioner.check_unchanged(context, seen)
    verify_companions(context, companions)


def restart_target(context: ReconcileContext, lost: TargetLostError) -> None:
    """Begin a new attempt of target and load; stored steps stay.

    Raises:
        PermanentError: if there were enough attempts.

    """
    attempts, limit = context.status.attempts, context.benchmark.spec.backoff_limit
    apply_outcome(check_target_attempts(attempts, limit, lost.reason, lost.message))
    fresh_nodes = provisioner_of(context).fresh_nodes
    again = next_target_attempt(attempts, fresh_nodes=fresh_nodes)
    # Nodes that were there at first must be back: half a cluster would be another target.
    expected = TargetStatus(nodes=dict.fromkeys(context.status.target.nodes, ""))
    where = keep_evidence(context, lost.reason, lost.message)
    context.update(attempts=again, target=expected, live_load=None, phase="")
    for type_ in (TARGET_READY, DATA_INDEXED):
        context.conditions.set(
            type_, "False", lost.reason, f"{lost.message}; target and data are made again{where}"
        )
