"""What is compared: a figure of a step, its unit, and which direction is better."""

from dataclasses import dataclass
from enum import Enum, auto

SMALLEST_POINTS = 1.0
"""Percentage points by which a share must differ to matter: one failure in a hundred, from which on
failures move percentiles, as in the verdict."""


class Scale(Enum):
    """How two values of a figure are compared."""

    RATIO = auto()
    """By their ratio, in per cent of the baseline: times, rates, sizes."""
    POINTS = auto()
    """By their difference: shares in per cent, which may be 0."""


@dataclass(frozen=True)
class ComparisonMetric:
    """A figure that repeats have one value of.

    Attributes:
        name: the figure with its unit, such as `p95Milliseconds`
        label: what stands in tables and sentences, such as `p95`
        unit: unit of its values, as it is printed
        is_lower_better: whether a smaller value is the better one
        scale: how two values are compared
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
