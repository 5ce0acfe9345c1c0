"""Tail probabilities of Student's t and Fisher's F, for any degrees of freedom.

Both are values of the regularised incomplete beta function (Abramowitz and Stegun, Handbook of
Mathematical Functions, 26.5.2, 26.6.2 and 26.7.1).
"""

import math

_TINY = 1e-300
"""In place of zero where the continued fraction divides by it."""

_PRECISE = 1e-12
_MOST_TERMS = 500


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
    for term in range(1, _MOST_TERMS):
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
