"""The full report of a sweep: what was asked for, and what each point measured."""

from collections.abc import Mapping
from typing import Literal

from pydantic import ConfigDict

from solrbench.analysis.answers import ComparedAnswers
from solrbench.api.rules import LenientModel
from solrbench.api.v1alpha1.comparisons import FigureComparison, Summary
from solrbench.api.v1alpha1.conditions import find_condition
from solrbench.api.v1alpha1.findings import Bottleneck, ObjectiveResult, StepVerdict, Trend
from solrbench.api.v1alpha1.status import IndexPodStatus
from solrbench.api.v1alpha1.step_details import ColdStart, StepResponseGaps
from solrbench.api.v1alpha1.step_result import StepResult
from solrbench.api.v1alpha1.sweep import SweepPoint, SweepStatus
from solrbench.api.v1alpha1.sweep_spec import SweepSpec
from solrbench.contract.environment import Environment
from solrbench.present.report import ReportDocument
from solrbench.sweep.answers import label_of
from solrbench.sweep.objective_figure import ObjectiveFigure


class Findings(LenientModel):
    """What one benchmark of a point found."""

    totals: list[StepResult] = []
    """All requests of each step together, over all repeats."""
    verdicts: list[StepVerdict] = []
    """The verdict on each step."""
    objectives: list[ObjectiveResult] = []
    """Whether its objectives are met."""
    bottlenecks: list[Bottleneck] = []
    """What held each step back, where servers were measured; of all rounds, in most of them."""
    response_gaps: list[StepResponseGaps] = []
    """Who waited longest in each step."""
    index_pods: list[IndexPodStatus] = []
    """Time of each index pod, and of its slowest files."""
    cold_start: ColdStart | None = None
    """The first thousand requests that the target got."""


class RoundReport(Findings):
    """One round of a point: its benchmark, and what it measured."""

    round: int
    """Number of the round, from 1."""
    benchmark: str
    """Name of its benchmark, in the namespace of the sweep."""
    summary: Summary = Summary()
    """Figures of its last step, over the repeats of the round."""
    value: float | None = None
    """Figure of `spec.objective`, where it is neither rate nor p95 of the last step."""
    outcome: str = ""
    """Reason and message of its end."""

    def read(self, figure: ObjectiveFigure) -> float | None:
        """Return the figure of the objective in this round."""
        return figure.value(self.summary) if figure.has_field else self.value


class PointStep(LenientModel):
    """What one step of a point measured through one variant, over all its rounds.

    Times are response times where the rate was planned, else service times. Numbers of servers
    are those of all requests together.
    """

    step: str
    """Name of the step."""
    variant: str | None = None
    """Name of the variant; absent without variants."""
    request: str
    """Name of the requests, or `all requests`."""
    repeats: int
    """Repeats of all rounds."""
    requests_per_second: float | None = None
    """Rate."""
    requests_per_second_lower: float | None = None
    """Lower bound of its 95 % interval: by how the rounds differ, of a single benchmark its own."""
    requests_per_second_upper: float | None = None
    """Upper bound of it."""
    mean_milliseconds: float | None = None
    """Mean time."""
    p50_milliseconds: float | None = None
    """Median time."""
    p95_milliseconds: float | None = None
    """95th percentile of the time."""
    p95_lower_milliseconds: float | None = None
    """Lower bound of its 95 % interval, as that of the rate."""
    p95_upper_milliseconds: float | None = None
    """Upper bound of it."""
    p99_milliseconds: float | None = None
    """99th percentile of the time."""
    failed_percent: float | None = None
    """Share of failed requests."""
    cpu_milliseconds_per_request: float | None = None
    """CPU time of all Solr processes for each query."""
    read_bytes_per_request: float | None = None
    """Bytes that all pods of Solr read from disk for each query."""
    heap_after_gc_bytes: float | None = None
    """Heap that was used after a collection, at most of all nodes."""


class PointCapacity(LenientModel):
    """The highest rate, or number of users, that met the objectives, through one variant."""

    variant: str | None = None
    """Name of the variant; absent without variants."""
    unit: str
    """`requests/s`, `documents/s` or `users`."""
    searches: int
    """Rounds whose search found it."""
    value: float | None = None
    """The capacity, over all searches; absent if none found it."""
    lower: float | None = None
    """Lower bound of its 95 % confidence interval: of one search that of the search, of several by
    how they differ."""
    upper: float | None = None
    """Upper bound of it."""
    highest_met: float | None = None
    """The highest load that met the objectives, on average over the searches."""
    lowest_missed: float | None = None
    """The lowest load that missed one; below `highest_met` where trials vary."""
    message: str
    """What the last search says."""


class PointReport(Findings):
    """One point: its figures beside the baseline, and what its benchmark said."""

    name: str
    """Name of the point."""
    benchmark: str
    """Name of its benchmark, in the namespace of the sweep; with rounds, of the first one, which
    `totals`, `verdicts`, `objectives`, `responseGaps`, `indexPods` and `coldStart` are of, too."""
    rounds: list[RoundReport] = []
    """Each round whose benchmark is there, where the sweep measures in rounds."""
    values: dict[str, str] = {}
    """The name of its value of each axis."""
    is_baseline: bool = False
    """Whether it is the baseline of the sweep."""
    baseline: str | None = None
    """Name of the point that it is compared with: the one with the settings of the baseline in its
    condition, which for that point is itself; absent where that was not measured."""
    result: SweepPoint
    """Its state and figures, as the status of the sweep has them."""
    difference_percent: float | None = None
    """How far the figure of `spec.objective` is from that of `baseline`."""
    difference_lower_percent: float | None = None
    """Lower bound of its interval: the intervals hold the true differences of all points at once in
    95 of 100 sweeps; absent with one repeat."""
    difference_upper_percent: float | None = None
    """Upper bound of it."""
    cores: float | None = None
    """CPU requests of Solr and ZooKeeper."""
    memory_bytes: int | None = None
    """Memory requests of Solr and ZooKeeper."""
    price_per_hour: float | None = None
    """Price of what Solr and ZooKeeper request, by `spec.prices`; absent without prices, as the
    next ones."""
    cost_per_million_requests: float | None = None
    """Cost of a million requests at the rate that was measured, in the same currency."""
    cost_per_million_requests_lower: float | None = None
    """Lower bound of its 95 % interval, which is that of the rate."""
    cost_per_million_requests_upper: float | None = None
    """Upper bound of it."""
    holding: str | None = None
    """Where the cost is minimised, whether the point holds its load: holds, misses, open, new, or
    unknown if nothing valid was measured."""
    headroom: float | None = None
    """How often the load fits into what the point holds; absent in other sweeps, and unknown."""
    headroom_lower: float | None = None
    """Lower bound of its 95 % interval; absent while it is not known how much rounds vary."""
    headroom_upper: float | None = None
    """Upper bound of it."""
    solr_version: str | None = None
    """As Solr reports it."""
    outcome: str = ""
    """Reason and message of the end of its benchmark, with rounds of the last one."""
    cold_start_average_milliseconds: list[float] = []
    """Mean service time of the first thousand requests that the target got, of the second, of the
    next two, four and so on, the 12th of all that are left; of points whose cold start is drawn."""
    steps: list[PointStep] = []
    """Every step, variant and request name, over all rounds."""
    figures: list[FigureComparison] = []
    """P95 and rate of each of them, and the time of indexing, beside those of `baseline` in the
    same rounds, or (p95 and rate) in repeats on fresh targets; else empty. The one of
    `spec.objective` is `primary`, and has the conclusion of `result`; all others of all points are
    one family, by Benjamini and Hochberg."""
    variants: list[FigureComparison] = []
    """P95 and rate of each variant beside those of the first one in the same rounds, a family of
    their own. Empty without rounds, and without variants."""
    capacities: list[PointCapacity] = []
    """What a capacity search found, by variant."""
    indexing_seconds: float | None = None
    """Time of indexing, the mean over all rounds; of a shared index, of when it was made."""
    documents_per_second: float | None = None
    """Documents indexed in a second."""
    index_bytes: float | None = None
    """Size of the index over all replicas."""
    trends: list[Trend] = []
    """What grew within a step."""

    @property
    def is_compared_with(self) -> bool:
        """Whether other points are compared with it."""
        return self.is_baseline or self.baseline == self.name

    @property
    def benchmarks(self) -> "Mapping[str, RoundReport | PointReport]":
        """What each of its benchmarks said, by its name: of every round, or of the only one."""
        return {f"{self.name}, round {e.round}": e for e in self.rounds} or {self.name: self}

    @property
    def cold_benchmark(self) -> str:
        """The first of its benchmarks whose first thousand requests are known; empty without."""
        cold = (e.benchmark for e in self.benchmarks.values() if e.cold_start is not None)
        return next(cold, "")

    def counted_rounds(self, figure: ObjectiveFigure) -> list[RoundReport]:
        """Return the rounds that the figure of the objective is made of; one that runs is none."""
        return [
            each
            for each in self.rounds
            if each.round <= (self.result.rounds or 0)
            and each.summary.verdict != "Invalid"
            and each.read(figure) is not None
        ]


class SweepReport(ReportDocument):
    """The report of one sweep, as `solrbench report ssweep/NAME -o json` prints it."""

    model_config = ConfigDict(title="Report of a SolrBenchmarkSweep")
    subject = " of a sweep"

    schema_version: Literal[1] = 1
    """Version of this format."""
    sweep: str
    """Namespace and name, with a slash between."""
    spec: SweepSpec
    """Its spec, with all defaults."""
    status: SweepStatus
    """Its status: answers, the best point, conditions."""
    points: list[PointReport] = []
    """Every point, in the order of measuring."""
    answers: list[ComparedAnswers] = []
    """What each point answers differently than the baseline, with the queries that changed most."""
    environment: Environment | None = None
    """What the first measured point ran on."""
    environment_of: str | None = None
    """Name of that point."""

    @property
    def axes(self) -> tuple[str, ...]:
        """The names of the axes."""
        return tuple(axis.name for axis in self.spec.axes)

    @property
    def conditions(self) -> tuple[str, ...]:
        """The names of the axes that are conditions."""
        return tuple(axis.name for axis in self.spec.axes if axis.is_condition)

    @property
    def baseline(self) -> PointReport | None:
        """The baseline of the sweep."""
        return next((point for point in self.points if point.is_baseline), None)

    @property
    def labels(self) -> dict[str, str]:
        """The benchmark of each point, by the values in which it differs from the baseline."""
        alone = len(self.axes) == 1
        return {
            label_of(self.changes(point) or point.values, alone=alone): point.benchmark
            for point in self.points
        }

    def changes(self, point: PointReport) -> dict[str, str]:
        """Return the values in which a point differs from the baseline, by axis."""
        usual = {} if self.baseline is None else self.baseline.values
        return {axis: value for axis, value in point.values.items() if usual.get(axis) != value}

    @property
    def outcome(self) -> str:
        """The message of the condition Succeeded."""
        end = find_condition(self.status.conditions, "Succeeded")
        return "" if end is None else end.message
