"""How far two sides are apart, with what is known of it: by Student's t or by ranks."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean, median, variance
from typing import NamedTuple, Protocol

from solrbench.results.stats.intervals import Interval
from solrbench.results.stats.outliers import SCALE
from solrbench.results.stats.quantiles import t_quantile
from solrbench.results.stats.rank_sum import rank_sum_tail
from solrbench.results.stats.tail_probability import t_tails

LEAST_DEVIATION = 0.0003
"""Standard deviation of a figure that is read with three digits, from the reading alone: repeats
that are equal by chance are not known better than that."""

_RANK_VARIANCE = math.pi / 3
"""Variance of the difference by ranks for normal values, relative to that of means."""


class Precision(NamedTuple):
    """How well a difference is known: its standard error, and the degrees of freedom of that."""

    error: float
    degrees: float


class DifferenceEstimate(Protocol):
    """A difference of two sides, second minus first."""

    @property
    def centre(self) -> float:
        """Return the difference."""

    def interval(self, level: float) -> Interval | None:
        """Return what holds the true difference but for a share `level`; None with too few."""

    def p_above(self, bound: float) -> float:
        """Return how likely so large a difference is, if the true one is at most `bound`."""

    def p_below(self, bound: float) -> float:
        """Return how likely so small a difference is, if the true one is at least `bound`."""

    def precision(self, more: int) -> Precision:
        """Return how well the difference is about known after `more` repeats of each side."""


class SampleVariance(NamedTuple):
    """A sample: its variance and how many values it has."""

    variance: float
    size: int


@dataclass(frozen=True)
class StudentEstimate:
    """A difference of means with Student's t.

    One spread, that of differences within rounds, is the paired t. Two, of the sides, are the test
    of Welch (The generalization of Student's problem, 1947), which does not take the sides to vary
    equally.
    """

    centre: float
    spreads: tuple[SampleVariance, ...]

    @classmethod
    def paired(cls, before: Sequence[float], after: Sequence[float]) -> "StudentEstimate":
        """Return the difference within rounds: values at the same place belong together."""
        differences = [b - a for a, b in zip(before, after, strict=True)]
        return cls(fmean(differences), (_spread(differences),))

    @classmethod
    def of_sides(cls, before: Sequence[float], after: Sequence[float]) -> "StudentEstimate":
        """Return the difference of sides that were measured apart."""
        return cls(fmean(after) - fmean(before), (_spread(before), _spread(after)))

    def interval(self, level: float) -> Interval:
        """Return centre -+ t * error."""
        error, degrees = self.precision(0)
        margin = t_quantile(level, degrees) * error
        return Interval(self.centre - margin, self.centre + margin)

    def p_above(self, bound: float) -> float:
        """Return the upper tail of t at the difference."""
        error, degrees = self.precision(0)
        return _upper_tail((self.centre - bound) / error, degrees)

    def p_below(self, bound: float) -> float:
        """Return the lower tail of t at the difference."""
        error, degrees = self.precision(0)
        return _upper_tail((bound - self.centre) / error, degrees)

    def precision(self, more: int) -> Precision:
        """Return the error, with the degrees of freedom of Welch and Satterthwaite."""
        squares = [each.variance / (each.size + more) for each in self.spreads]
        parts = (
            square**2 / (each.size + more - 1)
            for square, each in zip(squares, self.spreads, strict=True)
        )
        return Precision(math.sqrt(sum(squares)), sum(squares) ** 2 / sum(parts))


@dataclass(frozen=True)
class RankEstimate:
    """The median of all differences between the sides, with the exact interval of the rank sum.

    A repeat that stands apart moves it little (Hodges and Lehmann, Estimates of location based on
    rank tests, 1963). Equal values count against every statement.
    """

    before: tuple[float, ...]
    after: tuple[float, ...]

    @cached_property
    def differences(self) -> tuple[float, ...]:
        """Return the difference of every pair of values, ascending."""
        return tuple(sorted(b - a for a in self.before for b in self.after))

    @property
    def centre(self) -> float:
        """Return the median of the differences."""
        return median(self.differences)

    def interval(self, level: float) -> Interval | None:
        """Return the outermost differences that the rank sum of few orders lies beyond."""
        place = -1
        while place + 1 < len(self.differences) // 2 and self._tail(place + 1) <= level / 2:
            place += 1
        if place < 0:
            return None
        return Interval(self.differences[place], self.differences[-1 - place])

    def p_above(self, bound: float) -> float:
        """Return the probability of a rank sum with so few differences up to `bound`."""
        return self._tail(sum(each <= bound for each in self.differences))

    def p_below(self, bound: float) -> float:
        """Return the probability of a rank sum with so few differences from `bound` on."""
        return self._tail(sum(each >= bound for each in self.differences))

    def precision(self, more: int) -> Precision:
        """Return about the error, from deviations that repeats which stand apart do not widen."""
        sides = (self.before, self.after)
        square = sum(robust_deviation(each) ** 2 / (len(each) + more) for each in sides)
        degrees = len(self.before) + len(self.after) + 2 * more - 2
        return Precision(math.sqrt(_RANK_VARIANCE * square), degrees)

    def _tail(self, u: int) -> float:
        return rank_sum_tail(u, len(self.before), len(self.after))


def robust_deviation(values: Sequence[float], least: float = LEAST_DEVIATION) -> float:
    """Return the scaled median absolute deviation, at least `least`."""
    centre = median(values)
    return max(SCALE * median(abs(each - centre) for each in values), least)


def _upper_tail(t: float, degrees: float) -> float:
    half = t_tails(t, degrees) / 2
    return half if t > 0 else 1 - half


def _spread(values: Sequence[float]) -> SampleVariance:
    return SampleVariance(max(variance(values), LEAST_DEVIATION**2), len(values))
