"""Results of an open loop beyond service times: response times, late and dropped requests."""

from collections.abc import Sequence
from typing import Any

from solrbench.results.model.step_result import RequestResult
from solrbench.results.summary.grouping import (
    is_planned,
    max_response_time,
    merged_responses,
    response_percentile,
)
from solrbench.results.summary.latency_fields import deviation_percent, time_fields


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
        **time_fields(
            "response_",
            merged_responses(results),
            sum(result.response_sum_microseconds for result in results),
            max_response_time(results),
        ),
        "response_p95_deviation_percent": deviation_percent(
            response_percentile(repeat, 95) for repeat in repeats
        ),
    }
