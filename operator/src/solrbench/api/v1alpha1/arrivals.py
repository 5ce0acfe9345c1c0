"""How requests arrive: users with think time, open loops, changing rates, replays, the warm-up."""

from enum import StrEnum
from typing import Annotated, ClassVar

from pydantic import Field, Strict

from solrbench.api.rules import Model, Rule, exactly_one
from solrbench.api.v1alpha1.fields import Int, Milliseconds, Percent, Rate, at_least


class ArrivalDistribution(StrEnum):
    """Distribution of the times between arrivals."""

    POISSON = "Poisson"
    UNIFORM = "Uniform"


MAX_CHANGES = 64


class RateChange(Model):
    """A time in a step, and the arrival rate at that time."""

    at_seconds: Annotated[Int, Field(ge=0, le=2_592_000)]
    """`atSeconds` is the time since the step began, its ramp not counted."""
    requests_per_second: Rate
    """`requestsPerSecond` is the arrival rate at that time, at least 0.001."""

    rules: ClassVar = (at_least("requestsPerSecond", 0.001, ", one request in 1000 seconds"),)


RATE_CHANGE_RULES = (
    Rule(
        cel=(
            "self.rateChanges.size() == 0"
            " || (has(self.requestsPerSecond) && has(self.durationSeconds))"
        ),
        message="rateChanges must go with requestsPerSecond, the first rate, and durationSeconds",
    ),
    Rule(
        cel=(
            "!has(self.durationSeconds)"
            " || self.rateChanges.all(c, c.atSeconds <= self.durationSeconds)"
        ),
        message="rateChanges[].atSeconds must not be beyond durationSeconds",
    ),
    Rule(
        cel="self.rateChanges.map(c, c.atSeconds).isSorted()",
        message="rateChanges must be in the order of atSeconds; two at the same time are a jump",
    ),
)


class Replay(Model):
    """Requests of the query file, in its order, at its own times."""

    speed_factor: Annotated[float, Strict(), Field(ge=0, le=1000, allow_inf_nan=False)] = 1.0
    """`speedFactor` is how much faster than they were recorded the requests arrive, at least 0.01:
    2 halves the time between any two of them."""

    rules: ClassVar = (at_least("speedFactor", 0.01),)


REPLAY_RULE = Rule(
    cel=(
        "!self.load.steps.exists(s, has(s.replay))"
        " || (has(self.workload.queries) && !has(self.workload.queries.generated))"
    ),
    message=(
        "load.steps[].replay must go with workload.queries from a file, which holds a time in"
        " each line; `solrbench log` makes one of a query log"
    ),
)


class UniformTime(Model):
    """A time drawn uniformly at random between two bounds."""

    min_milliseconds: Milliseconds
    """`minMilliseconds` is the shortest time."""
    max_milliseconds: Milliseconds
    """`maxMilliseconds` is the longest time."""

    rules: ClassVar = (
        Rule(
            cel="self.minMilliseconds <= self.maxMilliseconds",
            message="minMilliseconds must not be greater than maxMilliseconds",
        ),
    )


class ThinkTime(Model):
    """Wait of a user between a response and the next request."""

    constant_milliseconds: Milliseconds | None = None
    """`constantMilliseconds` waits the same time always, but for `jitterPercent`."""
    jitter_percent: Percent | None = None
    """`jitterPercent` is how much a constant wait varies: each is drawn uniformly between that
    much less and that much more, so that users do not send in step; 0 when absent."""
    uniform: UniformTime | None = None
    """`uniform` waits a time drawn uniformly at random between two bounds."""
    exponential_mean_milliseconds: Milliseconds | None = None
    """`exponentialMeanMilliseconds` waits a time drawn from an exponential distribution with this
    mean."""

    rules: ClassVar = (
        exactly_one("constantMilliseconds", "uniform", "exponentialMeanMilliseconds"),
        Rule(
            cel="!has(self.jitterPercent) || has(self.constantMilliseconds)",
            message="jitterPercent must go with constantMilliseconds, the others vary anyway",
        ),
    )


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
    """`windowRequests` is the minimum number of requests in a window, before a step that indexes of
    documents; with few, means differ by chance alone."""
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
