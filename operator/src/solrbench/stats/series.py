"""A series of seconds: when it becomes steady, and which of its seconds are unlike the others.

While a warm-up runs, the last windows must vary little (`Steadiness`); after a step, its steady
part is found (`steady_from`). Outliers are garbage collections, merges, neighbours.
"""

import math
from collections import deque
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from statistics import median
from typing import NamedTuple

from solrbench.contract.second_series import SecondSeries
from solrbench.contract.step_document import RequestResult
from solrbench.contract.windows import MAX_OUTLIERS, OutlierWindow
from solrbench.stats.distributions import relative_deviation_percent


class SecondMean(NamedTuple):
    """One second of a step run in which something ended."""

    second: int
    """Whole seconds since measuring began."""
    requests: int
    mean_microseconds: float
    """Mean service time of all requests that ended in it."""


def second_means(results: Iterable[RequestResult]) -> list[SecondMean]:
    """Return the whole seconds of a step run in their order; those without a response are left out.

    The last one is left out too: the end of the step run cuts it short, and the few requests in it
    are the slow ones that were still under way.
    """
    sums = SecondSeries.merged(result.windows for result in results)
    return [
        SecondMean(second, requests, total / requests)
        for second, requests, _, total, _ in sums[:-1]
        if requests
    ]


MIN_WINDOWS = 10
"""With fewer windows, no initial transient is looked for."""


class Steadiness:
    """Detects that the last windows of a warm-up vary little.

    Steady means: the coefficient of variation (sample standard deviation divided by the mean) of
    the mean service times of the last `windows` windows is at most `deviation_percent`. The rule is
    that of Georges, Buytaert and Eeckhout, "Statistically Rigorous Java Performance Evaluation",
    OOPSLA 2007, section 4.1, with windows in place of iterations.

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
    """Return the second from which on a step run is steady, None if it never is or is too short.

    It is the end of the beginning that `truncation` finds in the logarithms of the means. Service
    times are skewed: in the means themselves, one second in which Solr stalled outweighs a whole
    cold beginning.
    """
    index = truncation([math.log(max(each.mean_microseconds, 1.0)) for each in series])
    return None if index is None else series[index].second


def truncation(values: Sequence[float]) -> int | None:
    """Return how many values at the beginning to leave out, by the marginal standard error rule.

    MSER: the d that minimises the standard error of the remaining mean, that is, with the smallest
    sum((v - mean)^2) / (n - d)^2 over the n - d values that are left. White, "An effective
    truncation heuristic for bias reduction in simulation output", Simulation 69(6), 1997. As
    there, at most half of the values are left out: a minimum at that bound means that the series
    is too short or never becomes steady, and there is no result. Of equal minima the first counts.
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
    return index if index < half else None


MAX_DEVIATIONS = 5.0
"""A second whose mean is farther from the median is an outlier."""

SCALE = 1.4826
"""Makes a median absolute deviation the standard deviation of a normal distribution."""

MIN_SCALE = 0.01
"""Least scaled deviation, as a share of the median.

Where most seconds are equal, the median absolute deviation is zero or nearly so, and any difference
would be an outlier, however small.
"""

BUSY_REQUESTS = 10
"""Median requests per second from which on a second without any response is an outlier.

Of arrivals that are independent of each other (Poisson), one such second in e^10 = 22,000 is empty.
"""

_DIGITS = 1
_MIN_SECONDS = 5
"""Fewer seconds than this have no meaningful median."""


def find_outliers(
    series: Sequence[SecondMean], began: datetime, seconds: int = 1
) -> list[OutlierWindow]:
    """Return the seconds that are unlike the others, in the order of time.

    One is unlike the others if the mean service time is more than `MAX_DEVIATIONS` scaled median
    absolute deviations from the median of all seconds, or if nothing ended in it while the step run
    was busy. Median and MAD, unlike mean and standard deviation, are not moved by what they are to
    find: Leys et al., "Detecting outliers: Do not use standard deviation around the mean, use
    absolute deviation around the median", Journal of Experimental Social Psychology 49(4), 2013.

    Args:
        series: the seconds of the step run
        began: when second 0 began
        seconds: length of what `series` calls a second, more for steps of more than an hour
    """
    if len(series) < _MIN_SECONDS:
        return []
    centre = median(each.mean_microseconds for each in series)
    distances = (abs(each.mean_microseconds - centre) for each in series)
    scale = max(SCALE * median(distances), MIN_SCALE * centre)
    outliers = [
        _outlier(each.second, began, centre, each, scale)
        for each in series
        if scale > 0 and abs(each.mean_microseconds - centre) > MAX_DEVIATIONS * scale
    ]
    outliers += [_outlier(second, began, centre) for second in _without_responses(series, seconds)]
    return sorted(outliers, key=lambda each: each.second)


def worst(outliers: Sequence[OutlierWindow], most: int = MAX_OUTLIERS) -> list[OutlierWindow]:
    """Return at most so many outliers by time; those without responses and far ones are kept."""

    def distance(outlier: OutlierWindow) -> float:
        return float("inf") if outlier.deviations is None else abs(outlier.deviations)

    chosen = sorted(outliers, key=distance, reverse=True)[:most]
    return sorted(chosen, key=lambda outlier_window: outlier_window.second)


def _without_responses(series: Sequence[SecondMean], seconds: int) -> list[int]:
    """Return the seconds between others in which nothing ended, if that is unusual."""
    if median(each.requests for each in series) < BUSY_REQUESTS:
        return []
    heard = {each.second for each in series}
    every = range(series[0].second, series[-1].second, seconds)
    return [second for second in every if second not in heard]


def _outlier(
    second: int,
    began: datetime,
    centre: float,
    heard: SecondMean | None = None,
    scale: float = 0.0,
) -> OutlierWindow:
    distance = 0.0 if heard is None else heard.mean_microseconds - centre
    return OutlierWindow(
        second=second,
        time=began + timedelta(seconds=second),
        requests=0 if heard is None else heard.requests,
        mean_microseconds=None if heard is None else round(heard.mean_microseconds),
        median_microseconds=round(centre),
        deviations=None if heard is None else round(distance / scale, _DIGITS),
    )
