"""Figures with something beside those without it, in pairs whose sides take turns: A B B A."""

from collections.abc import Callable, Sequence
from math import exp, log
from statistics import fmean

from solrbench.stats.distributions import confidence_interval


def log_ratios(
    measure: Callable[[bool], tuple[float, float]], pairs: int
) -> tuple[list[float], list[float]]:
    """Return, of two figures, the logarithm of the ratio of both sides in each pair."""
    found: list[dict[bool, tuple[float, float]]] = []
    for number in range(pairs):
        order = (True, False) if number % 2 else (False, True)
        found.append({side: measure(side) for side in order})
    firsts, seconds = ([log(e[True][i] / e[False][i]) for e in found] for i in range(2))
    return firsts, seconds


def ratio_interval(logs: Sequence[float]) -> tuple[float, float, float]:
    """Return the 95 % interval of a ratio, from its logarithm in each pair, and its middle.

    All three are in per cent above 1; Student's distribution.
    """
    lower, upper = confidence_interval(logs)
    low, centre, high = (100 * (exp(each) - 1) for each in (lower, fmean(logs), upper))
    return low, centre, high
