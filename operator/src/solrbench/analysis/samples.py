"""Stored step runs grouped by step and variant, and their results for one request name.

The times of a request name, or of all of a step, with the blocks that show their spread.

The figures of single repeats, read from stored step runs.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from solrbench.analysis.differences import RepeatValue
from solrbench.analysis.metrics import AVERAGE, FAILED, RATE, ComparisonMetric, percentile_metric
from solrbench.api.v1alpha1 import Spec
from solrbench.contract.request_counts import RequestCounts, sum_counts
from solrbench.contract.step_document import RequestResult, StepRunResult
from solrbench.contract.step_runs import variant_names
from solrbench.stats import histograms
from solrbench.stats.histograms import Histogram
from solrbench.stats.intervals import TimedSamples
from solrbench.stats.time_blocks import TimeBlocks

StepRuns = Sequence[StepRunResult]
"""The repeats of one step through one variant, ascending."""

RunsByStep = Mapping[tuple[str, str], StepRuns]
"""Step runs by step and variant; the variant is empty without variants."""


def group_step_runs(spec: Spec, documents: Iterable[StepRunResult]) -> RunsByStep:
    """Return the step runs of every step and variant of `spec`, of each step run the last attempt.

    Trials of the search for the capacity are no steps, and are left out.

    Raises:
        ValueError: if a document refers to a step or variant that `spec` does not have, or has
            requests but no duration.
    """
    latest: dict[str, StepRunResult] = {}
    for document in sorted(documents, key=lambda each: each.attempt):
        latest[document.id] = document
    runs_by_step: dict[tuple[str, str], list[StepRunResult]] = {
        (step.name, variant): [] for step in spec.load.steps for variant in variant_names(spec)
    }
    steps = (each for each in latest.values() if each.trial is None)
    for document in sorted(steps, key=lambda each: each.repeat):
        _check(document, runs_by_step)
        runs_by_step[document.step, document.variant].append(document)
    return runs_by_step


def _check(document: StepRunResult, runs_by_step: RunsByStep) -> None:
    if all(document.step != step for step, _ in runs_by_step):
        raise ValueError(f"step run {document.id}: step {document.step} is not in spec.load.steps")
    if (document.step, document.variant) not in runs_by_step:
        raise ValueError(
            f"step run {document.id}: variant {document.variant!r} is not in spec.target.variants"
        )
    if document.seconds <= 0 and requests([document]):
        raise ValueError(f"step run {document.id}: seconds is {document.seconds}, must be above 0")


def request_names(runs_by_step: RunsByStep, step: str) -> list[str]:
    """Return the names of the requests that a step sent, through any variant."""
    return sorted(
        {
            result.request
            for index, step_runs in runs_by_step.items()
            if index[0] == step
            for document in step_runs
            for result in document.requests
        }
    )


def requests(step_runs: StepRuns) -> int:
    """Return the number of all requests; whole transactions are none."""
    return sum(
        result.requests
        for document in step_runs
        for result in document.requests
        if not result.is_transaction
    )


def seconds(step_runs: StepRuns) -> float:
    """Return the time that rates of all step runs are divided by."""
    return sum(document.rate_seconds for document in step_runs)


def rated_requests(step_runs: StepRuns, name: str | None = None) -> int:
    """Return how many requests ended in that time: of one name, or all but whole transactions."""
    return sum(
        document.rated(result)
        for document in step_runs
        for result in document.requests
        if (not result.is_transaction if name is None else result.request == name)
    )


def merged(results: Iterable[RequestResult]) -> Histogram:
    """Return the histogram of all service times."""
    return histograms.merge(
        result.service_time_histogram for result in results if result.service_time_histogram
    )


def merged_responses(results: Iterable[RequestResult]) -> Histogram:
    """Return the histogram of all response times; empty for closed loops."""
    return histograms.merge(
        result.response_time_histogram for result in results if result.response_time_histogram
    )


def response_percentile(results: Sequence[RequestResult], percent: float) -> int | None:
    """Return a percentile of all response times in µs, None without any."""
    highest = sum_counts(results).response_max_microseconds
    return bounded(merged_responses(results), percent, highest)


def is_planned(results: Iterable[RequestResult]) -> bool:
    """Say whether requests were sent at a planned rate, so that they have response times."""
    return any(result.response_time_histogram is not None for result in results)


def perceived_percentile(results: Sequence[RequestResult], percent: float) -> int | None:
    """Return a percentile in µs of what a user waits: response time if there is one."""
    read = response_percentile if is_planned(results) else percentile
    return read(results, percent)


def percentile(results: Sequence[RequestResult], percent: float) -> int | None:
    """Return a percentile of all service times in µs, None without samples."""
    return bounded(merged(results), percent, sum_counts(results).max_microseconds)


def bounded(histogram: Histogram, percent: float, highest: int | None) -> int | None:
    """Return a percentile in µs; rounding up within its bucket must not pass the exact maximum."""
    value = histograms.percentile(histogram, percent)
    return value if value is None or highest is None else min(value, highest)


ALL_REQUESTS = "all requests"
"""Name of the result of all requests of a step. A name in a query file has no blank."""

Repeats = Sequence[Sequence[RequestResult]]
"""Results, repeat by repeat."""


def results_of(request: str, step_runs: StepRuns) -> list[list[RequestResult]]:
    """Return the results of a request name, or of `ALL_REQUESTS`, repeat by repeat."""
    return [
        [
            result
            for result in document.requests
            if (not result.is_transaction if request == ALL_REQUESTS else result.request == request)
        ]
        for document in step_runs
    ]


def service_and_perceived_samples(
    repeats: Repeats, counts: RequestCounts
) -> tuple[TimedSamples, TimedSamples]:
    """Return the service times, and the times that a user perceives."""
    service = service_samples(repeats, counts)
    is_open = is_planned(result for repeat in repeats for result in repeat)
    return service, response_samples(repeats, counts) if is_open else service


def service_samples(repeats: Repeats, counts: RequestCounts) -> TimedSamples:
    """Return the service times; `counts` is the sum over all results."""
    return TimedSamples(
        merged(result for repeat in repeats for result in repeat),
        [
            _blocks([request_result.service_time_blocks for request_result in repeat])
            for repeat in repeats
        ],
        counts.sum_microseconds,
        counts.max_microseconds,
    )


def response_samples(repeats: Repeats, counts: RequestCounts) -> TimedSamples:
    """Return the response times, empty for closed loops."""
    return TimedSamples(
        merged_responses(result for repeat in repeats for result in repeat),
        [
            _blocks([request_result.response_time_blocks for request_result in repeat])
            for repeat in repeats
        ],
        counts.response_sum_microseconds,
        counts.response_max_microseconds,
    )


def _blocks(stored: Sequence[str]) -> TimeBlocks:
    return TimeBlocks.merged(map(TimeBlocks.decode, stored))


RepeatValues = dict[ComparisonMetric, list[RepeatValue]]
"""Of one request name: by metric the values of all repeats that have one."""


def read_repeat_values(
    step_runs: Sequence[StepRunResult], request: str, percents: Sequence[float]
) -> RepeatValues:
    """Return the figures of a request name, or of `ALL_REQUESTS`, in each repeat.

    Times are those that a user perceives: response times with a planned rate, else service times.
    """
    figures: RepeatValues = {}
    for document in step_runs:
        target = target_of(document)
        for metric, value in _read(document, request, percents).items():
            figures.setdefault(metric, []).append(RepeatValue(document.repeat, target, value))
    return figures


def target_of(document: StepRunResult) -> str:
    """Return an identifier of the target of a step run; empty where it was not recorded."""
    if document.target is None or not document.target.pods:
        return ""
    pods = sorted(document.target.pods.items())
    return hashlib.sha256(repr(pods).encode()).hexdigest()


def results_of_document(document: StepRunResult, request: str) -> list[RequestResult]:
    """Return the results of a request name, or of all requests, without whole transactions."""
    if request == ALL_REQUESTS:
        return [result for result in document.requests if not result.is_transaction]
    return [result for result in document.requests if result.request == request]


@dataclass(frozen=True)
class _Times:
    histogram: Histogram
    sum_microseconds: int
    max_microseconds: int | None


def _read(
    document: StepRunResult, request: str, percents: Sequence[float]
) -> dict[ComparisonMetric, float]:
    results = results_of_document(document, request)
    counts = sum_counts(results)
    if not counts.requests:
        return {}
    values = {FAILED: 100 * counts.failures / counts.requests}
    if document.rate_seconds > 0:
        values[RATE] = document.rated(counts) / document.rate_seconds
    times = _times(results, counts)
    if times.histogram.count:
        values[AVERAGE] = times.sum_microseconds / times.histogram.count / 1000
        for percent in percents:
            value = bounded(times.histogram, percent, times.max_microseconds)
            if value is not None:
                values[percentile_metric(percent)] = value / 1000
    return values


def _times(results: Sequence[RequestResult], counts: RequestCounts) -> _Times:
    if is_planned(results):
        return _Times(
            merged_responses(results),
            counts.response_sum_microseconds,
            counts.response_max_microseconds,
        )
    return _Times(merged(results), counts.sum_microseconds, counts.max_microseconds)
