"""Student's t, Fisher's F and the rank sum, and statistics over few repeats.

Tails of t and F are values of the regularised incomplete beta function (Abramowitz and Stegun,
Handbook of Mathematical Functions, 26.5.2, 26.6.2 and 26.7.1), quantiles are found by inverting
them. U counts the pairs of one value of each sample in which the second is smaller; if both samples
are of one distribution, every order is equally likely (Mann and Whitney, On a test of whether one
of two random variables is stochastically larger than the other, 1947). Deviations of repeats are
those of a sample (n - 1, Bessel's correction), and are never used on latencies of single requests.
"""

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import accumulate
from math import comb
from statistics import fmean, stdev

_TINY = 1e-300
"""In place of zero where the continued fraction divides by it."""

_PRECISE = 1e-12
_MAX_TERMS = 500


def t_tails(t: float, degrees: float) -> float:
    """Return the probability that a Student-distributed value is farther from 0 than `t`."""
    return incomplete_beta(degrees / (degrees + t * t), degrees / 2, 0.5)


def f_tail(ratio: float, upper_degrees: float, lower_degrees: float) -> float:
    """Return the probability that an F-distributed ratio of variances is above `ratio`."""
    share = lower_degrees / (lower_degrees + upper_degrees * ratio)
    return incomplete_beta(share, lower_degrees / 2, upper_degrees / 2)


def incomplete_beta(x: float, a: float, b: float) -> float:
    """Return I_x(a, b), the probability that a beta-distributed value is at most `x`.

    By the continued fraction 26.5.8, which converges quickly below the mean; above it the other
    tail is computed.
    """
    if x <= 0 or x >= 1:
        return float(x >= 1)
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


"""Relative width at which the search ends."""

_HIGHEST = 1e300
_KEPT = 4096
"""Quantiles kept: a comparison asks for the same few again and again."""


@lru_cache(_KEPT)
def t_quantile(tails: float, degrees: float) -> float:
    """Return the t that a Student-distributed value is farther from 0 with probability `tails`.

    Both directions together: 0.05 gives the t of a 95 % interval.

    Raises:
        ValueError: if `tails` is not between 0 and 1, or `degrees` not above 0.
    """
    _check(tails, degrees)
    return _invert(lambda t: t_tails(t, degrees), tails)


@lru_cache(_KEPT)
def f_quantile(tail: float, upper_degrees: float, lower_degrees: float) -> float:
    """Return what an F-distributed ratio of variances is above with probability `tail`.

    Raises:
        ValueError: if `tail` is not between 0 and 1, or the degrees not above 0.
    """
    _check(tail, min(upper_degrees, lower_degrees))
    return _invert(lambda ratio: f_tail(ratio, upper_degrees, lower_degrees), tail)


def _check(tail: float, degrees: float) -> None:
    if not 0 < tail <= 1 or not degrees > 0:
        raise ValueError(f"no quantile: probability {tail}, degrees of freedom {degrees}")


def _invert(tail_of: Callable[[float], float], tail: float) -> float:
    """Return where a falling function that begins at 1 has come down to `tail`, by bisection."""
    high = 1.0
    while tail_of(high) > tail and high < _HIGHEST:
        high *= 2
    low = 0.0
    while high - low > _PRECISE * high:
        middle = (low + high) / 2
        low, high = (middle, high) if tail_of(middle) > tail else (low, middle)
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


CONFIDENCE = 0.95


def relative_deviation_percent(values: Sequence[float]) -> float | None:
    """Return the sample standard deviation in percent of the mean.

    This is the coefficient of variation; it is absent for a mean of zero, where it has no meaning.

    Raises:
        statistics.StatisticsError: if there are fewer than two values; it is a ValueError.
    """
    deviation, centre = stdev(values), fmean(values)
    return 100 * deviation / abs(centre) if centre else None


def confidence_interval(values: Sequence[float]) -> tuple[float, float]:
    """Return the interval that holds the true mean with a confidence of 95 %.

    Mean -+ t * s / sqrt(n), with Student's t for n - 1 degrees of freedom: it takes into account
    that the deviation s is itself estimated from n values. It rests on values that are independent
    and normally distributed, as means over many requests nearly are. See NIST/SEMATECH e-Handbook
    of Statistical Methods, 1.3.5.2, "Confidence Limits for the Mean". The unit is that of the
    values.

    Raises:
        statistics.StatisticsError: if there are fewer than two values; it is a ValueError.
    """
    margin = stdev(values) / math.sqrt(len(values))
    margin *= student_t(len(values) - 1)
    centre = fmean(values)
    return centre - margin, centre + margin


def student_t(degrees: int) -> float:
    """Return the t that a Student-distributed value stays within, in both directions, at 95 %."""
    return t_quantile(1 - CONFIDENCE, degrees)
