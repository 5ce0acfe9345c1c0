"""Stored passes of all repeats as the numbers of the status.

Histograms are added and percentiles read from the sum: a mean of percentiles is no percentile of
anything. Means over repeats appear only beside it, to show how far repeats differ.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from solrbench.api.v1alpha1 import Spec
from solrbench.api.v1alpha1.load import Step
from solrbench.api.v1alpha1.status import StepResult, Summary
from solrbench.results import histograms, statistics
from solrbench.results.document import RequestResult, StepDocument
from solrbench.results.figures import format_milliseconds, format_number, format_share
from solrbench.results.histograms import Histogram

PERCENTILES = (50, 75, 95, 99)
"""Those of `StepResult`."""

_DIGITS = 3
"""Decimals kept: whole microseconds in milliseconds, thousandths in everything else."""


def merge_steps(spec: Spec, documents: Sequence[StepDocument]) -> list[StepResult]:
    """Return one result for each step (in the order of the ladder) and request name.

    `documents` holds the stored passes; of several with the same id the last attempt counts.
    A request name that a repeat never sent counts there with a rate of zero.

    Raises:
        ValueError: if a document speaks of a step that `spec` does not have, or has requests but
            no duration.

    """
    by_step = _by_step(spec, documents)
    return [
        _merge_request(step, name, by_step[step.name])
        for step in spec.load.steps
        if _seconds(by_step[step.name]) > 0
        for name in _request_names(by_step[step.name])
    ]


def summarise(spec: Spec, documents: Sequence[StepDocument]) -> Summary:
    """Return the headline: the last step of the ladder that has results, all requests together.

    Raises:
        ValueError: as `merge_steps`.

    """
    measured = [passes for passes in _by_step(spec, documents).values() if _requests(passes)]
    if not measured:
        return Summary()
    passes = measured[-1]
    results = [result for document in passes for result in document.requests]
    failures = sum(result.failures for result in results)
    p95 = _percentile(results, 95)
    return Summary(
        requests_per_second=format_number(_requests(passes) / _seconds(passes)),
        p95="" if p95 is None else format_milliseconds(p95 / 1000),
        failures=format_share(failures, _requests(passes)),
    )


def _by_step(spec: Spec, documents: Iterable[StepDocument]) -> dict[str, list[StepDocument]]:
    latest: dict[str, StepDocument] = {}
    for document in sorted(documents, key=lambda each: each.attempt):
        latest[document.id] = document
    ladder: dict[str, list[StepDocument]] = {step.name: [] for step in spec.load.steps}
    for document in sorted(latest.values(), key=lambda each: each.repeat):
        if document.step not in ladder:
            raise ValueError(f"pass {document.id}: step {document.step} is not in spec.load.steps")
        if document.seconds <= 0 and _requests([document]):
            raise ValueError(f"pass {document.id}: seconds is {document.seconds}, must be above 0")
        ladder[document.step].append(document)
    return ladder


def _request_names(passes: Iterable[StepDocument]) -> list[str]:
    return sorted({result.request for document in passes for result in document.requests})


def _requests(passes: Iterable[StepDocument]) -> int:
    return sum(result.requests for document in passes for result in document.requests)


def _seconds(passes: Iterable[StepDocument]) -> float:
    return sum(document.seconds for document in passes)


def _merge_request(step: Step, request: str, passes: Sequence[StepDocument]) -> StepResult:
    found = [[each for each in document.requests if each.request == request] for document in passes]
    results = [result for repeat in found for result in repeat]
    requests = sum(result.requests for result in results)
    rates = [
        sum(result.requests for result in repeat) / document.seconds
        for document, repeat in zip(passes, found, strict=True)
        if document.seconds > 0
    ]
    ramp = sum(result.ramp_requests for result in results)
    return StepResult(
        step=step.name,
        request=request,
        repeats=len(passes),
        requests=requests,
        failures=sum(result.failures for result in results),
        ramp_requests=None if step.spawn_rate is None else ramp,
        requests_per_second=round(requests / _seconds(passes), _DIGITS),
        **_service_times(results),
        **_deviations(rates, [_percentile(repeat, 95) for repeat in found]),
    )


def _service_times(results: Sequence[RequestResult]) -> dict[str, Any]:
    histogram = _merged(results)
    if not histogram.count:
        return {}
    total = sum(result.sum_microseconds for result in results)
    lowest = [each.min_microseconds for each in results if each.min_microseconds is not None]
    longest = _max(results)
    return {
        "average_milliseconds": _milliseconds(total / histogram.count),
        "min_milliseconds": _milliseconds(min(lowest, default=None)),
        "max_milliseconds": _milliseconds(longest),
        **{
            f"p{percent}_milliseconds": _milliseconds(_bounded(histogram, percent, longest))
            for percent in PERCENTILES
        },
    }


def _deviations(rates: Sequence[float], p95s: Sequence[int | None]) -> dict[str, Any]:
    measured = [p95 for p95 in p95s if p95 is not None]
    found: dict[str, float | None] = {}
    if len(rates) >= 2:
        found["requests_per_second_mean"] = round(statistics.mean(rates), _DIGITS)
        found["requests_per_second_deviation_percent"] = _deviation(rates)
    if len(measured) >= 2:
        found["p95_milliseconds_mean"] = _milliseconds(statistics.mean(measured))
        found["p95_deviation_percent"] = _deviation(measured)
    return found


def _deviation(values: Sequence[float]) -> float | None:
    percent = statistics.relative_deviation_percent(values)
    return None if percent is None else round(percent, _DIGITS)


def _merged(results: Iterable[RequestResult]) -> Histogram:
    return histograms.merge(
        result.service_time_histogram for result in results if result.service_time_histogram
    )


def _percentile(results: Sequence[RequestResult], percent: float) -> int | None:
    return _bounded(_merged(results), percent, _max(results))


def _bounded(histogram: Histogram, percent: float, longest: int | None) -> int | None:
    """Return a percentile in µs; rounding up within its bucket must not pass the exact maximum."""
    value = histograms.percentile(histogram, percent)
    return value if value is None or longest is None else min(value, longest)


def _max(results: Iterable[RequestResult]) -> int | None:
    times = (each.max_microseconds for each in results)
    return max((time for time in times if time is not None), default=None)


def _milliseconds(microseconds: float | None) -> float | None:
    return None if microseconds is None else round(microseconds / 1000, _DIGITS)
