"""The times of a request name, or of all of a step, with the blocks that show their spread."""

from collections.abc import Sequence

from solrbench.results.model.request_counts import RequestCounts
from solrbench.results.model.step_result import RequestResult
from solrbench.results.stats.intervals import TimedSamples
from solrbench.results.stats.time_blocks import TimeBlocks
from solrbench.results.summary.grouping import merged, merged_responses

Repeats = Sequence[Sequence[RequestResult]]
"""Results, repeat by repeat."""


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
