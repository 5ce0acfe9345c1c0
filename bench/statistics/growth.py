"""How often growth that goes on is named, and growth that slows down is not called growth."""

from pathlib import Path
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from bench.harness.table import Row, at_least, at_most
from bench.statistics.objectives_at_limit import simulated_step_run
from solrbench.analysis.step_trends import run_trends
from solrbench.api.v1alpha1.findings import TrendFigure
from solrbench.contract.second_series import SecondSeries, SecondSums
from solrbench.contract.step_document import RequestResult, StepRunResult
from solrbench.stats.growth import Growth, SeriesShape, find_growth

Floats = NDArray[np.float64]

_WINDOWS = 48
_SECONDS = 1800
_T = np.arange(_WINDOWS) / _WINDOWS
_LEVEL = 600.0
_GROWTH_AND_NOISE = ((0.1, 0.01), (0.2, 0.01), (0.5, 0.01), (0.5, 0.03))


def _from_0_to_1(curve: Floats) -> Floats:
    scaled: Floats = (curve - curve[0]) / (curve[-1] - curve[0])
    return scaled


SLOWING: dict[str, Floats] = {
    "root": np.sqrt(_T),
    "logarithm, 20": np.log1p(20 * _T) / np.log(21),
    "logarithm, 100": np.log1p(100 * _T) / np.log(101),
    "cache of the run": (1 - np.exp(-_T)) / (1 - np.exp(-1)),
    "cache of 0.7 runs": (1 - np.exp(-_T / 0.7)) / (1 - np.exp(-1 / 0.7)),
}
"""Curves on which the rule was tuned."""

HELD_OUT: dict[str, Floats] = {
    "logarithm, 5": np.log1p(5 * _T) / np.log(6),
    "logarithm, 10": np.log1p(10 * _T) / np.log(11),
    "logarithm, 50": np.log1p(50 * _T) / np.log(51),
    "t / (t + 0.3)": 1.3 * _T / (_T + 0.3),
    "cube root": np.cbrt(_T),
    "arc tangent of 3 t": np.arctan(3 * _T) / np.arctan(3),
    "hyperbolic tangent of 2 t": np.tanh(2 * _T) / np.tanh(2),
    "fifth root of t + 0.02": _from_0_to_1((_T + 0.02) ** 0.2),
}
"""Curves that are none of the rule's own."""

STEADY_GROWTH: dict[str, Floats] = {"line": _T}

_WITHOUT_BAR: dict[str, Floats] = {
    "line beside as much cache of 0.05 runs": _T + 1 - np.exp(-_T / 0.05),
    "line beside as much cache of 0.1 runs": _T + 1 - np.exp(-_T / 0.1),
    "line beside as much cache of 0.2 runs": _T + 1 - np.exp(-_T / 0.2),
    "caches of 0.1 and 0.6 runs": (
        (1 - np.exp(-_T / 0.1)) / 2 + (1 - np.exp(-_T / 0.6)) / (1 - np.exp(-1 / 0.6)) / 2
    ),
    "root beside a cache of 0.05 runs": 0.6 * np.sqrt(_T) + 0.4 * (1 - np.exp(-_T / 0.05)),
}
"""Where the rule is at its limit: curves that are alike within the noise."""

_CURVES = STEADY_GROWTH | SLOWING | HELD_OUT | _WITHOUT_BAR
_MAX_SLOWING, _MIN_LEAKS = 10.0, 80.0


def share_of(shape: SeriesShape, curve: Floats, growth: float, noise: float, count: int) -> float:
    """Return in how many of `count` series, a share of all, a curve is given a shape."""
    draw = np.random.default_rng(3)
    seconds = (_SECONDS * _T).tolist()
    shapes = []
    for _ in range(count):
        values = _LEVEL * (1 + growth * curve + draw.normal(0, noise, _WINDOWS))
        found = find_growth(seconds, values.tolist())
        shapes.append(found is not None and found.shape is shape)
    return sum(shapes) / count


def growing(_folder: Path, count: int) -> list[Row]:
    """Measure each curve with each growth and noise, and growth that slows a closed loop."""
    rows = [_row(name, curve, count) for name, curve in _CURVES.items()]
    draw = np.random.default_rng(4)
    found = [_latency_of(_closed_loop(draw)) for _ in range(count)]
    named = [each.shape is SeriesShape.GROWS for each in found]
    holds = [each.lower <= _CREEPS / _SECONDS <= each.upper for each in found]
    what = "latency that grows by 50 % in a closed loop"
    return [
        *rows,
        at_least(f"{what}: called Grows", 100 * fmean(named), _MIN_LEAKS, "{:.0f} %", ""),
        at_least(f"{what}: interval holds", 100 * fmean(holds), 90.0, "{:.0f} %", ""),
    ]


_USERS, _MILLISECONDS, _CREEPS = 5, 10.0, 5.0


def _closed_loop(draw: np.random.Generator) -> StepRunResult:
    """Return a step run of half an hour whose users wait longer, and so send less."""
    windows = []
    for second in range(0, _SECONDS, 2):
        grown = _MILLISECONDS + _CREEPS * second / _SECONDS
        mean = 1000 * grown * draw.normal(1, 0.05)
        requests = round(2e6 * _USERS / mean)
        windows.append(SecondSums(second, requests, 0, round(requests * mean), round(mean)))
    result = RequestResult(
        request="query",
        requests=sum(each.requests for each in windows),
        failures=0,
        service_time_histogram="",
        windows=SecondSeries(windows),
    )
    return simulated_step_run(result, _SECONDS, users=_USERS, window_seconds=2)


def _latency_of(document: StepRunResult) -> Growth:
    trends = run_trends(document)
    return next(each.growth for each in trends if each.figure is TrendFigure.LATENCY)


def _row(name: str, curve: Floats, count: int) -> Row:
    grows = [
        100 * share_of(SeriesShape.GROWS, curve, growth, noise, count)
        for growth, noise in _GROWTH_AND_NOISE
    ]
    figures = "by growth and noise: " + ", ".join(f"{each:.0f}" for each in grows)
    what = f"{name}: called Grows"
    if name in STEADY_GROWTH:
        return at_least(what, min(grows), _MIN_LEAKS, "{:.0f} %", figures)
    if name in _WITHOUT_BAR:
        return Row(what, "", f"{min(grows):.0f} to {max(grows):.0f} %", None, figures)
    return at_most(what, max(grows), _MAX_SLOWING, "{:.0f} %", figures)
