"""What became of the arrivals that a planned rate is made of, all request names of a step together.

An arrival is one request, or one whole transaction. The first request of a transaction is late or
dropped with it, so adding up all request names would count it twice.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from solrbench.api.v1alpha1 import Spec
from solrbench.api.v1alpha1.status.summaries import OpenLoopStats
from solrbench.plan.step_runs import variant_names
from solrbench.results.model.request_counts import RequestCounts, sum_counts
from solrbench.results.model.step_result import RequestResult, StepRunResult, WorkerResult
from solrbench.results.stats.number_format import milliseconds
from solrbench.results.summary.grouping import StepRuns, group_step_runs


def of_arrivals(results: Sequence[RequestResult]) -> list[RequestResult]:
    """Return the results that count arrivals: without the requests inside transactions."""
    inside = tuple(f"{each.request}." for each in results if each.is_transaction)
    return [each for each in results if each.is_transaction or not each.request.startswith(inside)]


def sum_arrivals(documents: Iterable[StepRunResult]) -> RequestCounts:
    """Return the counts of all arrivals of step runs."""
    return sum_counts(each for document in documents for each in of_arrivals(document.requests))


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
        and all(each.requests_per_second is not None for each in step_runs)
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
    percentiles = [each.lag_p99_microseconds for each in workers]
    known = [lag for lag in percentiles if lag is not None]
    if not known or len(known) < len(percentiles):
        return {}
    longest = max(each.lag_max_microseconds or 0 for each in workers)
    return {
        "lag_p99_milliseconds": milliseconds(max(known)),
        "lag_max_milliseconds": milliseconds(longest),
    }
