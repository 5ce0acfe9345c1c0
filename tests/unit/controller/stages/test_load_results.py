"""What a step had measured is kept when its benchmark fails in the middle of it."""

import pytest

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.contract.load_plan import LoadState
from solrbench.contract.step_document import StepRunResult
from solrbench.contract.windows import EndedEarly
from solrbench.controller.stages import load_results
from solrbench.errors import TemporaryError
from solrbench.reasons.target import TargetReason
from support.controller.world import World, condition_of, fail_with
from support.controller.worlds import Master, master_pod, measured_so_far, solr_pod, worker_pod
from support.results.builders import make_document, make_result

KEPT = "one-report-unfinished"


def broken_off(requests: int) -> StepRunResult:
    ended = EndedEarly(second=812.0, last_good_second=790.0, failures=7)
    return make_document("two-users", 1, make_result([1000] * requests), ended_early=ended)


@pytest.fixture
def master(monkeypatch: pytest.MonkeyPatch) -> Master:
    document = broken_off(9)
    state = LoadState(stage="Measuring", step_run_id=document.id, repeat=1, step=document.step)
    monkeypatch.setattr(load_results, "_record_environment", lambda _: None)
    return Master(document, state).put(monkeypatch)


@pytest.fixture
def world(master: Master) -> World:
    """Return a world in which a step is measured for a while."""
    del master
    world = measured_so_far(retries=1)
    world.body()["spec"]["deadlines"] = {"measuringSeconds": 900}
    world.cluster.put(solr_pod())
    assert condition_of(world.reconcile("one"), "Measured") == ("False", "LoadStarted")
    world.cluster.put(master_pod())
    for _ in range(3):
        world.reconcile("one", seconds=70)
    return world


def kept_of(benchmark: SolrBenchmark) -> str:
    """Return the message of the verdict, which must be that it ended early."""
    (verdict,) = benchmark.status.verdicts
    assert verdict.verdict == "Invalid"
    (found,) = (each for each in verdict.reasons if each.reason == "EndedEarly")
    return found.message


def test_while_measuring_it_is_kept_apart_from_the_results(world: World) -> None:
    assert KEPT in world.cluster.names("ConfigMap")
    status = world.reconcile("one", seconds=2).status
    assert (status.report.stored_steps, status.verdicts, status.summary.verdict) == (0, [], "")


def test_a_deadline_keeps_what_was_measured(world: World) -> None:
    after = world.reconcile("one", seconds=1000)
    assert condition_of(after, "Succeeded") == ("False", "DeadlineExceeded")
    message = kept_of(after)
    assert "The step was stopped at second 812 (DeadlineExceeded: Measuring took" in message
    assert "the last good response came at second 790, 7 requests failed since" in message
    assert [each.requests for each in after.status.results] == [9]
    assert after.status.answers[0].startswith("Step two-users: The step was stopped at second 812")
    world.reconcile("one")  # clean-up of the pods, then of results
    world.reconcile("one")
    assert KEPT not in world.cluster.names("ConfigMap")


def test_a_lost_master_leaves_what_was_kept_last(world: World, master: Master) -> None:
    master.current = None
    after = world.reconcile("one", seconds=1000)
    assert "DeadlineExceeded" in kept_of(after)


def test_a_lost_load_is_kept_after_the_last_attempt(world: World, master: Master) -> None:
    world.body()["spec"]["backoffLimit"] = 0
    master.current = LoadState(stage="Failed", reason="WorkerLost", message="w-0 was lost")
    after = world.reconcile("one")
    assert condition_of(after, "Succeeded") == ("False", "WorkerLost")
    assert "(WorkerLost: w-0 was lost; 1 attempts failed" in kept_of(after)


def with_failed_worker(world: World) -> World:
    world.body()["spec"]["backoffLimit"] = 0
    world.cluster.put(worker_pod())
    return world


def test_results_are_fetched_before_a_failed_load_ends(world: World, master: Master) -> None:
    held = LoadState(stage="Failed", reason="WorkerLost", unacknowledged=["r1-s0-two-users"])
    master.current = None  # busy for a moment
    after = with_failed_worker(world).reconcile("one", seconds=2)
    assert condition_of(after, "Measured") == ("False", "OOMKilled")
    assert condition_of(after, "Succeeded") == ("Unknown", "OOMKilled")
    master.current = held
    after = world.reconcile("one", seconds=2)
    assert master.acknowledged == ["r1-s0-two-users"]
    assert after.status.report.stored_steps == 1
    assert condition_of(after, "Succeeded")[0] == "False"


def test_a_failed_load_ends_without_a_master_that_stays_silent(
    world: World, master: Master
) -> None:
    master.current = None
    after = with_failed_worker(world).reconcile("one", seconds=61)
    assert condition_of(after, "Succeeded") == ("False", "OOMKilled")


def test_another_attempt_measures_the_step_from_its_begin(world: World, master: Master) -> None:
    master.current = LoadState(stage="Failed", reason="WorkerLost", message="w-0 was lost")
    first = world.reconcile("one")
    assert first.status.attempts.load == 2
    assert first.status.verdicts == []
    # What the first one has left is no result of the failure of the second.
    master.current = None
    failed = world.reconcile("one", seconds=1000)
    assert condition_of(failed, "Succeeded") == ("False", "DeadlineExceeded")
    assert (failed.status.verdicts, failed.status.report.stored_steps) == ([], 0)


def test_failure_is_reported_even_if_nothing_can_be_kept(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(load_results, "read_partial_result", fail_with(ValueError("damaged")))
    after = world.reconcile("one", seconds=1000)
    assert condition_of(after, "Succeeded") == ("False", "DeadlineExceeded")
    assert after.status.verdicts == []


def test_a_reconcile_after_a_crash_ends_the_same(world: World) -> None:
    status = dict(world.body()["status"])
    world.reconcile("one", seconds=1000)
    world.body()["status"] = status  # it was killed before its status was written
    after = world.reconcile("one")
    assert condition_of(after, "Succeeded") == ("False", "DeadlineExceeded")
    assert "The step was stopped at second 812" in kept_of(after)


@pytest.mark.parametrize("is_reachable", [True, False])
def test_environment_is_recorded_before_the_last_result_ends_the_load(
    world: World, master: Master, monkeypatch: pytest.MonkeyPatch, is_reachable: bool
) -> None:
    acknowledged_before: list[list[str]] = []

    def record(_: object) -> None:
        acknowledged_before.append([*master.acknowledged])
        if not is_reachable:
            raise TemporaryError(TargetReason.SOLR_UNREACHABLE, "connection refused")

    monkeypatch.setattr(load_results, "_record_environment", record)
    master.current = LoadState(stage="Finished", unacknowledged=["r1-s0-two-users"])
    world.reconcile("one", seconds=2)
    assert acknowledged_before == [[]]
    assert master.acknowledged == ["r1-s0-two-users"]


def test_no_result_is_stored_before_one_that_has_to_wait(
    world: World, master: Master, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_at = list[str]()

    def wait(_: object, __: object, step_run_id: str) -> bool:
        looked_at.append(step_run_id)
        return False

    monkeypatch.setattr(load_results, "_planned", lambda _, ids: ids)
    monkeypatch.setattr(load_results, "_store_result", wait)
    master.current = LoadState(stage="Waiting", unacknowledged=["one", "two"])
    world.reconcile("one", seconds=2)
    assert looked_at == ["one"]
