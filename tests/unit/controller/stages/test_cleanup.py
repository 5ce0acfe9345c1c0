"""The collection on an existing Solr at every end of a benchmark."""

from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import kopf
import pytest

from solrbench.api.v1alpha1.benchmark import Cleanup
from solrbench.contract import names
from solrbench.contract.environment import Environment
from solrbench.controller import handlers, uninstall
from solrbench.controller.context import ReconcileContext, TargetAccess
from solrbench.controller.handlers import DELETION_TIMEOUT, Handlers
from solrbench.controller.objects import LOAD
from solrbench.controller.stages import cleanup
from solrbench.decide.conditions import CLEANED_UP, SUCCEEDED
from solrbench.decide.lifecycle import is_suspended, needs_cleanup
from solrbench.errors import TemporaryError
from solrbench.kube.connection import ForbiddenError, NotFoundError
from solrbench.metrics.operator import PrometheusMetrics
from solrbench.reasons.end import ApiServerReason
from solrbench.reasons.lifecycle import LifecycleReason
from solrbench.solr.client import SolrClient
from support.controller.runs import (
    NOW,
    SETTINGS,
    access_to,
    provisioned,
    reconcile_context,
    stored_status,
)
from support.failing import failing
from support.fakes.fake_cluster import FakeCluster, refusal
from support.resources.small_resource import create, resource
from support.solr.cloud import Cloud

STORED = create() | {"metadata.namespace": "search", "metadata.uid": "0b5b"}


def measured(cloud: Cloud, **spec: Any) -> ReconcileContext:
    changes = create() | {f"spec.{name}": value for name, value in spec.items()}
    run = provisioned(cloud, changes)
    run.conditions.set(SUCCEEDED, "True", LifecycleReason.SUCCEEDED, "")
    return run


def test_clean_up_removes_it() -> None:
    cloud = Cloud()
    run = measured(cloud)
    cleanup.clean_up(run)
    assert cloud.collections == {}
    assert run.conditions.is_true(CLEANED_UP)


def test_it_is_kept_if_asked_for() -> None:
    cloud = Cloud()
    cleanup.clean_up(measured(cloud, cleanup="Never"))
    assert cloud.collections.keys() == {"base"}


@pytest.mark.parametrize("end", [cleanup.clean_up, cleanup.suspend])
def test_it_is_removed_later_if_solr_is_away(end: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    limited = list[ReconcileContext]()

    def limit(context: ReconcileContext) -> str:
        limited.append(context)
        return ""

    monkeypatch.setattr(cleanup, "limit_reports", limit)
    cloud = Cloud()
    run = measured(cloud)
    cloud.down = True
    with failing(TemporaryError, "CollectionNotRemoved"):  # a reconcile makes it a condition
        end(run)
    assert needs_cleanup(run.conditions, Cleanup.ALWAYS)
    # Results of the namespace are kept within their limit meanwhile, once it has ended.
    assert len(limited) == (1 if end is cleanup.clean_up else 0)
    cloud.down = False
    end(run)
    assert cloud.collections == {}


def test_suspension_removes_it_once() -> None:
    cloud = Cloud()
    run = measured(cloud)
    cleanup.suspend(run)
    assert cloud.collections == {}
    cloud.down = True
    cleanup.suspend(reconcile_context(cloud, None, stored_status(run)))


def test_suspension_gives_up_the_place_while_solr_is_away() -> None:
    cloud = Cloud()
    run = measured(cloud)
    cloud.down = True
    with pytest.raises(TemporaryError):
        cleanup.suspend(run)
    assert (run.status.phase, run.status.start_time) == ("Suspended", None)
    succeeded = run.conditions.get(SUCCEEDED)
    assert (succeeded.status, succeeded.reason) == ("Unknown", "Suspended")
    assert "the collection could not be deleted" in succeeded.message


def test_clean_up_does_not_wait_for_results_that_a_policy_protects() -> None:
    run, error = measured(Cloud()), ForbiddenError(ApiServerReason.API_REFUSED, "policy")
    cluster: Any = run.cluster
    owner = {"uid": run.benchmark.metadata.uid, "controller": True}
    metadata: Any = {"namespace": "search", "ownerReferences": [owner], "labels": {}}
    results = {"name": names.unfinished(run.benchmark)}
    master = {"name": "base-load-master", "labels": names.selector(run.benchmark, LOAD[0])}
    for kind, each in (("ConfigMap", results), ("Job", master)):
        cluster.put({"kind": kind, "metadata": metadata | each})
    cluster.fault = refusal(error, ["delete"], ["ConfigMap"])
    with pytest.raises(TemporaryError, match="pods are terminating"):
        cleanup.clean_up(run)
    del run.owned
    cleanup.clean_up(run)
    found = run.conditions.get(CLEANED_UP)
    assert (found.status, "could not be deleted: policy" in found.message) == ("True", True)


def test_resumed_benchmark_first_removes_what_is_left() -> None:
    cloud = Cloud()
    run = measured(cloud)
    cloud.down = True
    with pytest.raises(TemporaryError):
        cleanup.suspend(run)
    resumed = reconcile_context(cloud, create() | {"spec.suspend": False}, stored_status(run))
    assert is_suspended(resumed.benchmark.spec, resumed.status, resumed.conditions)
    cloud.down = False
    cleanup.suspend(resumed)
    assert cloud.collections == {}
    assert resumed.conditions.get(CLEANED_UP).status == "Unknown"
    assert not is_suspended(resumed.benchmark.spec, resumed.status, resumed.conditions)


@pytest.fixture
def deletion(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Delete a benchmark so long ago; give the reasons of the events."""

    def delete(cloud: Cloud, ago: timedelta, *, started: bool = True) -> list[str]:
        changes = STORED | {"metadata.deletionTimestamp": (NOW - ago).isoformat()}
        body: Any = resource(changes)
        if started:
            nodes = dict(Cloud().nodes)
            body["status"] = {"startTime": NOW.isoformat(), "target": {"nodes": nodes}}
        events: list[str] = []
        monkeypatch.setattr(kopf, "event", lambda *_, reason, **__: events.append(reason))
        monkeypatch.setattr(handlers, "utc_now", lambda: NOW)
        made = Handlers(FakeCluster(), SETTINGS, PrometheusMetrics("test"), access_to(cloud))
        arguments: Any = {"name": "base", "namespace": "search", "uid": "0b5b", "retry": 0}
        made.on_delete(body=kopf.Body(body), **arguments)
        return events

    return delete


def test_deletion_removes_it(deletion: Any) -> None:
    cloud = Cloud()
    measured(cloud)
    assert deletion(cloud, timedelta()) == []
    assert cloud.collections == {}


def test_deletion_waits_for_a_solr_that_is_away_but_not_for_ever(deletion: Any) -> None:
    cloud = Cloud()
    measured(cloud)
    cloud.down = True
    with pytest.raises(kopf.TemporaryError, match="SolrUnreachable"):
        deletion(cloud, DELETION_TIMEOUT - timedelta(seconds=1))
    assert deletion(cloud, DELETION_TIMEOUT) == ["CollectionLeftBehind"]


def test_deletion_does_not_wait_for_a_solr_that_refuses_credentials(deletion: Any) -> None:
    cloud = Cloud()
    measured(cloud)
    cloud.authorization = "Basic x"
    assert deletion(cloud, timedelta()) == ["CollectionLeftBehind"]


def test_uninstallation_ends_in_time_whose_solr_does_not_respond(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock, said, cloud = [0.0], list[str](), Cloud(down=True)
    monkeypatch.setattr(uninstall, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    body = resource(STORED | {"metadata.finalizers": [names.FINALIZER], "spec.suspend": True})
    body["status"] = {"startTime": NOW.isoformat(), "target": {"nodes": dict(cloud.nodes)}}
    access = access_to(cloud)

    def connect_slowly(*arguments: Any) -> SolrClient:
        clock[0] += 30
        return access.connect(*arguments)

    slow, cluster = TargetAccess(connect_slowly, access.resolve), FakeCluster(body)
    uninstall.Uninstall(cluster, SETTINGS, said.append, slow, lambda _: None).release(40)
    assert clock == [60.0]
    assert "may be left on target.existing" in said[-2]
    assert "released" in said[-1]


def test_uninstallation_passes_over_what_is_gone() -> None:
    said, gone = list[str](), NotFoundError(ApiServerReason.NOT_FOUND, "gone")
    body = resource(STORED | {"metadata.finalizers": [names.FINALIZER]})
    for cluster in (
        FakeCluster(body, unknown=["SolrBenchmark"]),
        FakeCluster(body, fault=refusal(gone, ["merge"])),
    ):
        uninstall.Uninstall(cluster, SETTINGS, said.append, sleep=lambda _: None).release(0)
    assert said == [
        "search/base: its collection may be left on target.existing, delete it there",
        "search/base: released",
    ]


def test_deletion_before_the_start_sends_no_request(deletion: Any) -> None:
    assert deletion(Cloud(down=True), timedelta(), started=False) == []


@pytest.mark.parametrize(
    ("differences", "words"),
    [
        ([], "every step is measured and stored"),
        (["JVM: 17 at first, 21 now"], "stored; the environment differs between repeats: JVM: 17"),
        (["a", "b", "c"], "repeats: a and 2 more in the report's environment"),
    ],
)
def test_success_names_the_difference_of_environments(
    monkeypatch: pytest.MonkeyPatch, differences: list[str], words: str
) -> None:
    run = measured(Cloud())
    record = Environment(spec_hash="5", differences=differences)
    monkeypatch.setattr(cleanup, "read_environment", lambda *_: record)
    cleanup.succeed(run)
    message = run.conditions.get(SUCCEEDED).message
    assert words in message
    assert ("differs" in message) is bool(differences)
    assert run.status.report.environment == names.environment(run.benchmark)
