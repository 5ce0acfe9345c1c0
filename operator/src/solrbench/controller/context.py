"""What the stages of one reconcile share: the benchmark, the adapters, the clock, the status."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any

from solrbench.api.rules import plain
from solrbench.api.v1alpha1 import SolrBenchmark, Status
from solrbench.api.v1alpha1.target import Existing, SolrCloud
from solrbench.contract import names
from solrbench.contract.endpoints import ZooKeeperPath, solr_urls, zookeeper_path
from solrbench.contract.load_plan import LoadState
from solrbench.controller.endpoint import TargetEndpoint, connect_checked, resolve_endpoint
from solrbench.controller.owned_objects import OwnedObjects
from solrbench.controller.queue import BenchmarkQueue
from solrbench.controller.settings import Settings
from solrbench.decide.conditions import TARGET_READY, Conditions
from solrbench.decide.hosts import patterns_in
from solrbench.errors import TemporaryError
from solrbench.kube.client import Cluster
from solrbench.kube.results import BenchmarkResultStore
from solrbench.manifests.common import owner_uid
from solrbench.net.http import NO_AUTH, HttpAuth
from solrbench.solr.client import SolrClient

SOLR_SECONDS = 780.0
"""What all requests to Solr of a reconcile may take: a commit has 600 s, but a target may have 100
URLs, and respond as slowly as it likes. After `HANG_SECONDS` the operator is restarted."""


@dataclass(frozen=True)
class TargetAccess:
    """How a target is reached."""

    connect: Callable[[Cluster, list[str], float, HttpAuth, tuple[str, ...]], SolrClient] = (
        connect_checked
    )
    """Returns a client for base URLs, a timeout in seconds, credentials and the patterns of hosts
    that may be used; the API server of the cluster is never connected to."""
    resolve: Callable[[Cluster, tuple[str, ...], str, Existing, bool], TargetEndpoint] = (
        resolve_endpoint
    )


@dataclass
class ReconcileContext:
    """One reconcile over one benchmark."""

    cluster: Cluster
    reports: BenchmarkResultStore
    settings: Settings
    benchmark: SolrBenchmark
    body: dict[str, Any]
    now: datetime
    access: TargetAccess = TargetAccess()
    queue: BenchmarkQueue = field(default_factory=BenchmarkQueue)
    solr_end: float = field(init=False, default_factory=lambda: time.monotonic() + SOLR_SECONDS)
    status: Status = field(init=False)
    conditions: Conditions = field(init=False)
    ask_load: Callable[[], LoadState] | None = field(init=False, default=None)
    """Returns the state of the load master, where this reconcile asked for it."""
    unseen_target: TemporaryError | None = field(init=False, default=None)
    """Why this reconcile could not look at a target that was ready; it stores no result then."""
    has_late_pod_events: bool = field(init=False, default=False)
    """Whether stored documents were extended, so that verdicts may differ from the status."""

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
    def allowed_hosts(self) -> tuple[str, ...]:
        """Patterns of the hosts that the benchmark may lead the operator to."""
        return patterns_in(self.settings.allowed_hosts, self.namespace)

    @property
    def dataset_hosts(self) -> tuple[str, ...]:
        """Patterns of the hosts that the dataset may be downloaded from."""
        return patterns_in(self.settings.dataset_hosts, self.namespace)

    @property
    def export_hosts(self) -> tuple[str, ...]:
        """Patterns of the hosts that results may be written to."""
        return patterns_in(self.settings.export_hosts, self.namespace)

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
        """The way into the target, looked for once in a reconcile.

        Raises:
            TemporaryError: while a Secret, the SolrCloud or a host is missing.
            PermanentError: if a host is not allowed.
        """
        if self.existing is None:
            urls = solr_urls(self.benchmark, self.solr_cloud)
            return TargetEndpoint(urls, NO_AUTH, nodes=True)
        was_ready, place = self.conditions.is_true(TARGET_READY), (self.namespace, self.existing)
        return self.access.resolve(self.cluster, self.allowed_hosts, *place, was_ready)

    @cached_property
    def owned(self) -> OwnedObjects:
        """The objects that were made for the benchmark, and for a target that it shares."""
        target, metadata = names.target(self.benchmark), self.benchmark.metadata
        owners = frozenset((metadata.uid, owner_uid(self.benchmark, names.SOLR)))
        return OwnedObjects(self.cluster, self.namespace, metadata.name, owners, self.now, target)

    @property
    def zookeeper_path(self) -> ZooKeeperPath:
        """Where the SolrCloud of this attempt keeps its state."""
        return zookeeper_path(
            self.benchmark, self.solr_cloud, self.status.start_time, self.status.attempts.target
        )

    def solr(self, timeout_seconds: float = 10.0, url: str | None = None) -> SolrClient:
        """Return a client for the target, or for one of its URLs; to be closed."""
        urls = self.endpoint.urls if url is None else [url]
        # Nodes that were made for the benchmark have Services that were, too.
        is_own = self.existing is None and url is None
        allowed = ("*",) if is_own else self.allowed_hosts
        auth = self.endpoint.auth
        client = self.access.connect(self.cluster, urls, timeout_seconds, auth, allowed)
        client.end = self.solr_end
        return client

    def update(self, **fields: Any) -> None:
        """Change fields of the status to be written."""
        self.status = self.status.model_copy(update=fields)

    def update_part(self, name: str, **fields: Any) -> None:
        """Change fields of a part of the status, such as `dataset`."""
        part = getattr(self.status, name)
        self.update(**{name: part.model_copy(update=fields)})

    def set_phase(self, phase: str) -> None:
        """Note the phase under way; its deadline counts from the first time.

        That includes the first phase of all, whose name is the default of the status.
        """
        if self.status.phase != phase or self.status.phase_start_time is None:
            self.update(phase=phase, phase_start_time=self.now)

    def finalize_status(self) -> None:
        """Put the conditions into the status; from now on it speaks of this spec."""
        self.update(
            conditions=self.conditions.as_list(),
            observed_generation=self.benchmark.metadata.generation,
        )


def store_status(context: ReconcileContext) -> None:
    """Write the status of the reconcile so far, which is settled.

    Raises:
        ConflictError: if the benchmark changed meanwhile; the next reconcile starts from what is
            stored.
        PermanentError: if it is too large or invalid.
    """
    status = plain(context.status)
    context.body = context.cluster.store_status(context.body, status)
    # As it was written: an older definition has no field for the place in the queue.
    context.queue.observe(context.body | {"status": status}, context.now)
