"""`status` of a `SolrBenchmark`: what was observed and measured, bounded in size.

Raw histograms, windows and the environment are in the report (`status.report`).
A number that was not measured is absent.
"""

from datetime import datetime
from typing import Annotated

from pydantic import Field

from solrbench.api.v1alpha1.fields import Count, Int, Text
from solrbench.api.v1alpha1.rules.storage_limits import MAX_RESULTS
from solrbench.api.v1alpha1.status.bottleneck import Bottleneck
from solrbench.api.v1alpha1.status.capacity import MAX_VARIANTS, CapacityResult, Scalability
from solrbench.api.v1alpha1.status.comparison import BaselineComparison
from solrbench.api.v1alpha1.status.conditions import (
    LIST_MAP_BY_TYPE,
    Attempts,
    Condition,
    StatusModel,
)
from solrbench.api.v1alpha1.status.export import ExportStatus
from solrbench.api.v1alpha1.status.objectives import MAX_NOT_RUN, NotRun, ObjectivesStatus
from solrbench.api.v1alpha1.status.response_gaps import MAX_RESPONSE_GAPS, StepResponseGaps
from solrbench.api.v1alpha1.status.steps.distribution import Distribution
from solrbench.api.v1alpha1.status.steps.step_result import StepResult
from solrbench.api.v1alpha1.status.summaries import (
    ColdStart,
    Comparison,
    OpenLoopStats,
    ReportStatus,
    Summary,
)
from solrbench.api.v1alpha1.status.target import (
    CompanionsStatus,
    DatasetStatus,
    LiveLoad,
    QueueStatus,
    TargetStatus,
)
from solrbench.api.v1alpha1.status.telemetry import StepTelemetry
from solrbench.api.v1alpha1.status.trends import MAX_TRENDS, Trend
from solrbench.api.v1alpha1.status.verdicts import MAX_VERDICTS, StepVerdict

MAX_COMPARISONS = MAX_RESULTS
"""Rows of comparisons; where names make more of them, the last ones are left out."""

MAX_ANSWERS = 32
"""Sentences of a status."""


class Status(StatusModel):
    """Observed state of the benchmark."""

    observed_generation: Count = 0
    """`observedGeneration` is the generation of the resource that this status describes."""
    phase: Text = "Pending"
    """`phase` is for printing only; automation should read the conditions."""
    progress_percent: Annotated[Int, Field(ge=0, le=100)] = 0
    """`progressPercent` is the progress of the whole benchmark, for printing only."""
    start_time: datetime | None = None
    """`startTime` is the time at which the benchmark left the queue."""
    completion_time: datetime | None = None
    """`completionTime` is the time at which the benchmark succeeded or failed."""
    phase_start_time: datetime | None = None
    """`phaseStartTime` is the time at which the present phase began; deadlines count from it."""
    queue: QueueStatus | None = None
    """`queue` is the place in the queue; absent unless the benchmark waits for others."""
    attempts: Attempts = Attempts()
    """`attempts` are the numbers of attempts."""
    internal_errors: Count = 0
    """`internalErrors` is the number of reconciles in a row that ended with InternalError."""
    target: TargetStatus = TargetStatus()
    """`target` is the target as Solr and ZooKeeper report it."""
    companions: CompanionsStatus | None = None
    """`companions` are the objects of `spec.companions` as they were made; absent without any."""
    dataset: DatasetStatus = DatasetStatus()
    """`dataset` is the indexing as measured."""
    live_load: LiveLoad | None = None
    """`liveLoad` is the state of the load while it runs."""
    summary: Summary = Summary()
    """`summary` is the result that the printer columns show."""
    results: Annotated[list[StepResult], Field(max_length=MAX_RESULTS)] = []
    """`results` has one entry for each step, variant and request name."""
    totals: Annotated[list[StepResult], Field(max_length=MAX_VERDICTS)] = []
    """`totals` has one entry for each step and variant: all requests together."""
    distributions: Annotated[list[Distribution], Field(max_length=MAX_VERDICTS)] = []
    """`distributions` has one entry for each step and variant: how long all requests took."""
    comparisons: Annotated[list[Comparison], Field(max_length=MAX_COMPARISONS)] = []
    """`comparisons` compare each variant with the first, by step and request name; of several
    request names, all requests together come first. Beyond 256, the last ones are left out."""
    open_loop: Annotated[list[OpenLoopStats], Field(max_length=MAX_VERDICTS)] = []
    """`openLoop` has one entry for each stored step with an arrival rate, and variant."""
    response_gaps: Annotated[list[StepResponseGaps], Field(max_length=MAX_RESPONSE_GAPS)] = []
    """`responseGaps` has one entry for each stored step and variant: which user got the fewest
    responses, and who waited longest. Of more than 8, those stay in which users differ most."""
    cold_start: ColdStart | None = None
    """`coldStart` describes the first thousand requests; absent if fewer were sent before the end
    of the warm-up, or of the first step without one."""
    comparison: BaselineComparison | None = None
    """`comparison` compares the results with those of `spec.comparison.baseline`."""
    answers: Annotated[list[Text], Field(max_length=MAX_ANSWERS)] = []
    """`answers` are what the numbers say, in short sentences."""
    verdicts: Annotated[list[StepVerdict], Field(max_length=MAX_VERDICTS)] = []
    """`verdicts` has one entry for each stored step and variant: whether its results are valid."""
    telemetry: Annotated[list[StepTelemetry], Field(max_length=MAX_VERDICTS)] = []
    """`telemetry` has one entry for each stored step and variant: what the servers did."""
    bottlenecks: Annotated[list[Bottleneck], Field(max_length=MAX_VERDICTS)] = []
    """`bottlenecks` has one entry for each stored step and variant: what held it back."""
    trends: Annotated[list[Trend], Field(max_length=MAX_TRENDS)] = []
    """`trends` has one entry for each figure of each stored step of five minutes or more, and
    variant: whether heap, memory, latency, failures or the index grew. Beyond 64, those that did
    not grow are left out first."""
    objectives: ObjectivesStatus | None = None
    """`objectives` says whether `spec.objectives` are met; absent without any."""
    not_run: Annotated[list[NotRun], Field(max_length=MAX_NOT_RUN)] = []
    """`notRun` has one entry for each step and variant that was left out, with the reason."""
    capacity: Annotated[list[CapacityResult], Field(max_length=MAX_VARIANTS)] = []
    """`capacity` has one entry for each variant: the highest rate, or number of users, that meets
    the objectives."""
    scalability: Annotated[list[Scalability], Field(max_length=MAX_VARIANTS)] = []
    """`scalability` has one entry for each variant with three or more different numbers of users:
    the knee, and how throughput grows with users."""
    report: ReportStatus = ReportStatus()
    """`report` names the ConfigMaps of the full report."""
    export: ExportStatus | None = None
    """`export` is where the results were written; absent without `spec.results.export`."""
    conditions: Annotated[
        list[Condition], Field(max_length=16, json_schema_extra=LIST_MAP_BY_TYPE)
    ] = []
    """`conditions` are the machine-readable state. Automation should read these, not `phase`."""
