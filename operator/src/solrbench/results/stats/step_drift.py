"""Whether service times still changed when a step run ended: it never became steady."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from solrbench.results.stats.repeats.agreement import (
    BLOCKS,
    MIN_SECONDS,
    block_levels,
    correlation,
)
from solrbench.results.stats.steadiness import truncation
from solrbench.results.stats.tail_probability import t_tails

_LEVEL = 0.0002
"""Of a single step run: a step is accused by the worst of up to ten repeats."""

_MAX_CORRELATION = 0.3
"""Correlation of neighbouring blocks above which a drift is not distinguished from slow swings.
Less than where repeats are compared: a swing of the length of the step is a drift by itself."""


@dataclass(frozen=True)
class StepDrift:
    """How service times changed after the beginning of a step run.

    Attributes:
        percent: change of the mean from the first block to the last, by least squares
        is_certain: whether it is more than the seconds explain
        seconds: number of seconds that were looked at

    """

    percent: float
    is_certain: bool
    seconds: int


def find_drift(means: Sequence[float]) -> StepDrift | None:
    """Return the drift of a step run; None if it is too short, or too short for its own swings.

    The beginning is left out: as far as the marginal standard error rule finds it (`truncation`),
    or else the first half. Of the rest, levels of `BLOCKS` blocks are fitted by a line. The slope
    is compared with Student's t; its squared error is s² / Sxx · (1 + r) / (1 - r) with the
    residual variance s² and the lag 1 correlation r of the residuals, whose number counts as so
    many fewer (Draper and Smith, Applied Regression Analysis, 1.4; the factor is that of the
    variance of a mean of an AR(1) process).

    Args:
        means: mean service time of each second, above 0

    """
    begin = truncation([math.log(each) for each in means])
    rest = means[len(means) // 2 if begin is None else begin :]
    if len(rest) < MIN_SECONDS:
        return None
    (levels,) = block_levels([rest])
    places = [index - (BLOCKS - 1) / 2 for index in range(BLOCKS)]
    width, centre = sum(each * each for each in places), fmean(levels)
    slope = sum(place * level for place, level in zip(places, levels, strict=True)) / width
    residuals = [
        level - centre - slope * place for place, level in zip(places, levels, strict=True)
    ]
    squares = sum(each * each for each in residuals)
    found = correlation([residuals], squares)
    if found > _MAX_CORRELATION:
        return None
    widened = (1 + found) / (1 - found)
    error = math.sqrt(max(squares / (BLOCKS - 2), 1e-12) * widened / width)
    is_certain = t_tails(slope / error, (BLOCKS - 2) / widened) < _LEVEL
    return StepDrift(100 * math.expm1(slope * (BLOCKS - 1)), is_certain, len(rest))
