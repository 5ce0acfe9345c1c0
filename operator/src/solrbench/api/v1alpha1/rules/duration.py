"""Whether the steps can be over before their deadline."""

from typing import Any

from solrbench.api.rules import Rule
from solrbench.api.v1alpha1.load.repeats import MOST_REPEATS, RepeatStart
from solrbench.api.v1alpha1.rules.size import ladder_length


def planned_seconds(spec: Any) -> int:
    """Return how long all steps that last a given time take, in what one deadline is for.

    That is all repeats and variants; with fresh data or targets it is one repeat.
    """
    steps = spec.load.steps
    once: int = sum((each.duration_seconds or 0) + (each.ramp_seconds or 0) for each in steps)
    variants: int = ladder_length(spec) // len(steps)
    repeats = spec.load.repeats
    together: int = repeats.most if repeats.start_on is RepeatStart.SAME_TARGET else 1
    return once * variants * together


DURATION_RULES = (
    Rule(
        cel=(
            "self.load.steps.map(s, (has(s.durationSeconds) ? s.durationSeconds : 0)"
            " + (has(s.rampSeconds) ? s.rampSeconds : 0)).sum()"
            " * (self.target.variants.size() == 0 ? 1 : self.target.variants.size())"
            f" * (self.load.repeats.startOn == 'SameTarget' ? {MOST_REPEATS} : 1)"
            " <= self.deadlines.measuringSeconds"
        ),
        message=(
            "deadlines.measuringSeconds must not be less than the durations of all steps together,"
            " times target.variants and, unless they start on fresh data or targets,"
            " load.repeats"
        ),
        is_satisfied=lambda spec: planned_seconds(spec) <= spec.deadlines.measuring_seconds,
    ),
)
