"""How often steady steps are said to drift, and drifting ones are found, by simulation."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np

from bench.harness.table import Row
from bench.statistics.false_alarms import (
    Floats,
    Series,
    correlated_requests,
    correlated_seconds,
    independent,
    stalls,
)
from solrbench.stats.repeats import find_drift

LIMIT_PERCENT = 10.0
"""The default of `load.validity.maxDriftPercent`."""

MAX_ACCUSED_PERCENT = 1.5

PROCESSES: dict[str, Series] = {
    "independent": independent,
    "AR(1) 0.9 by request": correlated_requests,
    "stalls of 0.2 s each 5 s": stalls(5),
    "stalls of 0.2 s each 20 s": stalls(20),
    "AR(1) 0.9 by second": correlated_seconds,
}
SECONDS = (30, 60, 120, 300)
SHAPES: dict[str, Callable[[int], Floats]] = {
    "steady": np.ones,
    "cold in the first tenth": lambda seconds: np.where(
        np.arange(seconds) < seconds / 10, 3.0, 1.0
    ),
    "30 % slower at the end": lambda seconds: np.linspace(1, 1.3, seconds),
    "three times as slow at first, e-fold in half": lambda seconds: np.asarray(
        1 + 2 * np.exp(-2 * np.arange(seconds) / seconds), np.float64
    ),
}
HEALTHY = ("steady", "cold in the first tenth")


def steady(folder: Path, *, runs: int) -> list[Row]:
    """Return a row for each shape, process and length: accused, and not checked, in per cent."""
    del folder
    return [
        _row(shape, process, seconds, runs)
        for shape in SHAPES
        for process in PROCESSES
        for seconds in SECONDS
    ]


def _row(shape: str, process: str, seconds: int, runs: int) -> Row:
    counts = count(shape, process, seconds, runs)
    accused, unchecked = (100 * counts[each] / runs for each in ("accused", "unchecked"))
    healthy = shape in HEALTHY
    return Row(
        f"said not to be steady: {shape}, {process}, {seconds} s",
        f"<= {MAX_ACCUSED_PERCENT:g} %" if healthy else "",
        f"{accused:.1f} %",
        detail=f"{unchecked:.0f} % not checked",
        is_met=accused <= MAX_ACCUSED_PERCENT if healthy else None,
    )


def count(shape: str, process: str, seconds: int, runs: int) -> Counter[str]:
    """Return how many of `runs` steps were accused, and how many could not be checked."""
    rng = np.random.default_rng(seconds)
    found: Counter[str] = Counter()
    for _ in range(runs):
        drift = find_drift((PROCESSES[process](rng, seconds) * SHAPES[shape](seconds)).tolist())
        if drift is None:
            found["unchecked"] += 1
        elif drift.is_certain and abs(drift.percent) > LIMIT_PERCENT:
            found["accused"] += 1
    return found
