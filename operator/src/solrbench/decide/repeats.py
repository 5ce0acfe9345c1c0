"""How many repeats there are, which is due, and the attempts that it starts with."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from solrbench.api.v1alpha1 import Spec
from solrbench.api.v1alpha1.load.repeats import Repeats, RepeatStart
from solrbench.api.v1alpha1.status.conditions import Attempts
from solrbench.plan.step_runs import FIRST_REPEAT, StepRunId


def count_repeats(
    repeats: Repeats, stored: Iterable[StepRunId], ladder: int, is_decided: Callable[[], bool]
) -> int:
    """Return how many repeats there are to be, as far as what is stored shows.

    With `until`, it is looked at after each whole repeat; one that was begun is measured to its
    end. So the same stored step runs always lead to the same number.

    Args:
        repeats: of the spec
        stored: the step runs that are stored
        ladder: step runs of one repeat
        is_decided: whether all words are there, asked only where it matters

    """
    if repeats.until is None:
        return repeats.most
    found = Counter(each.repeat for each in stored)
    last = max(found, default=0)
    if last < repeats.least:
        return repeats.least
    if found[last] < ladder or last >= repeats.most or is_decided():
        return last
    return last + 1


def format_repeats(repeats: Repeats) -> str:
    """Return how many repeats there are to be: `3`, or `5 to 20`."""
    if repeats.until is None:
        return str(repeats.most)
    return f"{repeats.least} to {repeats.most}"


def repeat_to_start(spec: Spec, attempts: Attempts, remaining: Sequence[StepRunId]) -> int | None:
    """Return the repeat that must start anew; None while the present target is the right one.

    What is stored decides, so an operator that begins in the middle comes to the same repeat.

    Args:
        spec: of the benchmark
        attempts: with the repeat that the present target was made for
        remaining: the step runs that are not stored, in order

    """
    if not remaining or spec.load.repeats.start_on is RepeatStart.SAME_TARGET:
        return None
    due = remaining[0].repeat
    return None if due == (attempts.repeat or FIRST_REPEAT) else due


def attempts_for_repeat(attempts: Attempts, start_on: RepeatStart, repeat: int) -> Attempts:
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
