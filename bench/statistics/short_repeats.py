"""How often short repeats are said to differ: equal ones, and one that is slower.

Simulated repeats go through the product's own blocks and tests. The service times are those of
`intervals`, and with stalls in which what comes waits for their end. Repeats that swing as slowly
as they are long are listed without a target: nothing in them separates such a swing from a
difference, and most of them are rightly not decided.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.harness.table import Row
from bench.statistics.intervals import Times, autoregressive, correlated, independent, samples_of
from solrbench.stats import times
from solrbench.stats.intervals import TimedSamples
from solrbench.stats.repeats import compare_means, compare_percentiles

_RATE = 100
_PERCENTILE, _LIMIT_PERCENT = 95, 25.0
_OWN_DISPERSION = 0.02
_MAX_ACCUSED_PERCENT = 1.5
_CASES = ((1.0, (10, 15, 24, 60)), (1.6, (15,)), (2.6, (10, 15)))
"""How much slower the first repeat is than the others, and the lengths of repeats in s."""

_SWING = 0.2

Starts = NDArray[np.float64]
Series = Callable[[np.random.Generator, Starts], Times]


def stalls(every: float, seconds: float) -> Series:
    """Return a series with stalls of so many seconds, at random, so often."""

    def series(draw: np.random.Generator, starts: Starts) -> Times:
        begins = draw.uniform(0, starts[-1], draw.poisson(starts[-1] / every))
        waits = np.zeros(len(starts))
        for begin in begins:
            inside = (starts >= begin) & (starts < begin + seconds)
            waits[inside] = np.maximum(waits[inside], begin + seconds - starts[inside])
        return independent(draw, starts) + (waits * 1e6).astype(np.int64)

    return series


def swinging(draw: np.random.Generator, starts: Starts) -> Times:
    """Return times whose level by second is AR(1) with 0.9: as slow as a short repeat is long."""
    levels = autoregressive(draw, int(starts[-1]) + 1)
    factor = np.exp(_SWING * levels[starts.astype(int)])
    return np.asarray(independent(draw, starts) * factor, np.int64)


SERIES: Mapping[str, Series] = {
    "independent": independent,
    "AR(1) 0.9 by request": correlated,
    "stalls of 0.2 s each 5 s": stalls(5, 0.2),
    "stalls of 0.2 s each 20 s": stalls(20, 0.2),
    "stalls of 1 s each 20 s": stalls(20, 1.0),
    "AR(1) 0.9 by second": swinging,
}


def short_repeats(folder: Path, runs: int) -> list[Row]:
    """Simulate so many benchmarks of each kind."""
    del folder
    return [
        _row(name, slower, seconds, count, runs)
        for slower, lengths in _CASES
        for name in SERIES
        for seconds in lengths
        for count in (2, 3, 5)
    ]


def _row(name: str, slower: float, seconds: int, count: int, runs: int) -> Row:
    draw = np.random.default_rng(count)
    found = Counter(_conclusion(SERIES[name], slower, seconds, count, draw) for _ in range(runs))
    accused = 100 * found["accused"] / runs
    fault = "equal" if slower == 1 else f"first {slower - 1:.0%} slower"
    bar = slower == 1 and SERIES[name] is not swinging
    return Row(
        f"{count} repeats of {seconds} s accused, {fault}, {name}",
        f"<= {_MAX_ACCUSED_PERCENT:g} %" if bar else "",
        f"{accused:.1f} %",
        accused <= _MAX_ACCUSED_PERCENT if bar else None,
        f"{100 * found['undecided'] / runs:.0f} % beyond the limit and not decided",
    )


def _repeat(samples: TimedSamples) -> times.Times:
    blocks = samples.histogram, list(samples.repeats)
    return times.Times(lambda: blocks, samples.sum_microseconds, samples.max_microseconds)


def _conclusion(
    series: Series, slower: float, seconds: int, count: int, draw: np.random.Generator
) -> str:
    starts = np.arange(seconds * _RATE) / _RATE
    levels = np.exp(_OWN_DISPERSION * draw.standard_normal(count))
    levels[0] *= slower
    repeats = [
        _repeat(samples_of(starts, _rounded(series(draw, starts) * level))) for level in levels
    ]
    found = (
        compare_means(repeats, _LIMIT_PERCENT),
        compare_percentiles(repeats, _PERCENTILE, _LIMIT_PERCENT),
    )
    differences = [each for each in found if each is not None]
    if any(each.is_certain for each in differences):
        return "accused"
    return "undecided" if differences else "none"


def _rounded(values: NDArray[np.float64]) -> Times:
    """Return times to a tenth of a millisecond: histograms of fewer values are filled sooner."""
    return np.asarray(values // 100 * 100, np.int64)
