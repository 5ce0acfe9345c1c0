"""What an open loop tells beyond service times: response times, late and dropped requests."""

from collections.abc import Sequence
from typing import Any

from solrbench.results import statistics
from solrbench.results.document import RequestResult
from solrbench.results.passes import (
    bounded,
    is_planned,
    longest_response,
    merged_responses,
    milliseconds,
    response_percentile,
)

_PERCENTILES = (50, 75, 95, 99)
"""Those of `StepResult`."""

_DIGITS = 3


def response_figures(repeats: Sequence[Sequence[RequestResult]]) -> dict[str, Any]:
    """Return the fields of `StepResult` that only a planned rate has; none for a closed loop.

    Args:
        repeats: the results of one request name, repeat by repeat

    """
    results = [result for repeat in repeats for result in repeat]
    if not is_planned(results):
        return {}
    return {
        "late_requests": sum(result.late_requests for result in results),
        "dropped_requests": sum(result.dropped_requests for result in results),
        **_times(results),
        **_deviation([response_percentile(repeat, 95) for repeat in repeats]),
    }


def _times(results: Sequence[RequestResult]) -> dict[str, Any]:
    histogram, highest = merged_responses(results), longest_response(results)
    if not histogram.count:
        return {}
    total = sum(result.response_sum_microseconds for result in results)
    return {
        "response_average_milliseconds": milliseconds(total / histogram.count),
        "response_max_milliseconds": milliseconds(highest),
        **{
            f"response_p{percent}_milliseconds": milliseconds(bounded(histogram, percent, highest))
            for percent in _PERCENTILES
        },
    }


def _deviation(p95s: Sequence[int | None]) -> dict[str, Any]:
    measured = [p95 for p95 in p95s if p95 is not None]
    if len(measured) < 2:
        return {}
    percent = statistics.relative_deviation_percent(measured)
    rounded = None if percent is None else round(percent, _DIGITS)
    return {"response_p95_deviation_percent": rounded}
