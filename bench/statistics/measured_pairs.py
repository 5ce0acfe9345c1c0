"""Words on sides whose repeats are measured by the product's load core.

The server delays its responses by about 100 ms and draws another level for each repeat; those of
the second side may be slower. Medians are compared, to which a busy machine adds little. Sides take
turns, A B A B, as the levels are independent. Each pair takes as many rounds as it needs for a
word; the next one goes on with those that follow. Most of the time passes in waiting, so several
runs go side by side.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from math import log, sqrt
from pathlib import Path
from statistics import fmean, variance
from typing import NamedTuple

from bench.harness.product import product
from bench.harness.table import Row, at_most
from bench.servers.delays import REPEAT_REQUESTS
from bench.servers.running import python_server
from bench.statistics.comparison_conclusions import (
    LOOKS,
    MAX_NEEDED_REPEATS,
    Outcome,
    as_repeats,
    decide_adaptively,
    equal_rows,
    mean_repeats_percent,
    proposal,
    proposed_row,
    worse_row,
)
from solrbench.analysis.differences import ComparisonRule
from solrbench.analysis.metrics import percentile_metric
from solrbench.analysis.samples import RunSamples

_USERS = 30
_WARM_UP = {"requests": 2 * REPEAT_REQUESTS}
"""A round, so that the first repeat that is measured is one of the first side."""

_FEW = 3
"""Repeats after which further ones are proposed."""
_SECONDS_EACH = 6.0
_MEDIAN = percentile_metric(50)
_MAX_CV_PERCENT = 2.0
_EFFECT_PERCENT = 5.0


class _ComparedServers(NamedTuple):
    """Two sides of a server of known times, whose second one is slower.

    Attributes:
        bar_percent: share of pairs in which the difference must be found
        max_cv_percent: noise up to which the bar is for
    """

    distribution: str
    slower_percent: float
    effect_percent: float
    bar_percent: float
    max_cv_percent: float


_DIFFERENT = (
    _ComparedServers("slower", 5, 5, bar_percent=97, max_cv_percent=2.2),
    _ComparedServers("slightly-slower", 2, 2, bar_percent=90, max_cv_percent=1.1),
)


def equal_pairs(folder: Path, rounds: int, runs: int) -> list[Row]:
    """Measure rounds of two equal sides and return the conclusions on the pairs that they make.

    Each run has so many rounds; runs go side by side, each with a server of its own.
    """
    measured = _measure(folder, "repeats", rounds, runs)
    found = [each for run in measured for each in _outcomes(run, _EFFECT_PERCENT)]
    cv_percent = _cv_percent(measured)
    rows = equal_rows(f"{len(found)} equal pairs on servers, CV {cv_percent:.1f} %", found)
    return _counted(rows, cv_percent, _MAX_CV_PERCENT)


def different_pairs(folder: Path, rounds: int, runs: int) -> list[Row]:
    """Measure rounds of sides that differ; return how often that is found, after how many repeats.

    For each difference there are as many runs.
    """
    return [row for sides in _DIFFERENT for row in _different_rows(folder, rounds, runs, sides)]


def _different_rows(folder: Path, rounds: int, runs: int, sides: _ComparedServers) -> list[Row]:
    measured = _measure(folder, sides.distribution, rounds, runs)
    found = [each for run in measured for each in _outcomes(run, sides.effect_percent)]
    cv_percent = _cv_percent(measured)
    what = (
        f"{len(found)} pairs on servers, {sides.slower_percent:g} % slower, CV {cv_percent:.1f} %"
    )
    shares = mean_repeats_percent(found)
    rows = [
        worse_row(what, found, sides.bar_percent),
        at_most(f"{what}: repeats beside {LOOKS.maximum}", shares, 65, "{:.0f} %"),
        proposed_row(what, [c for run in measured for c in _proposals(run, sides.effect_percent)]),
    ]
    return _counted(rows, cv_percent, sides.max_cv_percent)


def _counted(rows: Sequence[Row], cv_percent: float, max_percent: float) -> list[Row]:
    """Return the rows; without a verdict where the noise is beyond what their bars are for."""
    if cv_percent <= max_percent:
        return list(rows)
    noise = f"not counted: the machine adds noise, the bar is for CV up to {max_percent:g} %"
    return [replace(each, is_met=None, detail=f"{noise}; {each.detail}") for each in rows]


def _cv_percent(measured: Sequence[Sequence[float]]) -> float:
    """Return the deviation of repeats within the sides of each run."""
    sides = [[log(value) for value in run[first::2]] for run in measured for first in (0, 1)]
    return 100 * sqrt(fmean(variance(each) for each in sides))


def _measure(folder: Path, distribution: str, rounds: int, runs: int) -> list[list[float]]:
    """Return the medians of the repeats of each run."""
    with ThreadPoolExecutor(runs) as pool:
        return list(pool.map(partial(_medians, folder, distribution, rounds), range(1, runs + 1)))


def _medians(folder: Path, distribution: str, rounds: int, seed: int) -> list[float]:
    """Return the median of each repeat, in the order of measuring."""
    own = folder / f"{distribution}-{seed}"
    own.mkdir()
    step = {"users": _USERS, "requests": REPEAT_REQUESTS}
    steps = [{"name": f"repeat-{number}"} | step for number in range(2 * rounds)]
    with (
        python_server("delays", own, [f"{distribution}:{seed}"]) as server,
        product(server, own, *steps, warmUp=_WARM_UP) as running,
    ):
        documents = running.documents(_SECONDS_EACH * len(steps))
    return [RunSamples(each).values("query", [50])[_MEDIAN] for each in documents]


def _outcomes(run: Sequence[float], effect_percent: float) -> Iterator[Outcome]:
    """Yield the conclusions of pairs, as many as there are rounds for."""
    before, after = run[0::2], run[1::2]
    begin = 0
    while begin + LOOKS.maximum <= min(len(before), len(after)):
        end = begin + LOOKS.maximum
        found = decide_adaptively(
            as_repeats(before[begin:end]), as_repeats(after[begin:end]), effect_percent
        )
        begin += found.repeats
        yield found


def _proposals(run: Sequence[float], effect_percent: float) -> Iterator[tuple[int, int]]:
    """Yield what is proposed after a few repeats and what was needed, where it was inconclusive."""
    before, after = as_repeats(run[0::2]), as_repeats(run[1::2])
    rounds = min(len(before), len(after))
    for begin in range(0, rounds - MAX_NEEDED_REPEATS, _FEW):
        case = proposal(before[begin:], after[begin:], _FEW, ComparisonRule(effect_percent))
        if case is not None:
            yield case
