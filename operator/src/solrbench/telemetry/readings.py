"""Counters and gauges of one server at one moment, and their windows over a step run."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from operator import itemgetter
from statistics import fmean, median

from solrbench.contract.server_document import (
    CACHE_ENTRIES,
    CACHES,
    CPU_PERCENT,
    ServerFigures,
    ServerSeries,
)
from solrbench.stats.series import WINDOWS, Combine, SeriesPoint, cut_windows

_DIGITS = 6


@dataclass(frozen=True)
class ServerReading:
    """What one server said of itself at one moment, in monotonic seconds.

    Numbers are by the name of their figure. Counters only grow while the server runs; of gauges the
    last one counts, of peaks the largest and the mean. Component and machine are those of a pod,
    and `kind` is what the server is, if its source reads several kinds. `cores` are those of the
    collection whose numbers are there: a counter that is missing beside them was never counted, as
    Solr 10 begins each with its first event.
    """

    server: str
    moment: float
    counters: Mapping[str, float] = field(default_factory=dict)
    gauges: Mapping[str, float] = field(default_factory=dict)
    peaks: Mapping[str, float] = field(default_factory=dict)
    component: str = ""
    machine: str = ""
    kind: str = ""
    cores: frozenset[str] = frozenset()


def add_up(numbers: Iterable[tuple[str, float | None]]) -> dict[str, float]:
    """Return the sums of numbers by their names; a name without any number has no sum."""
    sums: dict[str, float] = {}
    for name, number in numbers:
        if number is not None:
            sums[name] = sums.get(name, 0.0) + number
    return sums


def summarise_readings(readings: Sequence[ServerReading]) -> ServerFigures:
    """Return what a server did between the first and the last of its readings, which are in order.

    A reading may hold a part of all numbers: each is followed through those that have it. Counters
    are those between readings of cores, where there are two: all over the same time.
    """
    complete = [place for place, reading in enumerate(readings) if reading.cores]
    counted = readings[complete[0] : complete[-1] + 1] if len(complete) > 1 else readings
    never = dict.fromkeys((name for each in counted for name in each.counters), 0.0)
    last = readings[-1]
    figures = _followed((reading.gauges for reading in readings), itemgetter(-1))
    figures |= _followed(
        ({**never, **each.counters} if each.cores else each.counters for each in counted),
        _difference,
    )
    for suffix, combine in (("max", max), ("mean", fmean)):
        peaks = _followed((reading.peaks for reading in readings), combine)
        for name, number in peaks.items():
            # `heap_used_max_bytes` for `heap_used_bytes`: the unit stays at the end.
            stem, _, unit = name.rpartition("_")
            of = f"{stem}_{suffix}_{unit}" if unit in _UNITS else f"{name}_{suffix}"
            figures[of] = number
    return ServerFigures(
        server=last.server,
        component=last.component,
        machine=last.machine,
        seconds=round(counted[-1].moment - counted[0].moment, _DIGITS),
        readings=len(readings),
        figures={name: round(number, _DIGITS) for name, number in sorted(figures.items())},
    )


def _followed(
    readings: Iterable[Mapping[str, float]], combine: Callable[[Sequence[float]], float | None]
) -> dict[str, float]:
    series: dict[str, list[float]] = {}
    for numbers in readings:
        for name, number in numbers.items():
            series.setdefault(name, []).append(number)
    combined = {name: combine(each) for name, each in series.items()}
    return {name: number for name, number in combined.items() if number is not None}


def _difference(series: Sequence[float]) -> float | None:
    # A counter that fell began anew with its server: what it counted before is lost.
    grows = all(after >= before for before, after in pairwise(series))
    return series[-1] - series[0] if len(series) > 1 and grows else None


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


def series_of(
    kind: str,
    readings: Sequence[ServerReading],
    wanted: Mapping[str, Combine] | None = None,
    count: int = WINDOWS,
) -> list[ServerSeries]:
    """Return the series of a server, in seconds since its first reading.

    `wanted` are figures other than those of step runs, and which reading of a window counts; one
    that ends with `_per_second` is the rate of a counter.
    """
    begin, series = readings[0].moment, []
    for figure, combine in (_METRICS.get(kind, {}) if wanted is None else wanted).items():
        points = _points(readings, figure)
        if figure == CPU_PERCENT:
            points = (
                (moment, 100 * spent / seconds / cpus)
                for moment, spent, seconds, after in _growths(readings, "cpu_seconds")
                if (cpus := after.gauges.get("cpus"))
            )
        elif (counter := figure.removesuffix("_per_second")) != figure:
            growths = _growths(readings, counter)
            points = ((moment, grown / seconds) for moment, grown, seconds, _ in growths)
        since_begin = [SeriesPoint(moment - begin, value) for moment, value in points]
        windows = cut_windows(since_begin, combine, count)
        # One value is no course over time.
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


def _points(readings: Sequence[ServerReading], figure: str) -> Iterator[tuple[float, float]]:
    for reading in readings:
        value = reading.peaks.get(figure, reading.gauges.get(figure))
        if figure == CACHE_ENTRIES:
            entries = [reading.gauges.get(f"{cache}_entries") for cache in CACHES.values()]
            known = [entry for entry in entries if entry is not None]
            # Without any, the reading was a light one, which leaves out the cores.
            value = sum(known) if known else None
        if value is not None:
            yield reading.moment, value


def _growths(
    readings: Sequence[ServerReading], counter: str
) -> Iterator[tuple[float, float, float, ServerReading]]:
    """Yield the middle between each two readings, what a counter grew, the time, the second one."""
    known = [reading for reading in readings if counter in reading.counters]
    for before, after in pairwise(known):
        grown = after.counters[counter] - before.counters[counter]
        seconds = after.moment - before.moment
        # A node that was started again has counted less than before.
        if grown >= 0 and seconds > 0:
            yield (before.moment + after.moment) / 2, grown, seconds, after


def _limit(readings: Sequence[ServerReading], figure: str) -> float | None:
    name = _LIMITS.get(figure, "")
    known = [reading.gauges[name] for reading in readings if name in reading.gauges]
    # The JVM gives -1 for a heap without a limit.
    return known[-1] if known and known[-1] > 0 else None
