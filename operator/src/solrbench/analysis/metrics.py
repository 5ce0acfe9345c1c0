"""A metric that is compared, a difference in it, and how a status stores that.

The forms of the status differ in what stands beside a difference (a step, a variant, a growth); the
difference itself is the same everywhere, so that every output reads it as `Difference`.

Light enough for commands that only show what is stored: the tests that conclude on differences need
numpy and are in `solrbench.analysis.differences`.
"""

from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import TYPE_CHECKING, Any

from solrbench.api.v1alpha1.comparisons import (
    Comparison,
    Conclusion,
    FigureComparison,
    Overhead,
    TrendDifference,
)
from solrbench.stats.number_format import round_decimals, round_number

if TYPE_CHECKING:
    from solrbench.stats.tests import DifferenceEstimate

SMALLEST_POINTS = 1.0
"""Percentage points by which a share must differ to matter: one failure in a hundred, from which on
failures move percentiles, as in the verdict."""

MIN_REPEATS = 3
"""Repeats of each side below which nothing is concluded. Two are often alike by chance: equal sides
with a p95 on a cliff would be called different in 5 of 100 cases, instead of 1."""

MIN_VALUES_FOR_RANKS = 5
"""Values of each side from which on the rank sum can say something at 99 %, and order at 95 %."""


class Scale(Enum):
    """How two values of a metric are compared."""

    RATIO = auto()
    """By their ratio, in per cent of the baseline: times, rates, sizes."""
    POINTS = auto()
    """By their difference: shares in per cent, which may be 0."""
    PER_HOUR = auto()
    """By the difference of what they grow by in an hour."""


@dataclass(frozen=True)
class ComparisonMetric:
    """A metric that each repeat has one value of.

    Its name has the unit, as `p95Milliseconds`; its label, `p95`, is for tables and sentences.
    """

    name: str
    label: str
    unit: str
    is_lower_better: bool = True
    scale: Scale = Scale.RATIO


AVERAGE = ComparisonMetric("averageMilliseconds", "average", "ms")
RATE = ComparisonMetric("requestsPerSecond", "requests/s", "", is_lower_better=False)
DOCUMENTS = ComparisonMetric("documentsPerSecond", "documents/s", "", is_lower_better=False)
FAILED = ComparisonMetric("failedPercent", "failed", "%", scale=Scale.POINTS)
TIME_UNTIL_FOUND = ComparisonMetric("timeUntilFoundP95Milliseconds", "p95 until found", "ms")
INDEXING = ComparisonMetric("indexingSeconds", "indexing", "s")
INDEX_SIZE = ComparisonMetric("indexBytes", "index size", "bytes")

_OF_REQUESTS = (AVERAGE, RATE, DOCUMENTS, FAILED)
_OTHERS = {each.name: each for each in (*_OF_REQUESTS, TIME_UNTIL_FOUND, INDEXING, INDEX_SIZE)}


def percentile_metric(percent: float) -> ComparisonMetric:
    """Return the metric of a percentile of the times that a user perceives."""
    return ComparisonMetric(f"p{percent:g}Milliseconds", f"p{percent:g}", "ms")


P95 = percentile_metric(95)


def metric_of(name: str) -> ComparisonMetric:
    """Return the metric of this name; what is none of the others is a percentile."""
    return _OTHERS.get(name) or ComparisonMetric(name, name.removesuffix("Milliseconds"), "ms")


@dataclass(frozen=True)
class Difference:
    """How far a candidate is from its baseline in one metric, and what that says.

    Every comparison ends in this value: of variants, with a baseline, of points of sweeps and of
    trends.

    Attributes:
        baseline: mean over the repeats, geometric where ratios are compared; None if not stored
        candidate: as `baseline`
        estimate: candidate less baseline in per cent of the baseline, in percentage points, or in
            the unit of the metric per hour, by the scale of the metric
        interval: holds the true difference in 95 of 100 cases, of the whole family and of all
            looks, in the unit of `estimate`; None if nothing is known of it
        conclusion: None if a side has fewer than `MIN_REPEATS`, of which nothing is concluded
        more_repeats: about how many more repeats of each side would decide it, if `Inconclusive`;
            `MORE_THAN_50` for more than 50
        on_target: a side was measured on one target only, so the conclusion is about that one
        has_changed: the machine changed from repeat to repeat, which may explain the difference of
            sides that were not measured in turn; only if `Inconclusive`
        repeats: those of baseline and candidate that count
        test: what the conclusion is made from; None if it is made or there are too few repeats
        by_means: what it is made from where `test` is of ranks, and there are too few repeats for
            these to reach the level of their family, however far apart the sides are
    """

    metric: ComparisonMetric
    baseline: float | None
    candidate: float | None
    estimate: float
    interval: tuple[float, float] | None = None
    conclusion: Conclusion | None = None
    more_repeats: int | None = None
    on_target: bool = False
    has_changed: bool = False
    repeats: tuple[int, int] = (0, 0)
    test: "DifferenceEstimate | None" = None
    by_means: "DifferenceEstimate | None" = None

    @property
    def is_decided(self) -> bool:
        """Whether more repeats are of no use."""
        return self.conclusion not in (None, Conclusion.INCONCLUSIVE)


@dataclass(frozen=True)
class ComparedMetric:
    """The difference of one request name in a step, or in a point of a sweep.

    The step is empty for what is measured of the index, and variants if there are none; `variant`
    is that of the candidate. A primary metric decides about its step.
    """

    difference: Difference
    step: str = ""
    request: str = ""
    variant: str = ""
    baseline_variant: str = ""
    is_primary: bool = False


_PERCENT_DIGITS = 4
"""More than are shown, as a number that is rounded twice may be another one."""


def store_figure(compared: ComparedMetric, *, is_invalid: bool) -> FigureComparison:
    """Return a metric of a step, or of a point, beside that of the baseline."""
    difference = compared.difference
    return FigureComparison(
        step=compared.step or None,
        variant=compared.variant or None,
        request=compared.request or None,
        figure=difference.metric.name,
        primary=compared.is_primary,
        baseline=round_decimals(difference.baseline or 0.0),
        value=round_decimals(difference.candidate or 0.0),
        difference_percent=_percent(difference.estimate),
        on_target=difference.on_target and difference.conclusion is not None,
        machine_changed=difference.has_changed,
        invalid=is_invalid,
        **_conclusion_fields(difference),
    )


def read_figure(stored: FigureComparison) -> Difference:
    """Return the difference of a metric beside that of the baseline."""
    metric, sides = metric_of(stored.figure), (stored.baseline, stored.value)
    difference = _read(stored, metric, sides, stored.difference_percent, on_target=stored.on_target)
    return replace(difference, has_changed=stored.machine_changed)


def store_overhead(difference: Difference | None) -> Overhead | None:
    """Return the difference of a variant."""
    if difference is None:
        return None
    return Overhead(percent=_percent(difference.estimate), **_conclusion_fields(difference))


def read_overheads(stored: Comparison) -> list[Difference]:
    """Return the metrics of a variant that are known, the one that decides among them."""
    named = (
        (AVERAGE, stored.average),
        (P95, stored.p95),
        (metric_of(stored.figure), stored.percentile),
        (RATE, stored.requests_per_second),
    )
    return [
        _read(overhead, metric, (None, None), overhead.percent, on_target=stored.on_target)
        for metric, overhead in named
        if overhead is not None
    ]


def _conclusion_fields(difference: Difference) -> dict[str, Any]:
    low, high = difference.interval or (None, None)
    return {
        "low_percent": None if low is None else _percent(low),
        "high_percent": None if high is None else _percent(high),
        "conclusion": difference.conclusion,
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
        metric, *sides, percent, interval, stored.conclusion, stored.more_repeats, on_target
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
        conclusion=difference.conclusion or Conclusion.INCONCLUSIVE,
    )


def read_trend(stored: TrendDifference) -> Difference:
    """Return how much more a metric grows than in the baseline."""
    return Difference(
        growth_metric(stored.figure, stored.unit),
        stored.baseline_per_hour,
        stored.growth_per_hour,
        stored.difference_per_hour,
        (stored.low_per_hour, stored.high_per_hour),
        stored.conclusion,
    )


def growth_metric(name: str, unit: str) -> ComparisonMetric:
    """Return the growth of what a trend is of, such as `HeapAfterGc` in bytes, as a metric."""
    return ComparisonMetric(name, name, unit, scale=Scale.PER_HOUR)
