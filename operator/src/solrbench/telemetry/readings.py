"""Counters and gauges of one server at one moment, and their windows over a step run."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import fmean, median

from solrbench.contract.server_document import (
    CACHE_ENTRIES,
    CACHES,
    CPU_PERCENT,
    ServerFigures,
    ServerSeries,
)
from solrbench.stats.series import Combine, SeriesPoint, cut_windows

_DIGITS = 6


@dataclass(frozen=True)
class ServerReading:
    """What one server said of itself at one moment.

    Attributes:
        server: its name
        moment: monotonic time in seconds
        counters: numbers that only grow while the server runs, by the name of their figure
        gauges: numbers of the moment; the last one counts
        peaks: numbers of the moment of which the largest and the mean count
        component: component of a pod
        machine: id of the machine of a pod
        kind: what the server is, if its source reads several kinds
    """

    server: str
    moment: float
    counters: Mapping[str, float] = field(default_factory=dict)
    gauges: Mapping[str, float] = field(default_factory=dict)
    peaks: Mapping[str, float] = field(default_factory=dict)
    component: str = ""
    machine: str = ""
    kind: str = ""


def summarise_readings(readings: Sequence[ServerReading]) -> ServerFigures:
    """Return what a server did between the first and the last of its readings, which are in order.

    A counter that fell, because the server was started again, has no difference. A reading may hold
    a part of all numbers: each is followed through those that have it.
    """
    first, last = readings[0], readings[-1]
    figures: dict[str, float] = dict(_followed(readings, lambda reading: reading.gauges, _last))
    figures |= _followed(readings, lambda reading: reading.counters, _difference)
    for suffix, combine in (("max", max), ("mean", _mean)):
        peaks = _followed(readings, lambda reading: reading.peaks, combine)
        figures |= {_with_suffix(name, suffix): number for name, number in peaks.items()}
    return ServerFigures(
        server=last.server,
        component=last.component,
        machine=last.machine,
        seconds=round(last.moment - first.moment, _DIGITS),
        readings=len(readings),
        figures={name: round(number, _DIGITS) for name, number in sorted(figures.items())},
    )


def _followed(
    readings: Sequence[ServerReading],
    numbers: Callable[[ServerReading], Mapping[str, float]],
    combine: Callable[[Sequence[float]], float | None],
) -> dict[str, float]:
    series: dict[str, list[float]] = {}
    for reading in readings:
        for name, number in numbers(reading).items():
            series.setdefault(name, []).append(number)
    combined = {name: combine(each) for name, each in series.items()}
    return {name: number for name, number in combined.items() if number is not None}


def _difference(series: Sequence[float]) -> float | None:
    grows = all(after >= before for before, after in pairwise(series))
    return series[-1] - series[0] if len(series) > 1 and grows else None


def _last(series: Sequence[float]) -> float:
    return series[-1]


def _mean(series: Sequence[float]) -> float:
    return sum(series) / len(series)


def _with_suffix(name: str, suffix: str) -> str:
    """Return `heap_used_max_bytes` for `heap_used_bytes`: the unit stays at the end."""
    stem, _, unit = name.rpartition("_")
    return f"{stem}_{suffix}_{unit}" if unit in _UNITS else f"{name}_{suffix}"


_UNITS = {"bytes", "percent", "seconds", "cores"}


_METRICS: dict[str, dict[str, Combine]] = {
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
_SERIES_DIGITS = 3


def series_of(kind: str, readings: Sequence[ServerReading]) -> list[ServerSeries]:
    """Return the series of a server, in seconds since its first reading."""
    series = []
    for figure, combine in _METRICS.get(kind, {}).items():
        windows = cut_windows(_points(readings, figure), combine)
        if len(windows.values) > 1:
            series.append(
                ServerSeries(
                    server=readings[-1].server,
                    kind=kind,
                    figure=figure,
                    seconds=[round(each, _SERIES_DIGITS) for each in windows.seconds],
                    values=[round(each, _SERIES_DIGITS) for each in windows.values],
                    limit=_limit(readings, figure),
                )
            )
    return series


def _points(readings: Sequence[ServerReading], figure: str) -> list[SeriesPoint]:
    begin = readings[0].moment
    if figure == CPU_PERCENT:
        return list(_cpu_points(readings, begin))
    return [
        SeriesPoint(reading.moment - begin, value)
        for reading in readings
        if (value := _value(reading, figure)) is not None
    ]


def _cpu_points(readings: Sequence[ServerReading], begin: float) -> Iterator[SeriesPoint]:
    """Yield the share of its CPUs that a node used between each two readings, at their middle."""
    known = [reading for reading in readings if "cpu_seconds" in reading.counters]
    for before, after in pairwise(known):
        spent = after.counters["cpu_seconds"] - before.counters["cpu_seconds"]
        seconds, cpus = after.moment - before.moment, after.gauges.get("cpus")
        if spent >= 0 and seconds > 0 and cpus:
            middle = (before.moment + after.moment) / 2 - begin
            yield SeriesPoint(middle, 100 * spent / seconds / cpus)


def _value(reading: ServerReading, figure: str) -> float | None:
    if figure == CACHE_ENTRIES:
        entries = [reading.gauges.get(f"{cache}_entries") for cache in CACHES.values()]
        known = [entry for entry in entries if entry is not None]
        return sum(known) if known else None
    return reading.peaks.get(figure, reading.gauges.get(figure))


def _limit(readings: Sequence[ServerReading], figure: str) -> float | None:
    name = _LIMITS.get(figure, "")
    known = [reading.gauges[name] for reading in readings if name in reading.gauges]
    return known[-1] if known and known[-1] > 0 else None
