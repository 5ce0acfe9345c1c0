"""The times of a request name, or of all of a step, with the blocks that show their spread."""

from collections.abc import Sequence

from solrbench.results.model.request_counts import RequestCounts
from solrbench.results.model.step_result import RequestResult
from solrbench.results.stats.intervals import TimedSamples
from solrbench.results.stats.time_blocks import TimeBlocks
from solrbench.results.summary.grouping import (
    StepRuns,
    is_planned,
    merged,
    merged_responses,
)

ALL_REQUESTS = "all requests"
"""Name of the result of all requests of a step. A name in a query file has no blank."""

Repeats = Sequence[Sequence[RequestResult]]
"""Results, repeat by repeat."""


def results_of(request: str, step_runs: StepRuns) -> list[list[RequestResult]]:
    """Return the results of a request name, or of `ALL_REQUESTS`, repeat by repeat."""
    return [
        [
            each
            for each in document.requests
            if (not each.is_transaction if request == ALL_REQUESTS else each.request == request)
        ]
        for document in step_runs
    ]


def service_and_perceived_samples(
    repeats: Repeats, counts: RequestCounts
) -> tuple[TimedSamples, TimedSamples]:
    """Return the service times, and the times that a user perceives."""
    service = service_samples(repeats, counts)
    is_open = is_planned(result for repeat in repeats for result in repeat)
    return service, response_samples(repeats, counts) if is_open else service


def service_samples(repeats: Repeats, counts: RequestCounts) -> TimedSamples:
    """Return the service times; `counts` is the sum over all results."""
    return TimedSamples(
        merged(result for repeat in repeats for result in repeat),
        [_blocks([each.service_time_blocks for each in repeat]) for repeat in repeats],
        counts.sum_microseconds,
        counts.max_microseconds,
    )


def response_samples(repeats: Repeats, counts: RequestCounts) -> TimedSamples:
    """Return the response times, empty for closed loops."""
    return TimedSamples(
        merged_responses(result for repeat in repeats for result in repeat),
        [_blocks([each.response_time_blocks for each in repeat]) for repeat in repeats],
        counts.response_sum_microseconds,
        counts.response_max_microseconds,
    )


def _blocks(stored: Sequence[str]) -> TimeBlocks:
    return TimeBlocks.merged(map(TimeBlocks.decode, stored))
