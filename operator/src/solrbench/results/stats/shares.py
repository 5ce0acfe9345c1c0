"""Shares of requests with 95 % intervals, such as that of the failures.

Failures come together: an outage of a second is not as many independent failures. How much more
they vary from block to block of time than independent ones, the design effect, says how many
independent requests the sample is worth; with that number the interval is Wilson's (Probable
inference, Journal of the American Statistical Association 22, 1927). It is right for shares near
zero too: without a single failure its upper bound is about 3.8 / n.
"""

import math
from collections.abc import Sequence

from solrbench.results.stats.intervals import Interval

_T = 1.96
_BLOCKS = 30


def share_interval(part: int, whole: int, effect: float = 1.0) -> Interval | None:
    """Return the interval of a share of requests, 0 to 1; None without requests.

    `effect` is the design effect, see `design_effect`.
    """
    if not whole:
        return None
    worth, share = whole / max(effect, 1.0), part / whole
    centre = share + _T**2 / (2 * worth)
    margin = _T * math.sqrt(share * (1 - share) / worth + _T**2 / (4 * worth**2))
    scale = 1 + _T**2 / worth
    lower = 0.0 if part == 0 else max((centre - margin) / scale, 0.0)
    upper = 1.0 if part == whole else min((centre + margin) / scale, 1.0)
    return Interval(lower, upper)


def design_effect(parts: Sequence[int], wholes: Sequence[int]) -> float:
    """Return how much more a share varies than that of independent requests, at least 1.

    Args:
        parts: failures of each second, in the order of time
        wholes: requests of each second

    """
    width = max(1, -(-len(wholes) // _BLOCKS))
    starts = range(0, len(wholes), width)
    part = [sum(parts[start : start + width]) for start in starts]
    whole = [sum(wholes[start : start + width]) for start in starts]
    total, failed = sum(whole), sum(part)
    if len(whole) < 2 or not 0 < failed < total:
        return 1.0
    share = failed / total
    squares = sum((a - share * b) ** 2 for a, b in zip(part, whole, strict=True))
    variance = squares * len(whole) / (len(whole) - 1) / total**2
    return max(variance * total / (share * (1 - share)), 1.0)
