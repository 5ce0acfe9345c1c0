"""Membership, assignments, reports and waits of the pool, without a loss.

What the pool takes for granted of Locust, in a process of its own: importing it patches one.
"""

import pytest

from solrbench.load.errors import LoadError
from solrbench.load.locust_scaling import WorkerRoster
from solrbench.load.master.distributed_step_run import DistributedStepRunState
from solrbench.load.master.worker_pool import STATE_MISSING
from solrbench.load.schedule import messages
from solrbench.load.schedule.messages import (
    Abort,
    Assignment,
    Exit,
    LiveTotals,
    StartMeasuring,
    StopSending,
)
from solrbench.load.schedule.users import UserClass, UserPlacement
from solrbench.reasons.load import LoadReason
from support.failing import failing
from support.load.builders import assignment
from support.load.fake_locust import FakeLoad
from support.load.own_process import run_python
from support.load.step_runs import PLANNED

KEY = assignment().key


def test_members_are_the_first_pods_by_number() -> None:
    load = FakeLoad(expected=3)
    load.join("10", "9", "2", "11")
    load.pool.wait_for_workers()
    load.pool.assign(assignment(users=7))
    sent = [(w, part.worker, part.workers, part.worker_users) for w, part in load.sent(Assignment)]
    assert sent == [("2", 0, 3, 3), ("9", 1, 3, 2), ("10", 2, 3, 2)]
    assert load.pool.connected == 4
    assert load.pool.roster == WorkerRoster(("2", "9", "10"), UserPlacement(3))


def test_roster_is_empty_before_the_first_step_run() -> None:
    load = FakeLoad()
    assert load.pool.roster == WorkerRoster((), UserPlacement(0))
    assert load.pool.reports.live_totals == LiveTotals(0, 0, 0, 0)


def test_user_classes_are_those_of_the_workers() -> None:
    load = FakeLoad()
    load.join("a", "b", classes=[("Reader", 3), ("Writer", 1)])
    load.pool.wait_for_workers()
    assert load.pool.user_classes == (UserClass("Reader", 3), UserClass("Writer", 1))


def test_other_user_classes_fail_the_run() -> None:
    load = FakeLoad()
    load.join("a")
    load.join("b", classes=[("Writer", 1)])
    with failing(LoadError, "LocustfileChanged", "worker pod-b has other user classes than the"):
        load.pool.wait_for_workers()


def test_failure_that_a_worker_reports_fails_the_run() -> None:
    load = FakeLoad()
    words = {"reason": "NoQueries", "message": "none in x"}
    load.clock.after(3, lambda: load.runner.deliver("a", messages.FAILED, **words))
    with failing(LoadError, "NoQueries", "none in x"):
        load.pool.wait_for_workers()
    assert load.clock.now() == 3


def test_first_failure_is_raised_by_every_wait() -> None:
    load = FakeLoad()
    load.pool.fail(LoadError(LoadReason.STOPPED_BY_USER, "first"))
    load.pool.fail(LoadError(LoadReason.WORKER_LOST, "second"))
    for _ in range(2):
        with pytest.raises(LoadError, match="first"):
            load.pool.wait(lambda: True)
    with pytest.raises(LoadError, match="first"):
        load.pool.assign(assignment())


def test_one_user_of_an_open_loop_stands_for_each_worker() -> None:
    load = FakeLoad.ready("abc")
    planned = assignment(users=99, seconds=10, open_loop=PLANNED.open_loop)
    assert load.pool.assign(planned).assignment.users == 3
    assert [part.users for _, part in load.sent(Assignment)] == [3, 3, 3]


def test_step_run_from_assignment_to_results() -> None:
    load = FakeLoad.ready()
    step_run = load.pool.assign(assignment(users=3, seconds=10))
    load.clock.after(1, lambda: load.spawned(KEY, "a"))
    load.clock.after(2.1, lambda: load.spawned(KEY, "b"))
    load.pool.wait_spawned(step_run, 30)
    assert load.clock.now() == 2.1
    step_run.command(StartMeasuring)
    load.clock.after(10, lambda: load.result(KEY, "b", used=[5]))
    load.clock.after(11, lambda: load.result(KEY, "a", used=[6]))
    results = load.pool.wait_results(step_run, 60)
    assert load.clock.now() == 13.1
    assert [(name, each.used_numbers) for name, each in results] == [("pod-a", [6]), ("pod-b", [5])]
    assert (step_run.state, step_run.lost) == (DistributedStepRunState.CONCLUDED, [])
    assert load.runner.sent[2:] == [("a", StartMeasuring(key=KEY)), ("b", StartMeasuring(key=KEY))]


def test_commands_name_the_step_run() -> None:
    load = FakeLoad.ready()
    step_run = load.pool.assign(assignment())
    step_run.command(StopSending)
    step_run.command(Abort)
    stop, abort = StopSending(key=KEY), Abort(key=KEY)
    assert load.runner.sent[2:] == [("a", stop), ("b", stop), ("a", abort), ("b", abort)]


def test_reports_of_another_step_run_are_ignored() -> None:
    load = FakeLoad.ready("a")
    load.pool.assign(assignment())
    load.progress(KEY, "a", LiveTotals(1, 9, 0, 0))
    load.spawned(KEY, "a")
    load.result(KEY, "a")
    step_run = load.pool.assign(assignment(seconds=5, key="next"))
    assert load.pool.reports.live_totals == LiveTotals(0, 0, 0, 0)
    load.progress(KEY, "a", LiveTotals(1, 9, 0, 0))
    load.spawned(KEY, "a")
    load.result(KEY, "a")
    assert load.pool.reports.live_totals == LiveTotals(0, 0, 0, 0)
    load.clock.after(1, lambda: load.spawned("next", "a"))
    load.pool.wait_spawned(step_run, 30)
    assert load.clock.now() == 1
    load.clock.after(5, lambda: load.result("next", "a"))
    load.pool.wait_results(step_run, 30)
    assert load.clock.now() == 6


def test_live_totals_are_the_latest_of_all_workers() -> None:
    load = FakeLoad.ready()
    load.pool.assign(assignment())
    load.progress(KEY, "a", LiveTotals(1, 1, 1, 1))
    load.progress(KEY, "a", LiveTotals(2, 30, 4, 500))
    load.progress(KEY, "b", LiveTotals(1, 20, 1, 200))
    assert load.pool.reports.live_totals == LiveTotals(3, 50, 5, 700)


def test_results_are_looked_for_whenever_a_worker_was_heard() -> None:
    load = FakeLoad.ready("a")
    step_run = load.pool.assign(assignment(seconds=5))
    seen = []
    for second in (0.1, 0.2, 0.3):
        load.clock.after(second, lambda: load.progress(KEY, "a"))
    load.clock.after(0.4, lambda: load.result(KEY, "a"))
    load.pool.wait_results(step_run, 60, lambda: seen.append(load.clock.now()))
    assert seen == pytest.approx([0, 0.1, 0.2, 0.3, 0.4])


def test_pool_is_empty_when_locust_knows_that_no_users_are_wanted() -> None:
    load = FakeLoad.ready()
    load.runner.user_count, load.shape.is_applied = 2, False
    load.clock.after(1, lambda: setattr(load.runner, "user_count", 0))
    load.clock.after(3, lambda: setattr(load.shape, "is_applied", True))
    load.pool.wait_empty(30)
    assert load.clock.now() == 3


def test_worker_that_joins_for_a_lost_one_takes_part_from_the_next_step_run_on() -> None:
    load = FakeLoad.ready("abc", redistribute=True)
    first = load.pool.assign(assignment(users=3, seconds=9))
    first.command(StartMeasuring)
    load.lose("b")
    load.clock.after(5, lambda: load.join("d"))
    load.clock.after(9, lambda: load.result(KEY, "a", "c"))
    assert len(load.pool.wait_results(first, 60)) == 2
    assert (first.remaining, load.pool.connected) == (["a", "c"], 3)
    assert load.pool.assign(assignment()).remaining == ["a", "c", "d"]


def test_members_stay_where_a_loss_ends_the_run() -> None:
    load = FakeLoad.ready("bc")
    load.join("a")
    assert load.pool.assign(assignment()).remaining == ["b", "c"]


def test_shutdown_reaches_every_worker() -> None:
    load = FakeLoad(expected=1)
    load.join("a", "b")
    load.pool.wait_for_workers()
    load.pool.shut_down(4)
    assert load.sent(Exit) == [("a", Exit(exit_code=4)), ("b", Exit(exit_code=4))]


@pytest.mark.slow
def test_missing_workers_are_in_the_state_that_locust_gives_them() -> None:
    program = "import json; from locust.runners import STATE_MISSING as s; print(json.dumps(s))"
    assert run_python("-c", program) == STATE_MISSING
