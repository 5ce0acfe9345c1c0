"""Metrics of objectives and of the search for the capacity."""

from collections.abc import Callable, Iterator

from solrbench.api.v1alpha1.status.capacity import CapacityResult
from solrbench.api.v1alpha1.status.objectives import ObjectiveWord
from solrbench.api.v1alpha1.status.steps.intervals import Interval
from solrbench.metrics.metric_family import BenchmarkFamily, Sample, ShownBenchmark

_NUMBERS = {ObjectiveWord.MET: 1.0, ObjectiveWord.MISSED: 0.0}
"""An unclear word has no number."""


def _objectives(benchmark: ShownBenchmark) -> Iterator[Sample]:
    found = benchmark.status.objectives
    for each in found.results if found is not None else []:
        yield (each.name, each.step or "", each.variant or ""), _NUMBERS.get(each.word)


def _capacity(
    read: Callable[[CapacityResult], float | None],
) -> Callable[[ShownBenchmark], Iterator[Sample]]:
    def samples(benchmark: ShownBenchmark) -> Iterator[Sample]:
        for each in benchmark.status.capacity:
            yield (each.variant or "",), read(each)

    return samples


def _lower(interval: Interval | None) -> float | None:
    return None if interval is None else interval.lower


def _upper(interval: Interval | None) -> float | None:
    return None if interval is None else interval.upper


OBJECTIVE_FAMILIES = (
    BenchmarkFamily(
        "objective_met",
        "1 if the objective is Met, 0 if it is Missed; absent while it is Unclear.",
        _objectives,
        ("objective", "step", "variant"),
        unit="1 or 0",
    ),
    BenchmarkFamily(
        "capacity_requests_per_second",
        "Highest rate that meets the objectives; absent unless it was found.",
        _capacity(lambda found: found.requests_per_second),
        ("variant",),
        unit="requests/s",
    ),
    BenchmarkFamily(
        "capacity_requests_per_second_lower",
        "The lower bound of its 95 % confidence interval.",
        _capacity(lambda found: _lower(found.requests_per_second_interval)),
        ("variant",),
        unit="requests/s",
    ),
    BenchmarkFamily(
        "capacity_requests_per_second_upper",
        "The upper bound of its 95 % confidence interval.",
        _capacity(lambda found: _upper(found.requests_per_second_interval)),
        ("variant",),
        unit="requests/s",
    ),
    BenchmarkFamily(
        "capacity_users",
        "Highest number of users that meets the objectives; absent unless it was found.",
        _capacity(lambda found: found.users),
        ("variant",),
        unit="users",
    ),
    BenchmarkFamily(
        "capacity_users_lower",
        "The lower bound of its 95 % confidence interval.",
        _capacity(lambda found: _lower(found.users_interval)),
        ("variant",),
        unit="users",
    ),
    BenchmarkFamily(
        "capacity_users_upper",
        "The upper bound of its 95 % confidence interval.",
        _capacity(lambda found: _upper(found.users_interval)),
        ("variant",),
        unit="users",
    ),
)
