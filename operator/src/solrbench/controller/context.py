"""What the stages of one reconcile share: the benchmark, the adapters, the clock, the status."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any

from solrbench.api.v1alpha1 import SolrBenchmark, Status
from solrbench.api.v1alpha1.target.existing import Existing
from solrbench.api.v1alpha1.target.solr_cloud import SolrCloud
from solrbench.cluster.client import Cluster
from solrbench.cluster.reports import Reports
from solrbench.controller.benchmark_queue import BenchmarkQueue
from solrbench.controller.endpoint import TargetEndpoint, resolve_endpoint
from solrbench.controller.settings import Settings
from solrbench.decide.conditions import Conditions
from solrbench.errors import SolrbenchError
from solrbench.http_auth import NO_AUTH, HttpAuth
from solrbench.plan.solr_addresses import solr_urls
from solrbench.plan.zookeeper_path import ZooKeeperPath, zookeeper_path
from solrbench.solr.client import SolrClient


class TargetLostError(SolrbenchError):
    """A node of the target was lost, and its data with it: everything starts again."""


class LoadLostError(SolrbenchError):
    """A pod of the load was lost: the steps that are not stored are measured again."""


@dataclass(frozen=True)
class TargetAccess:
    """How a target is reached.

    Attributes:
        connect: returns a client for base URLs, a timeout in seconds and credentials
        resolve: returns the endpoint of an existing target

    """

    connect: Callable[[list[str], float, HttpAuth], SolrClient] = SolrClient
    resolve: Callable[[Cluster, tuple[str, ...], str, Existing], TargetEndpoint] = resolve_endpoint


@dataclass
class ReconcileContext:
    """One reconcile over one benchmark."""

    cluster: Cluster
    reports: Reports
    settings: Settings
    benchmark: SolrBenchmark
    body: dict[str, Any]
    now: datetime
    access: TargetAccess = TargetAccess()
    queue: BenchmarkQueue = field(default_factory=BenchmarkQueue)
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
    def existing(self) -> Existing | None:
        """The target that was there before, if it is one."""
        return self.benchmark.spec.target.existing

    @cached_property
    def endpoint(self) -> TargetEndpoint:
        """The way into an existing target, looked for once in a reconcile.

        Raises:
            TemporaryError: while a Secret, the SolrCloud or a host is missing.
            PermanentError: if a host is not allowed.

        """
        if self.existing is None:
            raise ValueError("spec.target.existing must be set")
        allowed = self.settings.allowed_hosts
        return self.access.resolve(self.cluster, allowed, self.namespace, self.existing)

    @property
    def solr_urls(self) -> list[str]:
        """Base URLs of the Solr nodes, or of what stands in front of existing ones."""
        if self.existing is not None:
            return self.endpoint.urls
        return solr_urls(self.benchmark, self.solr_cloud)

    @property
    def zookeeper_path(self) -> ZooKeeperPath:
        """Where the SolrCloud of this attempt keeps its state."""
        return zookeeper_path(
            self.benchmark, self.solr_cloud, self.status.start_time, self.status.attempts.target
        )

    @property
    def auth(self) -> HttpAuth:
        """What Solr asks of its callers."""
        return NO_AUTH if self.existing is None else self.endpoint.auth

    def solr(self, timeout_seconds: float = 10.0) -> SolrClient:
        """Return a client for the target; to be closed."""
        return self.access.connect(self.solr_urls, timeout_seconds, self.auth)

    @property
    def nodes(self) -> int:
        """Solr nodes that the collection may be on."""
        if self.existing is not None:
            return self.status.target.live_nodes or 0
        return self.solr_cloud.nodes

    def update(self, **fields: Any) -> None:
        """Change fields of the status to be written."""
        self.status = self.status.model_copy(update=fields)

    def set_phase(self, phase: str) -> None:
        """Note the phase under way; its deadline counts from the first time."""
        if self.status.phase != phase:
            self.update(phase=phase, phase_start_time=self.now)

    def finalize_status(self) -> None:
        """Put the conditions into the status; from now on it speaks of this spec."""
        self.update(
            conditions=self.conditions.as_list(),
            observed_generation=self.benchmark.metadata.generation,
        )

    def seconds_in_phase(self) -> float:
        """Return how long the phase under way has lasted."""
        started = self.status.phase_start_time
        return (self.now - started).total_seconds() if started is not None else 0.0
