"""Stored step runs of all repeats as the numbers of the status.

Histograms are added and percentiles read from the sum: a mean of percentiles is no percentile of
anything. Means over repeats appear only beside it, to show how far repeats differ.

Means, percentiles and rates of one step run with their intervals, as they are stored.

Times and their spread as fields of `StepResult`.

Intervals as fields of the status.

Response times, which only an open loop has beyond service times.
"""

from collections.abc import Container, Iterable, Sequence
from statistics import fmean
from typing import Any

from solrbench.analysis.arrivals import good_requests, time_limit_milliseconds
from solrbench.analysis.samples import (
    ALL_REQUESTS,
    Repeats,
    StepRuns,
    bounded,
    group_step_runs,
    is_planned,
    perceived_percentile,
    percentile,
    rated_requests,
    request_names,
    requests,
    response_percentile,
    response_samples,
    results_of,
    seconds,
    service_and_perceived_samples,
    service_samples,
)
from solrbench.api.v1alpha1 import Spec
from solrbench.api.v1alpha1.comparisons import Summary
from solrbench.api.v1alpha1.conditions import OnlyWith
from solrbench.api.v1alpha1.load import Step
from solrbench.api.v1alpha1.step_result import RESULT_FIELDS, Interval, PercentileResult, StepResult
from solrbench.contract.request_counts import (
    Figure,
    PercentileFigure,
    RequestCounts,
    TimeFigures,
    sum_counts,
)
from solrbench.contract.step_document import RequestResult, StepRunResult
from solrbench.contract.step_runs import variant_names
from solrbench.stats import intervals
from solrbench.stats.distributions import relative_deviation_percent
from solrbench.stats.histograms import Histogram
from solrbench.stats.intervals import ConfidenceBounds, TimedSamples, design_effect
from solrbench.stats.number_format import milliseconds, round_number, share_percent

_DIGITS = 3


def with_metrics(document: StepRunResult, percents: Iterable[float]) -> StepRunResult:
    """Return a step run with the figures of every request name.

    Raises:
        ValueError: if its histograms or blocks are none.
    """
    chosen = list(percents)
    requests = [_with_metrics(request, chosen) for request in document.requests]
    return document.model_copy(update={"requests": requests})


def _with_metrics(result: RequestResult, percents: list[float]) -> RequestResult:
    service = service_samples([[result]], result)
    rate_error = service.rate_error()
    figures = {
        "rate_error_percent": None if rate_error is None else round(100 * rate_error, _DIGITS),
        "failure_effect": _failure_design_effect(result),
        "service_times": _figures(service, percents),
        "response_times": _figures(response_samples([[result]], result), percents),
    }
    return result.model_copy(update=figures)


def _failure_design_effect(result: RequestResult) -> float | None:
    if not result.failures:
        return None
    failed = [window.failures for window in result.windows]
    return round(design_effect(failed, [window.requests for window in result.windows]), _DIGITS)


def _figures(samples: TimedSamples, percents: list[float]) -> TimeFigures | None:
    count = samples.histogram.count
    if not count:
        return None
    mean = Figure(
        microseconds=round(samples.sum_microseconds / count, _DIGITS),
        **_bounds(samples.mean_interval()),
    )
    percentiles = [
        PercentileFigure(
            percent=percent,
            microseconds=bounded(samples.histogram, percent, samples.max_microseconds) or 0,
            **_bounds(samples.percentile_interval(percent)),
        )
        for percent in percents
    ]
    return TimeFigures(mean=mean, percentiles=percentiles)


def _bounds(interval: ConfidenceBounds | None) -> dict[str, float]:
    if interval is None:
        return {}
    return {
        "lower_microseconds": round(interval.lower, _DIGITS),
        "upper_microseconds": round(interval.upper, _DIGITS),
    }


PERCENTILES = (50, 75, 95, 99)
"""Those of `StepResult`."""

DIGITS = 3
"""Decimals kept: thousandths of a request per second and of a percent."""


def time_fields(
    prefix: str, histogram: Histogram, total_microseconds: int, highest_microseconds: int | None
) -> dict[str, float | None]:
    """Return average, maximum and percentiles under names with a prefix; none without samples."""
    if not histogram.count:
        return {}
    percentiles = {
        f"{prefix}p{percent}_milliseconds": milliseconds(
            bounded(histogram, percent, highest_microseconds)
        )
        for percent in PERCENTILES
    }
    return {
        f"{prefix}average_milliseconds": milliseconds(total_microseconds / histogram.count),
        f"{prefix}max_milliseconds": milliseconds(highest_microseconds),
        **percentiles,
    }


def deviation_percent(values: Iterable[float | None]) -> float | None:
    """Return how far repeats differ, None with fewer than two that were measured."""
    measured = [value for value in values if value is not None]
    if len(measured) < 2:
        return None
    percent = relative_deviation_percent(measured)
    return None if percent is None else round(percent, DIGITS)


def mean(values: Iterable[float | None]) -> float | None:
    """Return the mean over repeats, None with fewer than two that were measured."""
    measured = [value for value in values if value is not None]
    return fmean(measured) if len(measured) >= 2 else None


def mean_interval(samples: TimedSamples) -> Interval | None:
    """Return the interval of the mean in ms; None if the step was too short for it."""
    return _milliseconds(samples.mean_interval())


def rate_interval(samples: TimedSamples, rate: float) -> Interval | None:
    """Return the interval of a rate; None if the step was too short for it."""
    error = samples.rate_error()
    if error is None:
        return None
    lower, upper = rate * max(1 - error, 0.0), rate * (1 + error)
    return Interval(lower=round(lower, DIGITS), upper=round(upper, DIGITS))


def percentile_interval(samples: TimedSamples, percent: float) -> Interval | None:
    """Return the interval of a percentile in ms; None if the step was too short for it."""
    return _milliseconds(samples.percentile_interval(percent))


def percentile_results(samples: TimedSamples, percents: Iterable[float]) -> list[PercentileResult]:
    """Return percentiles with their intervals; none without samples."""
    return [
        PercentileResult(
            percent=percent,
            milliseconds=value,
            lower_milliseconds=interval.lower if interval else None,
            upper_milliseconds=interval.upper if interval else None,
        )
        for percent in percents
        if (value := milliseconds(bounded(samples.histogram, percent, samples.max_microseconds)))
        is not None
        for interval in [percentile_interval(samples, percent)]
    ]


def _milliseconds(found: intervals.ConfidenceBounds | None) -> Interval | None:
    if found is None:
        return None
    return Interval(lower=milliseconds(found.lower), upper=milliseconds(found.upper))


def response_metrics(
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


def merge_steps(spec: Spec, documents: Sequence[StepRunResult]) -> list[StepResult]:
    """Return one result for each step (in the order of the ladder), request name and variant.

    `documents` holds the stored step runs; of several with the same id the last attempt counts.
    A request name that a repeat never sent counts there with a rate of zero.

    Raises:
        ValueError: if a document refers to a step or variant that `spec` does not have, or has
            requests but no duration.
    """
    runs_by_step = group_step_runs(spec, documents)
    return [
        _merge(spec, step, variant, name, runs_by_step[step.name, variant])
        for step in spec.load.steps
        for name in request_names(runs_by_step, step.name)
        for variant in variant_names(spec)
        if seconds(runs_by_step[step.name, variant]) > 0
    ]


def merge_totals(spec: Spec, documents: Sequence[StepRunResult]) -> list[StepResult]:
    """Return one result for each step and variant: all requests together, under `ALL_REQUESTS`.

    Raises:
        ValueError: as `merge_steps`.
    """
    runs_by_step = group_step_runs(spec, documents)
    return [
        _merge(spec, step, variant, ALL_REQUESTS, runs_by_step[step.name, variant])
        for step in spec.load.steps
        for variant in variant_names(spec)
        if requests(runs_by_step[step.name, variant])
    ]


def summarise(spec: Spec, documents: Sequence[StepRunResult]) -> Summary:
    """Return the headline: the last step of the ladder that has results, all requests together.

    With variants it is that of the first one: the sum of several endpoints is the rate of none.

    Raises:
        ValueError: as `merge_steps`.
    """
    baseline = variant_names(spec)[0]
    runs_by_step = group_step_runs(spec, documents)
    load_shape = [runs_by_step[step.name, baseline] for step in spec.load.steps]
    measured = [step_runs for step_runs in load_shape if requests(step_runs)]
    if not measured:
        return Summary()
    step_runs = measured[-1]
    repeats = results_of(ALL_REQUESTS, step_runs)
    results = [result for repeat in repeats for result in repeat]
    counts = sum_counts(results)
    service, perceived = service_and_perceived_samples(repeats, counts)
    p95 = perceived_percentile(results, 95)
    rate = rated_requests(step_runs) / seconds(step_runs)
    return Summary(
        step=step_runs[0].step,
        requests_per_second=round_number(rate),
        requests_per_second_interval=rate_interval(service, rate),
        p95_milliseconds=None if p95 is None else round_number(p95 / 1000),
        p95_milliseconds_interval=percentile_interval(perceived, 95),
        failed_percent=share_percent(counts.failures, requests(step_runs)),
    )


def _merge(spec: Spec, step: Step, variant: str, request: str, step_runs: StepRuns) -> StepResult:
    repeats = results_of(request, step_runs)
    results = [result for repeat in repeats for result in repeat]
    counts = sum_counts(results)
    service, perceived = service_and_perceived_samples(repeats, counts)
    rates = [
        document.rated(sum_counts(repeat)) / document.rate_seconds
        for document, repeat in zip(step_runs, repeats, strict=True)
        if document.rate_seconds > 0
    ]
    name = None if request == ALL_REQUESTS else request
    rate = rated_requests(step_runs, name) / seconds(step_runs)
    return StepResult(
        step=step.name,
        variant=variant or None,
        request=request,
        is_transaction=any(result.is_transaction for result in results) or None,
        repeats=len(step_runs),
        requests_per_second=round(rate, DIGITS),
        requests_per_second_interval=rate_interval(service, rate),
        percentiles=percentile_results(perceived, spec.load.percentiles),
        drain_seconds=_drain_seconds(step_runs),
        steady_from_second=_steady_from(step_runs),
        outlier_windows=_outlier_windows(step_runs),
        goodput_requests_per_second=_goodput(spec, step, name, repeats, rate),
        **_counted(counts, _only_with(step, results)),
        **_service_times(service, counts, has_users=step.users is not None),
        **_deviations(rates, [percentile(repeat, 95) for repeat in repeats]),
        **response_metrics(repeats, counts, perceived),
    )


def _goodput(spec: Spec, step: Step, name: str | None, found: Repeats, rate: float) -> float | None:
    """Return the rate of good responses in time; None without an objective that sets the time."""
    within = time_limit_milliseconds(spec.objectives, step.name, name)
    results = [result for repeat in found for result in repeat]
    counts = sum_counts(results)
    if within is None or not counts.requests:
        return None
    _, perceived = service_and_perceived_samples(found, counts)
    good = good_requests(perceived, results, within)
    return round(rate * min(good / counts.requests, 1.0), DIGITS)


def _counted(counts: RequestCounts, has: Container[OnlyWith | None]) -> dict[str, Any]:
    """Return the counts that the status shows under the same name, of a step that has `has`."""
    numbers = counts.numbers()
    return {
        field.name: numbers[field.name]
        for field in RESULT_FIELDS
        if field.name in numbers and field.shown.only_with in has
    }


def _only_with(step: Step, results: Sequence[RequestResult]) -> set[OnlyWith | None]:
    """Return what a step has that not all have; None stands for what all have."""
    has: set[OnlyWith | None] = {None}
    if step.spawn_rate is not None or step.ramp_seconds is not None:
        has.add(OnlyWith.RAMP)
    if is_planned(results):
        has.add(OnlyWith.PLANNED_RATE)
    return has


def _steady_from(step_runs: StepRuns) -> int | None:
    """Return when the last repeat became steady; None if one of them never did."""
    steady_seconds = [document.steady_from_second for document in step_runs]
    known = [second for second in steady_seconds if second is not None]
    return max(known) if known and len(known) == len(steady_seconds) else None


def _drain_seconds(step_runs: StepRuns) -> float | None:
    """Return the longest drain; None unless that of all repeats is known."""
    known = [step_run.drain_seconds for step_run in step_runs if step_run.drain_seconds is not None]
    return round(max(known), DIGITS) if known and len(known) == len(step_runs) else None


def _outlier_windows(step_runs: StepRuns) -> int | None:
    known = [
        step_run.outlier_windows for step_run in step_runs if step_run.outlier_windows is not None
    ]
    return sum(known) if known else None


def _service_times(
    samples: TimedSamples, counts: RequestCounts, *, has_users: bool
) -> dict[str, Any]:
    times = time_fields("", samples.histogram, counts.sum_microseconds, counts.max_microseconds)
    return {
        "min_milliseconds": milliseconds(counts.min_microseconds),
        **times,
        "average_milliseconds_interval": mean_interval(samples),
        # Milliseconds of one request are seconds of a thousand.
        "seconds_per_thousand_requests": times.get("average_milliseconds") if has_users else None,
    }


def _deviations(rates: Sequence[float], p95s: Sequence[int | None]) -> dict[str, float | None]:
    rate = mean(rates)
    return {
        "requests_per_second_mean": None if rate is None else round(rate, DIGITS),
        "requests_per_second_deviation_percent": deviation_percent(rates),
        "p95_milliseconds_mean": milliseconds(mean(p95s)),
        "p95_deviation_percent": deviation_percent(p95s),
    }
