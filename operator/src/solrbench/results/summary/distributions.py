"""Counts of few buckets over all repeats, for a metric that adds up over benchmarks."""

from collections.abc import Sequence

from solrbench.api.v1alpha1 import Spec
from solrbench.api.v1alpha1.status.steps.distribution import BOUNDS_SECONDS, Distribution
from solrbench.plan.step_runs import variant_names
from solrbench.results.model.request_counts import sum_counts
from solrbench.results.model.step_result import StepRunResult
from solrbench.results.stats.number_format import round_number
from solrbench.results.summary.grouping import StepRuns, group_step_runs, requests
from solrbench.results.summary.timed_samples import (
    ALL_REQUESTS,
    results_of,
    service_and_perceived_samples,
)


def merge_distributions(spec: Spec, documents: Sequence[StepRunResult]) -> list[Distribution]:
    """Return one entry for each step and variant: how long all requests took.

    Raises:
        ValueError: as `merge_steps`.

    """
    runs_by_step = group_step_runs(spec, documents)
    return [
        _merge(step.name, variant, runs_by_step[step.name, variant])
        for step in spec.load.steps
        for variant in variant_names(spec)
        if requests(runs_by_step[step.name, variant])
    ]


def _merge(step: str, variant: str, step_runs: StepRuns) -> Distribution:
    found = results_of(ALL_REQUESTS, step_runs)
    counts = sum_counts(result for repeat in found for result in repeat)
    _, samples = service_and_perceived_samples(found, counts)
    histogram = samples.histogram
    return Distribution(
        step=step,
        variant=variant or None,
        within=[
            histogram.count - histogram.count_above(round(1e6 * bound)) for bound in BOUNDS_SECONDS
        ],
        requests=histogram.count,
        total_seconds=round_number(samples.sum_microseconds / 1e6),
    )
