"""The ends: success, failure, clean-up, time to live, suspension."""

from datetime import timedelta

from solrbench.api.v1alpha1.spec import Cleanup
from solrbench.api.v1alpha1.status.target import TargetStatus
from solrbench.cluster.client import BENCHMARKS
from solrbench.controller.children import LOAD, TARGET, delete_components, obstacle
from solrbench.controller.context import Run
from solrbench.controller.stages.existing_target import remove_collection
from solrbench.decide.conditions import (
    CLEANED_UP,
    DATA_INDEXED,
    MEASURED,
    SUCCEEDED,
    TARGET_READY,
)
from solrbench.errors import SolrbenchError, TemporaryError
from solrbench.results.text.verdict_text import ending


def succeed(run: Run) -> None:
    """Note that everything was measured."""
    doubts = ending(run.status.verdicts)
    message = "every step is measured and stored" + (f"; {doubts}" if doubts else "")
    run.conditions.set(SUCCEEDED, "True", "Succeeded", message)
    run.update(completion_time=run.now)
    run.enter("Succeeded")


def fail(run: Run, reason: str, message: str) -> None:
    """Note why the benchmark ends early."""
    run.conditions.set(SUCCEEDED, "False", reason, message)
    run.update(completion_time=run.now, load=None)
    run.enter("Failed")


def clean_up(run: Run) -> None:
    """Delete what the benchmark made, results apart, as `spec.cleanup` says.

    The load is always deleted: with nothing left to measure it would only burn CPU.

    Raises:
        TemporaryError: while something is still there.

    """
    components = (*LOAD, *TARGET) if _wants_cleanup(run) else LOAD
    gone = delete_components(run, *components)
    if not gone:
        waits = obstacle(run.cluster, run.namespace, run.benchmark.metadata.name) or TemporaryError(
            "CleaningUp", "pods are still there"
        )
        run.conditions.set(CLEANED_UP, "False", waits.reason, waits.message)
        raise waits
    if components != LOAD:
        _remove_collection(run)
    if components == LOAD:
        message = f"spec.cleanup is {run.benchmark.spec.cleanup.value}: Solr and ZooKeeper stay"
        run.conditions.set(CLEANED_UP, "False", "Kept", message)
    else:
        run.conditions.set(CLEANED_UP, "True", "CleanedUp", "only the results are left")


def _remove_collection(run: Run) -> None:
    """Remove our collection from an existing target; tried again with every pass.

    Raises:
        TemporaryError: whatever stands in the way, for the results are there and the end is told.

    """
    try:
        remove_collection(run)
    except SolrbenchError as error:
        message = f"the collection is still on target.existing: {error}"
        run.conditions.set(CLEANED_UP, "False", "CollectionNotRemoved", message)
        raise TemporaryError("CollectionNotRemoved", message) from error


def needs_clean_up(run: Run) -> bool:
    """Return whether something may still be there that `spec.cleanup` wants gone."""
    reason = run.conditions.get(CLEANED_UP).reason
    return reason not in ("CleanedUp", "Kept") or (reason == "Kept" and _wants_cleanup(run))


def _wants_cleanup(run: Run) -> bool:
    policy = run.benchmark.spec.cleanup
    good = run.conditions.holds(SUCCEEDED)
    return policy is Cleanup.ALWAYS or (policy is Cleanup.ON_SUCCESS and good)


def expire(run: Run) -> None:
    """Delete the benchmark when its time to live is over."""
    limit = run.benchmark.spec.ttl_seconds_after_finished
    ended = run.status.completion_time
    if limit is None or ended is None or run.now < ended + timedelta(seconds=limit):
        return
    run.cluster.delete(*BENCHMARKS, run.namespace, run.benchmark.metadata.name)


def is_suspended(run: Run) -> bool:
    """Return whether pods are to go: suspension is wished, or is lifted before the last is gone.

    What is left of the run before must not be taken for a part of the next one: a ZooKeeper still
    knows a collection whose Solr nodes are gone.
    """
    half = run.status.phase == "Suspended" and run.status.start_time is not None
    return run.benchmark.spec.suspend or half


def suspend(run: Run) -> None:
    """Remove every pod and give up the place; stored results stay."""
    gone = delete_components(run, *LOAD, *TARGET)
    if gone:
        _remove_collection(run)
    run.enter("Suspended")
    run.update(load=None)
    if gone:
        run.update(start_time=None, target=TargetStatus())
    wish = f"spec.suspend is {str(run.benchmark.spec.suspend).lower()}"
    message = wish if gone else f"{wish}; pods are being removed"
    for type_ in (TARGET_READY, DATA_INDEXED):
        run.conditions.set(type_, "Unknown", "Suspended", message)
    if not run.conditions.holds(MEASURED):
        run.conditions.set(MEASURED, "Unknown", "Suspended", message)
    run.conditions.set(SUCCEEDED, "Unknown", "Suspended", message)
