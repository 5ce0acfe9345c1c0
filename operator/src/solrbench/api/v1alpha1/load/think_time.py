"""How long users wait between requests."""

from typing import ClassVar

from solrbench.api.rules import Model, Rule, exactly_one
from solrbench.api.v1alpha1.fields import Milliseconds, Percent


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
            is_satisfied=lambda u: u.min_milliseconds <= u.max_milliseconds,
        ),
    )


class ThinkTime(Model):
    """Wait of a user between a response and the next request."""

    constant_milliseconds: Milliseconds | None = None
    """`constantMilliseconds` waits the same time always, but for `jitterPercent`."""
    jitter_percent: Percent | None = None
    """`jitterPercent` is how much a constant wait varies: each is drawn uniformly at random between
    that much less and that much more, so that users do not send in step; 0 when absent."""
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
            is_satisfied=lambda t: t.jitter_percent is None or t.constant_milliseconds is not None,
        ),
    )
