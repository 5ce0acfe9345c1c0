"""A difference as a status stores it, and read from there again.

The forms of the status differ in what stands beside a difference (a step, a variant, a growth); the
difference itself is the same everywhere, so that every output reads it as `Difference`.
"""

from typing import Any

from solrbench.analysis.metrics import (
    ComparedMetric,
    ComparisonMetric,
    Difference,
    Scale,
    metric_of,
)
from solrbench.api.v1alpha1.comparisons import (
    Conclusion,
    FigureComparison,
    Overhead,
    TrendDifference,
)
from solrbench.stats.number_format import round_number

_DIGITS = 3
_PERCENT_DIGITS = 2


def store_figure(compared: ComparedMetric, *, is_invalid: bool) -> FigureComparison:
    """Return a metric of a step, or of a point, beside that of the baseline."""
    difference = compared.difference
    return FigureComparison(
        step=compared.step or None,
        variant=compared.variant or None,
        request=compared.request or None,
        figure=difference.metric.name,
        primary=compared.is_primary,
        baseline=round(difference.baseline or 0.0, _DIGITS),
        value=round(difference.candidate or 0.0, _DIGITS),
        difference_percent=_percent(difference.estimate),
        on_target=difference.on_target and difference.conclusion is not None,
        invalid=is_invalid,
        **_conclusion_fields(difference),
    )


def read_figure(stored: FigureComparison) -> Difference:
    """Return the difference of a metric beside that of the baseline."""
    metric, sides = metric_of(stored.figure), (stored.baseline, stored.value)
    return _read(stored, metric, sides, stored.difference_percent, on_target=stored.on_target)


def store_overhead(difference: Difference | None) -> Overhead | None:
    """Return the difference of a variant."""
    if difference is None:
        return None
    return Overhead(percent=_percent(difference.estimate), **_conclusion_fields(difference))


def read_overhead(metric: ComparisonMetric, stored: Overhead, *, on_target: bool) -> Difference:
    """Return the difference of a variant, without the values of both sides."""
    return _read(stored, metric, (None, None), stored.percent, on_target=on_target)


def _conclusion_fields(difference: Difference) -> dict[str, Any]:
    low, high = difference.interval or (None, None)
    return {
        "low_percent": None if low is None else _percent(low),
        "high_percent": None if high is None else _percent(high),
        "word": difference.conclusion,
        "more_repeats": difference.more_repeats,
    }


def _read(
    stored: FigureComparison | Overhead,
    metric: ComparisonMetric,
    sides: tuple[float | None, float | None],
    percent: float,
    *,
    on_target: bool,
) -> Difference:
    low, high = stored.low_percent, stored.high_percent
    interval = None if low is None or high is None else (low, high)
    return Difference(
        metric, *sides, percent, interval, stored.word, stored.more_repeats, on_target
    )


def _percent(value: float) -> float:
    return round(value, _PERCENT_DIGITS) + 0.0  # never a negative zero


def store_trend(difference: Difference, step: str, variant: str | None) -> TrendDifference:
    """Return how much more a metric grows in a step than in that of the baseline."""
    low, high = difference.interval or (0.0, 0.0)
    return TrendDifference(
        step=step,
        variant=variant,
        figure=difference.metric.name,
        unit=difference.metric.unit,
        baseline_per_hour=difference.baseline or 0.0,
        growth_per_hour=difference.candidate or 0.0,
        difference_per_hour=round_number(difference.estimate),
        low_per_hour=round_number(low),
        high_per_hour=round_number(high),
        word=difference.conclusion or Conclusion.UNCLEAR,
    )


def read_trend(stored: TrendDifference) -> Difference:
    """Return how much more a metric grows than in the baseline."""
    return Difference(
        growth_metric(stored.figure, stored.unit),
        stored.baseline_per_hour,
        stored.growth_per_hour,
        stored.difference_per_hour,
        (stored.low_per_hour, stored.high_per_hour),
        stored.word,
    )


def growth_metric(name: str, unit: str) -> ComparisonMetric:
    """Return the growth of what a trend is of, such as `HeapAfterGc` in bytes, as a metric."""
    return ComparisonMetric(name, name, unit, scale=Scale.PER_HOUR)
