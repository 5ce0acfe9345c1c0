"""Goodput: the rate of good responses that came in time.

The share of good responses in time, times the rate. A failure is good in no time: failures that
came within the limit are taken off. In an open loop they are counted by their service times, which
are shorter than response times, so goodput is rather too low than too high.
"""

from collections.abc import Iterable, Sequence

from solrbench.api.v1alpha1.objectives import Objective
from solrbench.results.model.step_result import RequestResult
from solrbench.results.stats import histograms
from solrbench.results.stats.histograms import Histogram
from solrbench.results.stats.intervals import TimedSamples

MILLISECOND = 1000
"""In microseconds."""


def time_limit_milliseconds(
    objectives: Iterable[Objective], step: str, request: str | None
) -> int | None:
    """Return the shortest time in which a response must come; None if there is no such limit.

    `request` is a request name; None for all requests, which limits of one name do not limit.
    """
    limits = [
        limit
        for each in objectives
        if (limit := _time_limit(each)) is not None
        and (not each.steps or step in each.steps)
        and (each.request is None or each.request == request)
    ]
    return min(limits, default=None)


def _time_limit(objective: Objective) -> int | None:
    if objective.goodput is not None:
        return objective.goodput.within_milliseconds
    return None if objective.response_time is None else objective.response_time.max_milliseconds


def good_requests(
    samples: TimedSamples, results: Sequence[RequestResult], within_milliseconds: int
) -> int:
    """Return how many good responses came within a time.

    Args:
        samples: response times of all requests, failures included
        results: the results they are of
        within_milliseconds: the time

    """
    limit = within_milliseconds * MILLISECOND
    failed = histograms.merge(
        each.failed_time_histogram for each in results if each.failed_time_histogram
    )
    in_time, failed_in_time = _within(samples.histogram, limit), _within(failed, limit)
    # Documents of older versions have no times of failures: then each counts as one in time.
    unknown = sum(each.failures for each in results) - failed.count
    return max(in_time - failed_in_time - unknown, 0)


def _within(histogram: Histogram, microseconds: int) -> int:
    return histogram.count - histogram.count_above(microseconds)
