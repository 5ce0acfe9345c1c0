"""Student's t, Fisher's F, the rank sum, percentiles of a sample, statistics over few repeats.

Tails of t and F are values of the regularised incomplete beta function (Abramowitz and Stegun,
Handbook of Mathematical Functions, 26.5.2, 26.6.2 and 26.7.1), quantiles are found by inverting
them. U counts the pairs of one value of each sample in which the second is smaller; if both samples
are of one distribution, every order is equally likely (Mann and Whitney, On a test of whether one
of two random variables is stochastically larger than the other, 1947). Deviations of repeats are
those of a sample (n - 1, Bessel's correction), and are never used on latencies of single requests.
"""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from math import ceil, comb
from statistics import fmean, stdev
from typing import NamedTuple

_TINY = 1e-300
"""In place of zero where the continued fraction divides by it."""

_PRECISE = 1e-12
"""Relative width at which a search ends."""

_MAX_TERMS = 500


class ConfidenceBounds(NamedTuple):
    """Two bounds in the unit of the number."""

    lower: float
    upper: float


def t_tails(t: float, degrees: float) -> float:
    """Return the probability that a Student-distributed value is farther from 0 than `t`."""
    return incomplete_beta(degrees / (degrees + t * t), degrees / 2, 0.5)


def f_tail(ratio: float, upper_degrees: float, lower_degrees: float) -> float:
    """Return the probability that an F-distributed ratio of variances is above `ratio`."""
    share = lower_degrees / (lower_degrees + upper_degrees * ratio)
    return incomplete_beta(share, lower_degrees / 2, upper_degrees / 2)


def incomplete_beta(x: float, a: float, b: float) -> float:
    """Return I_x(a, b), the probability that a beta-distributed value is at most `x`."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    # The continued fraction 26.5.8 converges quickly below the mean; above, the other tail does.
    if x > (a + 1) / (a + b + 2):
        return 1 - incomplete_beta(1 - x, b, a)
    logarithm = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    front = math.exp(logarithm + a * math.log(x) + b * math.log1p(-x)) / a
    return front / _fraction(x, a, b)


def _fraction(x: float, a: float, b: float) -> float:
    """Return 1 + d1/(1 + d2/(1 + ...)), evaluated from its first term on (Lentz, 1976)."""
    value = above = 1.0
    below = 0.0
    for term in range(1, _MAX_TERMS):
        m = term // 2
        if term % 2:
            d = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        else:
            d = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        below = 1 / (1 + d * below or _TINY)
        above = 1 + d / above or _TINY
        value *= above * below
        if abs(above * below - 1) < _PRECISE:
            break
    return value


@lru_cache(4096)  # a comparison asks for the same few again and again
def t_quantile(tails: float, degrees: float) -> float:
    """Return the t that a Student-distributed value is farther from 0 with probability `tails`.

    Both directions together: 0.05 gives the t of a 95 % interval. ValueError if there is none.
    """
    if not 0 < tails <= 1 or not degrees > 0:
        raise ValueError(f"no quantile: probability {tails}, degrees of freedom {degrees}")
    high = 1.0
    # The tails of one degree of freedom fall so slowly that no bound is far enough for all.
    while t_tails(high, degrees) > tails and high < 1e300:
        high *= 2
    low = 0.0
    while high - low > _PRECISE * high:
        middle = (low + high) / 2
        low, high = (middle, high) if t_tails(middle, degrees) > tails else (low, middle)
    return high


def rank_sum_tail(u: int, first: int, second: int) -> float:
    """Return the probability that U of samples of `first` and `second` values is at most `u`."""
    if u < 0:
        return 0.0
    cumulative = _cumulative(min(first, second), max(first, second))
    return cumulative[min(u, len(cumulative) - 1)] / comb(first + second, first)


@lru_cache(256)
def _cumulative(few: int, many: int) -> tuple[int, ...]:
    """Return for every u how many orders have at most that U.

    Orders are counted by the coefficients of the Gaussian binomial, the product over i of
    (1 - x^(many + i)) / (1 - x^i).
    """
    counts = [1] + [0] * (few * many)
    for i in range(1, few + 1):
        for u in range(len(counts) - 1, many + i - 1, -1):
            counts[u] -= counts[u - many - i]
        for u in range(i, len(counts)):
            counts[u] += counts[u - i]
    return tuple(accumulate(counts))


def signed_rank_tail(w: int, size: int) -> float:
    """Return the probability that the sum of the positive ranks of `size` values is at most `w`."""
    if w < 0:
        return 0.0
    cumulative = _cumulative_signed(size)
    return cumulative[min(w, len(cumulative) - 1)] / (1 << size)


@lru_cache(256)
def _cumulative_signed(size: int) -> tuple[int, ...]:
    """Return for every sum how many choices of the ranks 1 to `size` have at most that."""
    counts = [1] + [0] * (size * (size + 1) // 2)
    for rank in range(1, size + 1):
        for total in range(len(counts) - 1, rank - 1, -1):
            counts[total] += counts[total - rank]
    return tuple(accumulate(counts))


STANDARD_ERRORS = 1.96
"""From the middle of a 95 % interval to its ends, of what is normally distributed."""


def share_difference_error(part: int, whole: int, other: int, other_whole: int) -> float:
    """Return the standard error of the difference of two shares, if both are one in truth."""
    share = (part + other) / (whole + other_whole)
    return math.sqrt(share * (1 - share) * (1 / whole + 1 / other_whole))


def relative_deviation_percent(values: Sequence[float]) -> float | None:
    """Return the coefficient of variation in percent; None for a mean of zero.

    Fewer than two values raise statistics.StatisticsError, a ValueError.
    """
    deviation, centre = stdev(values), fmean(values)
    return 100 * deviation / abs(centre) if centre else None


def confidence_interval(values: Sequence[float]) -> tuple[float, float]:
    """Return the interval that holds the true mean with a confidence of 95 %.

    Mean -+ t * s / sqrt(n) (NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.5.2). It rests on
    values that are independent and normally distributed, as means over many requests nearly are.
    Fewer than two values raise statistics.StatisticsError, a ValueError.
    """
    # Not a bootstrap: of up to 20 repeats its intervals hold the mean in 72 to 92 % of the cases.
    margin = stdev(values) / math.sqrt(len(values)) * student_t(len(values) - 1)
    centre = fmean(values)
    return centre - margin, centre + margin


def geometric_interval(values: Sequence[float]) -> tuple[float, float]:
    """Return `confidence_interval` of the geometric mean of values above 0, by their logarithms."""
    logarithms = [*map(math.log, values)]
    centre = fmean(logarithms)
    margin = min(confidence_interval(logarithms)[1] - centre, _MAX_MARGIN)
    return math.exp(centre - margin), math.exp(centre + margin)


_MAX_MARGIN = 20.0
"""Two values that contradict each other have an interval beyond all numbers."""


def student_t(degrees: int) -> float:
    """Return the t that a Student-distributed value stays within, in both directions, at 95 %."""
    return t_quantile(1 - 0.95, degrees)


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
    places = range(count)
    # That probability grows with the place.
    lower = bisect_right(places, _TAIL, key=lambda place: _below(count, share, place)) - 1
    upper = bisect_left(places, 1 - _TAIL, key=lambda place: _below(count, share, place))
    return SamplePercentile(
        # Of the decimals as written, as that of a histogram.
        ordered[max(ceil(Fraction(str(percent)) * count / 100), 1) - 1],
        ordered[lower] if lower >= 0 else None,
        ordered[upper] if upper < count else None,
    )


def _below(count: int, share: float, most: int) -> float:
    """Return the probability that at most so many of `count` values are below the percentile."""
    return 1.0 if most >= count else incomplete_beta(1 - share, count - most, most + 1)
