"""Whether a series grows, and how fast.

Least squares of y = a + b t + c (1 - exp(-t / tau)) + d load, with c >= 0: a line beside a cache
that fills and beside a load that moves. Only the line is growth. Tests of trend alone (Mann and
Kendall's, Theil and Sen's) accuse every cache that fills (Machida, Andrzejak, Matias, Vicente, "On
the effectiveness of Mann-Kendall test for detection of software aging", ISSREW 2013).

The interval of b is the union over all tau that fit about as well, its standard error widened for
residuals that follow each other. Growth is said only if all four hold:

1. the lower bound of the 99 % interval is above zero;
2. over the run, b makes more than `least_growth` of the level and more than three scaled median
   absolute deviations of the residuals;
3. the median slope of the second half (Sen 1968) is more than 0.3 b, so it goes on;
4. no single rise between neighbouring eighths of the run, wherever they begin, is half of the
   whole rise, which would be a step.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from solrbench.results.stats.outliers import SCALE
from solrbench.results.stats.quantiles import t_quantile

LEAST_WINDOWS = 24
"""With fewer windows nothing is said."""

LEAST_GROWTH = 0.05
"""Growth over the run, as a share of the level, that matters."""

_TAUS = 10
_DEVIATIONS = 3.0
_GOES_ON = 0.3
_STEP_SHARE = 0.5
_MOST_CORRELATION = 0.85
_LOAD_MOVED = 0.2
"""Load that moved by more than this share of its median is part of the fit."""

Floats = NDArray[np.float64]


class SeriesShape(StrEnum):
    """What a series does."""

    GROWS = "Grows"
    STEADY = "Steady"
    STEP = "Step"
    """It rose once and not before or after."""
    UNCLEAR = "Unclear"
    """It may grow, and the run is too short, or too uneven, to say so."""


@dataclass(frozen=True)
class Growth:
    """What the rule found.

    Attributes:
        shape: what the series does
        level: median of the windows
        slope: growth per second, of the best fit
        lower: lower bound of its 95 % confidence interval
        upper: upper bound

    """

    shape: SeriesShape
    level: float
    slope: float
    lower: float
    upper: float


@dataclass(frozen=True)
class _Fit:
    slope: float
    error: float
    squares: float
    freedom: int
    residuals: Floats

    def bounds(self, level: float) -> tuple[float, float]:
        """Return the bounds of the slope at a confidence level."""
        half = t_quantile(1 - level, self.freedom) * self.error
        return self.slope - half, self.slope + half


def find_growth(
    seconds: Sequence[float],
    values: Sequence[float],
    load: Sequence[float] | None = None,
    *,
    least_growth: float = LEAST_GROWTH,
    least: float = 0.0,
) -> Growth | None:
    """Return what a series does; None with fewer than `LEAST_WINDOWS` windows.

    Args:
        seconds: the middle of each window, growing
        values: the figure in each window
        load: requests per second in each window, None if unknown
        least_growth: share of the level that the growth over the run must reach
        least: what it must reach anyway, in the figure's unit

    """
    if len(values) < LEAST_WINDOWS:
        return None
    t, y = np.asarray(seconds, dtype=np.float64), np.asarray(values, dtype=np.float64)
    t = t - t[0]
    run = float(t[-1]) * len(t) / (len(t) - 1)
    fits = _fits(t / run, y, None if load is None else np.asarray(load, dtype=np.float64))
    best = min(fits, key=lambda fit: fit.squares)
    near = [each for each in fits if each.squares <= _limit(best)]
    lower, upper = _union(near, 0.95)
    level = float(np.median(y))
    matters = max(least_growth * abs(level), least)
    needed = max(matters, _DEVIATIONS * _scaled_deviation(best.residuals))
    if best.slope > matters and _rises_once(y, matters):
        shape = SeriesShape.STEP
    else:
        shape = _shape(t / run, y, best, _union(near, 0.99), needed)
    return Growth(shape, level, best.slope / run, lower / run, upper / run)


def _fits(t: Floats, y: Floats, load: Floats | None) -> list[_Fit]:
    """Return the fit without a filling cache, and those with one whose c is not negative."""
    columns = [np.ones_like(t), t]
    if load is not None and _has_moved(load):
        columns.append(load / np.median(load))
    found = [_fit(columns, y)]
    for tau in np.geomspace(1 / 40, 1 / 2, _TAUS):
        filling = 1 - np.exp(-t / tau)
        fit = _fit([*columns, filling], y, least_last=0.0)
        found += [] if fit is None else [fit]
    return [each for each in found if each is not None]


def _fit(columns: Sequence[Floats], y: Floats, least_last: float | None = None) -> _Fit | None:
    """Return the fit; None if the last coefficient is below `least_last`."""
    matrix = np.column_stack(columns)
    inverse = np.linalg.pinv(matrix.T @ matrix)
    coefficients = inverse @ matrix.T @ y
    if least_last is not None and coefficients[-1] < least_last:
        return None
    residuals = y - matrix @ coefficients
    squares, freedom = float(residuals @ residuals), len(y) - matrix.shape[1]
    follows = float(residuals[1:] @ residuals[:-1]) / squares if squares > 0 else 0.0
    follows = min(max(follows, 0.0), _MOST_CORRELATION)
    variance = squares / freedom * float(inverse[1, 1]) * (1 + follows) / (1 - follows)
    return _Fit(float(coefficients[1]), float(np.sqrt(variance)), squares, freedom, residuals)


def _has_moved(load: Floats) -> bool:
    middle = float(np.median(load))
    low, high = np.quantile(load, (0.05, 0.95))
    return middle > 0 and bool(high - low > _LOAD_MOVED * middle)


def _limit(best: _Fit) -> float:
    """Return the residual squares up to which another fit is about as good."""
    return best.squares * (1 + t_quantile(0.01, best.freedom) ** 2 / best.freedom)


def _union(fits: Sequence[_Fit], level: float) -> tuple[float, float]:
    bounds = [each.bounds(level) for each in fits]
    return min(low for low, _ in bounds), max(high for _, high in bounds)


def _shape(
    t: Floats, y: Floats, best: _Fit, bounds: tuple[float, float], needed: float
) -> SeriesShape:
    lower, upper = bounds
    if best.slope <= needed:
        # What the interval still allows would be growth that matters: not seen is not absent.
        return SeriesShape.UNCLEAR if upper > 2 * needed else SeriesShape.STEADY
    half = len(t) // 2
    goes_on = theil_sen(t[half:], y[half:]) > _GOES_ON * best.slope
    return SeriesShape.GROWS if lower > 0 and goes_on else SeriesShape.UNCLEAR


def _rises_once(y: Floats, matters: float) -> bool:
    """Return whether one rise from an eighth to the next, wherever they begin, is half of all."""
    length = max(len(y) // 8, 1)
    means = np.convolve(y, np.ones(length) / length, mode="valid")
    whole = float(means[-1] - means[0])
    return whole > matters and float((means[length:] - means[:-length]).max()) > _STEP_SHARE * whole


def theil_sen(t: Floats, y: Floats) -> float:
    """Return the median slope of all pairs of points (Theil 1950, Sen 1968)."""
    first, second = np.triu_indices(len(t), 1)
    return float(np.median((y[second] - y[first]) / (t[second] - t[first])))


def _scaled_deviation(residuals: Floats) -> float:
    return float(SCALE * np.median(np.abs(residuals - np.median(residuals))))
