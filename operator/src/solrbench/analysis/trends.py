"""Whether a series of one step run grows, and how fast.

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
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from solrbench.api.v1alpha1.findings import TrendFigure
from solrbench.contract.second_series import SecondSeries
from solrbench.contract.server_document import CACHE_ENTRIES, ServerSeries
from solrbench.contract.step_document import StepRunResult
from solrbench.stats.distributions import t_quantile
from solrbench.stats.series import SeriesPoint, Windows, cut_windows, robust_deviation

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


MIN_TREND_SECONDS = 300.0
"""Shorter steps have no trends: a heap that warms up grows, too."""

_SERVERS = {
    "heap_after_gc_bytes": TrendFigure.HEAP,
    "resident_bytes": TrendFigure.MEMORY,
    "index_bytes": TrendFigure.INDEX,
}
_MIN_FAILED_PERCENT = 0.1
"""Growth of the share of failures that matters, in percentage points."""


@dataclass(frozen=True)
class RunTrend:
    """What one figure did in one step run.

    Attributes:
        server: node or pod whose figure it is; empty for what the load measured
        growth: what the rule found; in the figure's unit, per second
        limit: what it may grow to; None without a limit
        caches_fill: Solr's caches filled to the end, so a leak looks the same
    """

    figure: TrendFigure
    server: str
    growth: Growth
    latest: float
    limit: float | None = None
    caches_fill: bool = False


def run_trends(document: StepRunResult) -> tuple[RunTrend, ...]:
    """Return the trend of each figure that has one; of several servers the one that grows most."""
    if document.seconds < MIN_TREND_SECONDS:
        return ()
    rates, latency, failed = _of_load(document)
    series = [] if document.telemetry is None else document.telemetry.series
    entries = {each.server: each for each in series if each.figure == CACHE_ENTRIES}
    found = [
        *(_of_server(each, entries.get(each.server), rates) for each in series),
        _of_windows(TrendFigure.LATENCY, latency, rates),
        _of_windows(TrendFigure.FAILURES, failed, None, _MIN_FAILED_PERCENT),
    ]
    trends = [each for each in found if each is not None]
    # Of several servers the one counts that grows most: it is put in last.
    trends.sort(key=lambda each: (-_ORDER.index(each.growth.shape), -each.growth.slope))
    return tuple({each.figure: each for each in reversed(trends)}.values())


_ORDER = (
    SeriesShape.STEADY,
    SeriesShape.INCONCLUSIVE,
    SeriesShape.STEP,
    SeriesShape.SLOWS_DOWN,
    SeriesShape.GROWS,
)


def _of_server(
    series: ServerSeries, entries: ServerSeries | None, rates: Windows | None
) -> RunTrend | None:
    if series.figure not in _SERVERS:
        return None
    seconds, values = np.array(series.seconds), np.array(series.values)
    begin: float | None = 0.0
    if entries is not None and series.figure == "heap_after_gc_bytes":
        begin = full_from([*map(SeriesPoint, entries.seconds, entries.values)])
    kept = seconds >= (begin or 0.0)
    windows = Windows(seconds[kept].tolist(), values[kept].tolist())
    trend = _of_windows(_SERVERS[series.figure], windows, rates)
    return trend and replace(
        trend, server=series.server, limit=series.limit, caches_fill=begin is None
    )


def _of_load(document: StepRunResult) -> tuple[Windows | None, Windows, Windows]:
    """Return requests per second, mean service time in ms and share of failures in per cent.

    In a closed loop the rate is None: it follows from the response time, and would hide its growth.
    """
    totals = SecondSeries.merged(result.windows for result in document.single_requests)
    rates, latency, failed = [], [], []
    # The end of the step cuts the last second short.
    for second, requests, failures, spent, _ in totals[:-1]:
        rates.append(SeriesPoint(second, requests / document.window_seconds))
        if requests:
            latency.append(SeriesPoint(second, spent / requests / 1000))
            failed.append(SeriesPoint(second, 100 * failures / requests))
    load = cut_windows(rates, np.median) if document.users is None else None
    # The median of failures would be none up to the half of all seconds.
    return load, cut_windows(latency, np.median), cut_windows(failed, np.mean)


def _of_windows(
    figure: TrendFigure, windows: Windows, rates: Windows | None, least: float = 0.0
) -> RunTrend | None:
    load = None if rates is None else _at(windows.seconds, rates)
    growth = find_growth(windows.seconds, windows.values, load, least=least)
    if growth is None:
        return None
    return RunTrend(figure, "", growth, float(np.median(windows.values[-3:])))


def _at(seconds: Sequence[float], rates: Windows) -> list[float] | None:
    """Return the load at these moments; None if it is not known."""
    if len(rates.values) < 2:
        return None
    values_at: list[float] = np.interp(seconds, rates.seconds, rates.values).tolist()
    return values_at
