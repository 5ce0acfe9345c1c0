"""Passes over a benchmark whose existing target is in memory."""

from datetime import UTC, datetime

from solrbench.api.v1alpha1 import Status
from solrbench.cluster.reports import Reports
from solrbench.controller.context import ReconcileContext
from solrbench.controller.endpoint import TargetEndpoint
from solrbench.controller.settings import Settings
from solrbench.controller.stages.target import reconcile_target
from solrbench.errors import TemporaryError
from solrbench.http_auth import NO_AUTH
from solrbench.manifests.common import OperatorImage
from solrbench.solr.client import SolrClient
from support.few_objects import FewObjects
from support.objects import stored
from support.resources import Changes, create
from unit.solr.cloud import Cloud

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SETTINGS = Settings(namespaces=("search",), image=OperatorImage("solrbench:1"))
CONFIG_SETS = "solrbench-0b5b-"
"""How those of the benchmark begin, by its uid."""


class RunOnCloud(ReconcileContext):
    """A pass that asks a cloud in memory instead of the hosts of its spec."""

    cloud: Cloud

    def solr(self, timeout_seconds: float = 10.0) -> SolrClient:
        return self.cloud.client(self.auth, timeout_seconds)


def pass_over(
    cloud: Cloud, changes: Changes | None = None, status: Status | None = None, now: datetime = NOW
) -> ReconcileContext:
    """Return a reconcile; `status` is what the reconcile before has stored."""
    benchmark = stored(create() if changes is None else changes)
    status = status or Status(start_time=NOW)
    benchmark = benchmark.model_copy(update={"status": status})
    cluster = FewObjects().as_cluster()
    run = RunOnCloud(cluster, Reports(cluster), SETTINGS, benchmark, {}, now)
    run.cloud = cloud
    run.__dict__["endpoint"] = TargetEndpoint(
        ["http://search.team.svc:8983/solr"], NO_AUTH, nodes=False
    )
    return run


def provisioned(cloud: Cloud, changes: Changes | None = None) -> ReconcileContext:
    """Reconcile until the target is ready: twice, if a collection is made."""
    run = pass_over(cloud, changes)
    try:
        reconcile_target(run)
    except TemporaryError as wait:
        if wait.reason != "CreatingCollection" or cloud.changed:
            raise
        run = pass_over(cloud, changes, stored_status(run))
        reconcile_target(run)
    return run


def stored_status(run: ReconcileContext) -> Status:
    """Return the status as the next reconcile finds it."""
    return run.status.model_copy(update={"conditions": run.conditions.as_list()})
