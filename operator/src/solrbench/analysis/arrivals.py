"""What became of the arrivals that a planned rate is made of, all request names of a step together.

An arrival is one request, or one whole transaction. The first request of a transaction is late or
dropped with it, so adding up all request names would count it twice.

Goodput: the rate of good responses that came in time.

The share of good responses in time, times the rate. A failure is good in no time: failures that
came within the limit are taken off. In an open loop they are counted by their service times, which
are shorter than response times, so goodput is rather too low than too high.

Counts of few buckets over all repeats, for a metric that adds up over benchmarks.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from solrbench.analysis.samples import (
    ALL_REQUESTS,
    StepRuns,
    group_step_runs,
    requests,
    results_of,
    service_and_perceived_samples,
)
from solrbench.api.v1alpha1 import Spec
from solrbench.api.v1alpha1.comparisons import OpenLoopStats
from solrbench.api.v1alpha1.objectives import Objective
from solrbench.api.v1alpha1.step_result import BOUNDS_SECONDS, Distribution
from solrbench.contract.request_counts import RequestCounts, sum_counts
from solrbench.contract.step_document import RequestResult, StepRunResult, WorkerResult
from solrbench.contract.step_runs import variant_names
from solrbench.stats import histograms
from solrbench.stats.histograms import Histogram
from solrbench.stats.intervals import TimedSamples
from solrbench.stats.number_format import milliseconds, round_number


def of_arrivals(results: Sequence[RequestResult]) -> list[RequestResult]:
    """Return the results that count arrivals: without the requests inside transactions."""
    inside = tuple(f"{result.request}." for result in results if result.is_transaction)
    return [
        result
        for result in results
        if result.is_transaction or not result.request.startswith(inside)
    ]


def sum_arrivals(documents: Iterable[StepRunResult]) -> RequestCounts:
    """Return the counts of all arrivals of step runs."""
    return sum_counts(result for document in documents for result in of_arrivals(document.requests))


def late(document: StepRunResult) -> int:
    """Return the arrivals of a step run that were sent late."""
    return sum_arrivals([document]).late_requests


def dropped(document: StepRunResult) -> int:
    """Return the arrivals of a step run that were never sent."""
    return sum_arrivals([document]).dropped_requests


def open_loop_stats(spec: Spec, documents: Iterable[StepRunResult]) -> list[OpenLoopStats]:
    """Return how each step with a planned rate was sent, for those that have stored step runs.

    Raises:
        ValueError: as `group_step_runs`.
    """
    runs_by_step = group_step_runs(spec, documents)
    return [
        _step_stats(step.name, variant, step_runs)
        for step in spec.load.steps
        for variant in variant_names(spec)
        if (step_runs := runs_by_step[step.name, variant])
        and all(step_run.requests_per_second is not None for step_run in step_runs)
    ]


def _step_stats(step: str, variant: str, step_runs: StepRuns) -> OpenLoopStats:
    plans = [document.planned_requests for document in step_runs]
    arrivals = sum_arrivals(step_runs)
    return OpenLoopStats(
        step=step,
        variant=variant or None,
        planned_arrivals=None if None in plans else sum(plan or 0 for plan in plans),
        sent_arrivals=arrivals.requests,
        late_arrivals=arrivals.late_requests,
        dropped_arrivals=arrivals.dropped_requests,
        **_lags([worker for document in step_runs for worker in document.workers]),
    )


def _lags(workers: Sequence[WorkerResult]) -> dict[str, Any]:
    """Return the worst lags: percentiles of several workers cannot be combined.

    There is none if a worker did not report its own, which may have been the worst. One that never
    found a connection free has no percentile, and a longest lag that nothing stands behind.
    """
    percentiles = [worker.lag_p99_microseconds for worker in workers]
    known = [lag for lag in percentiles if lag is not None]
    if not known or len(known) < len(percentiles):
        return {}
    longest = max(worker.lag_max_microseconds or 0 for worker in workers)
    return {
        "lag_p99_milliseconds": milliseconds(max(known)),
        "lag_max_milliseconds": milliseconds(longest),
    }


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
        for objective in objectives
        if (limit := _time_limit(objective)) is not None
        and (not objective.steps or step in objective.steps)
        and (objective.request is None or objective.request == request)
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
        result.failed_time_histogram for result in results if result.failed_time_histogram
    )
    in_time, failed_in_time = _within(samples.histogram, limit), _within(failed, limit)
    # Documents of older versions have no times of failures: then each counts as one in time.
    unknown = sum(result.failures for result in results) - failed.count
    return max(in_time - failed_in_time - unknown, 0)


def _within(histogram: Histogram, microseconds: int) -> int:
    return histogram.count - histogram.count_above(microseconds)


def merge_distributions(spec: Spec, documents: Sequence[StepRunResult]) -> list[Distribution]:
    """Return one entry for each step and variant: how long all requests took.

    Raises:
        ValueError: as `merge_steps`.
    """
    runs_by_step = group_step_runs(spec, documents)
    return [
        _merge(step.name, variant, runs_by_step[step.name, variant])
        for step in spec.load.steps
        for variant in variant_names(spec)
        if requests(runs_by_step[step.name, variant])
    ]


def _merge(step: str, variant: str, step_runs: StepRuns) -> Distribution:
    results = results_of(ALL_REQUESTS, step_runs)
    counts = sum_counts(result for repeat in results for result in repeat)
    _, samples = service_and_perceived_samples(results, counts)
    histogram = samples.histogram
    return Distribution(
        step=step,
        variant=variant or None,
        within=[
            histogram.count - histogram.count_above(round(1e6 * bound)) for bound in BOUNDS_SECONDS
        ],
        requests=histogram.count,
        total_seconds=round_number(samples.sum_microseconds / 1e6),
    )
