"""The full report of a sweep: what was asked for, and what each point measured."""

from collections.abc import Sequence
from typing import Literal

from pydantic import ConfigDict

from solrbench.api.rules import LenientModel
from solrbench.api.v1alpha1.comparisons import Summary
from solrbench.api.v1alpha1.findings import Bottleneck, ObjectiveResult, StepVerdict
from solrbench.api.v1alpha1.step_result import StepResult
from solrbench.api.v1alpha1.sweep import SweepPoint, SweepStatus
from solrbench.api.v1alpha1.sweep_spec import SweepSpec
from solrbench.contract.environment import Environment
from solrbench.present.report import ReportDocument

SWEEP_SCHEMA_VERSION: Literal[1] = 1
"""Changes when a field is removed or gets another meaning; new fields leave it as it is."""


class RoundReport(LenientModel):
    """One round of a point: its benchmark, and what it measured."""

    round: int
    """Number of the round, from 1."""
    benchmark: str
    """Name of its benchmark, in the namespace of the sweep."""
    summary: Summary = Summary()
    """Figures of its last step, over the repeats of the round."""
    outcome: str = ""
    """Reason and message of its end."""
    totals: list[StepResult] = []
    """All requests of each step together, over the repeats of the round."""
    verdicts: list[StepVerdict] = []
    """The verdict on each step."""
    objectives: list[ObjectiveResult] = []
    """Whether its objectives are met."""
    bottlenecks: list[Bottleneck] = []
    """What held each step back, where servers were measured."""


class PointReport(LenientModel):
    """One point: its figures beside the baseline, and what its benchmark said."""

    name: str
    """Name of the point."""
    benchmark: str
    """Name of its benchmark, in the namespace of the sweep; with rounds, of the first one, which
    `totals`, `verdicts`, `objectives` and `bottlenecks` are of, too."""
    rounds: list[RoundReport] = []
    """Each round whose benchmark is there, where the sweep measures in rounds."""
    values: dict[str, str] = {}
    """The name of its value of each axis."""
    is_baseline: bool = False
    """Whether the other points are compared with it."""
    result: SweepPoint
    """Its state and figures, as the status of the sweep has them."""
    difference_percent: float | None = None
    """How far the figure of `spec.objective` is from that of the baseline."""
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
    totals: list[StepResult] = []
    """All requests of each step together, over all repeats."""
    verdicts: list[StepVerdict] = []
    """The verdict on each step."""
    objectives: list[ObjectiveResult] = []
    """Whether its objectives are met."""
    bottlenecks: list[Bottleneck] = []
    """What held each step back, where servers were measured."""

    @property
    def benchmarks(self) -> "Sequence[RoundReport | PointReport]":
        """What each of its benchmarks said: of every round, or of the only one."""
        return self.rounds or [self]


class SweepReport(ReportDocument):
    """The report of one sweep, as `solrbench report ssweep/NAME -o json` prints it."""

    model_config = ConfigDict(title="Report of a SolrBenchmarkSweep")
    subject = " of a sweep"

    schema_version: Literal[1] = SWEEP_SCHEMA_VERSION
    """Version of this format."""
    sweep: str
    """Namespace and name, with a slash between."""
    spec: SweepSpec
    """Its spec, with all defaults."""
    status: SweepStatus
    """Its status: answers, the best point, conditions."""
    points: list[PointReport] = []
    """Every point, in the order of measuring."""
    environment: Environment | None = None
    """What the first measured point ran on."""
    environment_of: str | None = None
    """Name of that point."""

    @property
    def axes(self) -> tuple[str, ...]:
        """The names of the axes."""
        return tuple(axis.name for axis in self.spec.axes)

    @property
    def baseline(self) -> PointReport | None:
        """The point that the others are compared with."""
        return next((point for point in self.points if point.is_baseline), None)

    @property
    def outcome(self) -> str:
        """The message of the condition Succeeded."""
        ends = (each.message for each in self.status.conditions if each.type == "Succeeded")
        return next(ends, "")
