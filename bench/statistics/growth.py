"""How often growth that goes on is named, and growth that slows down is not called growth."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.harness.table import Row
from solrbench.analysis.trends import SeriesShape, find_growth

Floats = NDArray[np.float64]

_WINDOWS = 48
_T = np.arange(_WINDOWS) / _WINDOWS
_LEVEL = 600.0
_GROWTH_AND_NOISE = ((0.1, 0.01), (0.2, 0.01), (0.5, 0.01), (0.5, 0.03))

SLOWING: dict[str, Floats] = {
    "root": np.sqrt(_T),
    "logarithm, 20": np.log1p(20 * _T) / np.log(21),
    "logarithm, 100": np.log1p(100 * _T) / np.log(101),
    "cache of the run": (1 - np.exp(-_T)) / (1 - np.exp(-1)),
    "cache of 0.7 runs": (1 - np.exp(-_T / 0.7)) / (1 - np.exp(-1 / 0.7)),
}
STEADY_GROWTH: dict[str, Floats] = {"line": _T}
_MAX_SLOWING, _MIN_LEAKS = 10.0, 80.0


def share_of(shape: SeriesShape, curve: Floats, growth: float, noise: float, count: int) -> float:
    """Return in how many of `count` series, a share of all, a curve is given a shape."""
    draw = np.random.default_rng(3)
    seconds = (1800 * _T).tolist()
    shapes = []
    for _ in range(count):
        values = _LEVEL * (1 + growth * curve + draw.normal(0, noise, _WINDOWS))
        found = find_growth(seconds, values.tolist())
        shapes.append(found is not None and found.shape is shape)
    return sum(shapes) / count


def growing(folder: Path, count: int) -> list[Row]:
    """Measure each curve with each growth and noise."""
    del folder
    return [_row(name, curve, count) for name, curve in (STEADY_GROWTH | SLOWING).items()]


def _row(name: str, curve: Floats, count: int) -> Row:
    grows = [
        100 * share_of(SeriesShape.GROWS, curve, growth, noise, count)
        for growth, noise in _GROWTH_AND_NOISE
    ]
    goes_on = name in STEADY_GROWTH
    value = min(grows) if goes_on else max(grows)
    return Row(
        f"{name}: called Grows",
        f">= {_MIN_LEAKS:g} %" if goes_on else f"<= {_MAX_SLOWING:g} %",
        f"{value:.0f} %",
        value >= _MIN_LEAKS if goes_on else value <= _MAX_SLOWING,
        "by growth and noise: " + ", ".join(f"{each:.0f}" for each in grows),
    )
