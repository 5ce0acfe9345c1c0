"""The number that an objective limits, with its 95 % interval, from stored step runs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from solrbench.api.v1alpha1.objectives import Objective
from solrbench.results.model.request_counts import RequestCounts, sum_counts
from solrbench.results.model.step_result import RequestResult
from solrbench.results.stats.intervals import Interval, TimedSamples
from solrbench.results.stats.shares import share_interval
from solrbench.results.summary.goodput import MILLISECOND, good_requests
from solrbench.results.summary.grouping import StepRuns, bounded, rated_requests, seconds
from solrbench.results.summary.timed_samples import (
    ALL_REQUESTS,
    results_of,
    service_and_perceived_samples,
)


@dataclass(frozen=True)
class MeasuredValue:
    """A number in the unit of its limit.

    Attributes:
        value: the number
        interval: its 95 % interval; None if the steps were too short for one

    """

    value: float
    interval: Interval | None


@dataclass(frozen=True)
class _Requests:
    """All requests that an objective is for.

    Attributes:
        results: of all step runs
        counts: their sum
        service: their service times
        perceived: response times with a planned rate, else service times
        rate: requests per second

    """

    results: Sequence[RequestResult]
    counts: RequestCounts
    service: TimedSamples
    perceived: TimedSamples
    rate: float


def measure(objective: Objective, step_runs: StepRuns) -> MeasuredValue | None:
    """Return the number that an objective limits, over all `step_runs` of one step.

    None if they have no such requests, or if the objective is of the dataset.
    """
    found = _requests(objective.request, step_runs)
    if found is None:
        return None
    if objective.response_time is not None:
        return _percentile(found, objective.response_time.percentile)
    if objective.goodput is not None:
        return _goodput(found, objective.goodput.within_milliseconds)
    simple: list[tuple[object, Callable[[_Requests], MeasuredValue | None]]] = [
        (objective.mean_response_time, _mean),
        (objective.failures, _failed_percent),
        (objective.throughput, _throughput),
    ]
    return next((read(found) for limit, read in simple if limit is not None), None)


def failed_percent(step_runs: StepRuns) -> float:
    """Return the share of all planned requests that failed or were dropped, in per cent."""
    found = _requests(None, step_runs)
    return 0.0 if found is None else _failed_percent(found).value


def _requests(request: str | None, step_runs: StepRuns) -> _Requests | None:
    repeats = results_of(request or ALL_REQUESTS, step_runs)
    results = [each for repeat in repeats for each in repeat]
    counts = sum_counts(results)
    if not counts.due or not seconds(step_runs):
        return None
    service, perceived = service_and_perceived_samples(repeats, counts)
    rate = rated_requests(step_runs, request) / seconds(step_runs)
    return _Requests(results, counts, service, perceived, rate)


def _percentile(found: _Requests, percent: float) -> MeasuredValue | None:
    samples = found.perceived
    value = bounded(samples.histogram, percent, samples.max_microseconds)
    if value is None:
        return None
    return MeasuredValue(value / MILLISECOND, _milliseconds(samples.percentile_interval(percent)))


def _mean(found: _Requests) -> MeasuredValue | None:
    samples = found.perceived
    if not samples.histogram.count:
        return None
    value = samples.sum_microseconds / samples.histogram.count
    return MeasuredValue(value / MILLISECOND, _milliseconds(samples.mean_interval()))


def _failed_percent(found: _Requests) -> MeasuredValue:
    failed = found.counts.unanswered
    effect = max((each.failure_effect or 1.0 for each in found.results), default=1.0)
    interval = share_interval(failed, found.counts.due, effect)
    percents = None if interval is None else Interval(*(100 * each for each in interval))
    return MeasuredValue(100 * failed / found.counts.due, percents)


def _throughput(found: _Requests) -> MeasuredValue:
    return _rate(found, 1.0, Interval(1.0, 1.0))


def _goodput(found: _Requests, within_milliseconds: int) -> MeasuredValue:
    good = good_requests(found.perceived, found.results, within_milliseconds)
    whole = found.counts.requests
    share = share_interval(min(good, whole), whole) or Interval(0.0, 1.0)
    return _rate(found, good / whole if whole else 0.0, share)


def _rate(found: _Requests, share: float, interval: Interval) -> MeasuredValue:
    """Return a share of the rate; both errors are added, which is rather too wide."""
    error = found.service.rate_error()
    if error is None:
        return MeasuredValue(found.rate * share, None)
    lower = found.rate * max(1 - error, 0.0) * interval.lower
    upper = found.rate * (1 + error) * interval.upper
    return MeasuredValue(found.rate * share, Interval(lower, upper))


def _milliseconds(found: Interval | None) -> Interval | None:
    return None if found is None else Interval(*(each / MILLISECOND for each in found))
