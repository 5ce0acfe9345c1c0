"""Losses that the rest of the pool makes good, and those that it cannot.

Which workers count as lost, and when; without redistribution each loss ends the run.
"""

from functools import partial

import pytest

from solrbench.contract.second_series import MAX_WINDOWS
from solrbench.load.errors import LoadError, StepRunAbortedError
from solrbench.load.master.distributed_step_run import (
    WINDOW_SECONDS,
    RecentMetrics,
    RecentWindow,
    RunningTotals,
)
from solrbench.load.recording.request_stats import RecentRequests, pack_times
from solrbench.load.schedule.messages import AdoptUsers, Assignment, Exit, LiveTotals
from solrbench.stats.histograms import bucket_of
from support.load.fake_locust import FakeLoad, Node
from support.load.step_runs import EXACT, KEY, PLANNED, TIMED, keep_reporting, started, wait_results


def test_users_of_a_lost_worker_go_to_the_others() -> None:
    load, step_run = started(redistribute=True)
    keep_reporting(load, "a", "c")
    load.clock.after(5, lambda: load.lose("b"))
    assert wait_results(load, step_run) == ["pod-a", "pod-c"]
    # Users 1 and 4 of 6 were on the worker at place 1.
    assert load.sent(AdoptUsers) == [
        ("a", AdoptUsers(key=KEY, users=[1])),
        ("c", AdoptUsers(key=KEY, users=[4])),
    ]
    assert (step_run.lost, step_run.remaining) == (["pod-b"], ["a", "c"])
    assert load.pool.roster.placement.remaining_workers == (0, 2)
    assert load.shape.redispatches == 1


def test_lost_worker_has_to_exit_in_case_it_was_cut_off() -> None:
    load, _ = started(redistribute=True)
    load.runner.clients["b"] = Node("missing")
    load.pool.wait(lambda: True)
    assert load.sent(Exit) == [("b", Exit(exit_code=4))]
    # Locust would redistribute users of a worker that it misses for a minute.
    assert list(load.runner.clients) == ["a", "c"]


def test_worker_that_was_lost_stays_out_when_it_is_heard_again() -> None:
    load, step_run = started(redistribute=True)
    load.lose("b")
    load.pool.wait(lambda: True)
    load.runner.clients["b"] = Node()
    load.result(KEY, "a", "b", "c")
    assert wait_results(load, step_run) == ["pod-a", "pod-c"]
    assert load.pool.connected == 2
    assert load.pool.assign(TIMED).remaining == ["a", "c"]


def test_worker_that_was_lost_counts_no_more_when_it_is_heard_again() -> None:
    load, _ = started(redistribute=True)
    load.progress(KEY, "b", LiveTotals(2, 10, 1, 10_000))
    load.lose("b")
    load.pool.wait(lambda: True)
    load.progress(KEY, "b", LiveTotals(2, 30, 2, 30_000))
    load.progress(KEY, "c", LiveTotals(3, 5, 0, 5_000))
    assert load.pool.reports.live_totals == LiveTotals(5, 15, 1, 15_000)


FEW = TIMED.model_copy(update={"users": 1})
"""Two of three workers have no users, and ended with the begin."""


@pytest.mark.parametrize(
    ("work", "measuring"), [(TIMED, False), (EXACT, True), (PLANNED, True), (FEW, True)]
)
def test_step_run_is_aborted_where_the_rest_cannot_stand_in(
    work: Assignment, measuring: bool
) -> None:
    load, step_run = started(work, redistribute=True, measuring=measuring)
    load.clock.after(5, lambda: load.lose("b"))
    with pytest.raises(StepRunAbortedError, match=r"WorkerLost: worker pod-b was lost$"):
        (wait_results(load, step_run) if measuring else load.pool.wait_spawned(step_run, 30))
    assert (step_run.lost, load.sent(AdoptUsers)) == ([], [])
    step_run.conclude()
    assert load.pool.assign(work).remaining == ["a", "c"]


def test_two_workers_lost_at_once() -> None:
    load, step_run = started(redistribute=True)
    keep_reporting(load, "b")
    load.clock.after(5, lambda: load.lose("a", "c"))
    assert wait_results(load, step_run) == ["pod-b"]
    assert step_run.lost == ["pod-a", "pod-c"]
    # Users 0 and 3 of the first, then 2 and 5 of the second with the one it was to adopt.
    assert load.sent(AdoptUsers) == [
        ("b", AdoptUsers(key=KEY, users=[0])),
        ("c", AdoptUsers(key=KEY, users=[3])),
        ("b", AdoptUsers(key=KEY, users=[2, 3, 5])),
    ]
    assert load.shape.redispatches == 2


def test_two_workers_lost_at_once_while_users_spawn_abort_the_step_run_once() -> None:
    load, step_run = started(redistribute=True, measuring=False)
    load.lose("a", "b")
    with pytest.raises(StepRunAbortedError, match="pod-a was lost"):
        load.pool.wait_spawned(step_run, 30)
    step_run.conclude()
    load.pool.wait(lambda: True)
    assert load.pool.assign(TIMED).remaining == ["c"]


@pytest.mark.parametrize("at_once", [True, False])
def test_losing_every_worker_fails_the_run(at_once: bool) -> None:
    load, step_run = started(redistribute=True)
    for number, worker in enumerate("abc"):
        load.clock.after(5 if at_once else 5 + number, partial(load.lose, worker))
    with pytest.raises(LoadError, match="WorkerLost: worker pod-c was lost, and no worker is left"):
        wait_results(load, step_run)
    assert step_run.lost == ["pod-a", "pod-b"]


def test_losing_every_worker_between_step_runs_fails_the_run() -> None:
    load, step_run = started(redistribute=True)
    step_run.conclude()
    load.lose("a", "b", "c")
    with pytest.raises(LoadError, match="WorkerLost: no worker is left"):
        load.pool.assign(TIMED)


@pytest.mark.parametrize("redistribute", [False, True])
def test_loss_after_the_result_takes_nothing_along(redistribute: bool) -> None:
    load, step_run = started(redistribute=redistribute)
    load.result(KEY, "b")
    load.clock.after(5, lambda: load.lose("b"))
    keep_reporting(load, "a", "c")
    assert wait_results(load, step_run) == ["pod-a", "pod-b", "pod-c"]
    assert (step_run.lost, load.sent(AdoptUsers)) == ([], [])
    if redistribute:
        assert load.pool.assign(TIMED).remaining == ["a", "c"]
    else:
        with pytest.raises(LoadError, match=r"WorkerLost: worker pod-b was lost$"):
            load.pool.assign(TIMED)


def test_worker_lost_before_all_are_there_is_replaced() -> None:
    load = FakeLoad(expected=2, redistribute=True)
    load.join("a")
    load.clock.after(5, lambda: load.lose("a"))
    load.clock.after(8, lambda: load.join("b"))
    load.clock.after(9, lambda: load.join("c"))
    load.pool.wait_for_workers()
    assert load.clock.now() == 9
    assert load.pool.assign(TIMED).remaining == ["b", "c"]


def test_loss_before_all_workers_are_there_fails_the_run() -> None:
    load = FakeLoad(expected=2)
    load.join("a")
    load.clock.after(5, lambda: load.lose("a"))
    with pytest.raises(LoadError, match=r"WorkerLost: worker pod-a was lost$"):
        load.pool.wait_for_workers()


@pytest.mark.parametrize("measuring", [False, True])
def test_loss_in_a_step_run_fails_the_run(measuring: bool) -> None:
    load, step_run = started(measuring=measuring)
    load.clock.after(5, lambda: load.lose("b"))
    with pytest.raises(LoadError, match=r"WorkerLost: worker pod-b was lost$"):
        (wait_results(load, step_run) if measuring else load.pool.wait_spawned(step_run, 30))
    assert (load.sent(AdoptUsers), load.sent(Exit)) == ([], [])


def test_loss_of_a_worker_that_takes_no_part_changes_nothing() -> None:
    load, step_run = started()
    load.join("z")
    keep_reporting(load, "a", "b", "c")
    load.lose("z")
    assert wait_results(load, step_run) == ["pod-a", "pod-b", "pod-c"]


def test_worker_is_lost_when_locust_misses_its_heartbeats() -> None:
    load, step_run = started()
    load.clock.after(5, lambda: load.runner.clients.update(a=Node("missing")))
    with pytest.raises(LoadError, match=r"worker pod-a was lost$"):
        wait_results(load, step_run)
    assert 5 <= load.clock.now() < 5.5


def test_worker_is_lost_when_its_engine_is_silent() -> None:
    load, step_run = started()
    keep_reporting(load, "a", "c")
    load.clock.after(10, lambda: load.progress(KEY, "b"))
    with pytest.raises(LoadError, match=r"worker pod-b is silent for 20 s$"):
        wait_results(load, step_run)
    assert 30 < load.clock.now() <= 30.5


def test_engine_may_be_silent_after_its_result() -> None:
    load, step_run = started()
    load.result(KEY, "b")
    keep_reporting(load, "a", "c")
    assert wait_results(load, step_run) == ["pod-a", "pod-b", "pod-c"]


def test_engines_may_be_silent_while_users_of_an_aborted_step_run_stop() -> None:
    load, step_run = started(redistribute=True, measuring=False)
    load.clock.after(5, lambda: load.lose("b"))
    with pytest.raises(StepRunAbortedError):
        load.pool.wait_spawned(step_run, 30)
    step_run.conclude()
    load.pool.wait(lambda: load.clock.now() >= 30)
    assert load.pool.connected == 2


@pytest.mark.parametrize("redistribute", [False, True])
def test_spawning_that_is_not_acknowledged_in_time(redistribute: bool) -> None:
    load, step_run = started(redistribute=redistribute, measuring=False)
    keep_reporting(load, "a", "b", "c")
    load.spawned(KEY, "a", "b")
    error = StepRunAbortedError if redistribute else LoadError
    late = f"worker pod-c did not start its users of step run {KEY} within 31 s$"
    with pytest.raises(error, match=late):
        load.pool.wait_spawned(step_run, 31)
    assert 31 < load.clock.now() <= 31.5


@pytest.mark.parametrize("redistribute", [False, True])
def test_result_that_does_not_come_in_time(redistribute: bool) -> None:
    load, step_run = started(redistribute=redistribute)
    keep_reporting(load, "a", "b")
    for second in range(200):
        load.clock.after(second, lambda: load.progress(KEY, "c"))
    if redistribute:
        assert wait_results(load, step_run) == ["pod-a", "pod-b"]
        assert (step_run.lost, load.sent(Exit)) == (["pod-c"], [("c", Exit(exit_code=4))])
    else:
        with pytest.raises(LoadError, match=f"pod-c sent no result of step run {KEY} within 94 s$"):
            wait_results(load, step_run)
    assert 94 < load.clock.now() <= 94.5


def test_result_without_a_limit_is_awaited() -> None:
    load, step_run = started(EXACT)
    keep_reporting(load, "a", "b", "c", seconds=500)
    assert len(load.pool.wait_results(step_run, None)) == 3
    assert load.clock.now() == 500


def test_percentiles_are_of_all_workers_and_no_average() -> None:
    window = RecentWindow()
    window.add(1, RecentRequests(90, 1, pack_times({1600: 90})))
    window.add(1, RecentRequests(10, 2, pack_times({16: 10})))
    assert window.figures(1) == RecentMetrics(100, 3, 1.615, 1.615, 1.615)


def test_reports_leave_the_window_after_ten_seconds() -> None:
    window = RecentWindow()
    window.add(1, RecentRequests(5, 5, pack_times({16: 5})))
    window.add(2, RecentRequests(1, 0, pack_times({32: 1})))
    assert window.figures(1 + WINDOW_SECONDS) == RecentMetrics(1, 0, 0.047, 0.047, 0.047)
    assert window.figures(2 + WINDOW_SECONDS) == RecentMetrics()


def test_failures_without_a_time_count() -> None:
    window = RecentWindow()
    window.add(1, RecentRequests(2, 2))
    assert window.figures(1) == RecentMetrics(2, 2)


def test_cleared_window_is_empty() -> None:
    window = RecentWindow()
    window.add(1, RecentRequests(1, 0, pack_times({16: 1})))
    window.clear()
    assert window.figures(1) == RecentMetrics()


NOTHING = LiveTotals(0, 0, 0, 0)


def test_times_are_those_of_all_workers() -> None:
    so_far = RunningTotals()
    so_far.begin(100.0)
    so_far.add(NOTHING, LiveTotals(1, 2, 0, 9000), pack_times({bucket_of(4000): 2}), 101.0)
    so_far.add(NOTHING, LiveTotals(1, 2, 1, 90_000), pack_times({bucket_of(40_000): 2}), 101.1)
    assert so_far.histogram.percentile(50) == pytest.approx(4000, rel=0.02)
    assert so_far.histogram.percentile(99) == pytest.approx(40_000, rel=0.02)
    assert (so_far.requests, so_far.failures, so_far.last_good_second) == (4, 1, 0)


def test_times_and_their_totals_may_come_in_different_reports() -> None:
    so_far, before = RunningTotals(), LiveTotals(1, 2, 0, 9000)
    so_far.begin(100.0)
    so_far.add(NOTHING, before, pack_times({bucket_of(4000): 2}), 101.0)
    so_far.add(before, before, pack_times({bucket_of(40_000): 1}), 102.0)
    so_far.add(before, LiveTotals(1, 3, 0, 49_000), pack_times({}), 103.0)
    assert so_far.histogram.count == so_far.requests == 3


@pytest.mark.parametrize("phase", [0, 0.3, 0.7, 0.9])
def test_a_report_is_of_the_last_whole_second(phase: float) -> None:
    so_far, before = RunningTotals(), NOTHING
    so_far.begin(100.0)
    for second in range(1, 4):
        totals = LiveTotals(1, 10 * second, 0, 9000)
        so_far.add(before, totals, b"", 100 + second + phase)
        before = totals
    assert [each.second for each in so_far.windows] == [0, 1]
    assert so_far.last_good_second == 2


def test_what_came_before_measuring_is_left_out() -> None:
    so_far = RunningTotals()
    so_far.add(NOTHING, LiveTotals(1, 50, 0, 9000), b"", 99.0)
    assert so_far.requests == 0
    so_far.begin(100.0)
    ramp = LiveTotals(1, 60, 20, 0)
    so_far.add(LiveTotals(1, 50, 0, 0), ramp, b"", 100.1)
    assert so_far.requests == 0
    so_far.add(ramp, LiveTotals(1, 80, 3, 9000), b"", 101.1)
    assert (so_far.requests, so_far.failures) == (80, 3)


def test_a_day_takes_no_more_windows_than_a_finished_step() -> None:
    so_far = RunningTotals()
    so_far.begin(0.0)
    before = NOTHING
    for second in range(1, 86_401):
        totals = LiveTotals(1, second, 0, 1000 * second)
        so_far.add(before, totals, b"", float(second))
        before = totals
    assert len(so_far.windows) <= MAX_WINDOWS + 600
    assert so_far.requests == 86_400
