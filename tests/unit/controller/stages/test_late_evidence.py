"""From pods and documents to the verdict in the status, and to those who read it."""

from datetime import timedelta
from typing import Any

import pytest

from solrbench.api.v1alpha1 import SolrBenchmark, Status
from solrbench.api.v1alpha1.status.verdicts import InvalidReason, StepVerdict
from solrbench.cluster.result_documents import sorted_documents
from solrbench.controller.handlers.events import Event, verdict_events
from solrbench.controller.stages import cleanup, load_results
from solrbench.decide.conditions import SUCCEEDED
from solrbench.results.model.pod_record import PodEvent, PodRecord
from solrbench.results.model.step_result import StepRunResult
from solrbench.results.model.windows import OutlierWindow
from support.controller.finished_steps import (
    STEP_RUN,
    Master,
    master_pod,
    measured,
    stored,
    world_with,
)
from support.controller.measured_worlds import measured_so_far, solr_pod
from support.controller.world import NOW, World, condition_of
from unit.controller.runs import reconcile_context
from unit.solr.cloud import Cloud

OUTLIERS = [OutlierWindow(second=3, time=NOW, requests=0, median_microseconds=1000)]
INVALID = StepVerdict(
    step="two-users",
    verdict="Invalid",
    reasons=[
        InvalidReason(reason="WorkerSaturated", message="worker w used 99 % of a core (limit 90 %)")
    ],
)
VALID = StepVerdict(step="one-user", verdict="Valid")


def restarted(seconds_ago: float) -> dict[str, Any]:
    """Return the Solr pod after its container ended."""
    ended = (NOW - timedelta(seconds=seconds_ago)).isoformat()
    return solr_pod(restarts=1, reason="Error", exitCode=1, finishedAt=ended)


def whole(world: World) -> StepRunResult:
    body = world.cluster.objects["SolrBenchmark", "default", "one"]
    (found,) = sorted_documents(world.cluster, SolrBenchmark.parse(body))
    return found


def reasons(status: Status) -> list[str]:
    return [reason.reason for each in status.verdicts for reason in each.reasons]


def test_restart_reported_after_the_step_was_stored_is_added_to_it() -> None:
    world = world_with(measured(pods=[], outliers=OUTLIERS))
    world.cluster.put(solr_pod())
    status = world.reconcile("one").status
    assert (status.summary.verdict, reasons(status)) == ("Valid", [])
    world.cluster.put(restarted(seconds_ago=3))
    status = world.reconcile("one").status
    assert status.attempts.target == 2
    assert (status.summary.verdict, reasons(status)) == ("Invalid", ["PodRestarted"])
    (record,) = stored(world).pods or []
    assert whole(world).outliers == OUTLIERS  # not kept in memory, and not lost
    assert [each.kind for each in record.troubles] == ["Restarted"]
    # Another operator finds the same.
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
    monkeypatch.setattr(load_results, "LoadMasterClient", Master)
    monkeypatch.setattr(Master, "acknowledged", [])
    world = measured_so_far(retries=2)
    world.cluster.put(solr_pod())
    world.reconcile("one")
    world.cluster.put(master_pod())
    world.reconcile("one")
    assert Master.acknowledged == [STEP_RUN]
    found = {each.pod: each for each in stored(world).pods or []}
    assert found.keys() == {"one-solr-0", "one-load-master"}
    assert [each.troubles for each in found.values()] == [[], []]


def test_pod_events_outlive_a_lost_acknowledgement(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = PodEvent(kind="Restarted", container="solr", time=NOW - timedelta(seconds=3))
    record = PodRecord(pod="one-solr-0", component="solr", restarts=1, troubles=[problem])
    monkeypatch.setattr(load_results, "LoadMasterClient", Master)
    monkeypatch.setattr(Master, "acknowledged", [])
    world = world_with(measured(pods=[record]))
    world.cluster.put(solr_pod())
    world.reconcile("one")
    world.cluster.put(master_pod())
    status = world.reconcile("one").status
    assert Master.acknowledged == [STEP_RUN]
    assert reasons(status) == ["PodRestarted"]
    assert problem in [each for pod in stored(world).pods or [] for each in pod.troubles]


def test_final_message_names_invalid_steps() -> None:
    run = reconcile_context(Cloud())
    run.update(verdicts=[VALID, INVALID])
    cleanup.succeed(run)
    condition = run.conditions.get(SUCCEEDED)
    assert (condition.status, condition.reason) == ("True", "Succeeded")
    assert condition.message == (
        "every step is measured and stored; 1 of 2 steps is Invalid: two-users: WorkerSaturated:"
        " worker w used 99 % of a core (limit 90 %)"
    )


def test_a_good_end_says_no_more_than_before() -> None:
    run = reconcile_context(Cloud())
    run.update(verdicts=[VALID])
    cleanup.succeed(run)
    assert run.conditions.get(SUCCEEDED).message == "every step is measured and stored"


def test_a_step_that_turns_invalid_is_an_event_once() -> None:
    assert verdict_events([VALID], [VALID, INVALID]) == [
        Event(
            "Warning",
            "WorkerSaturated",
            "step two-users is Invalid: worker w used 99 % of a core (limit 90 %)",
        )
    ]
    assert verdict_events([VALID, INVALID], [VALID, INVALID]) == []
    assert verdict_events([], [VALID]) == []


def test_a_benchmark_before_its_first_step_has_no_verdict() -> None:
    world = measured_so_far(retries=2)
    world.cluster.put(solr_pod())
    after = world.reconcile("one")
    assert condition_of(after, "Measured") == ("False", "LoadStarted")
    assert (after.status.summary.verdict, after.status.verdicts) == ("", [])
