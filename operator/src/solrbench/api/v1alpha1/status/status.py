"""`status` of a `SolrBenchmark`: what was observed and measured, bounded in size.

Raw histograms, windows and the environment are in the report (`status.report`).
A number that was not measured is absent.
"""

from datetime import datetime
from typing import Annotated

from pydantic import Field

from solrbench.api.v1alpha1.fields import Count, Text
from solrbench.api.v1alpha1.status.conditions import (
    LIST_MAP_BY_TYPE,
    Attempts,
    Condition,
    StatusModel,
)
from solrbench.api.v1alpha1.status.results import (
    ColdStart,
    Comparison,
    OpenLoopStats,
    ReportStatus,
    Summary,
)
from solrbench.api.v1alpha1.status.step_result import MAX_RESULTS, StepResult
from solrbench.api.v1alpha1.status.target import DatasetStatus, LiveLoad, TargetStatus
from solrbench.api.v1alpha1.status.verdicts import MAX_VERDICTS, StepVerdict


class Status(StatusModel):
    """What was observed."""

    observed_generation: Count = 0
    """Generation of the resource that this status speaks of."""
    phase: Text = "Pending"
    """For printing only; programs read the conditions."""
    progress: Text = ""
    """For printing only: how far the whole benchmark is, in per cent."""
    start_time: datetime | None = None
    """When the benchmark got its turn."""
    completion_time: datetime | None = None
    """When it succeeded or failed."""
    phase_start_time: datetime | None = None
    """When the phase under way began; deadlines count from here."""
    attempts: Attempts = Attempts()
    """How often things were started."""
    target: TargetStatus = TargetStatus()
    """The target as it reports itself."""
    dataset: DatasetStatus = DatasetStatus()
    """Indexing."""
    load: LiveLoad | None = None
    """Live figures of the load."""
    summary: Summary = Summary()
    """The headline."""
    results: Annotated[list[StepResult], Field(max_length=MAX_RESULTS)] = []
    """One entry for each step, variant and request name."""
    comparisons: Annotated[list[Comparison], Field(max_length=MAX_RESULTS)] = []
    """Each variant but the first compared with the first, by step and request name."""
    sending: Annotated[list[OpenLoopStats], Field(max_length=MAX_VERDICTS)] = []
    """One entry for each step with a planned rate, and variant, that is stored."""
    cold_start: ColdStart | None = None
    """How the load began; absent if fewer than a thousand requests were sent before the end of the
    warm-up, or of the first step without one."""
    verdicts: Annotated[list[StepVerdict], Field(max_length=MAX_VERDICTS)] = []
    """One entry for each step and variant that is stored: may its numbers be believed?"""
    report: ReportStatus = ReportStatus()
    """Where the full report is."""
    conditions: Annotated[
        list[Condition], Field(max_length=16, json_schema_extra=LIST_MAP_BY_TYPE)
    ] = []
    """The truth that programs act on."""
