"""95 % intervals of percentiles, means, rates and shares, from blocks of time.

How well a number is known depends on how alike requests are that follow each other, which the
differences between blocks show (batch means; Law, Simulation Modeling and Analysis). A percentile's
interval is one of its rank: Wilson's interval for the share of requests beyond it, with the design
effect of the blocks (Woodruff, Confidence intervals for medians and other position measures, 1952;
Franco, Little, Louis, Slud, Comparative study of confidence intervals for proportions in complex
sample surveys, 2019), read through the merged histogram. Failures come together, too: an outage of
a second is not as many independent failures, so their share has the design effect of its own blocks
(Wilson, Probable inference, Journal of the American Statistical Association 22, 1927); without a
single failure the upper bound is about 3.8 / n. `docs/method/limits.md` has the formulae.

A step that is too short for its own autocorrelation has no interval: none is better than a wrong
one.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solrbench.stats.distributions import STANDARD_ERRORS, ConfidenceBounds, student_t
from solrbench.stats.histograms import BucketCounts
from solrbench.stats.time_blocks import TimeBlocks

MIN_BATCHES = 10
"""Blocks below which there is no interval."""

MAX_AUTOCORRELATION = 0.5
"""Correlation of neighbouring blocks above which swings are too slow for the step."""

# A percentile with fewer requests beyond it is that of single ones.
MIN_TAIL_REQUESTS = 10
"""Requests that must lie beyond a percentile, and below it."""

MIN_EFFECTIVE_TAIL_SIZE = 7
"""What they must be worth in independent requests: a tail of a few stalls is worth as many."""

MAX_CORRECTED_AUTOCORRELATION = 0.8
"""Correlation of neighbouring blocks beyond which an error is widened no further."""

_MIN_EFFECT = 0.5
"""The least design effect: an even series is not trusted to be worth more than twice itself."""

_Row = NDArray[np.float64]


class _RatioVariance(NamedTuple):
    """How much a ratio of sums over blocks varies."""

    variance: float
    t: float


@dataclass(frozen=True)
class TimedSamples:
    """All times of one request name, or of several, and the blocks of each of their repeats."""

    histogram: BucketCounts
    repeats: Sequence[TimeBlocks]
    sum_microseconds: int
    max_microseconds: int | None

    def percentile_interval(self, percent: float) -> ConfidenceBounds | None:
        """Return the interval of a percentile in µs; None if the step was too short for it."""
        share, total = percent / 100, self.histogram.count
        spread = self._share_dispersion(share)
        if spread is None:
            return None
        variance, t = spread
        # Requests that independent ones would need to be to say as much.
        effective_size = total / max(variance * total / (share * (1 - share)), _MIN_EFFECT)
        rarer = min(share, 1 - share)
        tail = effective_size * rarer
        # Rounded, as 100 * (1 - 0.9) is 9.999999999999998.
        if round(total * rarer, 6) < MIN_TAIL_REQUESTS or tail < MIN_EFFECTIVE_TAIL_SIZE:
            return None
        # A tail of few bursts says little of its own spread either: as many degrees of freedom.
        t = max(t, student_t(math.floor(tail) - 1))
        lower, upper = _wilson(share, effective_size, t)
        lowest, _ = self.histogram.bounds_of_rank(math.ceil(total * lower))
        _, highest = self.histogram.bounds_of_rank(math.ceil(total * upper))
        return ConfidenceBounds(lowest, min(highest, self.max_microseconds or highest))

    def mean_interval(self) -> ConfidenceBounds | None:
        """Return the interval of the mean in µs; None if the step was too short for it."""
        spread = self._mean_dispersion
        if spread is None or not self._is_complete:
            return None
        mean = self.sum_microseconds / self.histogram.count
        margin = spread.t * math.sqrt(spread.variance)
        return ConfidenceBounds(max(mean - margin, 0.0), mean + margin)

    def rate_error(self) -> float | None:
        """Return the half-width of the rate's interval as a share of the rate."""
        # Only whole blocks count: the end of sending, or of the step run, cuts one short.
        rows = [*zip(self._requests, self._blocks, strict=True)]
        ends = [int(min(len(row) - 1, b.sending_seconds // b.seconds)) for row, b in rows]
        counts = [row[:end] for (row, _), end in zip(rows, ends, strict=True)]
        lengths = [np.full(end, float(b.seconds)) for (_, b), end in zip(rows, ends, strict=True)]
        spread = _spread(counts, lengths)
        if spread is None or len(counts) < len(self.repeats) or not _total(counts):
            return None
        return spread.t * math.sqrt(spread.variance) * _total(lengths) / _total(counts)

    @cached_property
    def _blocks(self) -> list[TimeBlocks]:
        return [repeat for repeat in self.repeats if repeat.sums]

    @cached_property
    def _requests(self) -> list[_Row]:
        return [block.requests for block in self._blocks]

    @cached_property
    def _mean_dispersion(self) -> _RatioVariance | None:
        sums = [np.array(block.sums, dtype=float) for block in self._blocks]
        return _spread(sums, self._requests)

    def _share_dispersion(self, share: float) -> _RatioVariance | None:
        if not self._is_complete or self._mean_dispersion is None:
            return None
        # The blocks know it at the bounds of their buckets: the nearest bound stands for it. Where
        # that is far, as when nearly all times are equal, the mean must not vary more either.
        deviation = self.histogram.deviation_microseconds
        effect = self._mean_dispersion.variance / deviation**2 if deviation else 0.0
        below = np.cumsum(sum(block.requests_by_bucket() for block in self._blocks))
        known = below / below[-1]
        inside = np.flatnonzero((known > 0) & (known < 1))
        t = self._mean_dispersion.t
        if inside.size:
            bucket = int(inside[np.argmin(np.abs(known[inside] - share))])
            near = abs(known[bucket] - share) <= min(share, 1 - share) / 2
            beyond = [block.requests_beyond(bucket) for block in self._blocks]
            dispersion = _spread(beyond, self._requests)
            if dispersion is None:
                return None
            variance = dispersion.variance / float(known[bucket] * (1 - known[bucket]))
            t, effect = dispersion.t, variance if near else max(variance, effect)
        return _RatioVariance(effect * share * (1 - share), t)

    @property
    def _is_complete(self) -> bool:
        return int(_total(self._requests)) == self.histogram.count > 0


def _wilson(share: float, effective_size: float, t: float) -> tuple[float, float]:
    """Return the bounds of a share that was found among `effective_size` independent requests."""
    centre = share + t**2 / (2 * effective_size)
    margin = t * math.sqrt(share * (1 - share) / effective_size + t**2 / (4 * effective_size**2))
    scale = 1 + t**2 / effective_size
    return (centre - margin) / scale, (centre + margin) / scale


def _spread(parts: Sequence[_Row], wholes: Sequence[_Row]) -> _RatioVariance | None:
    """Return how much Σ parts / Σ wholes varies, given both by repeat and block, if it is known."""
    pairs = [each for each in zip(parts, wholes, strict=True) if each[1].sum() > 0]
    blocks, repeats = sum(len(part) for part, _ in pairs), len(pairs)
    if not pairs or blocks < MIN_BATCHES * repeats:
        return None
    whole = _total([each for _, each in pairs])
    # Within a repeat: differences between repeats are looked at apart.
    squares, lag = pool_blocks([part - part.sum() / each.sum() * each for part, each in pairs])
    if lag > MAX_AUTOCORRELATION:
        # The step is too short for its own swings: no interval is better than a wrong one.
        return None
    within = squares * blocks / (blocks - repeats) / whole**2 * error_factor(lag)
    return _among_repeats(pairs, _RatioVariance(within, student_t(blocks - repeats)))


def pool_blocks(deviations: Sequence[_Row]) -> tuple[float, float]:
    """Return the sum of squares of the blocks of several repeats, and their lag 1 correlation.

    That is without its bias in few blocks, and 0 where nothing varies.
    """
    squares = sum(float(each @ each) for each in deviations)
    if not squares:
        return squares, 0.0
    products = sum(float(each[:-1] @ each[1:]) for each in deviations)
    return squares, products / squares + len(deviations) / sum(map(len, deviations))


def error_factor(lag: float) -> float:
    """Return by how much neighbours that are alike widen a squared error, as in an AR(1) series."""
    lag = min(max(lag, 0.0), MAX_CORRECTED_AUTOCORRELATION)
    return (1 + lag) / (1 - lag)


def _among_repeats(pairs: Sequence[tuple[_Row, _Row]], within: _RatioVariance) -> _RatioVariance:
    """Return the spread of the blocks with what repeats differ by beyond it."""
    repeats = len(pairs)
    if repeats < 2:
        return within
    whole = sum(float(each.sum()) for _, each in pairs)
    ratio = sum(float(part.sum()) for part, _ in pairs) / whole
    deviations = [float(part.sum() - ratio * each.sum()) for part, each in pairs]
    # The spread of the blocks is part of it, so that the greater one is the sum of both causes.
    among = sum(each**2 for each in deviations) * repeats / (repeats - 1) / whole**2
    # A test whether repeats differ is blind with so few of them: they always count. Two alone have
    # a t of 12.7, which would leave no interval at all, so that there the blocks may outweigh them.
    if repeats == 2 and among <= _F_OF_TWO * within.variance:
        return _RatioVariance(max(within.variance, among), within.t)
    return _RatioVariance(max(within.variance, among), student_t(repeats - 1))


_F_OF_TWO = 3.84
"""What the ratio of the variance among two repeats to that of many blocks stays below at 95 %."""


def _total(rows: Sequence[_Row]) -> float:
    return sum(float(row.sum()) for row in rows)


_BATCHES = 30


def share_interval(part: int, whole: int, effect: float = 1.0) -> ConfidenceBounds | None:
    """Return the interval of a share of requests with a design effect; None without requests."""
    if not whole:
        return None
    lower, upper = _wilson(part / whole, whole / max(effect, 1.0), STANDARD_ERRORS)
    # At the ends of the range the formula is off by rounding.
    lower = 0.0 if part == 0 else max(lower, 0.0)
    return ConfidenceBounds(lower, 1.0 if part == whole else min(upper, 1.0))


def design_effect(parts: Sequence[int], wholes: Sequence[int]) -> float:
    """Return how much more a share varies than that of independent requests, at least 1."""
    width = max(1, -(-len(wholes) // _BATCHES))
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
