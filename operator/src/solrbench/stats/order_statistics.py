"""Percentiles of a sample as it is, with intervals that hold for any distribution."""

from collections.abc import Sequence
from math import ceil
from typing import NamedTuple

from solrbench.stats.distributions import incomplete_beta

_TAIL = 0.025


class SamplePercentile(NamedTuple):
    """A percentile and its 95 % interval; a bound that the sample is too small for is None."""

    value: float
    lower: float | None
    upper: float | None


def sample_percentile(ordered: Sequence[float], percent: float) -> SamplePercentile:
    """Return a percentile of independent values in ascending order.

    How many of n values are below it is binomial, so that two of them are the bounds (David and
    Nagaraja, Order Statistics, 7.1).
    """
    count, share = len(ordered), percent / 100
    lower = [rank for rank in range(1, count + 1) if _below(count, share, rank - 1) <= _TAIL]
    upper = [rank for rank in range(1, count + 1) if _below(count, share, rank - 1) >= 1 - _TAIL]
    return SamplePercentile(
        ordered[max(ceil(count * share), 1) - 1],
        ordered[lower[-1] - 1] if lower else None,
        ordered[upper[0] - 1] if upper else None,
    )


def _below(count: int, share: float, most: int) -> float:
    """Return the probability that at most so many of `count` values are below the percentile."""
    return 1.0 if most >= count else incomplete_beta(1 - share, count - most, most + 1)
