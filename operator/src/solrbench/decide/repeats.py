"""How many repeats there are, which is due, and what it takes over from the one before.

A benchmark knows its target by the pods and the number of the attempt. A point of a sweep that goes
on with the target of another begins with what that has stored of it, and is from then on as careful
with it as with one of its own: if a pod is not the one that was there, everything starts again
(docs/adr/0004).
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from pydantic import ValidationError

from solrbench.api.v1alpha1.conditions import Attempts
from solrbench.api.v1alpha1.load import Load
from solrbench.api.v1alpha1.repeats import Repeats, RepeatStart
from solrbench.api.v1alpha1.status import Status, TargetStatus
from solrbench.contract.step_runs import Reuse, StepRunId
from solrbench.decide.conditions import SUCCEEDED, holds
from solrbench.decide.views import PodView


def count_repeats(
    repeats: Repeats, stored: Iterable[StepRunId], ladder: int, is_decided: Callable[[], bool]
) -> int:
    """Return how many repeats there are to be, as far as what is stored shows.

    With `until`, it is looked at after each whole repeat; one that was begun is measured to its
    end. So the same stored step runs always lead to the same number.

    A repeat has `ladder` step runs. `is_decided` is asked only where it matters.
    """
    if repeats.until is None:
        return repeats.most
    counts = Counter(step_run.repeat for step_run in stored)
    last = max(counts, default=0)
    if last < repeats.least:
        return repeats.least
    if counts[last] < ladder or last >= repeats.most or is_decided():
        return last
    return last + 1


def format_repeats(load: Load, step: str | None) -> str:
    """Return how many repeats of a step there are to be: `3`, or `5 to 20`; empty of a trial."""
    repeats = load.repeats
    if all(each.name != step for each in load.steps):
        return ""
    return str(repeats.most) if repeats.until is None else f"{repeats.least} to {repeats.most}"


def attempts_for_repeat(attempts: Attempts, start_on: RepeatStart, repeat: int | None) -> Attempts:
    """Return the attempts with which a repeat starts on a target, or on data, of its own.

    The higher numbers are on all objects that are made from now on; what has a lower one goes.
    Neither counts against `backoffLimit`.
    """
    load = attempts.load + 1
    changes = {"repeat": repeat, "load": load, "first_load_on_target": load}
    if start_on is RepeatStart.FRESH_TARGET:
        fresh = (attempts.fresh_targets or 0) + 1
        changes |= {"target": attempts.target + 1, "fresh_targets": fresh}
    else:
        changes |= {"fresh_data": (attempts.fresh_data or 0) + 1}
    return attempts.model_copy(update=changes)


def find_reusable(body: Mapping[str, Any] | None, pods: Iterable[PodView]) -> Status | None:
    """Return the status of the benchmark before, if its target is still the one it measured."""
    try:
        status = Status.model_validate((body or {}).get("status") or {})
    except ValidationError:
        return None  # of another version of the operator
    known = {pod.name: pod.identity for pod in pods if pod.ready and not pod.deleting}
    is_whole = bool(known) and known == status.target.pods
    return status if is_whole and holds(status, SUCCEEDED) else None


def reuse_target(status: Status, before: Status, reuses: Reuse) -> Status:
    """Return the status of a benchmark that goes on with a target.

    `before` is that of the benchmark that used the target last.
    """
    changes: dict[str, object] = {"target": TargetStatus(pods=before.target.pods, reuses=reuses)}
    # Data of its own gets a higher number: objects and config sets of the lower one go.
    fresh_data = (before.attempts.fresh_data or 0) + (reuses is not Reuse.INDEX)
    if reuses is Reuse.INDEX:
        changes["dataset"] = before.dataset
    attempts = _attempts(before.attempts.target, fresh_data)
    return status.model_copy(update=changes | {"attempts": attempts})


def begin_after(status: Status, latest: int) -> Status:
    """Return the status of a benchmark whose target must be made, after what may be left of others.

    `latest` is the last attempt that something of the target was made for; 0 if nothing is left.
    """
    if latest < status.attempts.target:
        return status
    return status.model_copy(update={"attempts": _attempts(latest + 1, 0)})


def _attempts(target: int, fresh_data: int) -> Attempts:
    """Return numbers of which none counts against `backoffLimit`."""
    load = target + fresh_data
    return Attempts(
        target=target,
        load=load,
        first_load_on_target=load if load > 1 else None,
        fresh_targets=target - 1 or None,
        fresh_data=fresh_data or None,
    )
