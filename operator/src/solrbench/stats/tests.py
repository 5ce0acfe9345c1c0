"""How far a baseline and a candidate differ, by Student's t or by ranks, in families and in looks.

Testing after every repeat at the full significance level inflates the false-positive rate: 5 % at
each of the looks 5 to 20 make 19 %. So each look gets a share of the level. The shares spend it by
a power of two of the repeats (Kim and DeMets, Design and analysis of group sequential tests based
on the type I error spending rate function, 1987), in a closed form whose total error was simulated
for Student's t with an estimated variance: 0.7 to 1.05 of the level.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations_with_replacement
from statistics import fmean, median, variance
from typing import NamedTuple

from solrbench.stats.distributions import (
    ConfidenceBounds,
    rank_sum_tail,
    signed_rank_tail,
    t_quantile,
    t_tails,
)
from solrbench.stats.series import robust_deviation

Adjustment = Callable[[Sequence[float]], list[float]]
"""From the p values of a family to those that are compared with the level of a single test."""


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust p values so that at most a share `level` of all families has any false test.

    The j-th smallest of m p values counts m - j + 1 times, and never less than one before it
    (Holm, A simple sequentially rejective multiple test procedure, 1979).
    """
    adjusted, least = [0.0] * len(p_values), 0.0
    for rank, index in enumerate(_ascending(p_values)):
        least = max(least, (len(p_values) - rank) * p_values[index])
        adjusted[index] = min(least, 1.0)
    return adjusted


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """Adjust p values so that at most a share `level` of the tests that hold is false on average.

    The j-th smallest of m p values counts m / j times, and never more than one behind it (Benjamini
    and Hochberg, Controlling the false discovery rate, 1995).
    """
    adjusted, most, count = [0.0] * len(p_values), 1.0, len(p_values)
    for behind, index in enumerate(reversed(_ascending(p_values))):
        most = min(most, count / (count - behind) * p_values[index])
        adjusted[index] = most
    return adjusted


def _ascending(p_values: Sequence[float]) -> list[int]:
    return sorted(range(len(p_values)), key=p_values.__getitem__)


_DIVISOR = 3.0
_FAMILY_DIVISOR = 3.5
"""At the small levels of many comparisons, a little less is spent at each look."""


@dataclass(frozen=True)
class Looks:
    """After which repeats one looks: first after `minimum`, last after `maximum`."""

    minimum: int
    maximum: int

    def __post_init__(self) -> None:
        """Refuse numbers that no design has."""
        if not 1 < self.minimum <= self.maximum:
            raise ValueError(f"looks from {self.minimum} to {self.maximum} repeats")

    def share(self, look: int, family: int = 1) -> float:
        """Return the share of a level that belongs to the look after `look` repeats.

        It is 0 below the first look; `family` metrics are decided together.
        """
        if look < self.minimum:
            return 0.0
        if look == self.minimum:
            return self._spent(look)
        closed = self._spent(look) / (_DIVISOR if family == 1 else _FAMILY_DIVISOR)
        # Of few repeats, more has come in than the closed form allows for.
        return max(closed, self._spent(look) - self._spent(look - 1))

    def _spent(self, look: int) -> float:
        return (min(look, self.maximum) / self.maximum) ** 2


MIN_DEVIATION = 0.0003
"""Standard deviation of a metric that is read with three digits, from the reading alone: repeats
that are equal by chance are not known better than that."""

_RANK_VARIANCE = math.pi / 3
"""Variance of the difference by ranks for normal values, relative to that of means."""


class Precision(NamedTuple):
    """How well a difference is known: its standard error, and the degrees of freedom of that."""

    error: float
    degrees: float


class SampleVariance(NamedTuple):
    """A sample: its variance and how many values it has."""

    variance: float
    size: int


@dataclass(frozen=True)
class StudentEstimate:
    """A difference of means, that of the second side minus that of the first, with Student's t.

    One variance, that of differences within rounds, is the paired t. Those of two sides are the
    test of Welch (The generalization of Student's problem, 1947), which does not take the sides to
    vary equally.
    """

    centre: float
    variances: tuple[SampleVariance, ...]

    @classmethod
    def paired(
        cls, baseline: Sequence[float], candidate: Sequence[float], least: Sequence[float] = ()
    ) -> "StudentEstimate":
        """Return the difference within rounds: values at the same place belong together.

        Values of either side vary at least by the variances `least`, however alike they are.
        """
        differences = [b - a for a, b in zip(baseline, candidate, strict=True)]
        return cls(fmean(differences), (sample_variance(differences, sum(least)),))

    @classmethod
    def unpaired(
        cls,
        baseline: Sequence[float],
        candidate: Sequence[float],
        least: Sequence[float] = (0.0, 0.0),
    ) -> "StudentEstimate":
        """Return the difference of sides that were measured apart; `least` as in `paired`."""
        sides = zip((baseline, candidate), least, strict=True)
        return cls(
            fmean(candidate) - fmean(baseline),
            tuple(sample_variance(values, each) for values, each in sides),
        )

    def interval(self, level: float) -> ConfidenceBounds:
        """Return what holds the true difference but for a share `level`: centre -+ t * error."""
        error, degrees = self.precision(0)
        margin = t_quantile(level, degrees) * error
        return ConfidenceBounds(self.centre - margin, self.centre + margin)

    def p_above(self, bound: float) -> float:
        """Return how likely so large a difference is, if the true one is at most `bound`."""
        return self._tail(self.centre - bound)

    def p_below(self, bound: float) -> float:
        """Return how likely so small a difference is, if the true one is at least `bound`."""
        return self._tail(bound - self.centre)

    def _tail(self, distance: float) -> float:
        error, degrees = self.precision(0)
        half = t_tails(distance / error, degrees) / 2
        return half if distance > 0 else 1 - half

    def precision(self, more: int) -> Precision:
        """Return how well it is about known after `more` repeats of each side.

        The degrees of freedom are those of Welch and Satterthwaite.
        """
        squares = [each.variance / (each.size + more) for each in self.variances]
        parts = (
            square**2 / (each.size + more - 1)
            for square, each in zip(squares, self.variances, strict=True)
        )
        return Precision(math.sqrt(sum(squares)), sum(squares) ** 2 / sum(parts))


@dataclass(frozen=True)
class RankEstimate:
    """The median of all differences between the sides, with the exact interval of their ranks.

    A repeat far from the others moves it little (Hodges and Lehmann, Estimates of location based on
    rank tests, 1963). Equal values count against every statement. One sample, that of differences
    within rounds, has signed ranks (Wilcoxon, Individual comparisons by ranking methods, 1945): its
    differences are the means of all pairs of them. Two, of the sides, have the rank sum.
    """

    samples: tuple[tuple[float, ...], ...]

    @classmethod
    def paired(cls, baseline: Sequence[float], candidate: Sequence[float]) -> "RankEstimate":
        """Return the difference within rounds: values at the same place belong together."""
        return cls((tuple(b - a for a, b in zip(baseline, candidate, strict=True)),))

    @classmethod
    def unpaired(cls, baseline: Sequence[float], candidate: Sequence[float]) -> "RankEstimate":
        """Return the difference of sides that were measured apart."""
        return cls((tuple(baseline), tuple(candidate)))

    @cached_property
    def differences(self) -> tuple[float, ...]:
        """Return the difference of every pair of values, ascending."""
        if len(self.samples) == 1:
            pairs = combinations_with_replacement(self.samples[0], 2)
            return tuple(sorted(fmean(pair) for pair in pairs))
        baseline, candidate = self.samples
        return tuple(sorted(b - a for a in baseline for b in candidate))

    @property
    def least_p(self) -> float:
        """Return the p value of a difference where no value of one side is within the other."""
        return 2 * self._tail(0)

    @property
    def centre(self) -> float:
        """Return the median of the differences."""
        return median(self.differences)

    def interval(self, level: float) -> ConfidenceBounds | None:
        """Return the outermost differences that the ranks of few orders lie beyond, if any."""
        rank = -1
        while rank + 1 < len(self.differences) // 2 and self._tail(rank + 1) <= level / 2:
            rank += 1
        if rank < 0:
            return None
        return ConfidenceBounds(self.differences[rank], self.differences[-1 - rank])

    def p_above(self, bound: float) -> float:
        """Return the probability of ranks with so few differences up to `bound`."""
        return self._tail(sum(difference <= bound for difference in self.differences))

    def p_below(self, bound: float) -> float:
        """Return the probability of ranks with so few differences from `bound` on."""
        return self._tail(sum(difference >= bound for difference in self.differences))

    def precision(self, more: int) -> Precision:
        """Return about the error, from deviations that repeats far from the others do not widen."""
        sizes = [len(sample) + more for sample in self.samples]
        deviations = [robust_deviation(sample, MIN_DEVIATION) for sample in self.samples]
        square = sum(each**2 / size for each, size in zip(deviations, sizes, strict=True))
        degrees = sum(sizes) - len(sizes)
        return Precision(math.sqrt(_RANK_VARIANCE * square), degrees)

    def _tail(self, u: int) -> float:
        sizes = [*map(len, self.samples)]
        return signed_rank_tail(u, *sizes) if len(sizes) == 1 else rank_sum_tail(u, *sizes)


DifferenceEstimate = StudentEstimate | RankEstimate
"""A difference of two sides, second minus first."""


def sample_variance(values: Sequence[float], least: float = 0.0) -> SampleVariance:
    """Return the variance of two or more values, at least `least` and what can be read at all."""
    return SampleVariance(max(variance(values), least, MIN_DEVIATION**2), len(values))
