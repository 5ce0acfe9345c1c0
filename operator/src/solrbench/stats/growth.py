"""Whether a series grows, and how fast.

Least squares of y = a + b t + c (1 - exp(-t / tau)) + d load, with c >= 0: a line beside a cache
that fills and beside a load that moves. Only the line is growth. Tests of trend alone (Mann and
Kendall's, Theil and Sen's) accuse every cache that fills (Machida, Andrzejak, Matias, Vicente, "On
the effectiveness of Mann-Kendall test for detection of software aging", ISSREW 2013).

The interval of b is the union over all tau that fit about as well, its standard error widened for
residuals that follow each other. Growth is said only if all of these hold:

- the lower bound of the 99 % interval is above zero;
- over the run, b makes more than `MIN_GROWTH` of the level and more than three scaled median
  absolute deviations of the residuals;
- the median slope of the second half (Sen 1968) is more than 0.3 b, so it goes on;
- no single rise between neighbouring eighths of the run, wherever they begin, is half of the
  whole rise, which would be a step, if two levels fit better than the line;
- no curve that slows down fits about as well as the best, and better than the line alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from solrbench.stats.distributions import t_quantile
from solrbench.stats.series import SeriesPoint, robust_deviation

MIN_TREND_WINDOWS = 24
"""With fewer windows nothing is said."""

MIN_GROWTH = 0.05
"""Growth over the run, as a share of the level, that matters."""

_TAUS = 10
_DEVIATIONS = 3.0
_GOES_ON = 0.3
_STEP_SHARE = 0.5
_MAX_CORRELATION = 0.85
_LOAD_MOVED = 0.2
"""Load that moved by more than this share of its median is part of the fit."""

Floats = NDArray[np.float64]


class SeriesShape(StrEnum):
    """What a series does."""

    GROWS = "Grows"
    SLOWS_DOWN = "SlowsDown"
    """It grows less and less, and may come to a stop."""
    STEADY = "Steady"
    STEP = "Step"
    """It rose once and not before or after."""
    INCONCLUSIVE = "Inconclusive"
    """It may grow, and the run is too short, or too uneven, to say so."""


@dataclass(frozen=True)
class Growth:
    """What the rule found: slope and bounds are growth per second, of the best fit."""

    shape: SeriesShape
    slope: float
    lower: float
    upper: float
    seconds: float


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
    least: float = 0.0,
) -> Growth | None:
    """Return what a series does; None with fewer than `MIN_TREND_WINDOWS` windows.

    `seconds` are the middles of the windows, and `load` the requests per second in them, None if
    unknown; `least` is what the growth over the run must reach anyway, in the figure's unit.
    """
    if len(values) < MIN_TREND_WINDOWS:
        return None
    t, y = np.asarray(seconds, dtype=np.float64), np.asarray(values, dtype=np.float64)
    t = t - t[0]
    run = float(t[-1]) * len(t) / (len(t) - 1)
    columns = _columns(t / run, None if load is None else np.asarray(load, dtype=np.float64))
    fits = _fits(columns, y)
    best = min(fits, key=lambda fit: fit.squares)
    # No tau is known to be right: the interval is the union over all that fit about as well.
    limit = best.squares * (1 + t_quantile(0.01, best.freedom) ** 2 / best.freedom)
    near = [fit for fit in fits if fit.squares <= limit]
    lower, upper = _union(near, 0.95)
    matters = max(MIN_GROWTH * abs(float(np.median(y))), least)
    needed = max(matters, _DEVIATIONS * robust_deviation(best.residuals.tolist()))
    if best.slope > matters and _rises_once(columns, y, matters, best.squares):
        shape = SeriesShape.STEP
    else:
        shape = _shape(t / run, y, best, _union(near, 0.99), needed)
    if shape is SeriesShape.GROWS:
        slowing = _least_squares(_slowing_curves(columns[1]), columns, y)
        # The form of the curve is one more number, which has to be worth it.
        if slowing < limit and slowing * (1 + 1 / fits[0].freedom) < fits[0].squares:
            shape = SeriesShape.SLOWS_DOWN
    return Growth(shape, best.slope / run, lower / run, upper / run, run)


def _union(fits: Sequence[_Fit], level: float) -> tuple[float, float]:
    bounds = [fit.bounds(level) for fit in fits]
    return min(low for low, _ in bounds), max(high for _, high in bounds)


def _columns(t: Floats, load: Floats | None) -> list[Floats]:
    """Return what the line is fitted to: ones, time, and the load if it moved."""
    columns = [np.ones_like(t), t]
    if load is not None:
        middle = float(np.median(load))
        low, high = np.quantile(load, (0.05, 0.95))
        if middle > 0 and high - low > _LOAD_MOVED * middle:
            columns.append(load / middle)
    return columns


def _fits(columns: Sequence[Floats], y: Floats) -> list[_Fit]:
    """Return the fit without a filling cache, and those with one whose c is not negative."""
    t, fits = columns[1], [_fit(columns, y)]
    taus = np.geomspace(1 / 40, 1 / 2, _TAUS)
    fits += [_fit([*columns, 1 - np.exp(-t / tau)], y, min_last=0.0) for tau in taus]
    return [each for each in fits if each is not None]


def _fit(columns: Sequence[Floats], y: Floats, min_last: float | None = None) -> _Fit | None:
    """Return the fit; None if the last coefficient is below `min_last`."""
    matrix = np.column_stack(columns)
    inverse = np.linalg.pinv(matrix.T @ matrix)
    coefficients = inverse @ matrix.T @ y
    if min_last is not None and coefficients[-1] < min_last:
        return None
    residuals = y - matrix @ coefficients
    squares, freedom = float(residuals @ residuals), len(y) - matrix.shape[1]
    follows = float(residuals[1:] @ residuals[:-1]) / squares if squares > 0 else 0.0
    follows = min(max(follows, 0.0), _MAX_CORRELATION)
    variance = squares / freedom * float(inverse[1, 1]) * (1 + follows) / (1 - follows)
    return _Fit(float(coefficients[1]), float(np.sqrt(variance)), squares, freedom, residuals)


def _slowing_curves(t: Floats) -> list[Floats]:
    """Return powers, logarithms, hyperbolas, and caches that fill for more than half of the run.

    They lie so densely that what slows down is near one of them, whatever its form.
    """
    return [
        *(t**power for power in (0.15, 0.25, 0.33, 0.5, 0.6, 0.7, 0.8)),
        *(np.log1p(factor * t) for factor in np.geomspace(2, 500, 12)),
        *(t / (t + half) for half in np.geomspace(0.1, 2, 14)),
        *(1 - np.exp(-t / tau) for tau in np.geomspace(0.6, 2, 6)),
    ]


def _least_squares(curves: Sequence[Floats], columns: Sequence[Floats], y: Floats) -> float:
    """Return the residual squares of the best of curves in place of the line."""
    basis = np.linalg.qr(np.column_stack([columns[0], *columns[2:]]))[0]
    curve, rest = (
        each - basis @ (basis.T @ each) for each in (np.column_stack(curves), y[:, np.newaxis])
    )
    explained = (curve.T @ rest)[:, 0] ** 2 / (curve**2).sum(axis=0)
    return float((rest**2).sum() - explained.max())


def _shape(
    t: Floats, y: Floats, best: _Fit, bounds: tuple[float, float], needed: float
) -> SeriesShape:
    lower, upper = bounds
    if best.slope <= needed:
        # What the interval still allows would be growth that matters: not seen is not absent.
        return SeriesShape.INCONCLUSIVE if upper > 2 * needed else SeriesShape.STEADY
    half = len(t) // 2
    goes_on = theil_sen(t[half:], y[half:]) > _GOES_ON * best.slope
    return SeriesShape.GROWS if lower > 0 and goes_on else SeriesShape.INCONCLUSIVE


def _rises_once(columns: Sequence[Floats], y: Floats, matters: float, squares: float) -> bool:
    """Return whether one rise from an eighth to the next, wherever they begin, is half of all.

    What is beside it must be flat: two levels leave less than the `squares` of the best line.
    """
    length = max(len(y) // 8, 1)
    means = np.convolve(y, np.ones(length) / length, mode="valid")
    whole = float(means[-1] - means[0])
    rise = float((means[length:] - means[:-length]).max())
    if whole <= matters or rise <= _STEP_SHARE * whole:
        return False
    levels = [(columns[1] >= moment).astype(np.float64) for moment in columns[1][1:]]
    return _least_squares(levels, columns, y) < squares


def theil_sen(t: Floats, y: Floats) -> float:
    """Return the median slope of all pairs of points (Theil 1950, Sen 1968)."""
    first, second = np.triu_indices(len(t), 1)
    return float(np.median((y[second] - y[first]) / (t[second] - t[first])))


_STANDS_STILL = 0.02
"""Caches are full when less than this share of their entries is still to come."""

# What fills within more than half of the run looks like a leak to statistics.
_MAX_OMITTED_SHARE = 0.5


def full_from(entries: Sequence[SeriesPoint]) -> float | None:
    """Return the second from which on caches stood still; None if they filled to the end."""
    if len(entries) < 2:
        return entries[0].second if entries else None
    values = np.array([entry.value for entry in entries])
    most, least = float(values.max()), float(values[0])
    if most <= 0 or most - least <= _STANDS_STILL * most:
        return entries[0].second
    full = np.flatnonzero(values >= most - _STANDS_STILL * most)
    begin, end = entries[0].second, entries[-1].second
    second = entries[int(full[0])].second
    return second if second - begin <= _MAX_OMITTED_SHARE * (end - begin) else None
