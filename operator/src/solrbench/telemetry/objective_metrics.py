"""Metrics of objectives and of the search for the capacity."""

from collections.abc import Iterator

from solrbench.api.v1alpha1.status.objectives import ObjectiveWord
from solrbench.telemetry.metric_family import MetricFamily, Sample, ShownBenchmark

_NUMBERS = {ObjectiveWord.MET: 1.0, ObjectiveWord.MISSED: 0.0}
"""An unclear word has no number."""


def _objectives(benchmark: ShownBenchmark) -> Iterator[Sample]:
    found = benchmark.status.objectives
    for each in found.results if found is not None else []:
        yield (each.name, each.step or "", each.variant or ""), _NUMBERS.get(each.word)


def _capacity(benchmark: ShownBenchmark) -> Iterator[Sample]:
    for each in benchmark.status.capacity:
        yield (each.variant or "",), each.requests_per_second


def _capacity_lower(benchmark: ShownBenchmark) -> Iterator[Sample]:
    for each in benchmark.status.capacity:
        interval = each.requests_per_second_interval
        yield (each.variant or "",), None if interval is None else interval.lower


def _capacity_upper(benchmark: ShownBenchmark) -> Iterator[Sample]:
    for each in benchmark.status.capacity:
        interval = each.requests_per_second_interval
        yield (each.variant or "",), None if interval is None else interval.upper


OBJECTIVE_FAMILIES = (
    MetricFamily(
        "objective_met",
        "1 if the objective is Met, 0 if it is Missed; absent while it is Unclear.",
        _objectives,
        ("objective", "step", "variant"),
        unit="1 or 0",
    ),
    MetricFamily(
        "capacity_requests_per_second",
        "Highest rate that meets the objectives; absent unless it was found.",
        _capacity,
        ("variant",),
        unit="requests/s",
    ),
    MetricFamily(
        "capacity_requests_per_second_lower",
        "The lower bound of its 95 % confidence interval.",
        _capacity_lower,
        ("variant",),
        unit="requests/s",
    ),
    MetricFamily(
        "capacity_requests_per_second_upper",
        "The upper bound of its 95 % confidence interval.",
        _capacity_upper,
        ("variant",),
        unit="requests/s",
    ),
)
