"""The figures of single repeats, read from stored step runs."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from solrbench.results.comparison.metric import AVERAGE, FAILED, RATE, Metric, percentile_metric
from solrbench.results.comparison.side_difference import RepeatFigure
from solrbench.results.model.request_counts import RequestCounts, sum_counts
from solrbench.results.model.step_result import RequestResult, StepRunResult
from solrbench.results.stats.histograms import Histogram
from solrbench.results.summary.grouping import bounded, is_planned, merged, merged_responses
from solrbench.results.summary.timed_samples import ALL_REQUESTS

Figures = dict[Metric, list[RepeatFigure]]
"""Of one request name: by metric the values of all repeats that have one."""


def read_figures(
    step_runs: Sequence[StepRunResult], request: str, percents: Sequence[float]
) -> Figures:
    """Return the figures of a request name, or of `ALL_REQUESTS`, in each repeat.

    Times are those that a user perceives: response times with a planned rate, else service times.
    """
    figures: Figures = {}
    for document in step_runs:
        target = target_of(document)
        for metric, value in _read(document, request, percents).items():
            figures.setdefault(metric, []).append(RepeatFigure(document.repeat, target, value))
    return figures


def target_of(document: StepRunResult) -> str:
    """Return an identifier of the target of a step run; empty where it was not recorded."""
    if document.target is None or not document.target.pods:
        return ""
    pods = sorted(document.target.pods.items())
    return hashlib.sha256(repr(pods).encode()).hexdigest()


def results_of(document: StepRunResult, request: str) -> list[RequestResult]:
    """Return the results of a request name, or of all requests, without whole transactions."""
    if request == ALL_REQUESTS:
        return [each for each in document.requests if not each.is_transaction]
    return [each for each in document.requests if each.request == request]


@dataclass(frozen=True)
class _Times:
    histogram: Histogram
    sum_microseconds: int
    max_microseconds: int | None


def _read(document: StepRunResult, request: str, percents: Sequence[float]) -> dict[Metric, float]:
    results = results_of(document, request)
    counts = sum_counts(results)
    if not counts.requests:
        return {}
    found = {FAILED: 100 * counts.failures / counts.requests}
    if document.rate_seconds > 0:
        found[RATE] = document.rated(counts) / document.rate_seconds
    times = _times(results, counts)
    if times.histogram.count:
        found[AVERAGE] = times.sum_microseconds / times.histogram.count / 1000
        for percent in percents:
            value = bounded(times.histogram, percent, times.max_microseconds)
            if value is not None:
                found[percentile_metric(percent)] = value / 1000
    return found


def _times(results: Sequence[RequestResult], counts: RequestCounts) -> _Times:
    if is_planned(results):
        return _Times(
            merged_responses(results),
            counts.response_sum_microseconds,
            counts.response_max_microseconds,
        )
    return _Times(merged(results), counts.sum_microseconds, counts.max_microseconds)
