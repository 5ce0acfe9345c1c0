"""One reconcile over one benchmark: observe, decide, apply, write the status once."""

import logging
from collections.abc import Callable
from contextlib import suppress

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.repeats import RepeatStart
from solrbench.api.v1alpha1.result_rules import max_step_runs
from solrbench.controller.context import ReconcileContext, store_status
from solrbench.controller.stages import cleanup
from solrbench.controller.stages.export import export_results
from solrbench.controller.stages.indexing import reconcile_index
from solrbench.controller.stages.load import reconcile_load, restart_load
from solrbench.controller.stages.repeats import start_repeat
from solrbench.controller.stages.results import update_result_status
from solrbench.controller.stages.start import acquire_slot, check_references
from solrbench.controller.stages.target import reconcile_target, restart_target
from solrbench.decide.conditions import (
    ACCEPTED,
    CLEANED_UP,
    DATA_INDEXED,
    EXPORTED,
    MEASURED,
    SUCCEEDED,
    TARGET_READY,
    Truth,
    is_finished,
    progress_percent,
)
from solrbench.decide.failures import check_internal_error, describe_exception
from solrbench.decide.lifecycle import check_deadline, is_suspended, needs_cleanup
from solrbench.decide.outcome import LoadLostError, TargetLostError, apply_outcome, fail, wait
from solrbench.decide.queue import MAX_IN_A_ROW
from solrbench.decide.status_size import fit_status, reduce_status
from solrbench.errors import PermanentError, TemporaryError
from solrbench.reasons.lifecycle import LifecycleReason

log = logging.getLogger("solrbench")

Work = Callable[[ReconcileContext], None]

STAGES: tuple[tuple[str, Work], ...] = (
    (ACCEPTED, check_references),
    (SUCCEEDED, acquire_slot),
    (MEASURED, start_repeat),  # that it failed says nothing of the target that is measured
    (TARGET_READY, reconcile_target),
    (DATA_INDEXED, reconcile_index),
    (MEASURED, reconcile_load),
    (SUCCEEDED, cleanup.succeed),
)
"""The stages of a reconcile, each with the condition that shows its outcome."""


def reconcile(context: ReconcileContext) -> SolrBenchmark:
    """Bring a benchmark one reconcile further and return it with its new status.

    It raises `TemporaryError` if the status could not be written; nothing is lost, the next
    reconcile writes it.
    """
    before = context.status
    # Unless this reconcile ends with an error, or with waiting, too.
    context.update(internal_errors=0, queue=None)
    if is_finished(context.status):
        if needs_cleanup(context.conditions, context.benchmark.spec.cleanup):
            _do_quietly(context, CLEANED_UP, cleanup.clean_up)
        _do_quietly(context, EXPORTED, export_results)
    elif is_suspended(context.benchmark.spec, context.status, context.conditions):
        _do_quietly(context, CLEANED_UP, cleanup.suspend)
    else:
        _run_stages(context)
        if context.has_late_pod_events:
            # A stage before the load's has extended results. An API server that does not respond
            # now does later: the load's stage evaluates them again.
            with suppress(TemporaryError):
                update_result_status(context)
    context.update(progress_percent=_progress(context))
    context.finalize_status()
    # A write is an event for every watch, and carries all results: none without a change.
    if context.status != before:
        context.status = fit_status(context.status)
    if context.status != before:  # what is left out may be all that differed
        try:
            store_status(context)
        except PermanentError as error:  # too large, or invalid by the stored definition
            stored = context.benchmark.status
            context.status = reduce_status(context.status, stored, error.message, context.now)
            store_status(context)
    if is_finished(context.status):
        cleanup.delete_expired(context)
    return context.benchmark.model_copy(update={"status": context.status})


def _progress(context: ReconcileContext) -> int:
    repeats = context.benchmark.spec.load.repeats
    return progress_percent(
        context.status,
        target=context.conditions.is_true(TARGET_READY),
        indexed=context.conditions.is_true(DATA_INDEXED),
        finished=context.conditions.is_true(SUCCEEDED),
        total_steps=max_step_runs(context.benchmark.spec),
        starts=1 if repeats.start_on is RepeatStart.SAME_TARGET else repeats.most,
    )


def _run_stages(context: ReconcileContext) -> None:
    """Do the work of each stage up to the first that is not done; a condition says why it is not.

    What can never be done ends the benchmark.
    """
    for condition, work in STAGES:
        try:
            try:
                work(context)
                continue
            except TargetLostError as lost:
                restart_target(context, lost)
            except LoadLostError as lost:
                restart_load(context, lost)
        except Exception as error:  # noqa: BLE001  # whatever it is, the status must show it
            try:
                _show_blocker(context, condition, error)
            except PermanentError as never:
                cleanup.fail(context, never.reason, never.message)
        return


def _show_blocker(context: ReconcileContext, condition: str, error: Exception) -> None:
    """Show why a stage is not done.

    It raises `PermanentError` if it never will be: `error` says so, or there were too many
    exceptions without a reason in a row, or the deadline has passed.
    """
    match error:
        case PermanentError():
            outcome = fail(error.reason, error.message)
        case TemporaryError():
            outcome = wait(error.reason, error.message)
        case _:
            message = _count_internal_error(context, error)
            outcome = check_internal_error(context.status.internal_errors, message)
    if outcome.error is PermanentError:
        context.update(internal_errors=0)  # clean-up begins to count anew
        if condition != SUCCEEDED:  # the end sets that one, with where evidence is
            context.conditions.set(condition, "False", outcome.reason, outcome.message)
        apply_outcome(outcome)
    # Only while it waits: a failure is shown with its own reason, be it late or not.
    phase, begun = context.status.phase, context.status.phase_start_time or context.now
    seconds = (context.now - begun).total_seconds()
    apply_outcome(check_deadline(context.benchmark.spec, condition, phase, seconds, outcome))
    truth: Truth = "Unknown" if condition == SUCCEEDED else "False"
    context.conditions.set(condition, truth, outcome.reason, outcome.message)
    context.conditions.set(SUCCEEDED, "Unknown", outcome.reason, outcome.message)


def _count_internal_error(context: ReconcileContext, error: Exception) -> str:
    """Count and log an exception; return it in words."""
    before = context.benchmark.status.internal_errors
    context.update(internal_errors=min(before + 1, MAX_IN_A_ROW))
    if before < MAX_IN_A_ROW:
        log.error("%s: unexpected exception", context.benchmark.key, exc_info=error)
    return describe_exception(error)


def _do_quietly(context: ReconcileContext, condition: str, work: Work) -> None:
    """Do work after the end, or of a suspension, that the next reconcile takes up again.

    None of it has a deadline here, so a condition says what holds it up.
    """
    # `False` would say that the export has failed for good.
    waiting: Truth = "Unknown" if condition == EXPORTED else "False"
    try:
        work(context)
    except TemporaryError as late:
        context.conditions.set(condition, waiting, late.reason, late.message)
    except Exception as error:  # noqa: BLE001  # whatever it is, the status must show it
        message = _count_internal_error(context, error)
        # An export that goes on holds a place in the queue, so it must not for ever.
        is_last = context.status.internal_errors >= MAX_IN_A_ROW
        truth: Truth = "False" if is_last else waiting
        context.conditions.set(condition, truth, LifecycleReason.INTERNAL_ERROR, message)
