"""Stored step runs of all repeats as the numbers of the status, with their intervals.

Histograms are added and percentiles read from the sum: a mean of percentiles is no percentile of
anything. Means over repeats appear only beside it, to show how far repeats differ.
"""

from collections.abc import Container, Iterable, Sequence
from statistics import fmean
from typing import Any, TypeVar

from solrbench.analysis.arrivals import MILLISECOND, time_limit_milliseconds
from solrbench.analysis.metrics import P95, RATE
from solrbench.analysis.samples import ALL_REQUESTS, BenchmarkSamples, RequestSamples, StepSamples
from solrbench.api.v1alpha1 import Spec
from solrbench.api.v1alpha1.comparisons import RepeatSummary, Summary
from solrbench.api.v1alpha1.conditions import OnlyWith
from solrbench.api.v1alpha1.load import Step
from solrbench.api.v1alpha1.step_result import RESULT_FIELDS, Interval, PercentileResult, StepResult
from solrbench.contract.request_counts import Figure, PercentileFigure, RequestCounts, TimeFigures
from solrbench.contract.second_series import SecondSeries
from solrbench.contract.step_document import RequestResult, StepRunResult
from solrbench.contract.step_runs import variant_names
from solrbench.stats.distributions import ConfidenceBounds, relative_deviation_percent
from solrbench.stats.intervals import design_effect
from solrbench.stats.number_format import (
    milliseconds,
    round_number,
    round_significant,
    share_percent,
)
from solrbench.stats.times import Times


def with_metrics(document: StepRunResult, percents: Iterable[float]) -> StepRunResult:
    """Return a step run with the figures of each request name; ValueError if its times are none."""
    chosen, requests = list(percents), []
    for result in document.requests:
        samples = RequestSamples.of_result(result, document.duration_seconds)
        rate_error = samples.service.rate_error()
        figures = {
            "rate_error_percent": None if rate_error is None else round(100 * rate_error, DIGITS),
            "failure_effect": _failure_effect([result]),
            "service_times": _figures(samples.service, chosen),
            "response_times": _figures(samples.response, chosen),
        }
        requests.append(result.model_copy(update=figures))
    effect = _failure_effect(document.single_requests)
    return document.model_copy(update={"requests": requests, "failure_effect": effect})


def _failure_effect(results: Sequence[RequestResult]) -> float | None:
    """Return the design effect on the failures of some names together; None without any."""
    if not any(each.failures for each in results):
        return None
    windows = [*SecondSeries.merged(each.windows for each in results)]
    failed, sent = [each.failures for each in windows], [each.requests for each in windows]
    return round(design_effect(failed, sent), DIGITS)


def _figures(times: Times, percents: list[float]) -> TimeFigures | None:
    if times.average is None:
        return None
    mean = Figure(microseconds=round(times.average, DIGITS), **_bounds(times.mean_interval()))
    percentiles = [
        PercentileFigure(
            percent=percent,
            microseconds=times.percentile(percent) or 0,
            **_bounds(times.percentile_interval(percent)),
        )
        for percent in percents
    ]
    return TimeFigures(mean=mean, percentiles=percentiles)


def _bounds(interval: ConfidenceBounds | None) -> dict[str, float]:
    if interval is None:
        return {}
    return {
        "lower_microseconds": round(interval.lower, DIGITS),
        "upper_microseconds": round(interval.upper, DIGITS),
    }


Number = TypeVar("Number", int, float)

PERCENTILES = (50, 75, 95, 99)
"""Those of `StepResult`."""

_REPEAT_DIGITS = 6
"""Significant digits of a repeat: more than a percentile has, so that nothing is lost."""

DIGITS = 3
"""Decimals kept: thousandths of a request per second and of a percent."""


def time_fields(prefix: str, times: Times) -> dict[str, float | None]:
    """Return average, maximum and percentiles under names with a prefix; none without samples."""
    if times.average is None:
        return {}
    return {
        f"{prefix}average_milliseconds": milliseconds(times.average),
        f"{prefix}max_milliseconds": milliseconds(times.max_microseconds),
        **{
            f"{prefix}p{percent}_milliseconds": milliseconds(times.percentile(percent))
            for percent in PERCENTILES
        },
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


def rate_interval(service: Times, rate: float) -> Interval | None:
    """Return the interval of a rate; None if the step was too short for it."""
    error = service.rate_error()
    if error is None:
        return None
    lower, upper = rate * max(1 - error, 0.0), rate * (1 + error)
    return Interval(lower=round(lower, DIGITS), upper=round(upper, DIGITS))


def percentile_results(times: Times, percents: Iterable[float]) -> list[PercentileResult]:
    """Return percentiles with their intervals; none without samples."""
    return [
        PercentileResult(
            percent=percent,
            milliseconds=value,
            lower_milliseconds=interval.lower if interval else None,
            upper_milliseconds=interval.upper if interval else None,
        )
        for percent in percents
        if (value := milliseconds(times.percentile(percent))) is not None
        for interval in [_milliseconds(times.percentile_interval(percent))]
    ]


def _milliseconds(found: ConfidenceBounds | None) -> Interval | None:
    if found is None:
        return None
    return Interval(lower=milliseconds(found.lower), upper=milliseconds(found.upper))


def merge_steps(samples: BenchmarkSamples) -> list[StepResult]:
    """Return one result for each step (in the order of the ladder), request name and variant."""
    variants = variant_names(samples.spec)
    return [
        _merge(samples.spec, step, variant, name, step_samples)
        for step in samples.spec.load.steps
        for name in sorted(set[str]().union(*(samples.of(step.name, v).names for v in variants)))
        for variant in variants
        if (step_samples := samples.of(step.name, variant)).seconds > 0
    ]


def merge_totals(samples: BenchmarkSamples) -> list[StepResult]:
    """Return one result for each step and variant: all requests together, under `ALL_REQUESTS`."""
    return [
        _merge(samples.spec, step, variant, ALL_REQUESTS, step_samples)
        for step in samples.spec.load.steps
        for variant in variant_names(samples.spec)
        if (step_samples := samples.of(step.name, variant)).requests
    ]


def summarise(samples: BenchmarkSamples) -> Summary:
    """Return the headline: the last step of the ladder that has results, all requests together."""
    # Of the first variant: the sum of several endpoints is the rate of none.
    baseline = variant_names(samples.spec)[0]
    for step in reversed(samples.spec.load.steps):
        step_samples = samples.of(step.name, baseline)
        if not step_samples.requests:
            continue
        requests, rate = step_samples.of(ALL_REQUESTS), step_samples.rate(ALL_REQUESTS)
        p95 = requests.perceived.percentile(95)
        return Summary(
            step=step.name,
            requests_per_second=round_number(rate),
            requests_per_second_interval=rate_interval(requests.service, rate),
            p95_milliseconds=None if p95 is None else round_number(p95 / 1000),
            p95_milliseconds_interval=_milliseconds(requests.perceived.percentile_interval(95)),
            failed_percent=share_percent(requests.counts.failures, step_samples.requests),
            repeats=_summarise_repeats(step_samples),
        )
    return Summary()


def _summarise_repeats(step_samples: StepSamples) -> list[RepeatSummary]:
    """Return each repeat with the values that `solrbench compare` reads of it."""
    targets = dict.fromkeys(run.target for run in step_samples.runs)
    numbers = {target: number for number, target in enumerate(targets, start=1)}
    values = [run.values(ALL_REQUESTS, [95]) for run in step_samples.runs]
    return [
        RepeatSummary(
            target=numbers[run.target],
            requests_per_second=round_significant(found.get(RATE), _REPEAT_DIGITS),
            p95_milliseconds=round_significant(found.get(P95), _REPEAT_DIGITS),
        )
        for run, found in zip(step_samples.runs, values, strict=True)
    ]


def _merge(
    spec: Spec, step: Step, variant: str, request: str, step_samples: StepSamples
) -> StepResult:
    documents, repeats = step_samples.documents, step_samples.repeats(request)
    samples, rate = step_samples.of(request), step_samples.rate(request)
    # A request name that a repeat never sent counts there with a rate of zero.
    rates = [
        document.rated(repeat.counts) / document.rate_seconds
        for document, repeat in zip(documents, repeats, strict=True)
        if document.rate_seconds > 0
        if request == ALL_REQUESTS or not document.broke_off  # which knows no names
    ]
    p95s = [repeat.service.percentile(95) for repeat in repeats]
    mean_rate, drain = mean(rates), _longest([each.drain_seconds for each in documents])
    outliers = [each.outlier_windows for each in documents if each.outlier_windows is not None]
    return StepResult(
        step=step.name,
        variant=variant or None,
        request=request,
        is_transaction=any(result.is_transaction for result in samples.results) or None,
        repeats=len(documents),
        requests_per_second=round(rate, DIGITS),
        requests_per_second_interval=rate_interval(samples.service, rate),
        **_documents(samples.service, rate * step_samples.documents_per_request(request)),
        percentiles=percentile_results(samples.perceived, spec.load.percentiles),
        drain_seconds=None if drain is None else round(drain, DIGITS),
        steady_from_second=_longest([each.steady_from_second for each in documents]),
        outlier_windows=sum(outliers) if outliers else None,
        requests_per_second_mean=None if mean_rate is None else round(mean_rate, DIGITS),
        requests_per_second_deviation_percent=deviation_percent(rates),
        p95_milliseconds_mean=milliseconds(mean(p95s)),
        p95_deviation_percent=deviation_percent(p95s),
        goodput_requests_per_second=_goodput(spec, step, request, samples, rate),
        **_counted(samples.counts, _only_with(step, samples)),
        **_service_times(samples, has_users=step.users is not None),
        **(_response_times(samples, repeats) if samples.is_planned else {}),
    )


def _documents(service: Times, rate: float) -> dict[str, Any]:
    """Return the rate of documents with its interval; nothing unless the step indexes."""
    if not rate:
        return {}
    interval = rate_interval(service, rate)
    return {"documents_per_second": round(rate, DIGITS), "documents_per_second_interval": interval}


def _longest(values: Sequence[Number | None]) -> Number | None:
    """Return the largest value over repeats; None unless that of all repeats is known."""
    known = [value for value in values if value is not None]
    return max(known) if known and len(known) == len(values) else None


def _goodput(
    spec: Spec, step: Step, request: str, samples: RequestSamples, rate: float
) -> float | None:
    """Return the rate of good responses in time; None without an objective that sets the time."""
    name = None if request == ALL_REQUESTS else request
    within = time_limit_milliseconds(spec.objectives, step.name, name)
    requests = samples.counts.requests
    if within is None or not requests:
        return None
    good = samples.good_within(within * MILLISECOND)
    return round(rate * min(good / requests, 1.0), DIGITS)


def _counted(counts: RequestCounts, has: Container[OnlyWith | None]) -> dict[str, Any]:
    """Return the counts that the status shows under the same name, of a step that has `has`."""
    numbers = counts.numbers()
    return {
        field.name: numbers[field.name]
        for field in RESULT_FIELDS
        if field.name in numbers and field.shown.only_with in has
    }


def _only_with(step: Step, samples: RequestSamples) -> set[OnlyWith | None]:
    """Return what a step has that not all have; None stands for what all have."""
    has: set[OnlyWith | None] = {None}
    if step.spawn_rate is not None or step.ramp_seconds is not None:
        has.add(OnlyWith.RAMP)
    if samples.is_planned:
        has.add(OnlyWith.PLANNED_RATE)
    return has


def _service_times(samples: RequestSamples, *, has_users: bool) -> dict[str, Any]:
    times = time_fields("", samples.service)
    return {
        "min_milliseconds": milliseconds(samples.counts.min_microseconds),
        **times,
        "average_milliseconds_interval": _milliseconds(samples.service.mean_interval()),
        # Milliseconds of one request are seconds of a thousand.
        "seconds_per_thousand_requests": times.get("average_milliseconds") if has_users else None,
    }


def _response_times(samples: RequestSamples, repeats: Sequence[RequestSamples]) -> dict[str, Any]:
    """Return what only an open loop has beyond service times."""
    p95s = [repeat.response.percentile(95) for repeat in repeats]
    return {
        **time_fields("response_", samples.response),
        "response_average_milliseconds_interval": _milliseconds(samples.response.mean_interval()),
        "response_p95_deviation_percent": deviation_percent(p95s),
    }
