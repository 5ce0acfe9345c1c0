"""Response times, which only an open loop has beyond service times."""

from collections.abc import Sequence
from typing import Any

from solrbench.results.model.request_counts import RequestCounts
from solrbench.results.model.step_result import RequestResult
from solrbench.results.stats.intervals import TimedSamples
from solrbench.results.summary.grouping import is_planned, response_percentile
from solrbench.results.summary.interval_fields import mean_interval
from solrbench.results.summary.latency_fields import deviation_percent, time_fields


def response_figures(
    repeats: Sequence[Sequence[RequestResult]], counts: RequestCounts, samples: TimedSamples
) -> dict[str, Any]:
    """Return the response times of `StepResult`; none for a closed loop.

    Args:
        repeats: the results of one request name, repeat by repeat
        counts: their sum
        samples: their response times

    """
    results = [result for repeat in repeats for result in repeat]
    if not is_planned(results):
        return {}
    return {
        **time_fields(
            "response_",
            samples.histogram,
            counts.response_sum_microseconds,
            counts.response_max_microseconds,
        ),
        "response_average_milliseconds_interval": mean_interval(samples),
        "response_p95_deviation_percent": deviation_percent(
            response_percentile(repeat, 95) for repeat in repeats
        ),
    }
