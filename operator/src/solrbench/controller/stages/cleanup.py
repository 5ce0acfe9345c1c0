"""The ends: success, failure, clean-up, time to live, suspension."""

from datetime import timedelta

from solrbench.api.v1alpha1.spec import Cleanup
from solrbench.api.v1alpha1.status.target import TargetStatus
from solrbench.cluster.client import BENCHMARKS
from solrbench.controller.children import LOAD, TARGET, blocking_finalizer, delete_components
from solrbench.controller.context import ReconcileContext
from solrbench.controller.stages.existing_target import remove_collection
from solrbench.decide.conditions import (
    CLEANED_UP,
    DATA_INDEXED,
    MEASURED,
    SUCCEEDED,
    TARGET_READY,
)
from solrbench.errors import SolrbenchError, TemporaryError
from solrbench.results.text.verdict_text import completion_note


def succeed(context: ReconcileContext) -> None:
    """Note that everything was measured."""
    reasons = completion_note(context.status.verdicts)
    message = "every step is measured and stored" + (f"; {reasons}" if reasons else "")
    context.conditions.set(SUCCEEDED, "True", "Succeeded", message)
    context.update(completion_time=context.now)
    context.set_phase("Succeeded")


def fail(context: ReconcileContext, reason: str, message: str) -> None:
    """Note why the benchmark ends early."""
    context.conditions.set(SUCCEEDED, "False", reason, message)
    context.update(completion_time=context.now, live_load=None)
    context.set_phase("Failed")


def clean_up(context: ReconcileContext) -> None:
    """Delete what the benchmark made, results apart, as `spec.cleanup` says.

    The load is always deleted: with nothing left to measure it would only burn CPU.

    Raises:
        TemporaryError: while something is still there.

    """
    components = (*LOAD, *TARGET) if _wants_cleanup(context) else LOAD
    gone = delete_components(context, *components)
    if not gone:
        waits = blocking_finalizer(
            context.cluster, context.namespace, context.benchmark.metadata.name
        ) or TemporaryError("CleaningUp", "pods are still there")
        context.conditions.set(CLEANED_UP, "False", waits.reason, waits.message)
        raise waits
    if components != LOAD:
        _remove_collection(context)
    if components == LOAD:
        message = f"spec.cleanup is {context.benchmark.spec.cleanup.value}: Solr and ZooKeeper stay"
        context.conditions.set(CLEANED_UP, "False", "Kept", message)
    else:
        context.conditions.set(CLEANED_UP, "True", "CleanedUp", "only the results are left")


def _remove_collection(context: ReconcileContext) -> None:
    """Remove our collection from an existing target; tried again with every reconcile.

    Raises:
        TemporaryError: whatever stands in the way, for the results are there and the end is told.

    """
    try:
        remove_collection(context)
    except SolrbenchError as error:
        message = f"the collection is still on target.existing: {error}"
        context.conditions.set(CLEANED_UP, "False", "CollectionNotRemoved", message)
        raise TemporaryError("CollectionNotRemoved", message) from error


def needs_cleanup(context: ReconcileContext) -> bool:
    """Return whether something may still be there that `spec.cleanup` wants gone."""
    reason = context.conditions.get(CLEANED_UP).reason
    return reason not in ("CleanedUp", "Kept") or (reason == "Kept" and _wants_cleanup(context))


def _wants_cleanup(context: ReconcileContext) -> bool:
    policy = context.benchmark.spec.cleanup
    good = context.conditions.is_true(SUCCEEDED)
    return policy is Cleanup.ALWAYS or (policy is Cleanup.ON_SUCCESS and good)


def delete_expired(context: ReconcileContext) -> None:
    """Delete the benchmark when its time to live is over."""
    limit = context.benchmark.spec.ttl_seconds_after_finished
    ended = context.status.completion_time
    if limit is None or ended is None or context.now < ended + timedelta(seconds=limit):
        return
    context.cluster.delete(*BENCHMARKS, context.namespace, context.benchmark.metadata.name)


def is_suspended(context: ReconcileContext) -> bool:
    """Return whether pods are to go: suspension is wished, or is lifted before the last is gone.

    What is left of the run before must not be taken for a part of the next one: a ZooKeeper still
    knows a collection whose Solr nodes are gone.
    """
    half = context.status.phase == "Suspended" and context.status.start_time is not None
    return context.benchmark.spec.suspend or half


def suspend(context: ReconcileContext) -> None:
    """Remove every pod and give up the place; stored results stay."""
    gone = delete_components(context, *LOAD, *TARGET)
    if gone:
        _remove_collection(context)
    context.set_phase("Suspended")
    context.update(live_load=None)
    if gone:
        context.update(start_time=None, target=TargetStatus())
    wish = f"spec.suspend is {str(context.benchmark.spec.suspend).lower()}"
    message = wish if gone else f"{wish}; pods are being removed"
    for type_ in (TARGET_READY, DATA_INDEXED):
        context.conditions.set(type_, "Unknown", "Suspended", message)
    if not context.conditions.is_true(MEASURED):
        context.conditions.set(MEASURED, "Unknown", "Suspended", message)
    context.conditions.set(SUCCEEDED, "Unknown", "Suspended", message)
