"""A series of seconds or readings: when it becomes steady, and its windows of equal length.

While a warm-up runs, the last windows must vary little (`Steadiness`); after a step, its steady
part is found (`steady_from`).
"""

import math
from collections import deque
from collections.abc import Callable, Collection, Sequence
from statistics import median
from typing import NamedTuple

from solrbench.stats.distributions import relative_deviation_percent


class SecondMean(NamedTuple):
    """One second of a step run in which something ended."""

    second: int
    """Whole seconds since measuring began."""
    requests: int
    mean_microseconds: float
    """Mean service time of all requests that ended in it."""


MIN_WINDOWS = 10
"""With fewer windows, no initial transient is looked for."""


class Steadiness:
    """Detects that the last windows of a warm-up vary little.

    The coefficient of variation of the mean service times of the last `windows` windows must be at
    most `deviation_percent` (Georges, Buytaert and Eeckhout, "Statistically Rigorous Java
    Performance Evaluation", OOPSLA 2007, section 4.1, with windows in place of iterations).

    A window ends when it is `window_seconds` long and holds `window_requests` requests.
    """

    def __init__(
        self, *, windows: int, deviation_percent: float, window_seconds: float, window_requests: int
    ) -> None:
        self._deviation_percent = deviation_percent
        self._window_seconds = window_seconds
        self._window_requests = window_requests
        self._means: deque[float] = deque(maxlen=windows)
        self._begin = (0.0, 0, 0)

    def add(self, second: float, requests: int, sum_microseconds: int) -> None:
        """Take the totals by a moment: requests, and the sum of their service times."""
        begin, requests_before, sum_before = self._begin
        sent = requests - requests_before
        if second - begin < self._window_seconds or sent < self._window_requests:
            return
        self._means.append((sum_microseconds - sum_before) / sent)
        self._begin = second, requests, sum_microseconds

    @property
    def deviation_percent(self) -> float | None:
        """Coefficient of variation of the last windows in percent; None without enough."""
        if len(self._means) < (self._means.maxlen or 0):
            return None
        return relative_deviation_percent(list(self._means))

    @property
    def is_steady(self) -> bool:
        """Say whether the last windows vary little."""
        deviation = self.deviation_percent
        return deviation is not None and deviation <= self._deviation_percent


def steady_from(series: Sequence[SecondMean]) -> int | None:
    """Return the second from which on a step run is steady, None if it never is or is too short."""
    # In the means themselves, one second in which Solr stalled outweighs a whole cold beginning.
    index = truncation([math.log(max(each.mean_microseconds, 1.0)) for each in series])
    return None if index is None else series[index].second


def truncation(values: Sequence[float]) -> int | None:
    """Return how many values at the beginning to leave out, by the marginal standard error rule.

    It minimises sum((v - mean)^2) / (n - d)^2 over the n - d values that are left (White, "An
    effective truncation heuristic for bias reduction in simulation output", Simulation 69(6),
    1997). Of equal minima the first counts.
    """
    half = len(values) // 2
    if len(values) < MIN_WINDOWS:
        return None
    best, index = float("inf"), half
    # From the back, one value at a time (Welford, Technometrics 4(3), 1962).
    mean = squares = 0.0
    for kept, value in enumerate(reversed(values), start=1):
        change = value - mean
        mean += change / kept
        squares += change * (value - mean)
        left_out = len(values) - kept
        error = squares / kept**2
        if left_out <= half and error <= best:
            best, index = error, left_out
    # As in the paper, at most half of the values are left out: a minimum at that bound means that
    # the series is too short or never becomes steady.
    return index if index < half else None


SCALE = 1.4826
"""Makes a median absolute deviation a standard deviation, of normal values (Hampel 1974)."""


def robust_deviation(values: Collection[float], least: float = 0.0) -> float:
    """Return the scaled median absolute deviation from the median, at least `least`."""
    centre = median(values)
    return max(SCALE * median(abs(value - centre) for value in values), least)


WINDOWS = 48
"""Windows of a run: the rule was tried with so many."""

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

    `combine` makes one number of a window's readings, such as the median of what has no sawteeth.
    """
    windows = Windows([], [])
    if len(points) < 2:
        return windows
    begin, end = points[0].second, points[-1].second
    count = max(min(count, len(points)), 1)
    width = (end - begin) / count
    by_window: dict[int, list[float]] = {}
    for second, value in points:
        index = min(int((second - begin) / width), count - 1) if width > 0 else 0
        by_window.setdefault(index, []).append(value)
    for index, values in sorted(by_window.items()):
        windows.seconds.append(begin + (index + 0.5) * width)
        windows.values.append(combine(values))
    return windows
