"""Whether the repeats of a step agree, as far as their own seconds explain a difference.

A repeat is known only as well as its seconds let it be: where service times swing, repeats differ
by chance. Three tests compare what repeats differ by with what their seconds explain, and with a
spread of repeats that is normal in the field. Each has the level at which all three together accuse
at most 1.5 % of equal repeats; the simulation is in docs/method.md.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from itertools import pairwise
from statistics import fmean, median

from solrbench.results.stats.outliers import SCALE
from solrbench.results.stats.tail_probability import f_tail, t_tails

BLOCKS = 20
"""Blocks of about equal numbers of seconds that a repeat is cut into."""

MIN_SECONDS = 28
"""With fewer seconds too little is known of a repeat: where a few stalls make it up, one more
is a difference, and more than 1.5 % of equal repeats would be accused."""

MAX_CORRELATION = 0.5
"""Correlation of neighbouring blocks above which a step is too short for its own swings."""

_SPREAD_LEVEL = 0.005
_TREND_LEVEL = 0.0025
_FIRST_LEVEL = 0.0025

_WINSORISED = 3.0
"""Seconds farther from the median, in scaled median absolute deviations, count as being there:
stalls are outliers of their own, and a repeat that happened to have none would look precise."""

_MAX_BLOCK_CORRELATION = 0.8

_LEAST_VARIANCE = 1e-12
"""Where all seconds are equal and nothing is allowed, levels are equal to a millionth."""

_PAIR = 2


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
        spread_percent: standard deviation of the repeats' levels
        trend_percent: change from each repeat to the next, by least squares
        first_percent: the first repeat against the mean of the others

    """

    disagreement: Disagreement | None
    spread_percent: float
    trend_percent: float
    first_percent: float


def block_levels(repeats: Sequence[Sequence[float]]) -> list[list[float]]:
    """Return the levels of the blocks of each repeat: means of logarithms of winsorised seconds.

    Seconds are cut off at the median of their own repeat and the deviation of all: with one of its
    own, a repeat with a few more stalls would be cut off farther out, and so be slower by more than
    its seconds show.

    Args:
        repeats: mean service times of at least `MIN_SECONDS` seconds of each repeat, above 0

    """
    values = [[math.log(each) for each in means] for means in repeats]
    centres = [median(each) for each in values]
    distances = (
        abs(each - centre) for own, centre in zip(values, centres, strict=True) for each in own
    )
    reach = _WINSORISED * SCALE * median(distances)
    return [
        _block_means([min(max(each, centre - reach), centre + reach) for each in own])
        for own, centre in zip(values, centres, strict=True)
    ]


def _block_means(values: Sequence[float]) -> list[float]:
    edges = [index * len(values) // BLOCKS for index in range(BLOCKS + 1)]
    return [fmean(values[begin:end]) for begin, end in pairwise(edges)]


def compare_repeats(
    levels: Sequence[Sequence[float]], allowed_percent: float
) -> RepeatAgreement | None:
    """Return what the tests say of two or more repeats; None if the step is too short for them.

    The squared error of a repeat's level is v² / `BLOCKS` · (1 + r) / (1 - r), with the variance
    v² and the lag 1 correlation r of the blocks, both pooled over the repeats. Added to it is the
    square of what repeats may differ by. Spread: the variance of the levels against this error, as
    in Welch's comparison of means (Biometrika 38, 1951) with equal weights; trend and first:
    contrasts of the levels against Student's t.

    Args:
        levels: `block_levels` of each repeat, in the order of measuring
        allowed_percent: what repeats may differ by anyway, a relative standard deviation

    """
    centres = [fmean(blocks) for blocks in levels]
    rests = [[each - centre for each in b] for b, centre in zip(levels, centres, strict=True)]
    squares = sum(each * each for rest in rests for each in rest)
    count = len(levels)
    found = correlation(rests, squares)
    if found > MAX_CORRELATION:
        return None
    widened = (1 + found) / (1 - found)
    variance = squares / (count * (BLOCKS - 1)) * widened / BLOCKS
    variance += math.log1p(allowed_percent / 100) ** 2
    degrees = count * (BLOCKS - 1) / widened
    return _test(centres, max(variance, _LEAST_VARIANCE), degrees)


def correlation(rests: Sequence[Sequence[float]], squares: float) -> float:
    """Return the correlation of neighbouring blocks, pooled; its bias is -1 / `BLOCKS`."""
    if not squares:
        return 0.0
    products = sum(a * b for rest in rests for a, b in pairwise(rest))
    return min(max(products / squares + 1 / BLOCKS, 0.0), _MAX_BLOCK_CORRELATION)


def _test(centres: Sequence[float], variance: float, degrees: float) -> RepeatAgreement:
    count, whole = len(centres), fmean(centres)
    spread = sum((each - whole) ** 2 for each in centres) / (count - 1)
    places = [index - (count - 1) / 2 for index in range(count)]
    trend = _contrast(places, centres)
    first = _contrast([1.0] + [-1 / (count - 1)] * (count - 1), centres)
    error = math.sqrt(variance)
    tails = {
        Disagreement.FIRST: (t_tails(first.per_error / error, degrees), _FIRST_LEVEL),
        Disagreement.TREND: (t_tails(trend.per_error / error, degrees), _TREND_LEVEL),
    }
    if count == _PAIR:
        # Of two, the difference has one name.
        del tails[Disagreement.TREND]
    found = [(tail, way) for way, (tail, level) in tails.items() if tail < level]
    way = min(found, key=lambda each: each[0])[1] if found else None
    if way is None and f_tail(spread / variance, count - 1, degrees) < _SPREAD_LEVEL:
        way = Disagreement.SPREAD
    return RepeatAgreement(
        disagreement=way,
        spread_percent=100 * math.expm1(math.sqrt(spread)),
        trend_percent=100 * math.expm1(trend.amount / sum(each * each for each in places)),
        first_percent=100 * math.expm1(first.amount),
    )


@dataclass(frozen=True)
class _Contrast:
    amount: float
    per_error: float
    """Divided by the standard error of one repeat, Student's t."""


def _contrast(weights: Sequence[float], centres: Sequence[float]) -> _Contrast:
    amount = sum(weight * each for weight, each in zip(weights, centres, strict=True))
    return _Contrast(amount, amount / math.sqrt(sum(each * each for each in weights)))
