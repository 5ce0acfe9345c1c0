"""Reconciles of a benchmark whose existing target is in memory."""

from datetime import UTC, datetime

from solrbench.api.v1alpha1 import Status
from solrbench.controller.context import ReconcileContext, TargetAccess
from solrbench.controller.endpoint import TargetEndpoint
from solrbench.controller.settings import Settings
from solrbench.controller.stages.target import reconcile_target
from solrbench.errors import TemporaryError
from solrbench.kube.client import Cluster
from solrbench.kube.results import BenchmarkResultStore
from solrbench.manifests.common import OperatorImage
from solrbench.net.http import NO_AUTH, HttpAuth
from solrbench.solr.client import SolrClient
from support.fakes.fake_cluster import FakeCluster
from support.resources.objects import stored
from support.resources.small_resource import Changes, create
from support.solr.cloud import Cloud

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SETTINGS = Settings(namespaces=("search",), image=OperatorImage("solrbench:1"))
ENDPOINT = TargetEndpoint(["http://search.team.svc:8983/solr"], NO_AUTH, nodes=False)
CONFIG_SETS = "solrbench-0b5b-"
"""How those of the benchmark begin, by its uid."""


def access_to(cloud: Cloud) -> TargetAccess:
    """Return the way to a cloud in memory instead of the hosts of a spec."""

    def connect(
        _: Cluster, __: list[str], timeout_seconds: float, auth: HttpAuth, *___: object
    ) -> SolrClient:
        return cloud.client(auth, timeout_seconds)

    return TargetAccess(connect, lambda *_: ENDPOINT)


def reconcile_context(
    cloud: Cloud, changes: Changes | None = None, status: Status | None = None, now: datetime = NOW
) -> ReconcileContext:
    """Return a reconcile; `status` is what the reconcile before has stored."""
    benchmark = stored(create() if changes is None else changes)
    status = status or Status(start_time=NOW)
    benchmark = benchmark.model_copy(update={"status": status})
    cluster = FakeCluster()
    return ReconcileContext(
        cluster, BenchmarkResultStore(cluster), SETTINGS, benchmark, {}, now, access_to(cloud)
    )


def provisioned(cloud: Cloud, changes: Changes | None = None) -> ReconcileContext:
    """Reconcile until the target is ready: twice, if a collection is made."""
    run = reconcile_context(cloud, changes)
    try:
        reconcile_target(run)
    except TemporaryError as wait:
        if wait.reason != "CreatingCollection" or cloud.changed:
            raise
        run = reconcile_context(cloud, changes, stored_status(run))
        reconcile_target(run)
    return run


def stored_status(run: ReconcileContext) -> Status:
    """Return the status as the next reconcile finds it."""
    return run.status.model_copy(update={"conditions": run.conditions.as_list()})
