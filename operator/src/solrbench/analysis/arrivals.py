"""What became of the arrivals that a planned rate is made of, and the goodput of a step.

An arrival is one request, or one whole transaction. The first request of a transaction is late or
dropped with it, so adding up all request names would count it twice. Goodput is the share of good
responses that came in time, times the rate.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from solrbench.analysis.samples import ALL_REQUESTS, BenchmarkSamples
from solrbench.api.v1alpha1.objectives import Objective
from solrbench.api.v1alpha1.step_details import OpenLoopStats
from solrbench.api.v1alpha1.step_result import BOUNDS_SECONDS, Distribution
from solrbench.contract.request_counts import RequestCounts, sum_counts
from solrbench.contract.step_document import RequestResult, StepRunResult, WorkerResult
from solrbench.stats.number_format import milliseconds, round_number


def of_arrivals(results: Sequence[RequestResult]) -> list[RequestResult]:
    """Return the results that count arrivals: without the requests inside transactions."""
    inside = tuple(f"{result.request}." for result in results if result.is_transaction)
    return [each for each in results if each.is_transaction or not each.request.startswith(inside)]


def sum_arrivals(documents: Iterable[StepRunResult]) -> RequestCounts:
    """Return the counts of all arrivals of step runs."""
    return sum_counts(result for document in documents for result in of_arrivals(document.requests))


# A counter is named in as few files as can be: what else asks for one asks these functions.
def late(document: StepRunResult) -> int:
    """Return the arrivals of a step run that were sent late."""
    return sum_arrivals([document]).late_requests


def dropped(document: StepRunResult) -> int:
    """Return the arrivals of a step run that were never sent."""
    return sum_arrivals([document]).dropped_requests


def open_loop_stats(samples: BenchmarkSamples) -> list[OpenLoopStats]:
    """Return how each step with a planned rate was sent, for those that have stored step runs."""
    found = []
    for step, variant, step_samples in samples.steps():
        runs = step_samples.documents
        if any(run.requests_per_second is None for run in runs):
            continue
        plans, sent = [run.planned_requests for run in runs], sum_arrivals(runs)
        stats = OpenLoopStats(
            step=step,
            variant=variant or None,
            # What is left of a step run that broke off lacks the plan: the sum would be too small.
            planned_arrivals=None if None in plans else sum(plan or 0 for plan in plans),
            sent_arrivals=sent.requests,
            late_arrivals=sent.late_requests,
            dropped_arrivals=sent.dropped_requests,
            **_lags([worker for run in runs for worker in run.workers]),
        )
        found.append(stats)
    return found


def _lags(workers: Sequence[WorkerResult]) -> dict[str, Any]:
    """Return the worst lags: percentiles of several workers cannot be combined."""
    known = [lag for worker in workers if (lag := worker.lag_p99_microseconds) is not None]
    # A worker without a percentile did not report it, or never found a connection free: its lag may
    # have been the worst.
    if not known or len(known) < len(workers):
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
    """Return the shortest time limit for a request name (None for all) in a step, if any."""
    limits = []
    for objective in objectives:
        in_step = not objective.steps or step in objective.steps
        if in_step and objective.request in {None, request}:
            if objective.goodput is not None:
                limits.append(objective.goodput.within_milliseconds)
            elif objective.response_time is not None:
                limits.append(objective.response_time.max_milliseconds)
    return min(limits, default=None)


def merge_distributions(samples: BenchmarkSamples) -> list[Distribution]:
    """Return one entry for each step and variant: how long all requests took."""
    found = []
    for step, variant, step_samples in samples.steps():
        if not step_samples.requests:
            continue
        requests = step_samples.of(ALL_REQUESTS)
        times, counts = requests.perceived, requests.counts
        spent = counts.response_sum_microseconds if requests.is_planned else counts.sum_microseconds
        distribution = Distribution(
            step=step,
            variant=variant or None,
            within=[times.within(round(1e6 * bound)) for bound in BOUNDS_SECONDS],
            requests=times.count,
            total_seconds=round_number(spent / 1e6),
        )
        found.append(distribution)
    return found
