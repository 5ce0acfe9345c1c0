"""Stored step runs of all repeats as the numbers of the status.

Histograms are added and percentiles read from the sum: a mean of percentiles is no percentile of
anything. Means over repeats appear only beside it, to show how far repeats differ.
"""

from collections.abc import Container, Sequence
from typing import Any

from solrbench.api.v1alpha1 import Spec
from solrbench.api.v1alpha1.load.load import Step
from solrbench.api.v1alpha1.status.steps.result_field import OnlyWith
from solrbench.api.v1alpha1.status.steps.step_result import RESULT_FIELDS, StepResult
from solrbench.api.v1alpha1.status.summaries import Summary
from solrbench.plan.step_runs import variant_names
from solrbench.results.model.request_counts import RequestCounts, sum_counts
from solrbench.results.model.step_result import RequestResult, StepRunResult
from solrbench.results.stats.intervals import TimedSamples
from solrbench.results.stats.number_format import milliseconds, round_number, share_percent
from solrbench.results.summary.goodput import good_requests, time_limit_milliseconds
from solrbench.results.summary.grouping import (
    StepRuns,
    group_step_runs,
    is_planned,
    perceived_percentile,
    percentile,
    rated_requests,
    request_names,
    requests,
    seconds,
)
from solrbench.results.summary.interval_fields import (
    mean_interval,
    percentile_interval,
    percentile_results,
    rate_interval,
)
from solrbench.results.summary.latency_fields import DIGITS, deviation_percent, mean, time_fields
from solrbench.results.summary.open_loop import response_figures
from solrbench.results.summary.timed_samples import (
    ALL_REQUESTS,
    Repeats,
    results_of,
    service_and_perceived_samples,
)


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
    found = results_of(ALL_REQUESTS, step_runs)
    results = [result for repeat in found for result in repeat]
    counts = sum_counts(results)
    service, perceived = service_and_perceived_samples(found, counts)
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
    found = results_of(request, step_runs)
    results = [result for repeat in found for result in repeat]
    counts = sum_counts(results)
    service, perceived = service_and_perceived_samples(found, counts)
    rates = [
        document.rated(sum_counts(repeat)) / document.rate_seconds
        for document, repeat in zip(step_runs, found, strict=True)
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
        goodput_requests_per_second=_goodput(spec, step, name, found, rate),
        **_counted(counts, _only_with(step, results)),
        **_service_times(service, counts, has_users=step.users is not None),
        **_deviations(rates, [percentile(repeat, 95) for repeat in found]),
        **response_figures(found, counts, perceived),
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
        each.name: numbers[each.name]
        for each in RESULT_FIELDS
        if each.name in numbers and each.shown.only_with in has
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
    found = [document.steady_from_second for document in step_runs]
    known = [second for second in found if second is not None]
    return max(known) if known and len(known) == len(found) else None


def _drain_seconds(step_runs: StepRuns) -> float | None:
    """Return the longest drain; None unless that of all repeats is known."""
    known = [each.drain_seconds for each in step_runs if each.drain_seconds is not None]
    return round(max(known), DIGITS) if known and len(known) == len(step_runs) else None


def _outlier_windows(step_runs: StepRuns) -> int | None:
    known = [each.outlier_windows for each in step_runs if each.outlier_windows is not None]
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
