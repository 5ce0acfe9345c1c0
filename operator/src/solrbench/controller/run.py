"""What the stages of one pass share: the benchmark, the adapters, the clock, the status."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from solrbench.api.v1alpha1 import SolrBenchmark, Status
from solrbench.api.v1alpha1.solr_cloud import SolrCloud
from solrbench.cluster.client import Cluster
from solrbench.cluster.reports import Reports
from solrbench.controller.settings import Settings
from solrbench.decide.conditions import Conditions
from solrbench.errors import SolrbenchError
from solrbench.plan import names
from solrbench.plan.state_path import StatePath, state_path


class TargetLost(SolrbenchError):  # noqa: N818 - an event, not a mistake
    """A node of the target was lost, and its data with it: everything starts again."""


class LoadLost(SolrbenchError):  # noqa: N818
    """A pod of the load was lost: the steps that are not stored are measured again."""


@dataclass
class Run:
    """One pass over one benchmark."""

    cluster: Cluster
    reports: Reports
    settings: Settings
    benchmark: SolrBenchmark
    body: dict[str, Any]
    now: datetime
    status: Status = field(init=False)
    conditions: Conditions = field(init=False)

    def __post_init__(self) -> None:
        self.status = self.benchmark.status
        self.conditions = Conditions(
            self.status.conditions, self.now, self.benchmark.metadata.generation
        )

    @property
    def namespace(self) -> str:
        """Namespace of the benchmark and all it owns."""
        return self.benchmark.metadata.namespace

    @property
    def solr_cloud(self) -> SolrCloud:
        """The topology; the schema sees to it that there is one."""
        solr_cloud = self.benchmark.spec.target.solr_cloud
        if solr_cloud is None:
            raise ValueError("spec.target.solrCloud must be set")
        return solr_cloud

    @property
    def solr_urls(self) -> list[str]:
        """Base URLs of the Solr nodes."""
        return names.solr_urls(self.benchmark, self.solr_cloud)

    @property
    def state_path(self) -> StatePath:
        """Where the SolrCloud of this attempt keeps its state."""
        return state_path(
            self.benchmark, self.solr_cloud, self.status.start_time, self.status.attempts.target
        )

    def update(self, **fields: Any) -> None:
        """Change fields of the status to be written."""
        self.status = self.status.model_copy(update=fields)

    def enter(self, phase: str) -> None:
        """Note the phase under way; its deadline counts from the first time."""
        if self.status.phase != phase:
            self.update(phase=phase, phase_start_time=self.now)

    def seconds_in_phase(self) -> float:
        """Return how long the phase under way has lasted."""
        started = self.status.phase_start_time
        return (self.now - started).total_seconds() if started is not None else 0.0
