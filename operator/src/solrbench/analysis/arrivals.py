"""What became of the arrivals that a planned rate is made of, and the goodput of a step.

An arrival is one request, or one whole transaction. The first request of a transaction is late or
dropped with it, so adding up all request names would count it twice. Goodput is the share of good
responses that came in time, times the rate.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from solrbench.analysis.samples import ALL_REQUESTS, BenchmarkSamples, StepRuns, StepSamples
from solrbench.api.v1alpha1.comparisons import OpenLoopStats
from solrbench.api.v1alpha1.objectives import Objective
from solrbench.api.v1alpha1.step_result import BOUNDS_SECONDS, Distribution
from solrbench.contract.request_counts import RequestCounts, sum_counts
from solrbench.contract.step_document import RequestResult, StepRunResult, WorkerResult
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


def open_loop_stats(samples: BenchmarkSamples) -> list[OpenLoopStats]:
    """Return how each step with a planned rate was sent, for those that have stored step runs."""
    return [
        _step_stats(step, variant, step_samples.documents)
        for step, variant, step_samples in samples.steps()
        if all(each.requests_per_second is not None for each in step_samples.documents)
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


def merge_distributions(samples: BenchmarkSamples) -> list[Distribution]:
    """Return one entry for each step and variant: how long all requests took."""
    return [
        _merge(step, variant, step_samples)
        for step, variant, step_samples in samples.steps()
        if step_samples.requests
    ]


def _merge(step: str, variant: str, step_samples: StepSamples) -> Distribution:
    samples = step_samples.of(ALL_REQUESTS)
    times, counts = samples.perceived, samples.counts
    spent = counts.response_sum_microseconds if samples.is_planned else counts.sum_microseconds
    return Distribution(
        step=step,
        variant=variant or None,
        within=[times.within(round(1e6 * bound)) for bound in BOUNDS_SECONDS],
        requests=times.count,
        total_seconds=round_number(spent / 1e6),
    )
