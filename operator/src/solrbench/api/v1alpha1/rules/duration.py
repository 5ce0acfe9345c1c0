"""Whether the steps can be over before their deadline."""

from typing import Any

from solrbench.api.rules import Rule
from solrbench.api.v1alpha1.rules.size import ladder_length


def planned_seconds(spec: Any) -> int:
    """Return how long all steps that last a given time take, in all repeats and variants."""
    steps = spec.load.steps
    once: int = sum((each.duration_seconds or 0) + (each.ramp_seconds or 0) for each in steps)
    ladders: int = ladder_length(spec) // len(steps) * spec.load.repeats.count
    return once * ladders


DURATION_RULES = (
    Rule(
        cel=(
            "self.load.steps.map(s, (has(s.durationSeconds) ? s.durationSeconds : 0)"
            " + (has(s.rampSeconds) ? s.rampSeconds : 0)).sum()"
            " * (self.target.variants.size() == 0 ? 1 : self.target.variants.size())"
            " * self.load.repeats.count <= self.deadlines.measuringSeconds"
        ),
        message=(
            "deadlines.measuringSeconds must not be less than the durations of all steps together,"
            " times load.repeats.count and target.variants"
        ),
        is_satisfied=lambda spec: planned_seconds(spec) <= spec.deadlines.measuring_seconds,
    ),
)
