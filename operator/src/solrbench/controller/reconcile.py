"""One pass over one benchmark: observe, decide, apply, write the status once."""

from collections.abc import Callable
from dataclasses import dataclass

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.controller.context import LoadLostError, Run, TargetLostError
from solrbench.controller.stages import cleanup
from solrbench.controller.stages.indexing import index
from solrbench.controller.stages.load import load_again, measure
from solrbench.controller.stages.queueing import wait_for_turn
from solrbench.controller.stages.references import accept
from solrbench.controller.stages.target import provision, start_again
from solrbench.controller.status_writer import store_status
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
from solrbench.decide.deadlines import deadline_seconds
from solrbench.errors import PermanentError, TemporaryError


@dataclass(frozen=True)
class Stage:
    """One part of the way, and the condition that tells how it stands."""

    condition: str
    work: Callable[[Run], None]


STAGES = (
    Stage(ACCEPTED, accept),
    Stage(SUCCEEDED, wait_for_turn),
    Stage(TARGET_READY, provision),
    Stage(DATA_INDEXED, index),
    Stage(MEASURED, measure),
)


def reconcile(run: Run) -> SolrBenchmark:
    """Bring a benchmark one pass further and return it with its new status.

    Raises:
        TemporaryError: if the status could not be written; nothing is lost, the next pass writes
            it.

    """
    before = run.status
    _advance(run)
    run.update(progress=_progress(run))
    run.settle()
    if run.status != before:
        store_status(run)
    if is_finished(run.status):
        cleanup.expire(run)
    return run.benchmark.model_copy(update={"status": run.status})


def _advance(run: Run) -> None:
    if is_finished(run.status):
        _tidy(run)
    elif cleanup.is_suspended(run):
        _quietly(run, cleanup.suspend)
    else:
        _go_through_stages(run)


def _go_through_stages(run: Run) -> None:
    try:
        for stage in STAGES:
            _go_through(run, stage)
        cleanup.succeed(run)
    except _StageNotDoneError:
        return
    except PermanentError as never:
        cleanup.fail(run, never.reason, never.message)


class _StageNotDoneError(Exception):
    """The pass ends here; its reason stands in a condition."""


def _go_through(run: Run, stage: Stage) -> None:
    """Do the work of one stage.

    Raises:
        _StageNotDoneError: if it is not done yet.
        PermanentError: if it never will be.

    """
    try:
        stage.work(run)
    except TemporaryError as wait:
        _check_deadline(run, wait)
        status: Truth = "Unknown" if stage.condition == SUCCEEDED else "False"
        run.conditions.set(stage.condition, status, wait.reason, wait.message)
        run.conditions.set(SUCCEEDED, "Unknown", wait.reason, wait.message)
        raise _StageNotDoneError from wait
    except PermanentError as never:
        if stage.condition != SUCCEEDED:
            run.conditions.set(stage.condition, "False", never.reason, never.message)
        raise
    except TargetLostError as lost:
        start_again(run, lost)
        raise _StageNotDoneError from lost
    except LoadLostError as lost:
        load_again(run, lost)
        raise _StageNotDoneError from lost


def _check_deadline(run: Run, wait: TemporaryError) -> None:
    limit = deadline_seconds(run.benchmark.spec, run.status.phase)
    if limit is not None and run.seconds_in_phase() > limit:
        raise PermanentError(
            "DeadlineExceeded",
            f"{run.status.phase} took longer than {limit} s (spec.deadlineSeconds);"
            f" last seen: {wait.reason}: {wait.message}",
        ) from wait


def _tidy(run: Run) -> None:
    if cleanup.needs_clean_up(run):
        _quietly(run, cleanup.clean_up)


def _quietly(run: Run, work: Callable[[Run], None]) -> None:
    """Do work that the next pass takes up again if it is not done yet."""
    try:
        work(run)
    except TemporaryError:
        return


def _progress(run: Run) -> str:
    percent = progress_percent(
        run.status,
        target=run.conditions.holds(TARGET_READY),
        indexed=run.conditions.holds(DATA_INDEXED),
        finished=run.conditions.holds(SUCCEEDED),
    )
    return f"{percent} %"
