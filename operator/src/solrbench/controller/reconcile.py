"""One reconcile over one benchmark: observe, decide, apply, write the status once."""

from collections.abc import Callable
from dataclasses import dataclass

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.controller.context import ReconcileContext
from solrbench.controller.outcomes import LoadLostError, TargetLostError, apply_outcome
from solrbench.controller.stages import cleanup
from solrbench.controller.stages.indexing import reconcile_index
from solrbench.controller.stages.load import reconcile_load, restart_load
from solrbench.controller.stages.queueing import acquire_slot
from solrbench.controller.stages.references import check_references
from solrbench.controller.stages.target import reconcile_target, restart_target
from solrbench.controller.status_writer import store_status
from solrbench.decide.checks.lifecycle import StageWait, check_deadline, is_suspended, needs_cleanup
from solrbench.decide.conditions import (
    ACCEPTED,
    DATA_INDEXED,
    MEASURED,
    SUCCEEDED,
    TARGET_READY,
    Truth,
    is_finished,
    progress_percent,
)
from solrbench.errors import PermanentError, TemporaryError


@dataclass(frozen=True)
class Stage:
    """One stage of a reconcile, and the condition with its outcome."""

    condition: str
    work: Callable[[ReconcileContext], None]


STAGES = (
    Stage(ACCEPTED, check_references),
    Stage(SUCCEEDED, acquire_slot),
    Stage(TARGET_READY, reconcile_target),
    Stage(DATA_INDEXED, reconcile_index),
    Stage(MEASURED, reconcile_load),
)


def reconcile(context: ReconcileContext) -> SolrBenchmark:
    """Bring a benchmark one reconcile further and return it with its new status.

    Raises:
        TemporaryError: if the status could not be written; nothing is lost, the next reconcile
            writes it.

    """
    before = context.status
    _advance(context)
    context.update(progress_percent=_progress(context))
    context.finalize_status()
    if context.status != before:
        store_status(context)
    if is_finished(context.status):
        cleanup.delete_expired(context)
    return context.benchmark.model_copy(update={"status": context.status})


def _advance(context: ReconcileContext) -> None:
    if is_finished(context.status):
        _clean_up(context)
    elif is_suspended(context.benchmark.spec, context.status, context.conditions):
        _quietly(context, cleanup.suspend)
    else:
        _run_stages(context)


def _run_stages(context: ReconcileContext) -> None:
    try:
        for stage in STAGES:
            _run_stage(context, stage)
        cleanup.succeed(context)
    except _StageNotDoneError:
        return
    except PermanentError as never:
        cleanup.fail(context, never.reason, never.message)


class _StageNotDoneError(Exception):
    """The reconcile ends here; its reason stands in a condition."""


def _run_stage(context: ReconcileContext, stage: Stage) -> None:
    """Do the work of one stage.

    Raises:
        _StageNotDoneError: if it is not done yet.
        PermanentError: if it never will be.

    """
    try:
        stage.work(context)
    except TemporaryError as wait:
        _check_deadline(context, stage, wait)
        status: Truth = "Unknown" if stage.condition == SUCCEEDED else "False"
        context.conditions.set(stage.condition, status, wait.reason, wait.message)
        context.conditions.set(SUCCEEDED, "Unknown", wait.reason, wait.message)
        raise _StageNotDoneError from wait
    except PermanentError as never:
        if stage.condition != SUCCEEDED:
            context.conditions.set(stage.condition, "False", never.reason, never.message)
        raise
    except TargetLostError as lost:
        restart_target(context, lost)
        raise _StageNotDoneError from lost
    except LoadLostError as lost:
        restart_load(context, lost)
        raise _StageNotDoneError from lost


def _check_deadline(context: ReconcileContext, stage: Stage, wait: TemporaryError) -> None:
    phase, seconds = context.status.phase, context.seconds_in_phase()
    found = StageWait(stage.condition, phase, seconds, wait.reason, wait.message)
    apply_outcome(check_deadline(context.benchmark.spec, found))


def _clean_up(context: ReconcileContext) -> None:
    if needs_cleanup(context.conditions, context.benchmark.spec.cleanup):
        _quietly(context, cleanup.clean_up)


def _quietly(context: ReconcileContext, work: Callable[[ReconcileContext], None]) -> None:
    """Do work that the next reconcile takes up again if it is not done yet."""
    try:
        work(context)
    except TemporaryError:
        return


def _progress(context: ReconcileContext) -> int:
    return progress_percent(
        context.status,
        target=context.conditions.is_true(TARGET_READY),
        indexed=context.conditions.is_true(DATA_INDEXED),
        finished=context.conditions.is_true(SUCCEEDED),
    )
