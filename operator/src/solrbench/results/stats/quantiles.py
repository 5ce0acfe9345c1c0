"""Quantiles of Student's t and Fisher's F, for any level and fractional degrees of freedom.

Both are found by inverting the tail probabilities of `tail_probability`, which fall steadily.
"""

from collections.abc import Callable
from functools import lru_cache

from solrbench.results.stats.tail_probability import f_tail, t_tails

_PRECISE = 1e-12
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
