"""Metrics of what was concluded: objectives, capacity and trends."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from solrbench.api.v1alpha1.comparisons import AnswerComparison, TrendDifference
from solrbench.api.v1alpha1.findings import CAPACITY_UNITS, ObjectiveConclusion, Trend
from solrbench.api.v1alpha1.step_result import Interval
from solrbench.metrics.family import BenchmarkFamily, Sample, ShownBenchmark

VERDICT_NUMBERS = {"Valid": 1.0, "Inconclusive": 0.5, "Invalid": 0.0}
_NUMBERS = {ObjectiveConclusion.MET: 1.0, ObjectiveConclusion.MISSED: 0.0}
"""An inconclusive conclusion has no number."""


def answer_samples(comparisons: list[AnswerComparison]) -> Iterator[Sample]:
    """Yield the number of different queries of each comparison that was made."""
    for each in comparisons:
        if each.conclusion is not None:
            yield (each.candidate, each.baseline), each.different


_CAPACITIES = {
    "requests/s": "Highest rate that meets the objectives; absent unless it was found.",
    "documents/s": (
        "Highest rate of documents that meets the objectives, of a search with `indexing`."
    ),
    "users": "Highest number of users that meets the objectives; absent unless it was found.",
}
"""What the capacity in each unit is."""


def _capacity_families(unit: str, text: str) -> Iterator[BenchmarkFamily]:
    """Yield the families of a capacity and of both bounds of its interval."""
    field = CAPACITY_UNITS[unit]

    def samples(bound: str, benchmark: ShownBenchmark) -> Iterator[Sample]:
        for result in benchmark.status.capacity:
            found = getattr(result, f"{field}_interval") if bound else result
            yield (result.variant or "",), getattr(found, bound or field, None)

    for bound in ("", *Interval.model_fields):
        yield BenchmarkFamily(
            f"capacity_{field}_{bound}".rstrip("_"),
            f"The {bound} bound of its 95 % confidence interval." if bound else text,
            partial(samples, bound),
            ("variant",),
            unit=unit,
        )


OBJECTIVE_FAMILIES = (
    BenchmarkFamily(
        "answers_different",
        "Queries that a variant, or the benchmark, answers differently than what it is compared"
        " with; absent unless compared.",
        lambda benchmark: answer_samples(benchmark.status.answer_comparisons),
        ("candidate", "baseline"),
        unit="queries",
    ),
    BenchmarkFamily(
        "objective_met",
        "1 if the objective is Met, 0 if it is Missed; absent while it is Inconclusive.",
        lambda benchmark: (
            ((each.name, each.step or "", each.variant or ""), _NUMBERS.get(each.conclusion))
            for each in (benchmark.status.objectives.results if benchmark.status.objectives else ())
        ),
        ("objective", "step", "variant"),
        unit="1 or 0",
    ),
    *(family for unit, text in _CAPACITIES.items() for family in _capacity_families(unit, text)),
)

_LABELS = ("step", "variant", "figure")
_HOUR = 3600.0

Growths = Callable[[ShownBenchmark], Sequence[Trend | TrendDifference]]


def _labels(each: Trend | TrendDifference) -> tuple[str, ...]:
    return each.step, each.variant or "", each.figure


def _trends(benchmark: ShownBenchmark) -> list[Trend]:
    return benchmark.status.trends


def _differences(benchmark: ShownBenchmark) -> list[TrendDifference]:
    comparison = benchmark.status.comparison
    return [] if comparison is None else comparison.trends


def _conclusions(name: str, text: str, entries: Growths) -> BenchmarkFamily:
    return BenchmarkFamily(
        name,
        text,
        lambda benchmark: (((*_labels(each), each.conclusion), 1) for each in entries(benchmark)),
        (*_LABELS, "conclusion"),
        unit="always 1",
    )


def _growth(name: str, text: str, entries: Growths, field: str) -> BenchmarkFamily:
    """Return the family of a growth in an hour, of what is measured in bytes."""
    return BenchmarkFamily(
        f"{name}_bytes_per_second",
        text,
        lambda benchmark: (
            (_labels(each), getattr(each, field) / _HOUR)
            for each in entries(benchmark)
            if each.unit == "bytes"
        ),
        _LABELS,
        unit="bytes/s",
    )


_LOWER, _UPPER = (f"Its {bound} 95 % confidence bound." for bound in ("lower", "upper"))

TREND_FAMILIES = (
    _conclusions(
        "comparison_trend_conclusion",
        "Always 1; whether a figure of the step grows more than in the baseline (Worse), less"
        " (Better), the same (Same), or Inconclusive, is in the label.",
        _differences,
    ),
    _growth(
        "comparison_growth_difference",
        "Growth of heap, memory or index, less that in the baseline.",
        _differences,
        "difference_per_hour",
    ),
    _growth("comparison_growth_difference_lower", _LOWER, _differences, "low_per_hour"),
    _growth("comparison_growth_difference_upper", _UPPER, _differences, "high_per_hour"),
    _conclusions(
        "step_trend",
        "Always 1; what the figure did, such as HeapGrows or Steady, is in the label `conclusion`.",
        _trends,
    ),
    _growth(
        "step_growth",
        "Growth of heap, memory or index beside caches that fill.",
        _trends,
        "growth_per_hour",
    ),
    _growth("step_growth_lower", _LOWER, _trends, "lower_per_hour"),
    _growth("step_growth_upper", _UPPER, _trends, "upper_per_hour"),
    BenchmarkFamily(
        "step_full_seconds",
        "Time until a figure that grows reaches its limit.",
        lambda benchmark: (
            (_labels(trend), _HOUR * trend.full_in_hours)
            for trend in _trends(benchmark)
            if trend.full_in_hours is not None
        ),
        _LABELS,
        unit="s",
    ),
)
