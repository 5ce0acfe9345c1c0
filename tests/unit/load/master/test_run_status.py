"""What `GET /solrbench/state` shows."""

import logging

import pytest

from solrbench.load.errors import LoadError
from solrbench.load.master.run_status import RunStage, RunStatus
from solrbench.load.recording.recent_times import RecentRequests, pack_times
from solrbench.load.schedule.messages import LiveTotals
from solrbench.plan.load_plan import LoadState
from solrbench.reasons.load import LoadReason
from unit.load.builders import assignment
from unit.load.master.fake_load.locust import FakeLoad
from unit.load.master.fake_load.workers import load_plan

CLOSED = {"name": "calm", "users": 4, "durationSeconds": 10}
OPEN = {"name": "planned", "requestsPerSecond": 5, "durationSeconds": 10}


class Shown:
    """The status of a run on one worker."""

    def __init__(self) -> None:
        self.load = FakeLoad(expected=1)
        self.load.join("a")
        self.load.pool.wait_for_workers()
        self.load.pool.assign(assignment())
        self.load.runner.user_count = 4
        self.stored = ["r1-s0-before"]
        self.status = RunStatus(
            "tests/small", self.load.pool, lambda: self.stored, self.load.clock.now
        )
        closed, opened = load_plan(CLOSED, OPEN).step_runs
        self.closed = closed.model_copy(update={"variant": "proxy"})
        self.open = opened

    def second(
        self, requests: int, failures: int = 0, recent: RecentRequests | None = None
    ) -> LoadState:
        self.load.clock.seconds += 1
        totals = LiveTotals(4, requests, failures, 0)
        self.load.progress(assignment().key, "a", totals, recent or RecentRequests())
        return self.status.load_state()


def test_run_waits_for_workers_first() -> None:
    state = Shown().status.load_state()
    expected = LoadState(
        stage="WaitingForWorkers", workers=1, unacknowledged=["r1-s0-before"], users=0
    )
    assert state == expected


def test_step_run_is_shown_with_its_live_totals() -> None:
    shown = Shown()
    shown.status.step_run = shown.closed
    shown.status.enter(RunStage.RAMPING)
    assert shown.second(0).elapsed_seconds == 0
    shown.status.restart_counting(shown.load.clock.now())
    shown.status.enter(RunStage.MEASURING)
    shown.second(20)
    state = shown.second(50, failures=3)
    assert state == LoadState(
        stage="Measuring",
        workers=1,
        step_run_id="r1-s0-calm",
        repeat=1,
        variant="proxy",
        step="calm",
        users=4,
        requests=50,
        failures=3,
        requests_per_second=30,
        elapsed_seconds=2,
        unacknowledged=["r1-s0-before"],
    )


def test_planned_rate_is_shown_instead_of_the_users_that_stand_for_workers() -> None:
    shown = Shown()
    shown.status.step_run = shown.open
    shown.status.enter(RunStage.WARMING_UP)
    state = shown.status.load_state()
    assert (state.users, state.planned_requests_per_second, state.variant) == (4, None, None)
    shown.status.enter(RunStage.MEASURING)
    state = shown.status.load_state()
    assert (state.users, state.planned_requests_per_second) == (0, 5)


def test_requests_of_the_step_run_before_are_in_no_throughput() -> None:
    shown = Shown()
    shown.status.step_run = shown.closed
    shown.second(100)
    assert shown.second(300).requests_per_second == 200
    shown.status.restart_counting()
    assert shown.second(300).requests_per_second == 0


def test_latency_and_failures_are_those_of_the_last_ten_seconds() -> None:
    shown = Shown()
    shown.status.step_run = shown.closed
    shown.second(1, recent=RecentRequests(1, 1, pack_times({2000: 1})))
    shown.status.restart_counting(shown.load.clock.now())
    assert shown.second(0).p95_milliseconds is None
    shown.second(100, recent=RecentRequests(100, 5, pack_times({100: 95, 1000: 5})))
    state = shown.second(200, recent=RecentRequests(100, 0, pack_times({100: 100})))
    assert (state.recent_requests, state.recent_failures) == (200, 5)
    assert state.p50_milliseconds == pytest.approx(0.111)
    assert state.p99_milliseconds == pytest.approx(1.007)
    shown.load.clock.seconds += 10
    assert shown.status.load_state().recent_requests is None


@pytest.mark.parametrize("failed", [False, True])
def test_run_that_is_over_shows_no_step_run(failed: bool) -> None:
    shown = Shown()
    shown.status.step_run = shown.closed
    assert not shown.status.is_over
    if failed:
        shown.status.fail(LoadError(LoadReason.WORKER_LOST, "worker pod-a was lost"))
    else:
        shown.status.enter(RunStage.FINISHED)
    state = shown.second(100)
    assert shown.status.is_over
    assert state == LoadState(
        stage="Failed" if failed else "Finished",
        workers=1,
        unacknowledged=["r1-s0-before"],
        reason="WorkerLost" if failed else None,
        message="worker pod-a was lost" if failed else None,
    )


def test_each_change_of_stage_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    shown = Shown()
    with caplog.at_level(logging.INFO):
        shown.status.enter(RunStage.WAITING_FOR_WORKERS)
        shown.status.step_run = shown.closed
        for _ in range(2):
            shown.status.enter(RunStage.MEASURING)
        shown.status.step_run = None
        shown.status.enter(RunStage.STORING)
    assert caplog.messages == [
        "benchmark=tests/small step_run=r1-s0-calm stage=Measuring",
        "benchmark=tests/small step_run=- stage=Storing",
    ]
