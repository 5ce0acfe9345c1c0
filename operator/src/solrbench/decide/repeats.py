"""Which repeat is due, and the attempts of target and load that it starts with."""

from collections.abc import Sequence

from solrbench.api.v1alpha1 import Spec
from solrbench.api.v1alpha1.load.repeats import RepeatStart
from solrbench.api.v1alpha1.status.conditions import Attempts
from solrbench.plan.step_runs import FIRST_REPEAT, StepRunId


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
