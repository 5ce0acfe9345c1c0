"""What `GET /solrbench/state` shows.

Single step runs: barriers, ramps, limits of waits, warm-ups until steady.
"""

import logging
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest

from solrbench.api.v1alpha1.arrivals import UntilSteady
from solrbench.contract.load_plan import LoadState
from solrbench.load.errors import LoadError
from solrbench.load.master.added_documents import StepDocuments
from solrbench.load.master.step_run import CompletedStepRun, RunStage, RunStatus, StepRunExecutor
from solrbench.load.recording.request_stats import RecentRequests, pack_times
from solrbench.load.schedule.messages import (
    STEP_DOCUMENTS,
    Assignment,
    Command,
    LiveTotals,
    StartMeasuring,
    StopSending,
    step_assignment,
)
from solrbench.reasons.load import LoadReason
from support.load.builders import access_to, assignment, plan_of
from support.load.fake_locust import FakeLoad
from support.load.fake_workers import FakeCaches, ObedientWorkers, load_plan
from support.servers.indexing_solr import IndexingSolr

CLOSED = {"name": "calm", "users": 4, "durationSeconds": 10}
OPEN = {"name": "planned", "requestsPerSecond": 5, "durationSeconds": 10}


class Shown:
    """The status of a run on one worker."""

    def __init__(self) -> None:
        self.load = FakeLoad.ready("a")
        self.load.pool.assign(assignment())
        self.load.runner.user_count = 4
        self.status = RunStatus(
            "tests/small", self.load.pool, lambda: ["r1-s0-before"], self.load.clock.now
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
    assert Shown().status.load_state() == LoadState(
        stage="WaitingForWorkers", workers=1, unacknowledged=["r1-s0-before"], users=0
    )


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


STARTED = datetime(2026, 11, 1, 12, tzinfo=UTC)
TIMED = {"name": "timed", "users": 1000, "durationSeconds": 20}
UNTIL = UntilSteady(windows=3, window_requests=20)


class StepRuns:
    """An executor on two workers that obey."""

    def __init__(self, step: dict[str, Any] | None = None, **fields: Any) -> None:
        self.load = FakeLoad.ready()
        self.workers = ObedientWorkers(self.load)
        self.plan = load_plan(step or TIMED, **fields)
        clock = self.load.clock
        self.status = RunStatus("tests/small", self.load.pool, list, clock.now)
        self.status.step_run = self.plan.step_runs[0]
        self.states_at_begin: list[LoadState] = []
        """What the state was while the caches were read before each step run."""
        self.executor = StepRunExecutor(
            self.plan,
            self.load.pool,
            self.status,
            FakeCaches(lambda: self.states_at_begin.append(self.status.load_state())),
            utc_now=lambda: STARTED + timedelta(seconds=clock.now()),
            now=clock.now,
        )

    def run(
        self, stage: RunStage = RunStage.MEASURING, until: UntilSteady | None = None
    ) -> CompletedStepRun:
        planned = self.plan.step_runs[0]
        rate = planned.step.spawn_rate or 1_000_000
        return self.executor.run(step_assignment(self.plan, planned), rate, stage, until)

    def stage_at(self, seconds: float, seen: list[str]) -> None:
        self.load.clock.after(seconds, lambda: seen.append(self.status.stage))


def silence(runs: StepRuns, kind: type[Command]) -> None:
    """Let workers not hear a command, and their engines report nevertheless."""
    obey = runs.load.runner.on_send
    runs.load.runner.on_send = lambda sent: None if isinstance(sent.command, kind) else obey(sent)
    for second in range(200):
        for worker in "ab":
            runs.load.clock.after(second, partial(runs.load.progress, "r1-s0-timed", worker))


def test_time_and_throughput_count_from_the_begin_of_the_measurement() -> None:
    runs, states = StepRuns(), list[LoadState]()
    # The last second but one of a step run, the ramp of the next one, and three seconds of it.
    for seconds in (20.5, 21.5, 22.5, 23.5, 24.5):
        runs.load.clock.after(seconds, lambda: states.append(runs.status.load_state()))
    runs.run()
    runs.run()
    assert [(each.stage, each.elapsed_seconds) for each in states] == [
        ("Measuring", 19.5),
        ("Ramping", 0),
        *(("Measuring", seconds) for seconds in (0.5, 1.5, 2.5)),
    ]
    assert [each.requests_per_second for each in states] == [0, 0, 0, 20, 20]


def test_totals_of_the_last_step_run_are_never_shown_as_the_next_ones() -> None:
    runs = StepRuns()
    for _ in range(2):
        runs.run()
        assert runs.status.load_state().requests > 0
    assert [(each.stage, each.requests) for each in runs.states_at_begin] == [("Ramping", 0)] * 2


def test_documents_that_could_not_be_deleted_are_deleted_before_the_next_step() -> None:
    runs, solr, prefix = StepRuns(), IndexingSolr(), f"{STEP_DOCUMENTS}1-r1-s0-one."
    plan = plan_of({"queries": {"configMap": {"name": "q"}}}, solrUrls=[solr.url])
    documents = StepDocuments(plan, lambda: access_to(solr.in_process))
    runs.executor.documents = documents
    solr.ids.add(f"{prefix}0")
    solr.refuses_deletions = True
    assert documents.count_and_delete(prefix, 1).documents == 1
    solr.refuses_deletions = False
    for _ in range(2):
        runs.run()
    # Before they are counted, and with the one deletion that succeeded.
    assert (solr.ids, solr.commits) == (set(), 2)


@pytest.mark.parametrize("attempt", [1, 2])
def test_documents_of_an_attempt_before_may_be_left(attempt: int) -> None:
    runs, solr = StepRuns(), IndexingSolr()
    added = f"{STEP_DOCUMENTS}1-r1-s0-one.0"
    solr.ids |= {added, "x"}
    given = {"solrUrls": [solr.url], "attempt": attempt, "stepsIndex": True}
    plan = plan_of({"queries": {"configMap": {"name": "q"}}}, **given)
    runs.executor.documents = StepDocuments(plan, lambda: access_to(solr.in_process))
    runs.run()
    assert (added in solr.ids) is (attempt == 1)


def test_users_that_begin_as_they_spawn_are_measured_from_the_first_on() -> None:
    runs = StepRuns({"name": "exact", "users": 4, "spawnRate": 2, "requests": 20})
    completed = runs.run()
    assert completed.metadata.start_time == STARTED
    assert runs.load.shape.levels == [(4, 2), (0, 1_000_000)]
    assert [worker for worker, _ in runs.load.sent(StartMeasuring)] == ["a", "b"]


def test_ramp_of_a_planned_rate_comes_before_the_measurement() -> None:
    step = {"name": "planned", "requestsPerSecond": 5, "rampSeconds": 8, "durationSeconds": 10}
    runs, seen = StepRuns(step), list[str]()
    for seconds in (8.5, 9.5):
        runs.stage_at(seconds, seen)
    completed = runs.run()
    assert seen == ["Ramping", "Measuring"]
    assert completed.metadata.start_time == STARTED + timedelta(seconds=9)
    assert runs.load.clock.now() == 19


THINK = {"name": "lend", "thinkTime": {"constantMilliseconds": 50_000}}
LOAN = {"name": "loan", "transaction": {"requests": [{"name": "find"}, THINK]}}
LOANS = {"mix": [LOAN], "timeoutSeconds": 2}
ARRIVALS = {"name": "timed", "requestsPerSecond": 5, "durationSeconds": 20}


@pytest.mark.parametrize(
    ("step", "fields", "unheard", "seconds"),
    [
        # 1,000 users at 100 per second, 2 s for a connection, 30 s of grace.
        (TIMED | {"spawnRate": 100}, {}, Assignment, 42),
        # 20 s of the step, 2 s for a connection, 2 s for a response, 30 s of grace.
        (TIMED, {}, StartMeasuring, 54),
        # 20 s of the step, 50 s of thinking, 2 x 4 s for connections and responses, 30 s of grace.
        (ARRIVALS, {"workload": LOANS}, StartMeasuring, 108),
    ],
)
def test_users_and_results_may_take_the_time_that_they_need(
    step: dict[str, Any], fields: dict[str, Any], unheard: type[Command], seconds: int
) -> None:
    runs = StepRuns(step, **fields)
    silence(runs, unheard)
    missing = "did not start its users" if unheard is Assignment else "sent no result"
    late = f"{missing} of step run r1-s0-timed within {seconds} s$"
    with pytest.raises(LoadError, match=late):
        runs.run()
    assert seconds < runs.load.clock.now() <= seconds + 1.5


def test_users_that_stay_after_the_step_fail_the_run() -> None:
    runs = StepRuns()
    runs.load.shape.move = lambda *_: setattr(runs.load.runner, "user_count", 7)  # type: ignore[method-assign]
    runs.run()
    # 1,000 users at once: 500 per second.
    with pytest.raises(LoadError, match=r"step run r1-s0-timed: workers .* within 32 s$"):
        runs.executor.wait_until_free()
    assert 21 + 32 < runs.load.clock.now() <= 21 + 32.5


def test_warm_up_ends_as_soon_as_it_is_steady() -> None:
    runs, seen = StepRuns(), list[str]()
    runs.stage_at(0.5, seen)
    completed = runs.run(RunStage.WARMING_UP, UNTIL)
    assert (completed.steady, seen) == (True, ["WarmingUp"])
    # Three windows of 20 requests at 20 per second; the last requests take half a second.
    assert runs.load.clock.now() == 1 + 3 + 0.5
    assert [worker for worker, _ in runs.load.sent(StopSending)] == ["a", "b"]


def test_warm_up_that_never_becomes_steady_ends_in_time() -> None:
    runs = StepRuns()
    runs.workers.requests_per_second = 1
    completed = runs.run(RunStage.WARMING_UP, UNTIL)
    assert (completed.steady, runs.load.clock.now()) == (False, 21)
    assert runs.load.sent(StopSending) == []
