"""Whether the repeats of a step agree, as far as their own seconds explain a difference.

A repeat is known only as well as its seconds let it be: where service times are autocorrelated,
repeats differ by chance. Three tests compare what repeats differ by with what their seconds
explain, and with a dispersion of repeats that is normal in the field. Each has the level at which
all three together accuse at most 1.5 % of equal repeats; docs/method/repeats.md has the simulation.

Of short repeats, blocks of time show at least a difference that no reader would overlook. It must
be left when the limit has been granted: the times of the lower repeat are lengthened, and those of
the higher one shortened, each by half of the limit, and only then compared, by ratios of sums over
blocks: the mean, or the share of requests beyond a time midway between both percentiles. A step
whose service times still changed when it ended never became steady.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from itertools import pairwise
from operator import itemgetter
from statistics import fmean, median, stdev
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solrbench.stats.distributions import f_tail, t_tails
from solrbench.stats.intervals import MIN_BATCHES, error_factor, pool_blocks
from solrbench.stats.series import SCALE, truncation
from solrbench.stats.tests import MIN_DEVIATION
from solrbench.stats.time_blocks import coarse_bucket_of
from solrbench.stats.times import Times

BATCHES = 20
"""Blocks of about equal numbers of seconds that a repeat is cut into."""

MIN_SECONDS = 28
"""With fewer seconds too little is known of a repeat: where a few stalls make it up, one more
is a difference, and more than 1.5 % of equal repeats would be accused."""

_MAX_LEVEL_CORRELATION = 0.5
"""Correlation of neighbouring blocks above which a step is too short for its own swings."""

_DISPERSION_LEVEL = 0.005
_TREND_LEVEL = 0.0025
# Few repeats know their own deviation badly: of those that differ by just what they may, it is
# above that in every second case, and beyond this level in one of five.
_OPEN_LEVEL = 0.2
_FIRST_LEVEL = 0.0025
"""One test of all levels could replace that of the first repeat at the same total level, but would
find a cold one, four standard errors off, in 55 instead of 68 of 100 steps of five repeats, and in
46 instead of 77 of ten (simulated, 20,000 each)."""

_WINSORISED = 3.0
"""Seconds farther from the median, in scaled median absolute deviations, count as being there:
stalls are outliers of their own, and a repeat that happened to have none would look precise."""

_MIN_VARIANCE = 1e-12
"""Where all seconds are equal and nothing is allowed, levels are equal to a millionth."""

_Row = NDArray[np.float64]


class Disagreement(Enum):
    """In what way repeats differ by more than their seconds explain."""

    FIRST = auto()
    """The first is unlike the others."""
    TREND = auto()
    """They go in one direction."""
    SPREAD = auto()
    """They differ in no such way."""


@dataclass(frozen=True)
class RepeatAgreement:
    """What three tests found.

    Attributes:
        disagreement: the way in which repeats differ most clearly; None if they agree
        percents: how far they differ in each way: the first against the mean of the others, the
            change from each repeat to the next by least squares, the deviation of the levels
        is_doubtful: whether they agree, but differ by more than repeats that agree usually do
        is_imprecise: whether the level of a repeat is known worse than what repeats may differ by
    """

    disagreement: Disagreement | None
    percents: Mapping[Disagreement, float]
    is_doubtful: bool
    is_imprecise: bool


def batch_levels(repeats: Sequence[Sequence[float]]) -> list[list[float]]:
    """Return the levels of the blocks of each repeat: means of logarithms of winsorised seconds.

    `repeats` has mean service times of at least `MIN_SECONDS` seconds of each, above 0. They are
    cut off at the median of their own repeat and the deviation of all: with one of its own, a
    repeat with a few more stalls would be cut off farther out, and so be slower by more than its
    seconds show.
    """
    values = [[math.log(each) for each in means] for means in repeats]
    centres = [median(each) for each in values]
    distances = (
        abs(each - centre) for own, centre in zip(values, centres, strict=True) for each in own
    )
    reach = _WINSORISED * SCALE * median(distances)
    return [
        _batch_means([min(max(each, centre - reach), centre + reach) for each in own])
        for own, centre in zip(values, centres, strict=True)
    ]


def _batch_means(values: Sequence[float]) -> list[float]:
    edges = [index * len(values) // BATCHES for index in range(BATCHES + 1)]
    return [fmean(values[begin:end]) for begin, end in pairwise(edges)]


def compare_repeats(
    levels: Sequence[Sequence[float]], allowed_percent: float
) -> RepeatAgreement | None:
    """Return what the tests say of two or more repeats; None if the step is too short for them.

    The squared error of a repeat's level is v² / `BATCHES` · (1 + r) / (1 - r), with the variance
    v² and the lag 1 correlation r of the blocks, both pooled over the repeats. Added to it is the
    square of what repeats may differ by. Spread: the variance of the levels against this error, as
    in Welch's comparison of means (Biometrika 38, 1951) with equal weights; trend and first:
    contrasts of the levels against Student's t.

    `levels` are `batch_levels` in the order of measuring; `allowed_percent` is what repeats may
    differ by anyway, a relative standard deviation.
    """
    centres = [fmean(blocks) for blocks in levels]
    count = len(levels)
    squares, lag = pool_blocks([np.array(own) - fmean(own) for own in levels])
    if lag > _MAX_LEVEL_CORRELATION:
        return None
    widened = error_factor(lag)
    variance = squares / (count * (BATCHES - 1)) * widened / BATCHES
    allowed = math.log1p(allowed_percent / 100) ** 2
    is_imprecise = variance > allowed
    degrees = count * (BATCHES - 1) / widened
    least = max(variance + allowed, _MIN_VARIANCE)
    return _test(centres, least, degrees, is_imprecise=is_imprecise)


def _test(
    centres: Sequence[float], variance: float, degrees: float, *, is_imprecise: bool
) -> RepeatAgreement:
    count, whole = len(centres), fmean(centres)
    dispersion = sum((each - whole) ** 2 for each in centres) / (count - 1)
    contrasts = {
        Disagreement.FIRST: ([1.0] + [-1 / (count - 1)] * (count - 1), _FIRST_LEVEL),
        Disagreement.TREND: (_places(count), _TREND_LEVEL),
    }
    percents = {Disagreement.SPREAD: 100 * math.expm1(math.sqrt(dispersion))}
    significant: list[tuple[float, Disagreement]] = []
    for way, (weights, level) in contrasts.items():
        amount = sum(weight * each for weight, each in zip(weights, centres, strict=True))
        squares = sum(each * each for each in weights)
        per_repeat = amount / squares if way is Disagreement.TREND else amount
        percents[way] = 100 * math.expm1(per_repeat)
        tail = t_tails(amount / math.sqrt(squares * variance), degrees)
        # Of two repeats, the difference has one name.
        if tail < level and not (way is Disagreement.TREND and count == 2):
            significant.append((tail, way))
    way_found = min(significant, key=itemgetter(0))[1] if significant else None
    tail_of_all = f_tail(dispersion / variance, count - 1, degrees)
    if way_found is None and tail_of_all < _DISPERSION_LEVEL:
        way_found = Disagreement.SPREAD
    is_doubtful = way_found is None and tail_of_all < _OPEN_LEVEL
    return RepeatAgreement(way_found, percents, is_doubtful, is_imprecise)


def _places(count: int) -> list[float]:
    """Return the places of so many values in their order, around 0."""
    return [index - (count - 1) / 2 for index in range(count)]


def compare_targets(times: Sequence[Sequence[float]]) -> tuple[float, float, float]:
    """Return the deviations of targets and of step runs on one in per cent, and the tail of F.

    Each logarithm of a time is that of its step, plus that of its target, plus chance: the analysis
    of variance in two ways (Fisher, Statistical methods for research workers, 1925). So steps may
    differ as they like. `times` has a row for each target, with the same steps in the same order.
    """
    targets, steps = [*map(fmean, times)], [*map(fmean, zip(*times, strict=True))]
    residuals = (
        value - target - step + fmean(steps)
        for row, target in zip(times, targets, strict=True)
        for value, step in zip(row, steps, strict=True)
    )
    upper, lower = len(targets) - 1, (len(targets) - 1) * (len(steps) - 1)
    within = max(math.sqrt(sum(each**2 for each in residuals) / lower), MIN_DEVIATION)
    between = stdev(targets)
    tail = f_tail(len(steps) * (between / within) ** 2, upper, lower)
    return 100 * math.expm1(between), 100 * math.expm1(within), tail


_TIMES_LEVEL = 0.001
"""Level of one metric of all repeats, which its pairs share."""

_MAX_TIMES_CORRELATION = 0.4
"""Correlation of neighbouring blocks above which repeats are too short for their own swings."""


@dataclass(frozen=True)
class RepeatDifference:
    """The repeats in which a metric is lowest and highest, by their index.

    It is certain if it is beyond the limit by more than the blocks explain.
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
        residuals: _Row = (self.parts - self.value * self.wholes) / self.wholes.sum()
        return residuals


def compare_means(repeats: Sequence[Times], limit_percent: float) -> RepeatDifference | None:
    """Return the difference of the means of two or more repeats; None if it is within the limit.

    The limit is by how much one mean may be above another.
    """
    means = [repeat.average or 0.0 for repeat in repeats]
    lower, higher, half = _farthest(means, limit_percent)
    if half is None:
        return None
    certain = _is_certain(
        _mean(repeats[lower], half),
        _mean(repeats[higher], 1 / half),
        len(repeats),
        is_far=means[higher] >= (1 + 2 * limit_percent / 100) * means[lower],
    )
    return RepeatDifference(lower, higher, means[lower], means[higher], certain)


def compare_percentiles(
    repeats: Sequence[Times], percent: float, limit_percent: float
) -> RepeatDifference | None:
    """Return the difference of a percentile, as `compare_means` does that of means."""
    values = [float(max(repeat.bucket_percentile(percent) or 0, 1)) for repeat in repeats]
    lower, higher, half = _farthest(values, limit_percent)
    if half is None:
        return None
    midway = math.sqrt(values[lower] * values[higher])
    certain = _is_certain(
        _share_beyond(repeats[lower], midway / half),
        _share_beyond(repeats[higher], midway * half),
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


def _mean(times: Times, factor: float) -> _Ratio:
    (blocks,) = times.samples.repeats
    return _Ratio(factor * np.array(blocks.sums, dtype=float), blocks.requests)


def _share_beyond(times: Times, microseconds: float) -> _Ratio:
    (blocks,) = times.samples.repeats
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
    if min(len(lower.parts), len(higher.parts)) < MIN_BATCHES:
        return False
    squares, lag = pool_blocks([lower.deviations, higher.deviations])
    if not squares:
        return higher.value > lower.value
    count = len(lower.parts) + len(higher.parts)
    widened = error_factor(lag + 1 / math.sqrt(count))
    if lag > _MAX_TIMES_CORRELATION:
        if not is_far:
            return False
        widened = 1.0
    error = math.sqrt(squares * count / (count - 2) * widened)
    t = (higher.value - lower.value) / error
    pairs = repeats * (repeats - 1) / 2
    return t > 0 and t_tails(t, (count - 2) / widened) < _TIMES_LEVEL / pairs


_DRIFT_LEVEL = 0.0002
"""Of a single step run: a step is accused by the worst of up to ten repeats."""

_MAX_DRIFT_CORRELATION = 0.3
"""Correlation of neighbouring blocks above which a drift is not distinguished from slow swings.
Less than where repeats are compared: a swing of the length of the step is a drift by itself."""


@dataclass(frozen=True)
class StepDrift:
    """How service times changed after the beginning of a step run.

    Attributes:
        percent: change of the mean from the first block to the last, by least squares
        is_certain: whether it is more than the seconds explain; never where slow swings do
        seconds: number of those that were looked at
    """

    percent: float
    is_certain: bool
    seconds: int


def without_beginning(means: Sequence[float]) -> Sequence[float]:
    """Return the means of a step run's seconds, above 0, without those of its beginning.

    It is as long as the marginal standard error rule finds (`truncation`), or else the first half.
    """
    begin = truncation([math.log(each) for each in means])
    return means[len(means) // 2 if begin is None else begin :]


def find_drift(rest: Sequence[float]) -> StepDrift | None:
    """Return the drift of a step run `without_beginning`; None if it is too short.

    Levels of `BATCHES` blocks are fitted by a line. The slope is compared with Student's t; its
    squared error is s² / Sxx · (1 + r) / (1 - r) with the residual variance s² and the lag 1
    correlation r of the residuals, whose number counts as so many fewer (Draper and Smith, Applied
    Regression Analysis, 1.4; the factor is that of the variance of a mean of an AR(1) process).
    """
    if len(rest) < MIN_SECONDS:
        return None
    (levels,) = batch_levels([rest])
    places = _places(BATCHES)
    width, centre = sum(each * each for each in places), fmean(levels)
    slope = sum(position * level for position, level in zip(places, levels, strict=True)) / width
    residuals = np.array(levels) - centre - slope * np.array(places)
    squares, lag = pool_blocks([residuals])
    widened = error_factor(lag)
    error = math.sqrt(max(squares / (BATCHES - 2), _MIN_VARIANCE) * widened / width)
    tail = t_tails(slope / error, (BATCHES - 2) / widened)
    is_certain = lag <= _MAX_DRIFT_CORRELATION and tail < _DRIFT_LEVEL
    return StepDrift(100 * math.expm1(slope * (BATCHES - 1)), is_certain, len(rest))
