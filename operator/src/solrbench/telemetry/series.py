"""Figures of a server over a step run, as the few windows that trends are found in."""

from collections.abc import Sequence
from statistics import median

from solrbench.results.model.telemetry import CACHES, ServerSeries
from solrbench.results.trends.series_windows import Combine, SeriesPoint, cut_windows
from solrbench.telemetry.readings import Reading

CACHE_ENTRIES = "cache_entries"

_FIGURES: dict[str, dict[str, Combine]] = {
    # The least of a window is nearest to what a collection leaves.
    "solr": {"heap_after_gc_bytes": min, "index_bytes": median, CACHE_ENTRIES: max},
    "pods": {"resident_bytes": median},
}
"""What is kept of each kind of server, and which of a window's readings counts."""

_LIMITS = {"heap_after_gc_bytes": "heap_limit_bytes", "resident_bytes": "memory_limit_bytes"}
_DIGITS = 3


def series_of(kind: str, readings: Sequence[Reading]) -> list[ServerSeries]:
    """Return the series of a server, in seconds since its first reading."""
    found = []
    for figure, combine in _FIGURES.get(kind, {}).items():
        begin = readings[0].moment
        points = [
            SeriesPoint(each.moment - begin, value)
            for each in readings
            if (value := _value(each, figure)) is not None
        ]
        windows = cut_windows(points, combine)
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
