"""What the status has of all results: comparisons, report, summary."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from solrbench.api.v1alpha1.conditions import StatusModel, StepPart
from solrbench.api.v1alpha1.fields import Bool, Count, Difference, Int, Measure, Text
from solrbench.api.v1alpha1.step_result import Interval

MORE_THAN_50 = 51
"""Stands for more than 50 further repeats."""

MoreRepeats = Annotated[Int, Field(ge=1, le=MORE_THAN_50)]
"""About how many more repeats of each side would decide a comparison."""


class Conclusion(StrEnum):
    """What a comparison says of a figure of the benchmark beside that of its baseline."""

    BETTER = "Better"
    WORSE = "Worse"
    SAME = "Same"
    """Any difference is smaller than the smallest effect that matters."""
    INCONCLUSIVE = "Inconclusive"
    """The repeats do not decide it; more of them may."""


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
    absent with fewer than 3 repeats."""
    high_percent: Difference | None = None
    """Upper end of it."""
    conclusion: Conclusion | None = None
    """Better, Worse, Same or Inconclusive; absent with fewer than 3 repeats."""
    more_repeats: MoreRepeats | None = None
    """About how many more repeats of both would decide it, if the conclusion is Inconclusive; 51
    stands for more than 50."""
    on_target: Bool = False
    """Whether all repeats of one side were measured on one target: the conclusion is then about
    that target, not about another one of the same topology."""
    machine_changed: Bool = False
    """Whether repeats of a side were so much like the ones before that the machine must have
    changed, which may explain an Inconclusive difference: measure both in turn, in a sweep."""
    invalid: Bool = False
    """Whether the step is Invalid on either side."""


class TrendDifference(StepPart):
    """What one figure grew by in a step, beside the baseline."""

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
    conclusion: Conclusion
    """Worse if it grows more than in the baseline, Better if less, Same if neither, else
    Inconclusive."""


class BaselineComparison(StatusModel):
    """All figures that both have, in the order of the steps, those that decide first."""

    baseline: Text
    """`baseline` is what it was compared with."""
    figures: Annotated[list[FigureComparison], Field(max_length=MAX_FIGURES)] = []
    """`figures` are the figures."""
    left_out: Count = 0
    """`leftOut` is the number of figures for which there is no room."""
    drift_unknown: bool = False
    """`driftUnknown` is true where a side has fewer than 5 repeats: whether the machine changed
    from the baseline to this benchmark does not show then."""
    trends: Annotated[list[TrendDifference], Field(max_length=MAX_TREND_DIFFERENCES)] = []
    """`trends` are the trends that both have."""
    settings: Annotated[list[Text], Field(max_length=MAX_NOTES)] = []
    """`settings` are the settings of target and collection in which both differ: what is
    compared."""
    differences: Annotated[list[Text], Field(max_length=MAX_NOTES)] = []
    """`differences` are those of dataset, workload, steps and seed: both did not do the same, so
    that the figures may differ for that alone."""


class AnswerConclusion(StrEnum):
    """Whether two targets answer the same."""

    SAME_ANSWERS = "SameAnswers"
    DIFFER = "Differ"


MAX_ANSWER_COMPARISONS = 16
"""Comparisons of answers in a status: some 200 bytes each."""


class AnswerComparison(StatusModel):
    """The answers of one side to the distinct queries of the workload, beside those of another."""

    candidate: Text
    """`candidate` is the variant, benchmark or point whose answers are compared."""
    baseline: Text
    """`baseline` is what they are compared with."""
    conclusion: AnswerConclusion | None = None
    """`conclusion` is SameAnswers or Differ; absent if they could not be compared."""
    queries: Count = 0
    """`queries` is the number of queries that are compared."""
    different: Count = 0
    """`different` is the number of those that are answered differently: each counts as the first
    of the following kinds that applies."""
    errors: Count = 0
    """`errors` is the number of queries that fail on one side, or with another status."""
    num_found: Count = 0
    """`numFound` is the number of queries that find another number of documents."""
    missing_documents: Count = 0
    """`missingDocuments` is the number of queries with other documents among the first ones."""
    order: Count = 0
    """`order` is the number of queries with the same documents in another order, beyond ties."""
    facets: Count = 0
    """`facets` is the number of queries with other facets or statistics."""
    scores: Count = 0
    """`scores` is the number of queries with the same documents in the same order, but other
    scores."""
    skipped: Count = 0
    """`skipped` is the number of queries whose answers are not compared, as `notes` say."""
    notes: Annotated[list[Text], Field(max_length=MAX_NOTES)] = []
    """`notes` say what is not compared, and why."""
    not_compared: Text | None = None
    """`notCompared` is why nothing could be compared, with a remedy."""


MAX_OMITTED = 8
"""Kinds of parts that a status can go without."""


class Overhead(StatusModel):
    """How much more one variant shows than the baseline, in per cent of the baseline."""

    percent: Difference
    """Geometric mean over the repeats; negative where the variant shows less."""
    low_percent: Difference | None = None
    """Lower end of the 95 % confidence interval of the mean; absent with fewer than 3 repeats."""
    high_percent: Difference | None = None
    """Upper end of it."""
    conclusion: Conclusion | None = None
    """Better, Worse, Same or Inconclusive; absent with fewer than 3 repeats."""
    more_repeats: MoreRepeats | None = None
    """About how many more repeats would decide it, if the conclusion is Inconclusive; 51 stands for
    more than 50."""


class Comparison(StatusModel):
    """One variant against the first one, repeat by repeat."""

    step: Text
    """Name of the step."""
    variant: Text
    """Name of the variant."""
    baseline: Text
    """Name of the variant that it is compared with: the first of `spec.target.variants`."""
    request: Text
    """Name of the request."""
    repeats: Count
    """Repeats in which both were measured."""
    on_target: Bool = False
    """Whether all repeats were measured on one target: the conclusions are then about that
    target."""
    invalid: Annotated[list[Text], Field(max_length=2)] = []
    """Variants of the two whose step is Invalid."""
    failures: Count
    """Failed requests of both in those repeats; errors are compared with responses if there are
    any."""
    figure: Text = "p95Milliseconds"
    """What decides about the step, as in `spec.comparison.primary`: averageMilliseconds,
    p95Milliseconds (or another percentile) or requestsPerSecond."""
    percentile: Overhead | None = None
    """The percentile that `figure` names, unless it is the 95th."""
    average: Overhead | None = None
    """Mean service time; with a planned rate, mean response time."""
    p95: Overhead | None = None
    """95th percentile of the service time; with a planned rate, of the response time."""
    requests_per_second: Overhead | None = None
    """Rate; positive is better here."""


class ReportStatus(StatusModel):
    """ConfigMaps of the full report."""

    config_map_selector: Text = ""
    """`configMapSelector` is the label selector of the ConfigMaps that hold the report;
    `solrbench report NAME -o json` joins them."""
    environment: Text = ""
    """`environment` is the name of the ConfigMap with the environment of the benchmark, once the
    load runs."""
    evidence: Text = ""
    """`evidence` is the name of the ConfigMap with logs, events and the state of the collection at
    each failure or loss, an entry for each attempt; `solrbench report NAME -o evidence` prints
    it."""
    stored_steps: Count = 0
    """`storedSteps` is the number of steps stored, over all repeats and variants."""
    total_steps: Count = 0
    """`totalSteps` is the number of steps of all repeats and variants, as far as it is known:
    with `load.repeats.until`, it grows."""
    left_out: Annotated[list[Text], Field(max_length=MAX_OMITTED)] = []
    """`leftOut` names the parts that are only in the report, as the status would be too large: with
    many steps, variants and request names at once, details of results go first."""
    repeats: Count = 0
    """`repeats` is the number of repeats, as far as it is known: with `load.repeats.until` one more
    than are stored, until all conclusions are there."""


class RepeatSummary(StatusModel):
    """One repeat of the step of the summary, all requests together."""

    target: Count
    """`target` is the number of the target that it was measured on, from 1."""
    requests_per_second: Measure | None = None
    """`requestsPerSecond` is its rate."""
    p95_milliseconds: Measure | None = None
    """`p95Milliseconds` is its 95th percentile, of the same times as that of the summary."""


MAX_REPEATS = 100


class Summary(StatusModel):
    """The result of the printer columns: last measured step, first variant, all requests."""

    step: Text = ""
    """`step` is the name of the step that the other fields describe."""
    requests_per_second: Measure | None = None
    """`requestsPerSecond` is the rate of the step."""
    requests_per_second_interval: Interval | None = None
    """`requestsPerSecondInterval` is its 95 % confidence interval."""
    p95_milliseconds: Measure | None = None
    """`p95Milliseconds` is the 95th percentile of the service time, in an open loop of the response
    time."""
    p95_milliseconds_interval: Interval | None = None
    """`p95MillisecondsInterval` is its 95 % confidence interval."""
    failed_percent: Measure | None = None
    """`failedPercent` is the share of failed requests."""
    verdict: Text = ""
    """`verdict` is Valid, or Invalid if one step is; `status.verdicts` gives the reasons."""
    repeats: Annotated[list[RepeatSummary], Field(max_length=MAX_REPEATS)] = []
    """`repeats` are the repeats of the step, which points of a sweep are compared by."""
