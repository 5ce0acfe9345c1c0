"""Which workers count as lost, and when; without redistribution each loss ends the run."""

import pytest

from solrbench.load.errors import LoadError, StepRunAbortedError
from solrbench.load.schedule import messages
from unit.load.master.fake_load.locust import FakeLoad, Node
from unit.load.master.worker_pool.step_runs import (
    EXACT,
    KEY,
    TIMED,
    keep_reporting,
    started,
    wait_results,
)


def test_loss_before_all_workers_are_there_fails_the_run() -> None:
    load = FakeLoad(expected=2)
    load.join("a")
    load.clock.after(5, lambda: load.lose("a"))
    with pytest.raises(LoadError, match=r"WorkerLost: worker pod-a was lost$"):
        load.pool.wait_for_workers()


@pytest.mark.parametrize("measuring", [False, True])
def test_loss_in_a_step_run_fails_the_run(measuring: bool) -> None:
    load = FakeLoad(expected=3)
    step_run = started(load, measuring=measuring)
    load.clock.after(5, lambda: load.lose("b"))
    with pytest.raises(LoadError, match=r"WorkerLost: worker pod-b was lost$"):
        (wait_results(load, step_run) if measuring else load.pool.wait_spawned(step_run, 30))
    assert load.sent(messages.ADOPT_USERS) == load.sent(messages.EXIT) == []


def test_loss_between_step_runs_fails_the_run() -> None:
    load = FakeLoad(expected=3)
    started(load).conclude()
    load.lose("c")
    with pytest.raises(LoadError, match=r"worker pod-c was lost$"):
        load.pool.assign(TIMED)


def test_loss_of_a_worker_that_takes_no_part_changes_nothing() -> None:
    load = FakeLoad(expected=3)
    load.join("z")
    step_run = started(load)
    keep_reporting(load, "a", "b", "c")
    load.lose("z")
    assert wait_results(load, step_run) == ["pod-a", "pod-b", "pod-c"]


def test_worker_is_lost_when_locust_misses_its_heartbeats() -> None:
    load = FakeLoad(expected=3)
    step_run = started(load)

    def miss() -> None:
        load.runner.clients["a"] = Node("missing")

    load.clock.after(5, miss)
    with pytest.raises(LoadError, match=r"worker pod-a was lost$"):
        wait_results(load, step_run)
    assert 5 <= load.clock.now() < 5.5


def test_worker_is_lost_when_its_engine_is_silent() -> None:
    load = FakeLoad(expected=3)
    step_run = started(load)
    keep_reporting(load, "a", "c")
    load.clock.after(10, lambda: load.progress(KEY, "b"))
    with pytest.raises(LoadError, match=r"worker pod-b is silent for 20 s$"):
        wait_results(load, step_run)
    assert 30 < load.clock.now() <= 30.5


def test_engine_may_be_silent_after_its_result() -> None:
    load = FakeLoad(expected=3)
    step_run = started(load)
    load.result(KEY, "b")
    keep_reporting(load, "a", "c")
    assert wait_results(load, step_run) == ["pod-a", "pod-b", "pod-c"]


@pytest.mark.parametrize("redistribute", [False, True])
def test_spawning_that_is_not_acknowledged_in_time(redistribute: bool) -> None:
    load = FakeLoad(expected=3, redistribute=redistribute)
    step_run = started(load, measuring=False)
    keep_reporting(load, "a", "b", "c")
    load.spawned(KEY, "a", "b")
    error = StepRunAbortedError if redistribute else LoadError
    with pytest.raises(error, match=f"worker pod-c sent no result of step run {KEY} within 31 s$"):
        load.pool.wait_spawned(step_run, 31)
    assert 31 < load.clock.now() <= 31.5


def test_result_that_does_not_come_in_time_fails_the_run() -> None:
    load = FakeLoad(expected=3)
    step_run = started(load)
    keep_reporting(load, "a", "b")
    for second in range(200):
        load.clock.after(second, lambda: load.progress(KEY, "c"))
    with pytest.raises(LoadError, match=f"pod-c sent no result of step run {KEY} within 94 s$"):
        wait_results(load, step_run)
    assert 94 < load.clock.now() <= 94.5


def test_result_without_a_limit_is_awaited() -> None:
    load = FakeLoad(expected=3)
    step_run = started(load, EXACT)
    keep_reporting(load, "a", "b", "c", seconds=500)
    assert len(load.pool.wait_results(step_run, None)) == 3
    assert load.clock.now() == 500
