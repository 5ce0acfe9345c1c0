"""Whether a figure of one repeat is far above that of another, by more than its blocks explain.

`agreement` finds differences of a few per cent, and needs long repeats for it. Of short ones
the blocks of time show at least a difference that no reader would overlook. It must be left when
the limit has been granted: the times of the lower repeat are lengthened, and those of the higher
one shortened, each by half of the limit, and only then compared. Compared are ratios of sums over
blocks: the mean, or the share of requests beyond a time midway between both percentiles. A few
stalls change a percentile, too, but they are in few blocks, and so they explain the difference.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solrbench.results.stats.intervals import (
    LEAST_BLOCKS,
    MOST_CORRECTED_LAG,
    TimedSamples,
    neighbour_correlation,
)
from solrbench.results.stats.tail_probability import t_tails
from solrbench.results.stats.time_blocks import TimeBlocks, coarse_bucket_of

_LEVEL = 0.001
"""Level of one figure of all repeats, which its pairs share."""

_MOST_LAG = 0.4
"""Correlation of neighbouring blocks above which repeats are too short for their own swings."""

_Row = NDArray[np.float64]


@dataclass(frozen=True)
class RepeatDifference:
    """The repeats in which a figure is lowest and highest.

    Attributes:
        lower: index of the repeat in which it is lowest
        higher: index of the repeat in which it is highest
        lower_microseconds: the figure in that repeat
        higher_microseconds: the figure in that repeat
        is_certain: whether the difference is beyond the limit by more than the blocks explain

    """

    lower: int
    higher: int
    lower_microseconds: float
    higher_microseconds: float
    is_certain: bool

    @property
    def percent(self) -> float:
        """How far the higher one is above the lower one."""
        return 100 * (self.higher_microseconds / self.lower_microseconds - 1)


class _Ratio(NamedTuple):
    """Two sums by block, of which one is divided by the other."""

    parts: _Row
    wholes: _Row

    @property
    def value(self) -> float:
        return float(self.parts.sum() / self.wholes.sum())

    @property
    def deviations(self) -> _Row:
        """What each block adds to the ratio beyond its part."""
        found: _Row = (self.parts - self.value * self.wholes) / self.wholes.sum()
        return found


def compare_means(repeats: Sequence[TimedSamples], limit_percent: float) -> RepeatDifference | None:
    """Return the difference of the means; None if it is within the limit.

    Args:
        repeats: two or more with requests, each with the blocks of one repeat
        limit_percent: by how much one mean may be above another

    """
    means = [each.sum_microseconds / each.histogram.count for each in repeats]
    lower, higher, half = _farthest(means, limit_percent)
    if half is None:
        return None
    certain = _is_certain(
        _mean(repeats[lower].repeats[0], half),
        _mean(repeats[higher].repeats[0], 1 / half),
        len(repeats),
        is_far=means[higher] >= (1 + 2 * limit_percent / 100) * means[lower],
    )
    return RepeatDifference(lower, higher, means[lower], means[higher], certain)


def compare_percentiles(
    repeats: Sequence[TimedSamples], percent: float, limit_percent: float
) -> RepeatDifference | None:
    """Return the difference of a percentile; None if it is within the limit.

    Args:
        repeats: as in `compare_means`
        percent: the percentile
        limit_percent: by how much that of one repeat may be above that of another

    """
    values = [float(max(each.histogram.percentile(percent) or 0, 1)) for each in repeats]
    lower, higher, half = _farthest(values, limit_percent)
    if half is None:
        return None
    midway = math.sqrt(values[lower] * values[higher])
    certain = _is_certain(
        _share_beyond(repeats[lower].repeats[0], midway / half),
        _share_beyond(repeats[higher].repeats[0], midway * half),
        len(repeats),
    )
    return RepeatDifference(lower, higher, values[lower], values[higher], certain)


def _farthest(values: Sequence[float], limit_percent: float) -> tuple[int, int, float | None]:
    """Return which are lowest and highest, and half of the limit as a factor if they exceed it."""
    lower = min(range(len(values)), key=values.__getitem__)
    higher = max(range(len(values)), key=values.__getitem__)
    limit = 1 + limit_percent / 100
    beyond = values[lower] > 0 and values[higher] > limit * values[lower]
    return lower, higher, math.sqrt(limit) if beyond else None


def _mean(blocks: TimeBlocks, factor: float) -> _Ratio:
    return _Ratio(factor * np.array(blocks.sums, dtype=float), blocks.requests)


def _share_beyond(blocks: TimeBlocks, microseconds: float) -> _Ratio:
    bucket = coarse_bucket_of(round(microseconds))
    return _Ratio(blocks.requests_beyond(bucket), blocks.requests)


def _is_certain(lower: _Ratio, higher: _Ratio, repeats: int, *, is_far: bool = False) -> bool:
    """Say whether one ratio is above the other by more than their blocks explain.

    Student's t, with the variance of both repeats pooled: a repeat without a stall would look too
    precise by itself. The correlation r of neighbouring blocks widens the error by
    (1 + r) / (1 - r). Few blocks know it badly, so r is taken a standard error higher.

    Repeats that are too short for their own swings do not know it well enough to say whether a
    difference is chance. Where it `is_far`, and more than independent blocks explain, steps of this
    length do not repeat, whatever the reason.
    """
    lag = _correlation(lower, higher)
    if lag is None:
        return False
    if lag > _MOST_LAG:
        return is_far and _is_above(lower, higher, repeats, 1.0)
    count = len(lower.parts) + len(higher.parts)
    lag = min(max(lag + 1 / math.sqrt(count), 0.0), MOST_CORRECTED_LAG)
    return _is_above(lower, higher, repeats, (1 + lag) / (1 - lag))


def _correlation(lower: _Ratio, higher: _Ratio) -> float | None:
    """Return the correlation of neighbouring blocks; None with too few of them."""
    if min(len(each.parts) for each in (lower, higher)) < LEAST_BLOCKS:
        return None
    deviations = [each.deviations for each in (lower, higher)]
    squares = sum(float(each @ each) for each in deviations)
    return neighbour_correlation(deviations, squares) if squares else 0.0


def _is_above(lower: _Ratio, higher: _Ratio, repeats: int, widened: float) -> bool:
    squares = sum(float(each.deviations @ each.deviations) for each in (lower, higher))
    if not squares:
        return higher.value > lower.value
    count = len(lower.parts) + len(higher.parts)
    error = math.sqrt(squares * count / (count - 2) * widened)
    t = (higher.value - lower.value) / error
    pairs = repeats * (repeats - 1) / 2
    return t > 0 and t_tails(t, (count - 2) / widened) < _LEVEL / pairs
