"""Stored step runs grouped by step and variant, and their results for one request name."""

from collections.abc import Iterable, Mapping, Sequence

from solrbench.api.v1alpha1 import Spec
from solrbench.plan.step_runs import variant_names
from solrbench.results.model.request_counts import sum_counts
from solrbench.results.model.step_result import RequestResult, StepRunResult
from solrbench.results.stats import histograms
from solrbench.results.stats.histograms import Histogram

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
