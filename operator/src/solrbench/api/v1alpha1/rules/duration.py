"""Whether the steps can be over before their deadline."""

from typing import Any

from solrbench.api.rules import Rule
from solrbench.api.v1alpha1.load.capacity import PROBE_SECONDS

_TRIALS = (
    f"(has(self.load.capacity) ? {PROBE_SECONDS} + self.load.capacity.maxTrials"
    " * (self.load.capacity.settleSeconds + self.load.capacity.trialSeconds) : 0)"
)


def planned_seconds(spec: Any) -> int:
    """Return how long all steps that last a given time take, in all repeats and variants.

    And all trials that a search for the capacity may have.
    """
    steps = spec.load.steps
    once: int = sum((each.duration_seconds or 0) + (each.ramp_seconds or 0) for each in steps)
    ladders: int = once * spec.load.repeats.count + _search_seconds(spec)
    return ladders * max(len(spec.target.variants), 1)


def _search_seconds(spec: Any) -> int:
    capacity = spec.load.capacity
    if capacity is None:
        return 0
    each: int = capacity.settle_seconds + capacity.trial_seconds
    most: int = capacity.max_trials
    return PROBE_SECONDS + most * each


DURATION_RULES = (
    Rule(
        cel=(
            "(self.load.steps.map(s, (has(s.durationSeconds) ? s.durationSeconds : 0)"
            " + (has(s.rampSeconds) ? s.rampSeconds : 0)).sum() * self.load.repeats.count"
            f" + {_TRIALS})"
            " * (self.target.variants.size() == 0 ? 1 : self.target.variants.size())"
            " <= self.deadlines.measuringSeconds"
        ),
        message=(
            "deadlines.measuringSeconds must not be less than the durations of all steps together,"
            " times load.repeats.count and target.variants, the trials of load.capacity included"
        ),
        is_satisfied=lambda spec: planned_seconds(spec) <= spec.deadlines.measuring_seconds,
    ),
)
