"""Whether the steps can be over before their deadline."""

from typing import Any

from solrbench.api.rules import Rule
from solrbench.api.v1alpha1.load.capacity import PROBE_SECONDS
from solrbench.api.v1alpha1.load.repeats import MOST_REPEATS, RepeatStart

_TRIALS = (
    f"(has(self.load.capacity) ? {PROBE_SECONDS} + self.load.capacity.maxTrials"
    " * (self.load.capacity.settleSeconds + self.load.capacity.trialSeconds) : 0)"
)


def planned_seconds(spec: Any) -> int:
    """Return how long all steps that last a given time take, in what one deadline is for.

    That is all repeats and variants; with fresh data or targets it is one repeat. And all trials
    that a search for the capacity may have.
    """
    steps, repeats = spec.load.steps, spec.load.repeats
    once: int = sum((each.duration_seconds or 0) + (each.ramp_seconds or 0) for each in steps)
    together: int = repeats.most if repeats.start_on is RepeatStart.SAME_TARGET else 1
    return (once * together + search_seconds(spec)) * max(len(spec.target.variants), 1)


def search_seconds(spec: Any, trials: int | None = None) -> int:
    """Return how long a search for the capacity takes, of one variant.

    Args:
        spec: of a benchmark
        trials: how many it has; as many as there may be when absent

    """
    capacity = spec.load.capacity
    if capacity is None:
        return 0
    each: int = capacity.settle_seconds + capacity.trial_seconds
    count: int = capacity.max_trials if trials is None else trials
    return PROBE_SECONDS + count * each


DURATION_RULES = (
    Rule(
        cel=(
            "(self.load.steps.map(s, (has(s.durationSeconds) ? s.durationSeconds : 0)"
            " + (has(s.rampSeconds) ? s.rampSeconds : 0)).sum()"
            f" * (self.load.repeats.startOn == 'SameTarget' ? {MOST_REPEATS} : 1)"
            f" + {_TRIALS})"
            " * (self.target.variants.size() == 0 ? 1 : self.target.variants.size())"
            " <= self.deadlines.measuringSeconds"
        ),
        message=(
            "deadlines.measuringSeconds must not be less than the durations of all steps together,"
            " times target.variants and, unless they start on fresh data or targets,"
            " load.repeats; the trials of load.capacity count as a step"
        ),
        is_satisfied=lambda spec: planned_seconds(spec) <= spec.deadlines.measuring_seconds,
    ),
)
