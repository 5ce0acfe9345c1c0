"""Counters and gauges of one server at one moment, and what they make of a step run."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from solrbench.results.model.telemetry import ServerFigures

_DIGITS = 6


@dataclass(frozen=True)
class Reading:
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


def figures_of(readings: Sequence[Reading]) -> ServerFigures:
    """Return what a server did between the first and the last of its readings, which are in order.

    A counter that fell, because the server was started again, has no difference. A reading may hold
    a part of all numbers: each is followed through those that have it.
    """
    first, last = readings[0], readings[-1]
    figures: dict[str, float] = dict(_followed(readings, lambda each: each.gauges, _last))
    figures |= _followed(readings, lambda each: each.counters, _difference)
    for suffix, combine in (("max", max), ("mean", _mean)):
        found = _followed(readings, lambda each: each.peaks, combine)
        figures |= {_with_suffix(name, suffix): number for name, number in found.items()}
    return ServerFigures(
        server=last.server,
        component=last.component,
        machine=last.machine,
        seconds=round(last.moment - first.moment, _DIGITS),
        readings=len(readings),
        figures={name: round(number, _DIGITS) for name, number in sorted(figures.items())},
    )


def _followed(
    readings: Sequence[Reading],
    numbers: Callable[[Reading], Mapping[str, float]],
    combine: Callable[[Sequence[float]], float | None],
) -> dict[str, float]:
    series: dict[str, list[float]] = {}
    for reading in readings:
        for name, number in numbers(reading).items():
            series.setdefault(name, []).append(number)
    found = {name: combine(each) for name, each in series.items()}
    return {name: number for name, number in found.items() if number is not None}


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
