"""What grew while a step ran."""

from enum import StrEnum

from solrbench.api.v1alpha1.fields import Difference, Measure, Text
from solrbench.api.v1alpha1.status.conditions import StatusModel

MAX_TRENDS = 64
"""Trends in the status; of more, those that grow come first."""


class TrendFigure(StrEnum):
    """A figure that may grow."""

    HEAP = "HeapAfterGc"
    MEMORY = "ResidentMemory"
    LATENCY = "Latency"
    FAILURES = "FailedRequests"
    INDEX = "IndexSize"


class TrendWord(StrEnum):
    """What a figure did."""

    HEAP_GROWS = "HeapGrows"
    MEMORY_GROWS = "MemoryGrows"
    LATENCY_GROWS = "LatencyGrows"
    FAILURES_GROW = "FailuresGrow"
    INDEX_GROWS = "IndexGrows"
    ROSE_ONCE = "RoseOnce"
    STEADY = "Steady"
    UNCLEAR = "Unclear"


class Trend(StatusModel):
    """What one figure did in a step, for steps of five minutes and more."""

    step: Text
    """`step` is the name of the step."""
    variant: Text | None = None
    """`variant` is the name of the variant; absent without variants."""
    figure: Text
    """`figure` is HeapAfterGc, ResidentMemory, Latency, FailedRequests or IndexSize."""
    word: Text
    """`word` is HeapGrows, MemoryGrows, LatencyGrows, FailuresGrow or IndexGrows; RoseOnce for a
    single step upwards; Steady; or Unclear if the step was too short or too uneven to say."""
    server: Text | None = None
    """`server` is the node or pod that grows most; absent for what the load measured."""
    unit: Text
    """`unit` is the unit of the figure: bytes, milliseconds or percent."""
    growth_per_hour: Difference
    """`growthPerHour` is the growth in an hour, beside caches that fill and load that moves; mean
    over the repeats."""
    lower_per_hour: Difference
    """`lowerPerHour` is the lower bound of its 95 % confidence interval, the lowest of any
    repeat."""
    upper_per_hour: Difference
    """`upperPerHour` is the upper bound, the highest of any repeat."""
    full_in_hours: Measure | None = None
    """`fullInHours` is the time until the figure reaches its limit at this pace: that of the heap,
    or the memory limit of the pod; absent if it does not grow, or has no limit."""
    message: Text
    """`message` gives the numbers in words."""
