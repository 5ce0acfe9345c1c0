"""The service times of each worker beside those of all.

One worker beside a noisy neighbour, or in another zone, shifts the tail of the sum, and in the sum
it cannot be seen (Treadmill, ISCA 2016, takes percentiles per client for that reason).
"""

from collections.abc import Sequence

from solrbench.load.recording.worker_result import WorkerStepResult
from solrbench.results.model.step_result import WorkerPercentile
from solrbench.results.stats import histograms
from solrbench.results.stats.histograms import Histogram

PERCENTS = (50, 95, 99)


def compare_workers(results: Sequence[WorkerStepResult]) -> list[list[WorkerPercentile]]:
    """Return the percentiles of each worker in the order of `results`; none of a single worker."""
    if len(results) < 2:
        return [[] for _ in results]
    own = [_service_times(result) for result in results]
    whole = Histogram()
    for each in own:
        whole.add(each)
    pooled = {percent: whole.percentile(percent) for percent in PERCENTS}
    return [_percentiles(each, pooled) for each in own]


def _service_times(result: WorkerStepResult) -> Histogram:
    return histograms.merge(
        each.service_time_histogram for each in result.requests if not each.is_transaction
    )


def _percentiles(own: Histogram, pooled: dict[int, int | None]) -> list[WorkerPercentile]:
    return [
        WorkerPercentile(percent=percent, microseconds=value, beyond=own.count_above(limit))
        for percent, limit in pooled.items()
        if limit is not None and (value := own.percentile(percent)) is not None
    ]
