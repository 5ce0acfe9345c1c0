"""What happened to a pod while a step was measured is added to its result, however late."""

from datetime import timedelta
from typing import Any

import pytest

from solrbench.api.v1alpha1 import SolrBenchmark, Status
from solrbench.contract.server_document import PodEvent, PodRecord
from solrbench.contract.step_document import StepRunResult
from solrbench.contract.windows import OutlierWindow
from solrbench.controller.stages import target
from solrbench.kube.result_documents import sorted_documents
from support.controller.world import NOW, World, condition_of, fail_with
from support.controller.worlds import (
    STEP_RUN,
    master_pod,
    master_with_result,
    measured,
    measured_so_far,
    solr_pod,
    stored,
    world_with,
)

OUTLIERS = [OutlierWindow(second=3, time=NOW, requests=0, median_microseconds=1000)]


def restarted(seconds_ago: float) -> dict[str, Any]:
    """Return the Solr pod after its container ended."""
    ended = (NOW - timedelta(seconds=seconds_ago)).isoformat()
    return solr_pod(restarts=1, reason="Error", exitCode=1, finishedAt=ended)


def whole(world: World) -> StepRunResult:
    (found,) = sorted_documents(world.cluster, SolrBenchmark.parse(world.body()))
    return found


def reasons(status: Status) -> list[str]:
    return [reason.reason for each in status.verdicts for reason in each.reasons]


def test_restart_reported_after_the_step_was_stored_is_added_to_it() -> None:
    world = world_with(measured(pods=[], outliers=OUTLIERS))
    world.cluster.put(solr_pod())
    status = world.reconcile("one").status
    assert (status.summary.verdict, reasons(status)) == ("Inconclusive", [])
    world.cluster.put(restarted(seconds_ago=3))
    status = world.reconcile("one").status
    assert status.attempts.target == 2
    assert (status.summary.verdict, reasons(status)) == ("Invalid", ["PodRestarted"])
    (record,) = stored(world).pods or []
    assert whole(world).outliers == OUTLIERS  # not kept in memory, and not lost
    assert [each.kind for each in record.troubles] == ["Restarted"]
    # Another operator finds the same.
    assert reasons(world.reconcile("one").status) == ["PodRestarted"]


def test_restart_is_not_forgotten_after_an_exception(monkeypatch: pytest.MonkeyPatch) -> None:
    """The target is then not ready, and was not looked at for what happened meanwhile."""
    world = world_with(measured(pods=[]))
    world.cluster.put(solr_pod())
    world.reconcile("one")
    world.cluster.put(restarted(seconds_ago=3))
    with monkeypatch.context() as patched:
        patched.setattr(target, "verify_target", fail_with(KeyError("pods")))
        assert condition_of(world.reconcile("one"), "TargetReady") == ("False", "InternalError")
    assert reasons(world.reconcile("one").status) == ["PodRestarted"]


def test_restart_before_or_after_the_step_is_not_its_own() -> None:
    for seconds_ago in (20, -5):
        world = world_with(measured(pods=[]))
        world.cluster.put(restarted(seconds_ago))
        assert reasons(world.reconcile("one").status) == []
        assert stored(world).pods == []


def test_documents_of_older_versions_stay_as_they_are() -> None:
    world = world_with(measured())
    world.cluster.put(solr_pod())
    assert reasons(world.reconcile("one").status) == []
    world.cluster.put(restarted(seconds_ago=3))
    status = world.reconcile("one").status
    assert reasons(status) == []
    assert "PodRestarted" in [each.reason for each in status.verdicts[0].unchecked]
    assert stored(world).pods is None


def test_pods_are_looked_at_before_a_step_is_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    master = master_with_result(monkeypatch)
    world = measured_so_far(retries=2)
    world.cluster.put(solr_pod())
    world.reconcile("one")
    world.cluster.put(master_pod())
    world.reconcile("one")
    assert master.acknowledged == [STEP_RUN]
    found = {each.pod: each for each in stored(world).pods or []}
    assert found.keys() == {"one-solr-0", "one-load-master"}
    assert [each.troubles for each in found.values()] == [[], []]


def test_pod_events_outlive_a_lost_acknowledgement(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = PodEvent(kind="Restarted", container="solr", time=NOW - timedelta(seconds=3))
    record = PodRecord(pod="one-solr-0", component="solr", restarts=1, troubles=[problem])
    master = master_with_result(monkeypatch)
    world = world_with(measured(pods=[record]))
    world.cluster.put(solr_pod())
    world.reconcile("one")
    world.cluster.put(master_pod())
    status = world.reconcile("one").status
    assert master.acknowledged == [STEP_RUN]
    assert reasons(status) == ["PodRestarted"]
    assert problem in [each for pod in stored(world).pods or [] for each in pod.troubles]
