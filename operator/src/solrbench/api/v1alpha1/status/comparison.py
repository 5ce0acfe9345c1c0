"""The benchmark beside its baseline."""

from typing import Annotated

from pydantic import Field

from solrbench.api.v1alpha1.fields import Bool, Count, Difference, Measure, Text
from solrbench.api.v1alpha1.status.comparison_word import MoreRepeats, Word
from solrbench.api.v1alpha1.status.conditions import StatusModel

MAX_FIGURES = 96
"""Those of all primary figures, and details; `solrbench compare` shows all."""

MAX_TREND_DIFFERENCES = 16
"""Trends beside those of the baseline; those that differ come first."""

MAX_NOTES = 12
"""Differences of two specs that are listed."""


class FigureComparison(StatusModel):
    """One figure beside that of the baseline."""

    step: Text | None = None
    """Name of the step; absent for what is measured of the index."""
    variant: Text | None = None
    """Name of the variant; absent without variants."""
    request: Text | None = None
    """Name of the request, or `all requests`."""
    figure: Text
    """What is compared, with its unit: averageMilliseconds, p95Milliseconds (any percentile),
    requestsPerSecond, failedPercent, indexingSeconds, indexBytes."""
    primary: Bool = False
    """Whether it decides about its step."""
    baseline: Measure
    """Its mean over the repeats of the baseline: the geometric mean, but of failedPercent."""
    value: Measure
    """The same of this benchmark."""
    difference_percent: Difference
    """Difference in per cent of the baseline; of failedPercent in percentage points."""
    low_percent: Difference | None = None
    """Lower end of its 95 % confidence interval, which holds for all primary figures together;
    absent with one repeat."""
    high_percent: Difference | None = None
    """Upper end of it."""
    word: Word | None = None
    """Better, Worse, Same or Unclear; absent with one repeat."""
    more_repeats: MoreRepeats | None = None
    """About how many more repeats of both would decide it, if the word is Unclear; 51 stands for
    more than 50."""
    on_target: Bool = False
    """Whether all repeats of one side were measured on one target: the word is then about that
    target, not about another one of the same topology."""
    invalid: Bool = False
    """Whether the step is Invalid on either side."""


class TrendDifference(StatusModel):
    """What one figure grew by in a step, beside the baseline."""

    step: Text
    """Name of the step."""
    variant: Text | None = None
    """Name of the variant; absent without variants."""
    figure: Text
    """HeapAfterGc, ResidentMemory, Latency, FailedRequests or IndexSize."""
    unit: Text
    """Unit of the figure: bytes, milliseconds or percent."""
    baseline_per_hour: Difference
    """Growth in an hour of the baseline, as in its `status.trends`."""
    growth_per_hour: Difference
    """The same of this benchmark."""
    difference_per_hour: Difference
    """Difference of both."""
    low_per_hour: Difference
    """Lower end of its 95 % confidence interval."""
    high_per_hour: Difference
    """Upper end of it."""
    word: Word
    """Worse if it grows more than in the baseline, Better if less, Same if it is steady in both,
    else Unclear."""


class BaselineComparison(StatusModel):
    """All figures that both have, in the order of the steps, those that decide first."""

    baseline: Text
    """`baseline` is what it was compared with."""
    figures: Annotated[list[FigureComparison], Field(max_length=MAX_FIGURES)] = []
    """`figures` are the figures."""
    left_out: Count = 0
    """`leftOut` is the number of figures for which there is no room."""
    trends: Annotated[list[TrendDifference], Field(max_length=MAX_TREND_DIFFERENCES)] = []
    """`trends` are the trends that both have."""
    settings: Annotated[list[Text], Field(max_length=MAX_NOTES)] = []
    """`settings` are the settings of target and collection in which both differ: what is
    compared."""
    differences: Annotated[list[Text], Field(max_length=MAX_NOTES)] = []
    """`differences` are those of dataset, workload, steps and seed: both did not do the same, so
    that the figures may differ for that alone."""
