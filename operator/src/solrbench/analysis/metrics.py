"""What is compared: a metric, its unit, which direction is better, and a difference in it.

Light enough for commands that only show what is stored: the tests that conclude on differences need
numpy and are in `solrbench.analysis.differences`.
"""

from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING

from solrbench.api.v1alpha1.comparisons import Conclusion

if TYPE_CHECKING:
    from solrbench.stats.tests import DifferenceEstimate

SMALLEST_POINTS = 1.0
"""Percentage points by which a share must differ to matter: one failure in a hundred, from which on
failures move percentiles, as in the verdict."""


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

    Attributes:
        name: the metric with its unit, such as `p95Milliseconds`
        label: what stands in tables and sentences, such as `p95`
        unit: as it is printed
    """

    name: str
    label: str
    unit: str
    is_lower_better: bool = True
    scale: Scale = Scale.RATIO


AVERAGE = ComparisonMetric("averageMilliseconds", "average", "ms")
RATE = ComparisonMetric("requestsPerSecond", "requests/s", "", is_lower_better=False)
FAILED = ComparisonMetric("failedPercent", "failed", "%", scale=Scale.POINTS)
INDEXING = ComparisonMetric("indexingSeconds", "indexing", "s")
INDEX_SIZE = ComparisonMetric("indexBytes", "index size", "bytes")

_OTHERS = {each.name: each for each in (AVERAGE, RATE, FAILED, INDEXING, INDEX_SIZE)}


def percentile_metric(percent: float) -> ComparisonMetric:
    """Return the metric of a percentile of the times that a user perceives."""
    return ComparisonMetric(f"p{percent:g}Milliseconds", f"p{percent:g}", "ms")


def metric_of(name: str) -> ComparisonMetric:
    """Return the metric of this name; what is none of the others is a percentile."""
    known = _OTHERS.get(name)
    return known or ComparisonMetric(name, name.removesuffix("Milliseconds"), "ms")


def label_of(name: str) -> str:
    """Return what tables and sentences call the metric of this name."""
    return metric_of(name).label


@dataclass(frozen=True)
class Difference:
    """How far a candidate is from its baseline in one metric, and what that says.

    Every comparison ends in this value: of variants, with a baseline, of points of sweeps and of
    trends. What is stored of it is in `solrbench.analysis.stored_differences`.

    Attributes:
        baseline: mean over the repeats, geometric where ratios are compared; None if not stored
        candidate: as `baseline`
        estimate: candidate less baseline in per cent of the baseline, in percentage points, or in
            the unit of the metric per hour, by the scale of the metric
        interval: holds the true difference in 95 of 100 cases, of the whole family and of all
            looks, in the unit of `estimate`; None if nothing is known of it
        conclusion: None if a side has one repeat only, of which nothing is concluded
        more_repeats: about how many more repeats of each side would decide it, if `Unclear`;
            `MORE_THAN_50` for more than 50
        on_target: a side was measured on one target only, so the conclusion is about that one
        repeats: those of baseline and candidate that count
        test: what the conclusion is made from; None if it is made or a side has one value only
    """

    metric: ComparisonMetric
    baseline: float | None
    candidate: float | None
    estimate: float
    interval: tuple[float, float] | None = None
    conclusion: Conclusion | None = None
    more_repeats: int | None = None
    on_target: bool = False
    repeats: tuple[int, int] = (0, 0)
    test: "DifferenceEstimate | None" = None

    @property
    def is_decided(self) -> bool:
        """Whether more repeats are of no use."""
        return self.conclusion not in (None, Conclusion.UNCLEAR)


@dataclass(frozen=True)
class ComparedMetric:
    """The difference of one request name in a step, or in a point of a sweep.

    Attributes:
        step: empty for what is measured of the index
        variant: name of the variant of the candidate, empty without variants
        baseline_variant: name of the variant of the baseline, as `variant`
        is_primary: whether it decides about its step
    """

    difference: Difference
    step: str = ""
    request: str = ""
    variant: str = ""
    baseline_variant: str = ""
    is_primary: bool = False
