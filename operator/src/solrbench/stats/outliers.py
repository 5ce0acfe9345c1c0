"""The seconds of a step run, and outliers among them: garbage collections, merges, neighbours."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from statistics import median

from solrbench.contract.second_series import SecondSeries
from solrbench.contract.step_document import RequestResult
from solrbench.contract.windows import MAX_OUTLIERS, OutlierWindow
from solrbench.stats.series import SecondMean, robust_deviation

MAX_DEVIATIONS = 5.0
"""A second whose mean is farther from the median is an outlier."""

MIN_SCALE = 0.01
"""Least scaled deviation, as a share of the median: where most seconds are equal, any difference
would be an outlier, however small."""

BUSY_REQUESTS = 10
"""Median requests per second from which on a second without any response is an outlier: of
independent arrivals (Poisson), one such second in e^10 = 22,000 is empty."""

_MIN_SECONDS = 5
"""Fewer seconds than this have no meaningful median."""


def find_outliers(
    series: Sequence[SecondMean],
    began: datetime,
    seconds: int = 1,
    sending_seconds: float | None = None,
) -> list[OutlierWindow]:
    """Return the seconds that are unlike the others, in the order of time.

    One is unlike the others if the mean service time is more than `MAX_DEVIATIONS` scaled median
    absolute deviations from the median of all seconds, or if nothing ended in it while the step run
    was busy. Median and MAD, unlike mean and standard deviation, are not moved by what they are to
    find: Leys et al., "Detecting outliers: Do not use standard deviation around the mean, use
    absolute deviation around the median", Journal of Experimental Social Psychology 49(4), 2013.

    Second 0 began at `began`. What `series` calls a second lasts `seconds`, which is more for
    steps of more than an hour. Where requests were sent for `sending_seconds`, the seconds at the
    end in which nothing ended any more count, too.
    """
    if len(series) < _MIN_SECONDS:
        return []
    means = [each.mean_microseconds for each in series]
    centre = median(means)
    scale = robust_deviation(means, MIN_SCALE * centre)
    outliers = []
    for each in series:
        distance = each.mean_microseconds - centre
        if scale > 0 and abs(distance) > MAX_DEVIATIONS * scale:
            changes = {
                "requests": each.requests,
                "mean_microseconds": round(each.mean_microseconds),
                "deviations": round(distance / scale, 1),
            }
            outliers.append(_outlier(each.second, began, centre).model_copy(update=changes))
    # A server that hangs has no mean at all: only a busy step run shows that by its silence.
    if median(each.requests for each in series) >= BUSY_REQUESTS:
        heard = {each.second for each in series}
        last = series[-1].second
        if sending_seconds is not None:  # the end of sending cuts the last one short
            last = max(last, int(sending_seconds) // seconds * seconds - seconds)
        every = range(series[0].second, last, seconds)
        outliers += [_outlier(second, began, centre) for second in every if second not in heard]
    return sorted(outliers, key=lambda each: each.second)


def worst(outliers: Sequence[OutlierWindow], most: int = MAX_OUTLIERS) -> list[OutlierWindow]:
    """Return at most so many outliers by time; those without responses and far ones are kept."""

    def distance(outlier: OutlierWindow) -> float:
        return float("inf") if outlier.deviations is None else abs(outlier.deviations)

    chosen = sorted(outliers, key=distance, reverse=True)[:most]
    return sorted(chosen, key=lambda outlier_window: outlier_window.second)


def _outlier(second: int, began: datetime, centre: float) -> OutlierWindow:
    return OutlierWindow(
        second=second,
        time=began + timedelta(seconds=second),
        requests=0,
        median_microseconds=round(centre),
    )


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
