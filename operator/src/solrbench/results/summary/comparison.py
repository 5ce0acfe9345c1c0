"""Variants of a target against the first of them, repeat by repeat.

Each repeat gives one pair: the variant and the baseline, measured right after each other with the
same requests. The ratio is computed within each pair, so what changes from repeat to repeat hits
both sides and cancels out; then the ratios are a sample, whose mean has a confidence interval.

Ratios are averaged as logarithms: twice as slow and twice as fast make up for each other, which
200 % and 50 % do not (Fleming and Wallace, How not to lie with statistics, 1986).
"""

import math
from collections.abc import Callable, Iterator, Sequence
from statistics import fmean

from solrbench.api.v1alpha1 import Spec
from solrbench.api.v1alpha1.status.results import Comparison, Overhead
from solrbench.plan.step_runs import variant_names
from solrbench.results.model.step_result import RequestResult, StepRunResult
from solrbench.results.stats import statistics
from solrbench.results.summary.grouping import (
    RunsByStep,
    StepRuns,
    group_step_runs,
    merged_responses,
    perceived_percentile,
    request_names,
)

_DIGITS = 2
"""Decimals of percent kept."""

_HIGHEST = math.log(10**12)
"""Two pairs that contradict each other can have an interval beyond all numbers."""

Sides = tuple[StepRunResult, StepRunResult]
"""Baseline and variant in one repeat."""


def compare_variants(spec: Spec, documents: Sequence[StepRunResult]) -> list[Comparison]:
    """Return one comparison for each step, request name and variant but the first.

    Only repeats count in which both sides sent the request; without any there is no comparison.

    Raises:
        ValueError: as `merge_steps`.

    """
    baseline, *others = variant_names(spec)
    runs_by_step = group_step_runs(spec, documents)
    return [
        comparison
        for step in spec.load.steps
        for request in request_names(runs_by_step, step.name)
        for variant in others
        for comparison in _compare(runs_by_step, step.name, (baseline, variant), request)
    ]


def _compare(
    runs_by_step: RunsByStep, step: str, variants: tuple[str, str], request: str
) -> Iterator[Comparison]:
    baseline, variant = variants
    pairs = [
        pair
        for pair in _pairs(runs_by_step[step, baseline], runs_by_step[step, variant])
        if all(_result(side, request) for side in pair)
    ]
    if pairs:
        yield Comparison(
            step=step,
            variant=variant,
            baseline=baseline,
            request=request,
            repeats=len(pairs),
            failures=sum(_failures(side, request) for pair in pairs for side in pair),
            average=_overhead(pairs, request, _average),
            p95=_overhead(pairs, request, _p95),
            requests_per_second=_overhead(pairs, request, _rate),
        )


def _pairs(baseline: StepRuns, variant: StepRuns) -> list[Sides]:
    """Return the repeats that both have."""
    by_repeat = {document.repeat: document for document in baseline}
    return [(by_repeat[each.repeat], each) for each in variant if each.repeat in by_repeat]


def _overhead(
    pairs: Sequence[Sides], request: str, read: Callable[[StepRunResult, str], float | None]
) -> Overhead | None:
    """Return the overhead of one figure; None if it was not measured in every pair."""
    logarithms = []
    for before, after in pairs:
        base, value = read(before, request), read(after, request)
        if not base or not value:
            return None
        logarithms.append(math.log(value / base))
    mean = _percent(fmean(logarithms))
    if len(logarithms) < 2:
        return Overhead(percent=mean)
    low, high = statistics.confidence_interval(logarithms)
    return Overhead(percent=mean, low_percent=_percent(low), high_percent=_percent(high))


def _percent(logarithm: float) -> float:
    """Return the overhead that belongs to the logarithm of a ratio, within what a status holds."""
    return round(100 * math.expm1(min(logarithm, _HIGHEST)), _DIGITS)


def _result(document: StepRunResult, request: str) -> RequestResult | None:
    return next((each for each in document.requests if each.request == request), None)


def _failures(document: StepRunResult, request: str) -> int:
    result = _result(document, request)
    return result.failures if result is not None else 0


def _average(document: StepRunResult, request: str) -> float | None:
    result = _result(document, request)
    if result is None:
        return None
    histogram = merged_responses([result])
    if histogram.count:
        return result.response_sum_microseconds / histogram.count
    return result.sum_microseconds / result.requests if result.requests else None


def _p95(document: StepRunResult, request: str) -> float | None:
    result = _result(document, request)
    return None if result is None else perceived_percentile([result], 95)


def _rate(document: StepRunResult, request: str) -> float | None:
    result = _result(document, request)
    seconds = document.rate_seconds
    return document.rated(result) / seconds if result and seconds > 0 else None
