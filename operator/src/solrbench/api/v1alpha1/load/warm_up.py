"""`spec.warmUp`: load that is kept out of the results."""

from typing import Annotated, ClassVar

from pydantic import Field

from solrbench.api.rules import Model, Rule, exactly_one
from solrbench.api.v1alpha1.fields import Int


class UntilSteady(Model):
    """Criterion of a steady warm-up: the last windows have about the same mean service time."""

    max_seconds: Annotated[Int, Field(ge=1, le=86_400)] = 600
    """`maxSeconds` limits the duration of the warm-up; after it the first step begins all the
    same, and the report says that the warm-up never became steady."""
    windows: Annotated[Int, Field(ge=3, le=100)] = 10
    """`windows` is the number of consecutive windows that are compared."""
    window_seconds: Annotated[Int, Field(ge=1, le=3600)] = 1
    """`windowSeconds` is the minimum length of a window."""
    window_requests: Annotated[Int, Field(ge=1, le=1_000_000)] = 1000
    """`windowRequests` is the minimum number of requests in a window; with few, means differ by
    chance alone."""
    deviation_percent: Annotated[Int, Field(ge=1, le=100)] = 5
    """`deviationPercent` is the sample standard deviation of the windows' means, in per cent of
    their mean, below which the warm-up is steady."""

    rules: ClassVar = (
        Rule(
            cel="self.maxSeconds >= self.windows * self.windowSeconds",
            message=(
                "maxSeconds must not be less than windows times windowSeconds,"
                " otherwise there is no time to become steady"
            ),
            is_satisfied=lambda u: u.max_seconds >= u.windows * u.window_seconds,
        ),
    )


class WarmUp(Model):
    """Load before the first step, once for each repeat and variant, kept out of the results."""

    requests: Annotated[Int, Field(ge=0, le=1_000_000_000)] | None = None
    """`requests` is the number of requests to send; 0 measures from the first request on."""
    duration_seconds: Annotated[Int, Field(ge=1, le=86_400)] | None = None
    """`durationSeconds` is the duration of the warm-up."""
    until_steady: UntilSteady | None = None
    """`untilSteady` sends until service times no longer change."""
    users: Annotated[Int, Field(ge=1, le=100_000)] | None = None
    """`users` is the number of users that send; when absent that of the first step, or one for
    each worker if the first step has an arrival rate."""

    rules: ClassVar = (exactly_one("requests", "durationSeconds", "untilSteady"),)
