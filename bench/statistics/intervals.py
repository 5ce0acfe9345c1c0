"""How often 95 % intervals hold what is true.

Simulated steps whose truth is known go through the product's own blocks and intervals:

- independent: log-normal times, each apart from the others
- AR(1): the logarithms follow each other with a correlation of 0.9 from request to request
- stalls: as independent; and ten times a step, at random, everything stands still, and what comes
  meanwhile waits until the end of it
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from bench.harness.table import Row
from solrbench.stats.histograms import SUB_BUCKET_BITS, Histogram
from solrbench.stats.intervals import TimedSamples
from solrbench.stats.time_blocks import TimeBlocks

PERCENTS = (50.0, 95.0, 99.0)
MEAN = 0.0
"""Stands for the mean where percentiles are listed."""

MINIMUM, MAXIMUM = 93.0, 98.0
"""Coverage in per cent that is right for a 95 % interval of 1,000 steps, with some caution."""

_MEDIAN_MICROSECONDS, _SIGMA = 4000.0, 0.6
_CORRELATION = 0.9
_STALLS, _MAX_STALLS = 10, 50
"""In a step, on average, and more than there ever are."""
_STALLED = 1 / 30
"""Share of the time in which everything stands still."""

_TRUTH_STEPS = 300

Times = NDArray[np.int64]
Series = Callable[[np.random.Generator, NDArray[np.float64]], Times]


def independent(draw: np.random.Generator, starts: NDArray[np.float64]) -> Times:
    """Return the service times in µs of requests that start at these seconds."""
    return _log_normal(draw.standard_normal(len(starts)))


def correlated(draw: np.random.Generator, starts: NDArray[np.float64]) -> Times:
    """Return times of which each is like the one before it."""
    return _log_normal(autoregressive(draw, len(starts)))


def autoregressive(draw: np.random.Generator, count: int) -> NDArray[np.float64]:
    """Return numbers of variance 1, each correlated with the one before it: AR(1) with 0.9."""
    shocks = draw.standard_normal(count)
    shocks[1:] *= math.sqrt(1 - _CORRELATION**2)
    series = accumulate(shocks.tolist(), lambda last, new: _CORRELATION * last + new)
    return np.fromiter(series, float, count)


def stalls(every: float, seconds: float) -> Series:
    """Return a series with stalls of so many seconds, at random, so often on average."""

    def series(draw: np.random.Generator, starts: NDArray[np.float64]) -> Times:
        begins = np.cumsum(draw.exponential(every, _MAX_STALLS)) - seconds + starts[0]
        index = np.searchsorted(begins, starts, side="right") - 1
        since = np.where(index >= 0, starts - begins[np.maximum(index, 0)], np.inf)
        waits = np.maximum(seconds - since, 0.0)
        times: Times = independent(draw, starts) + (waits * 1e6).astype(np.int64)
        return times

    return series


def stalled(draw: np.random.Generator, starts: NDArray[np.float64]) -> Times:
    """Return times with ten stalls a step, on average."""
    every = (starts[-1] - starts[0]) / _STALLS
    return stalls(every, every * _STALLED)(draw, starts)


SERIES: Mapping[str, Series] = {
    "independent": independent,
    "AR(1)": correlated,
    "ten stalls": stalled,
}


def samples_of(starts: NDArray[np.float64], times: Times) -> TimedSamples:
    """Return times as a step run keeps them: by the second in which they began."""
    blocks, buckets = TimeBlocks(), _buckets(times)
    seconds = starts.astype(int)
    for second in range(int(seconds[-1]) + 1):
        inside = slice(*np.searchsorted(seconds, [second, second + 1]))
        blocks.add(second, _counts(buckets[inside]), int(times[inside].sum()))
    histogram = Histogram.from_buckets(_counts(buckets))
    return TimedSamples(histogram, [blocks], int(times.sum()), int(times.max()))


def coverage(
    series: Series, steps: int, seconds: int, rate: int, seed: int
) -> dict[float, tuple[float, float]]:
    """Return per percentile, and for the mean, how many per cent of the intervals hold the truth.

    And how many steps had one.
    """
    starts = np.arange(seconds * rate) / rate
    true_values = truth(series, starts)
    draw = np.random.default_rng(seed)
    held, given = dict.fromkeys(true_values, 0), dict.fromkeys(true_values, 0)
    for _ in range(steps):
        samples = samples_of(starts, series(draw, starts))
        for percent, true in true_values.items():
            found = samples.percentile_interval(percent) if percent else samples.mean_interval()
            if found is not None:
                given[percent] += 1
                held[percent] += found.lower <= true <= found.upper
    return {
        percent: (100 * held[percent] / max(given[percent], 1), 100 * given[percent] / steps)
        for percent in true_values
    }


def intervals(
    _folder: Path, steps: int, seconds: int, rate: int, names: Iterable[str] = SERIES
) -> list[Row]:
    """Measure the coverage of series."""
    return [
        _row(name, percent, found, f"{seconds} s of {rate} requests/s")
        for name in names
        for percent, found in coverage(SERIES[name], steps, seconds, rate, seed=1).items()
    ]


def _row(name: str, percent: float, found: tuple[float, float], step: str) -> Row:
    held, given = found
    what = f"p{percent:g}" if percent else "mean"
    return Row(
        f"coverage of {what}, {name}",
        f"{MINIMUM:g} to {MAXIMUM:g} %",
        f"{held:.1f} %",
        MINIMUM <= held <= MAXIMUM,
        f"{step}; {given:.0f} % of the steps have an interval",
    )


def truth(series: Series, starts: NDArray[np.float64]) -> dict[float, float]:
    """Return what percentiles and mean are in the long run."""
    if series is stalled:
        draw = np.random.default_rng(0)
        times = np.concatenate([series(draw, starts) for _ in range(_TRUTH_STEPS)])
        return {each: float(np.percentile(times, each)) for each in PERCENTS} | {
            MEAN: float(times.mean())
        }
    normal = NormalDist()
    return {
        each: _MEDIAN_MICROSECONDS * math.exp(_SIGMA * normal.inv_cdf(each / 100))
        for each in PERCENTS
    } | {MEAN: _MEDIAN_MICROSECONDS * math.exp(_SIGMA**2 / 2)}


def _log_normal(logarithms: NDArray[np.float64]) -> Times:
    return (_MEDIAN_MICROSECONDS * np.exp(_SIGMA * logarithms)).astype(np.int64)


def _buckets(times: Times) -> Times:
    """Return the bucket of every time in a `Histogram`."""
    shift = np.maximum(np.frexp(times.astype(float))[1] - SUB_BUCKET_BITS, 0)
    buckets: Times = (shift << (SUB_BUCKET_BITS - 1)) + (times >> shift)
    return buckets


def _counts(buckets: Times) -> dict[int, int]:
    found: Sequence[NDArray[np.int64]] = np.unique(buckets, return_counts=True)
    return dict(zip(found[0].tolist(), found[1].tolist(), strict=True))
