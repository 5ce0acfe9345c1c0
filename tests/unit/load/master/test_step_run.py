"""Single step runs: barriers, ramps, limits of waits, warm-ups until steady."""

from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest

from solrbench.api.v1alpha1.load.warm_up import UntilSteady
from solrbench.api.v1alpha1.workload.workload import Workload
from solrbench.load.errors import LoadError
from solrbench.load.master.run_status import RunStage, RunStatus
from solrbench.load.master.step_run_executor import CompletedStepRun, StepRunExecutor
from solrbench.load.schedule import messages
from solrbench.load.schedule.assignment import step_assignment
from solrbench.plan.load_plan import LoadState
from unit.load.master.fake_load.locust import FakeLoad
from unit.load.master.fake_load.workers import FakeCaches, ObedientWorkers, load_plan

STARTED = datetime(2026, 11, 1, 12, tzinfo=UTC)
TIMED = {"name": "timed", "users": 1000, "durationSeconds": 20}
UNTIL = UntilSteady(windows=3, window_requests=20)


class StepRuns:
    """An executor on two workers that obey."""

    def __init__(self, step: dict[str, Any] | None = None) -> None:
        self.load = FakeLoad()
        self.load.join("a", "b")
        self.load.pool.wait_for_workers()
        self.workers = ObedientWorkers(self.load)
        self.plan = load_plan(step or TIMED)
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


def silence(runs: StepRuns, message: str) -> None:
    """Let workers not hear a message, and their engines report nevertheless."""
    obey = runs.load.runner.on_send
    runs.load.runner.on_send = lambda sent: None if sent.message == message else obey(sent)
    for second in range(200):
        for worker in "ab":
            runs.load.clock.after(second, partial(runs.load.progress, "r1-s0-timed", worker))


def test_measuring_begins_when_the_last_user_is_there() -> None:
    runs, seen = StepRuns(), list[str]()
    runs.stage_at(0.5, seen)
    runs.stage_at(1.5, seen)
    completed = runs.run()
    assert seen == ["Ramping", "Measuring"]
    assert completed.start_time == STARTED + timedelta(seconds=1)
    assert (completed.steady, completed.may_repeat, completed.lost_workers) == (None, False, ())
    assert runs.load.clock.now() == 21
    assert len(runs.load.sent(messages.START_MEASURING)) == 2


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


def test_users_that_begin_as_they_spawn_need_no_order() -> None:
    runs = StepRuns({"name": "exact", "users": 4, "spawnRate": 2, "requests": 20})
    completed = runs.run()
    assert completed.start_time == STARTED
    assert runs.load.shape.levels == [(4, 2), (0, 1_000_000)]
    assert runs.load.sent(messages.START_MEASURING) == []


def test_ramp_of_a_planned_rate_comes_before_the_measurement() -> None:
    step = {"name": "planned", "requestsPerSecond": 5, "rampSeconds": 8, "durationSeconds": 10}
    runs, seen = StepRuns(step), list[str]()
    for seconds in (8.5, 9.5):
        runs.stage_at(seconds, seen)
    completed = runs.run()
    assert seen == ["Ramping", "Measuring"]
    assert completed.start_time == STARTED + timedelta(seconds=9)
    assert runs.load.clock.now() == 19


def test_users_may_take_the_time_to_spawn_and_to_connect() -> None:
    runs = StepRuns({**TIMED, "spawnRate": 100})
    silence(runs, messages.ASSIGNMENT)
    # 1,000 users at 100 per second, 2 s for a connection, 30 s of grace.
    with pytest.raises(LoadError, match=r"sent no result of step run r1-s0-timed within 42 s$"):
        runs.run()
    assert 42 < runs.load.clock.now() <= 42.5


def test_result_may_take_the_step_and_the_time_out_of_its_last_request() -> None:
    runs = StepRuns()
    silence(runs, messages.START_MEASURING)
    # 20 s of the step, 2 s for a connection, 2 s for a response, 30 s of grace.
    with pytest.raises(LoadError, match=r"sent no result of step run r1-s0-timed within 54 s$"):
        runs.run()
    assert 55 < runs.load.clock.now() <= 55.5


def test_result_may_take_the_think_times_of_the_last_transaction() -> None:
    think = {"constantMilliseconds": 50_000}
    requests = [{"name": "find"}, {"name": "lend", "thinkTime": think}]
    mix = [{"name": "loan", "transaction": {"requests": requests}}]
    runs = StepRuns({"name": "timed", "requestsPerSecond": 5, "durationSeconds": 20})
    runs.executor._workload = Workload.model_validate({"mix": mix, "timeoutSeconds": 2})
    silence(runs, messages.START_MEASURING)
    # 20 s of the step, 50 s of thinking, 2 x 4 s for connections and responses, 30 s of grace.
    with pytest.raises(LoadError, match=r"sent no result of step run r1-s0-timed within 108 s$"):
        runs.run()


def test_users_that_stay_after_the_step_fail_the_run() -> None:
    runs = StepRuns()
    runs.load.shape.move = lambda *_: setattr(runs.load.runner, "user_count", 7)  # type: ignore[method-assign]
    # 1,000 users at once: 500 per second.
    with pytest.raises(LoadError, match=r"step run r1-s0-timed: workers .* within 32 s$"):
        runs.run()
    assert 21 + 32 < runs.load.clock.now() <= 21 + 32.5


def test_warm_up_ends_as_soon_as_it_is_steady() -> None:
    runs, seen = StepRuns(), list[str]()
    runs.stage_at(0.5, seen)
    completed = runs.run(RunStage.WARMING_UP, UNTIL)
    assert (completed.steady, seen) == (True, ["WarmingUp"])
    # Three windows of 20 requests at 20 per second; the last requests take half a second.
    assert runs.load.clock.now() == 1 + 3 + 0.5
    assert [worker for worker, _ in runs.load.sent(messages.STOP_SENDING)] == ["a", "b"]


def test_warm_up_that_never_becomes_steady_ends_in_time() -> None:
    runs = StepRuns()
    runs.workers.requests_per_second = 1
    completed = runs.run(RunStage.WARMING_UP, UNTIL)
    assert (completed.steady, runs.load.clock.now()) == (False, 21)
    assert runs.load.sent(messages.STOP_SENDING) == []


def test_next_step_run_goes_on_behind_the_fastest_worker() -> None:
    runs = StepRuns()
    runs.run()
    runs.run()
    assert runs.executor.offsets.offsets == (20,)
    assert [part.offsets for _, part in runs.load.assignments()] == [[], [], [10], [10]]
