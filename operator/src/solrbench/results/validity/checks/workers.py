"""Whether the load workers saw the same service times."""

import math
from collections.abc import Sequence
from statistics import median

from solrbench.api.v1alpha1.load.load import Load
from solrbench.results.model.step_result import StepRunResult, WorkerPercentile, WorkerResult
from solrbench.results.stats.number_format import (
    format_milliseconds,
    format_number,
    format_percent,
)
from solrbench.results.validity.checks.finding import Finding, NotEvaluated, Outcome, worst

_SUPPORT = 10
"""Requests of a worker that must be expected beyond its percentile."""

_LEAST_MICROSECONDS = 1000
"""A difference of less than a millisecond is that of two machines, not of a bad one."""

_ERRORS = 5.0
"""Standard errors of a share beyond chance: requests of one worker resemble each other, which makes
chance differences larger than those of independent ones."""

_Seen = tuple[WorkerResult, WorkerPercentile]


def check_workers_differ(document: StepRunResult, load: Load) -> Outcome:
    """Compare a percentile of each worker with the median of the others.

    Where a few stalls make up the tail, percentiles of equal workers differ widely. So the share of
    the worker's requests beyond the percentile of all must differ, too.
    """
    if len(document.workers) < 2:
        return None
    seen = [
        (worker, found)
        for worker in document.workers
        if (found := _percentile(worker, load.validity.percentile))
    ]
    supported = [
        each for each in seen if each[0].requests * (100 - each[1].percent) >= 100 * _SUPPORT
    ]
    if len(supported) < 2:
        return NotEvaluated("too few requests of each worker to compare their percentiles")
    limit = load.validity.max_worker_difference_percent
    return worst(
        finding
        for each in supported
        if (finding := _compare(each, [other for other in supported if other is not each], limit))
    )


def _percentile(worker: WorkerResult, percent: int) -> WorkerPercentile | None:
    """Return the lowest percentile that was kept and is not below `percent`."""
    return next((each for each in worker.percentiles if each.percent >= percent), None)


def _compare(seen: _Seen, others: Sequence[_Seen], limit: float) -> Finding | None:
    worker, found = seen
    usual = median(each.microseconds for _, each in others)
    above = found.microseconds - usual
    if above < _LEAST_MICROSECONDS or 100 * above <= limit * usual:
        return None
    errors = _errors(seen, others)
    if errors <= _ERRORS:
        return None
    percent = 100 * above / usual
    return Finding(
        percent,
        f"p{found.percent} of worker {worker.worker} is"
        f" {format_milliseconds(found.microseconds / 1000)}, {format_percent(percent)} above the"
        f" {format_milliseconds(usual / 1000)} of the others (limit {format_percent(limit)}; by"
        f" {format_number(errors)} standard errors more of its requests are that slow)",
    )


def _errors(seen: _Seen, others: Sequence[_Seen]) -> float:
    """Return by how many standard errors the shares of slow requests differ (two proportions)."""
    worker, found = seen
    requests = sum(other.requests for other, _ in others)
    beyond = sum(each.beyond for _, each in others)
    whole = (found.beyond + beyond) / (worker.requests + requests)
    error = math.sqrt(whole * (1 - whole) * (1 / worker.requests + 1 / requests))
    return (found.beyond / worker.requests - beyond / requests) / error if error else 0.0
