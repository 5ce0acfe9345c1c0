"""An arrival rate that changes within a step, and what follows from it."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Annotated, Any, ClassVar, Protocol

from pydantic import Field

from solrbench.api.rules import Model, Rule
from solrbench.api.v1alpha1.fields import Int, Rate, at_least

MOST_CHANGES = 64


class RateChange(Model):
    """A time in a step, and the arrival rate at that time."""

    at_seconds: Annotated[Int, Field(ge=0, le=2_592_000)]
    """`atSeconds` is the time since the step began, its ramp not counted."""
    requests_per_second: Rate
    """`requestsPerSecond` is the arrival rate at that time, at least 0.001."""

    rules: ClassVar = (at_least("requestsPerSecond", 0.001, ", one request in 1000 seconds"),)


class HasRate(Protocol):
    """A step, as far as its rate goes."""

    @property
    def requests_per_second(self) -> float | None:
        """Rate at its begin; None with users."""

    @property
    def rate_changes(self) -> Sequence[RateChange]:
        """Its changes."""

    @property
    def duration_seconds(self) -> int | None:
        """How long it lasts; None with a number of requests."""


def rate_points(step: HasRate) -> Iterator[tuple[float, float]]:
    """Yield times in seconds and rates, between which the rate changes linearly.

    The last one is the rate at the end of a step with a duration.
    """
    last = step.requests_per_second or 0.0
    yield 0.0, last
    for change in step.rate_changes:
        last = change.requests_per_second
        yield float(change.at_seconds), last
    if step.duration_seconds is not None:
        yield float(step.duration_seconds), last


def mean_rate(step: HasRate) -> float | None:
    """Return the mean arrival rate of a step; None with users."""
    if not step.rate_changes or step.requests_per_second is None:
        return step.requests_per_second
    area = sum((b + a) / 2 * (t - s) for (s, a), (t, b) in pairwise(rate_points(step)))
    return area / (step.duration_seconds or 1)


def last_rate(step: HasRate) -> float:
    """Return the arrival rate at the end of a step; 0 with users."""
    return list(rate_points(step))[-1][1]


def rate_at(step: HasRate, seconds: float) -> float | None:
    """Return the arrival rate so long after the begin of a step; None with users."""
    if step.requests_per_second is None:
        return None
    for (s, a), (t, b) in pairwise(rate_points(step)):
        if s <= seconds < t:
            return a + (b - a) * (seconds - s) / (t - s)
    return last_rate(step)


def _ascend(step: Any) -> bool:
    times = [change.at_seconds for change in step.rate_changes]
    return times == sorted(times)


RATE_CHANGE_RULES = (
    Rule(
        cel=(
            "self.rateChanges.size() == 0"
            " || (has(self.requestsPerSecond) && has(self.durationSeconds))"
        ),
        message="rateChanges must go with requestsPerSecond, the first rate, and durationSeconds",
        is_satisfied=lambda s: (
            not s.rate_changes
            or (s.requests_per_second is not None and s.duration_seconds is not None)
        ),
    ),
    Rule(
        cel=(
            "!has(self.durationSeconds)"
            " || self.rateChanges.all(c, c.atSeconds <= self.durationSeconds)"
        ),
        message="rateChanges[].atSeconds must not be beyond durationSeconds",
        is_satisfied=lambda s: (
            s.duration_seconds is None
            or all(each.at_seconds <= s.duration_seconds for each in s.rate_changes)
        ),
    ),
    Rule(
        cel=("self.rateChanges.map(c, c.atSeconds).isSorted()"),
        message="rateChanges must be in the order of atSeconds; two at the same time are a jump",
        is_satisfied=_ascend,
    ),
)
