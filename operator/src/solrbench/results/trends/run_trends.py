"""The trends of one step run: of its servers, its latency and its failures."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from solrbench.api.v1alpha1.status.trends import TrendFigure
from solrbench.results.model.step_result import StepRunResult
from solrbench.results.model.telemetry import CACHE_ENTRIES, ServerSeries, Telemetry
from solrbench.results.trends.rule import Growth, SeriesShape, find_growth
from solrbench.results.trends.series_windows import SeriesPoint, Windows, cut_windows, full_from

LEAST_SECONDS = 300.0
"""Shorter steps have no trends: a heap that warms up grows, too."""

_SERVERS = {
    "heap_after_gc_bytes": TrendFigure.HEAP,
    "resident_bytes": TrendFigure.MEMORY,
    "index_bytes": TrendFigure.INDEX,
}
_LEAST_FAILED_PERCENT = 0.1
"""Growth of the share of failures that matters, in percentage points."""


@dataclass(frozen=True)
class RunTrend:
    """What one figure did in one step run.

    Attributes:
        figure: which one
        server: node or pod whose figure it is; empty for what the load measured
        growth: what the rule found; in the figure's unit, per second
        latest: the figure at the end
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
    if document.seconds < LEAST_SECONDS:
        return ()
    rates, latency, failed = _of_load(document)
    found = [
        *_of_servers(document.telemetry, rates),
        *_of_windows(TrendFigure.LATENCY, latency, rates, 0.0),
        *_of_windows(TrendFigure.FAILURES, failed, None, _LEAST_FAILED_PERCENT),
    ]
    by_figure: dict[TrendFigure, RunTrend] = {}
    for each in found:
        known = by_figure.get(each.figure)
        if known is None or _rank(each) > _rank(known):
            by_figure[each.figure] = each
    return tuple(by_figure.values())


_ORDER = (SeriesShape.STEADY, SeriesShape.UNCLEAR, SeriesShape.STEP, SeriesShape.GROWS)


def _rank(trend: RunTrend) -> tuple[int, float]:
    return _ORDER.index(trend.growth.shape), trend.growth.slope


def _of_servers(telemetry: Telemetry | None, rates: Windows) -> list[RunTrend]:
    found = []
    series = [] if telemetry is None else telemetry.series
    entries = {each.server: each for each in series if each.figure == CACHE_ENTRIES}
    for each in series:
        if each.figure in _SERVERS:
            trend = _of_server(each, entries.get(each.server), rates)
            found += [] if trend is None else [trend]
    return found


def _of_server(
    series: ServerSeries, entries: ServerSeries | None, rates: Windows
) -> RunTrend | None:
    seconds, values = np.array(series.seconds), np.array(series.values)
    fills = False
    if entries is not None and series.figure == "heap_after_gc_bytes":
        begin = full_from([*map(SeriesPoint, entries.seconds, entries.values)])
        fills = begin is None
        kept = seconds >= (0.0 if begin is None else begin)
        seconds, values = seconds[kept], values[kept]
    growth = find_growth(seconds.tolist(), values.tolist(), _at(seconds.tolist(), rates))
    if growth is None:
        return None
    latest = float(np.median(values[-3:]))
    figure = _SERVERS[series.figure]
    return RunTrend(figure, series.server, growth, latest, series.limit, fills)


def _of_load(document: StepRunResult) -> tuple[Windows, Windows, Windows]:
    """Return requests per second, mean service time in ms and share of failures in per cent."""
    totals: dict[int, tuple[int, int, int]] = {}
    for result in document.requests:
        if not result.is_transaction:
            for second, requests, failures, mean, _ in result.windows.rows():
                known = totals.get(second, (0, 0, 0))
                spent = max(mean, 0) * requests
                totals[second] = known[0] + requests, known[1] + failures, known[2] + spent
    rates, latency, failed = [], [], []
    for second, (requests, failures, spent) in sorted(totals.items())[:-1]:
        rates.append(SeriesPoint(second, requests / document.window_seconds))
        if requests:
            latency.append(SeriesPoint(second, spent / requests / 1000))
            failed.append(SeriesPoint(second, 100 * failures / requests))
    return (
        cut_windows(rates, np.median),
        cut_windows(latency, np.median),
        cut_windows(failed, np.mean),
    )


def _of_windows(
    figure: TrendFigure, windows: Windows, rates: Windows | None, least: float
) -> list[RunTrend]:
    load = None if rates is None else _at(windows.seconds, rates)
    growth = find_growth(windows.seconds, windows.values, load, least=least)
    if growth is None:
        return []
    return [RunTrend(figure, "", growth, float(np.median(windows.values[-3:])))]


def _at(seconds: Sequence[float], rates: Windows) -> list[float] | None:
    """Return the load at these moments; None if it is not known."""
    if len(rates.values) < 2:
        return None
    found: list[float] = np.interp(seconds, rates.seconds, rates.values).tolist()
    return found
