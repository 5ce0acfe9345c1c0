"""Figures of a server over a step run, as the few windows that trends are found in."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import fmean, median

from solrbench.results.model.telemetry import CACHE_ENTRIES, CACHES, CPU_PERCENT, ServerSeries
from solrbench.results.trends.series_windows import Combine, SeriesPoint, cut_windows
from solrbench.telemetry.readings import Reading

_FIGURES: dict[str, dict[str, Combine]] = {
    # The least of a window is nearest to what a collection leaves.
    "solr": {
        "heap_after_gc_bytes": min,
        "index_bytes": median,
        CACHE_ENTRIES: max,
        CPU_PERCENT: fmean,
    },
    "pods": {"resident_bytes": median},
}
"""What is kept of each kind of server, and which of a window's readings counts."""

_LIMITS = {"heap_after_gc_bytes": "heap_limit_bytes", "resident_bytes": "memory_limit_bytes"}
_DIGITS = 3


def series_of(kind: str, readings: Sequence[Reading]) -> list[ServerSeries]:
    """Return the series of a server, in seconds since its first reading."""
    found = []
    for figure, combine in _FIGURES.get(kind, {}).items():
        windows = cut_windows(_points(readings, figure), combine)
        if len(windows.values) > 1:
            found.append(
                ServerSeries(
                    server=readings[-1].server,
                    kind=kind,
                    figure=figure,
                    seconds=[round(each, _DIGITS) for each in windows.seconds],
                    values=[round(each, _DIGITS) for each in windows.values],
                    limit=_limit(readings, figure),
                )
            )
    return found


def _points(readings: Sequence[Reading], figure: str) -> list[SeriesPoint]:
    begin = readings[0].moment
    if figure == CPU_PERCENT:
        return list(_cpu_points(readings, begin))
    return [
        SeriesPoint(each.moment - begin, value)
        for each in readings
        if (value := _value(each, figure)) is not None
    ]


def _cpu_points(readings: Sequence[Reading], begin: float) -> Iterator[SeriesPoint]:
    """Yield the share of its CPUs that a node used between each two readings, at their middle."""
    known = [each for each in readings if "cpu_seconds" in each.counters]
    for before, after in pairwise(known):
        spent = after.counters["cpu_seconds"] - before.counters["cpu_seconds"]
        seconds, cpus = after.moment - before.moment, after.gauges.get("cpus")
        if spent >= 0 and seconds > 0 and cpus:
            middle = (before.moment + after.moment) / 2 - begin
            yield SeriesPoint(middle, 100 * spent / seconds / cpus)


def _value(reading: Reading, figure: str) -> float | None:
    if figure == CACHE_ENTRIES:
        entries = [reading.gauges.get(f"{cache}_entries") for cache in CACHES.values()]
        known = [each for each in entries if each is not None]
        return sum(known) if known else None
    return reading.peaks.get(figure, reading.gauges.get(figure))


def _limit(readings: Sequence[Reading], figure: str) -> float | None:
    name = _LIMITS.get(figure, "")
    known = [each.gauges[name] for each in readings if name in each.gauges]
    return known[-1] if known and known[-1] > 0 else None
