"""`spec.warmUp`: load that is kept apart from the results."""

from typing import Annotated, ClassVar

from pydantic import Field

from solrbench.api.rules import Model, Rule, exactly_one
from solrbench.api.v1alpha1.fields import Int


class UntilSteady(Model):
    """When a warm-up is steady: the last windows have about the same mean service time."""

    max_seconds: Annotated[Int, Field(ge=1, le=86_400)] = 600
    """Longest time to send for; after it the ladder begins all the same, and the report says that
    the warm-up never became steady."""
    windows: Annotated[Int, Field(ge=3, le=100)] = 10
    """Windows in a row that have to be alike."""
    window_seconds: Annotated[Int, Field(ge=1, le=3600)] = 1
    """Least length of a window."""
    window_requests: Annotated[Int, Field(ge=1, le=1_000_000)] = 1000
    """Least requests in a window; with few, chance alone makes their means differ."""
    deviation_percent: Annotated[Int, Field(ge=1, le=100)] = 5
    """Sample standard deviation of the windows' means, in per cent of their mean, that counts as
    steady."""

    rules: ClassVar = (
        Rule(
            cel="self.maxSeconds >= self.windows * self.windowSeconds",
            message=(
                "maxSeconds must not be less than windows times windowSeconds,"
                " or there is no time to become steady"
            ),
            is_satisfied=lambda u: u.max_seconds >= u.windows * u.window_seconds,
        ),
    )


class WarmUp(Model):
    """Load before the first step of every ladder, once for each repeat and variant, kept apart."""

    requests: Annotated[Int, Field(ge=1, le=1_000_000_000)] | None = None
    """Requests to send."""
    seconds: Annotated[Int, Field(ge=1, le=86_400)] | None = None
    """Time to send for."""
    until_steady: UntilSteady | None = None
    """Send until service times no longer change."""
    users: Annotated[Int, Field(ge=1, le=100_000)] | None = None
    """Users that send; when absent those of the first step, one for each worker if that has a
    planned rate."""

    rules: ClassVar = (exactly_one("requests", "seconds", "untilSteady"),)
