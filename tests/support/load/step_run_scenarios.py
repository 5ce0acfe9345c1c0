"""The states of a locustfile's step run, by a clock that the scenarios turn.

A program that `test_locustfile_engine.py` runs: importing Locust patches the process that does
it. It prints what went wrong in each scenario as JSON; nothing did where that is empty.
"""

import json
import sys
import traceback
from collections.abc import Callable
from inspect import isfunction
from types import SimpleNamespace
from typing import Any, cast

import gevent
from gevent.pool import Group
from locust import User
from locust.env import Environment
from locust.exception import StopUser

from solrbench.load.engine.measurement import StepRunState
from solrbench.load.recording.recorder import NameLimiter
from solrbench.load.schedule.messages import Start
from solrbench.load.worker import locustfile_engine
from solrbench.load.worker.locustfile_engine import (
    LocustfileEngine,
    LocustfileStepRun,
    _instrument_user_class,
)
from support.load.builders import assignment

WAITING, RAMPING, MEASURING = StepRunState.WAITING, StepRunState.RAMPING, StepRunState.MEASURING
STOPPING, FINISHED, ABORTED = StepRunState.STOPPING, StepRunState.FINISHED, StepRunState.ABORTED
_NS = 1_000_000_000
_STOP_TIMEOUT_SECONDS = 5.0


class _Timer:
    def __init__(self, at_ns: int, callback: Callable[[], None]) -> None:
        self.at_ns = at_ns
        self.callback = callback
        self.is_killed = False

    def kill(self, *, block: bool) -> None:
        assert not block
        self.is_killed = True


class VirtualGevent:
    """Stands in for the module: greenlets run when the scenario turns the clock."""

    def __init__(self) -> None:
        self.now_ns = 1000 * _NS
        self._timers: list[_Timer] = []
        self._current: _Timer | None = None

    def clock_ns(self) -> int:
        return self.now_ns

    def spawn(self, callback: Callable[..., None], **arguments: Any) -> _Timer:
        return self.spawn_later(0, lambda: callback(**arguments))

    def spawn_later(self, seconds: float, callback: Callable[[], None]) -> _Timer:
        timer = _Timer(self.now_ns + round(seconds * _NS), callback)
        self._timers.append(timer)
        return timer

    def sleep(self, seconds: float) -> None:
        self.now_ns += round(seconds * _NS)

    def getcurrent(self) -> _Timer | None:
        return self._current

    def turn(self, seconds: float = 0) -> None:
        until_ns = self.now_ns + round(seconds * _NS)
        while due := [each for each in self._timers if each.at_ns <= until_ns]:
            self._current = min(due, key=lambda each: each.at_ns)
            self._timers.remove(self._current)
            self.now_ns = max(self.now_ns, self._current.at_ns)
            if not self._current.is_killed:
                self._current.callback()
            self._current = None
        self.now_ns = max(self.now_ns, until_ns)


class FakeUser:
    """Notes how it is stopped."""

    def __init__(self) -> None:
        self.stops: list[bool] = []

    def stop(self, *, force: bool = False) -> None:
        self.stops.append(force)


class Bench:
    """A step run of one worker and what it reported."""

    def __init__(self, **fields: Any) -> None:
        self.gevent = VirtualGevent()
        vars(locustfile_engine).update(gevent=self.gevent, _now=self.gevent.clock_ns)
        self.calls: list[str] = []
        self.users: list[FakeUser] = []
        self.run = LocustfileStepRun(
            assignment(**fields),
            ["http://a", "http://b"],
            NameLimiter(50),
            _STOP_TIMEOUT_SECONDS,
            on_ready=lambda: self.calls.append("ready"),
            on_ended=lambda: self.calls.append("ended"),
            on_users_exited=lambda: self.calls.append("exited"),
        )

    def add_user(self) -> User:
        """Let a user join that has done its `on_start`; at a barrier it waits in a greenlet."""
        self.run.next_host()
        self.users.append(FakeUser())
        user = cast("User", self.users[-1])
        self.run.joined(user)
        gevent.spawn(self.run.arrive, user)
        gevent.sleep(0)
        return user

    def request(self, milliseconds: float = 0.0) -> None:
        self.run.record("find", milliseconds, 100)

    @property
    def counted(self) -> tuple[int, int]:
        """Requests that were measured, and those of the ramp."""
        self.run.progress(last=True)
        requests = self.run.result().requests
        return sum(each.requests for each in requests), sum(each.ramp_requests for each in requests)


def users_at_the_barrier_measure_until_their_requests_are_done() -> None:
    bench = Bench(users=2, requests=3)
    bench.add_user()
    assert (bench.run.state, bench.calls) == (WAITING, [])
    bench.add_user()
    assert (bench.run.state, bench.calls) == (WAITING, ["ready"])
    bench.run.start_measuring()
    assert bench.run.state is MEASURING
    bench.request()
    bench.request()
    assert bench.run.state is MEASURING
    bench.request()
    assert (bench.run.state, bench.calls) == (FINISHED, ["ready"])
    bench.request()
    bench.gevent.turn()
    assert bench.calls == ["ready", "ended"]
    assert [each.stops for each in bench.users] == [[True], [True]]
    assert bench.counted == (3, 0)


def ramp_is_measured_once_all_are_there_and_users_stop_when_time_is_up() -> None:
    bench = Bench(users=1, seconds=10, start=Start.RAMP)
    assert bench.run.state is RAMPING
    user = bench.add_user()
    bench.request()
    bench.gevent.turn(1)
    bench.run.start_measuring()
    assert bench.run.state is MEASURING
    bench.gevent.turn(9.9)
    bench.request()
    assert (bench.run.state, bench.users[0].stops) == (MEASURING, [])
    bench.gevent.turn(0.1)
    assert (bench.run.state, bench.users[0].stops) == (STOPPING, [False])
    bench.gevent.turn(1)
    bench.request(milliseconds=1050)  # began before the end
    bench.request(milliseconds=950)  # began after it
    bench.run.left(user)
    bench.gevent.turn()
    assert (bench.run.state, bench.calls) == (FINISHED, ["ready", "ended"])
    assert bench.counted == (2, 1)
    assert bench.run.result().users == 1


def immediate_start_measures_at_once() -> None:
    bench = Bench(users=1, requests=1, start=Start.IMMEDIATE)
    assert bench.run.state is RAMPING
    bench.run.start_measuring()
    assert bench.run.state is MEASURING
    bench.add_user()
    bench.request()
    assert (bench.run.state, bench.counted) == (FINISHED, (1, 0))


def users_that_do_not_stop_in_time_are_cut_off() -> None:
    bench = Bench(users=1, seconds=3)
    bench.add_user()
    bench.run.start_measuring()
    bench.gevent.turn(1)
    bench.run.stop_sending()
    assert bench.run.state is STOPPING
    bench.run.stop_sending()
    bench.gevent.turn(_STOP_TIMEOUT_SECONDS - 0.1)
    assert (bench.run.state, bench.users[0].stops) == (STOPPING, [False])
    bench.gevent.turn(0.2)
    assert (bench.run.state, bench.users[0].stops) == (FINISHED, [False, True])
    bench.gevent.turn(120)
    assert bench.calls == ["ready", "ended"]


def step_run_whose_users_are_gone_finishes_when_time_is_up() -> None:
    bench = Bench(users=2, seconds=1, worker=0, start=Start.IMMEDIATE)
    bench.run.start_measuring()
    bench.run.left(bench.add_user())
    assert (bench.run.state, bench.calls) == (MEASURING, [])
    bench.gevent.turn(1)
    assert (bench.run.state, bench.calls) == (FINISHED, ["ended"])


def user_that_comes_after_the_end_is_stopped() -> None:
    closed, over = Bench(users=2, seconds=1, start=Start.IMMEDIATE), Bench(users=1, requests=0)
    closed.run.start_measuring()
    closed.run.joined(cast("User", FakeUser()))
    closed.gevent.now_ns += _NS
    over.run.start_measuring()
    over.gevent.now_ns = closed.gevent.now_ns
    assert (closed.run.state, over.run.state) == (MEASURING, FINISHED)
    for bench in (closed, over):
        try:
            bench.run.arrive(cast("User", FakeUser()))
        except StopUser:
            continue
        raise AssertionError("the user goes on")


def user_that_comes_between_step_runs_runs_nothing_of_its_own() -> None:
    ran: list[str] = []

    class Own(User):
        def on_start(self) -> None:
            ran.append("on_start")

        def on_stop(self) -> None:
            ran.append("on_stop")

    engine = cast("LocustfileEngine", SimpleNamespace(host="http://a", joined=lambda _: None))
    user = _instrument_user_class(Own, engine)(Environment(user_classes=[Own]))
    user.start(Group()).join()
    assert ran == []


def users_that_all_exit_end_the_step_run_without_a_result() -> None:
    bench = Bench(users=2, seconds=60, start=Start.RAMP)
    one, other = bench.add_user(), bench.add_user()
    bench.run.left(one)
    assert (bench.run.state, bench.calls) == (RAMPING, ["ready"])
    bench.run.left(other)
    assert (bench.run.state, bench.calls) == (ABORTED, ["ready", "exited"])
    bench.run.start_measuring()
    bench.request()
    bench.gevent.turn(120)
    assert (bench.run.state, bench.calls) == (ABORTED, ["ready", "exited"])


def worker_without_users_finishes_when_measuring_starts() -> None:
    bench = Bench(users=1, requests=4, worker=1, workers=2)
    assert (bench.run.state, bench.calls) == (WAITING, ["ready"])
    bench.run.start_measuring()
    bench.gevent.turn()
    assert (bench.run.state, bench.calls) == (FINISHED, ["ready", "ended"])


def aborted_step_run_stops_and_reports_no_more() -> None:
    for steps, state in ((0, WAITING), (1, MEASURING), (2, STOPPING)):
        bench = Bench(users=1, seconds=60)
        user = bench.add_user()
        for act in (bench.run.start_measuring, bench.run.stop_sending)[:steps]:
            act()
        assert bench.run.state is state
        bench.run.abort()
        stops = list(bench.users[0].stops)
        bench.request()
        bench.run.stop_sending()
        bench.run.left(user)
        bench.gevent.turn(120)
        assert (bench.run.state, bench.calls) == (ABORTED, ["ready"])
        assert bench.users[0].stops[len(stops) :] in ([], [False])  # one that was on its way
        assert bench.counted == (0, 0)


def step_run_that_is_dropped_while_it_waits_for_its_end_does_not_stop_users() -> None:
    bench = Bench(users=1, seconds=60)
    bench.add_user()
    bench.run.start_measuring()
    bench.gevent.turn(59)
    vars(bench.gevent)["sleep"] = lambda _: bench.run.abort()
    bench.run._stop()
    bench.gevent.turn(120)
    assert (bench.run.state, bench.calls, bench.users[0].stops) == (ABORTED, ["ready"], [])


def finished_step_run_stays_finished() -> None:
    bench = Bench(users=1, requests=1, seconds=60)
    user = bench.add_user()
    bench.run.start_measuring()
    bench.request()
    bench.run.abort()
    bench.run.stop_sending()
    bench.run.start_measuring()
    bench.run.left(user)
    bench.gevent.turn(120)
    assert (bench.run.state, bench.calls) == (FINISHED, ["ready", "ended"])


SCENARIOS = [each for each in vars().values() if isfunction(each) and each.__module__ == __name__]


def _problem(scenario: Callable[[], None]) -> str:
    try:
        scenario()
    except Exception:  # noqa: BLE001 - whatever it is, it is this scenario's problem
        return traceback.format_exc()
    return ""


if __name__ == "__main__":
    json.dump({each.__name__: _problem(each) for each in SCENARIOS}, sys.stdout)
