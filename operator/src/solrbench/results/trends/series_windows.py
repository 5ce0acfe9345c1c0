"""A series of readings as the windows that the rule takes."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

WINDOWS = 48
"""Windows of a run: the rule was tried with so many."""

_STANDS_STILL = 0.02
"""Caches are full when less than this share of their entries is still to come."""

_MOST_LEFT_OUT = 0.5
"""Share of the run that may be left out until caches are full."""

Combine = Callable[[Sequence[float]], float]


class SeriesPoint(NamedTuple):
    """A reading of one figure."""

    second: float
    value: float


class Windows(NamedTuple):
    """The middle of each window that has readings, and its value."""

    seconds: list[float]
    values: list[float]


def cut_windows(points: Sequence[SeriesPoint], combine: Combine, count: int = WINDOWS) -> Windows:
    """Return at most `count` windows of equal length, those without readings left out.

    `combine` makes one number of a window's readings: the least one of a heap, which is what a
    collection left; the median of what has no sawteeth.
    """
    found = Windows([], [])
    if len(points) < 2:
        return found
    begin, end = points[0].second, points[-1].second
    count = max(min(count, len(points)), 1)
    width = (end - begin) / count
    by_window: dict[int, list[float]] = {}
    for second, value in points:
        place = min(int((second - begin) / width), count - 1) if width > 0 else 0
        by_window.setdefault(place, []).append(value)
    for place, values in sorted(by_window.items()):
        found.seconds.append(begin + (place + 0.5) * width)
        found.values.append(combine(values))
    return found


def full_from(entries: Sequence[SeriesPoint]) -> float | None:
    """Return the second from which on caches stood still; None if they filled to the end.

    What fills within more than half of the run looks like a leak to statistics, so the
    series begins when the caches say that they are full.
    """
    if len(entries) < 2:
        return entries[0].second if entries else None
    values = np.array([each.value for each in entries])
    most, least = float(values.max()), float(values[0])
    if most <= 0 or most - least <= _STANDS_STILL * most:
        return entries[0].second
    full = np.flatnonzero(values >= most - _STANDS_STILL * most)
    begin, end = entries[0].second, entries[-1].second
    second = entries[int(full[0])].second
    return second if second - begin <= _MOST_LEFT_OUT * (end - begin) else None
