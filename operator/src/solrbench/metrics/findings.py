"""Metrics of what was concluded: objectives, capacity and trends."""

from collections.abc import Callable, Iterator

from solrbench.api.v1alpha1.comparisons import TrendDifference
from solrbench.api.v1alpha1.findings import CapacityResult, ObjectiveConclusion, Trend
from solrbench.api.v1alpha1.step_result import Interval
from solrbench.metrics.family import BenchmarkFamily, Sample, ShownBenchmark

_NUMBERS = {ObjectiveConclusion.MET: 1.0, ObjectiveConclusion.MISSED: 0.0}
"""An unclear word has no number."""


def _objectives(benchmark: ShownBenchmark) -> Iterator[Sample]:
    objectives = benchmark.status.objectives
    for result in objectives.results if objectives is not None else []:
        yield (result.name, result.step or "", result.variant or ""), _NUMBERS.get(result.word)


def _capacity(
    read: Callable[[CapacityResult], float | None],
) -> Callable[[ShownBenchmark], Iterator[Sample]]:
    def samples(benchmark: ShownBenchmark) -> Iterator[Sample]:
        for result in benchmark.status.capacity:
            yield (result.variant or "",), read(result)

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


_LABELS = ("step", "variant", "figure")
_HOUR = 3600.0


def _labels(each: Trend) -> tuple[str, ...]:
    return each.step, each.variant or "", each.figure


def _words(benchmark: ShownBenchmark) -> Iterator[Sample]:
    for trend in benchmark.status.trends:
        yield (*_labels(trend), trend.word), 1


def _bytes_per_second(
    read: Callable[[Trend], float],
) -> Callable[[ShownBenchmark], Iterator[Sample]]:
    def samples(benchmark: ShownBenchmark) -> Iterator[Sample]:
        for trend in benchmark.status.trends:
            if trend.unit == "bytes":
                yield _labels(trend), read(trend) / _HOUR

    return samples


def _full(benchmark: ShownBenchmark) -> Iterator[Sample]:
    for trend in benchmark.status.trends:
        if trend.full_in_hours is not None:
            yield _labels(trend), _HOUR * trend.full_in_hours


def _differences(benchmark: ShownBenchmark) -> list[TrendDifference]:
    comparison = benchmark.status.comparison
    return [] if comparison is None else comparison.trends


def _difference_conclusions(benchmark: ShownBenchmark) -> Iterator[Sample]:
    for difference in _differences(benchmark):
        yield (difference.step, difference.variant or "", difference.figure, difference.word), 1


def _difference_bytes(
    read: Callable[[TrendDifference], float],
) -> Callable[[ShownBenchmark], Iterator[Sample]]:
    def samples(benchmark: ShownBenchmark) -> Iterator[Sample]:
        for difference in _differences(benchmark):
            if difference.unit == "bytes":
                yield (
                    (difference.step, difference.variant or "", difference.figure),
                    read(difference) / _HOUR,
                )

    return samples


_OF_COMPARISON = (
    BenchmarkFamily(
        "comparison_trend_word",
        "Always 1; whether a figure of the step grows more than in the baseline (Worse), less"
        " (Better), is steady in both (Same), or Unclear, is in the label.",
        _difference_conclusions,
        (*_LABELS, "word"),
        unit="always 1",
    ),
    BenchmarkFamily(
        "comparison_growth_difference_bytes_per_second",
        "Growth of heap, memory or index, less that in the baseline.",
        _difference_bytes(lambda each: each.difference_per_hour),
        _LABELS,
        unit="bytes/s",
    ),
    BenchmarkFamily(
        "comparison_growth_difference_lower_bytes_per_second",
        "Its lower 95 % confidence bound.",
        _difference_bytes(lambda each: each.low_per_hour),
        _LABELS,
        unit="bytes/s",
    ),
    BenchmarkFamily(
        "comparison_growth_difference_upper_bytes_per_second",
        "Its upper 95 % confidence bound.",
        _difference_bytes(lambda each: each.high_per_hour),
        _LABELS,
        unit="bytes/s",
    ),
)

TREND_FAMILIES = (
    *_OF_COMPARISON,
    BenchmarkFamily(
        "step_trend",
        "Always 1; what the figure did, such as HeapGrows or Steady, is in the label `word`.",
        _words,
        (*_LABELS, "word"),
        unit="always 1",
    ),
    BenchmarkFamily(
        "step_growth_bytes_per_second",
        "Growth of heap, memory or index beside caches that fill.",
        _bytes_per_second(lambda each: each.growth_per_hour),
        _LABELS,
        unit="bytes/s",
    ),
    BenchmarkFamily(
        "step_growth_lower_bytes_per_second",
        "Its lower 95 % confidence bound.",
        _bytes_per_second(lambda each: each.lower_per_hour),
        _LABELS,
        unit="bytes/s",
    ),
    BenchmarkFamily(
        "step_growth_upper_bytes_per_second",
        "Its upper 95 % confidence bound.",
        _bytes_per_second(lambda each: each.upper_per_hour),
        _LABELS,
        unit="bytes/s",
    ),
    BenchmarkFamily(
        "step_full_seconds",
        "Time until a figure that grows reaches its limit.",
        _full,
        _LABELS,
        unit="s",
    ),
)
