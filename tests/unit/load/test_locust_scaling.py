"""Locust's statistics stay small; its own classes would patch the process."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import gevent
import pytest
from gevent.event import Event

from solrbench.load.locust_scaling import (
    KEPT_SECONDS,
    MAX_HISTORY_LINES,
    DeterministicUsersDispatcher,
    WorkerRoster,
    limit_stats,
    start_users_in_parts,
    stop_users_in_parts,
)
from solrbench.load.schedule.users import UserClass, UserPlacement
from support.load.own_process import run_python


@dataclass
class Entry:
    last_request_timestamp: float | None = None
    num_reqs_per_sec: dict[int, int] = field(default_factory=dict)
    num_fail_per_sec: dict[int, int] = field(default_factory=dict)


@dataclass
class Stats:
    total: Entry = field(default_factory=Entry)
    entries: Mapping[tuple[str, str], Entry] = field(default_factory=dict)
    history: list[dict[str, Any]] = field(default_factory=list)


def counted(seconds: int) -> Entry:
    return Entry(seconds - 0.5, dict.fromkeys(range(seconds), 7), {0: 1, seconds - 1: 2})


def test_seconds_that_the_page_no_longer_shows_are_dropped() -> None:
    stats = Stats(counted(4000), {("query", "step"): counted(4000)})
    limit_stats(stats)
    kept = Entry(3999.5, dict.fromkeys(range(4000 - KEPT_SECONDS, 4000), 7), {3999: 2})
    assert stats == Stats(kept, {("query", "step"): kept})


def test_history_gets_thinner_and_keeps_its_ends() -> None:
    stats = Stats()
    for second in range(17_280):
        stats.history.append({"second": second})
        limit_stats(stats)
    history = [each["second"] for each in stats.history]
    assert len(history) <= MAX_HISTORY_LINES
    assert (history[0], history[-1]) == (0, 17_279)
    assert history == sorted(history)


def test_statistics_without_requests_stay() -> None:
    stats = Stats(history=[{"second": 1}])
    limit_stats(stats)
    assert stats == Stats(history=[{"second": 1}])


PROGRAM = """
from locust.env import Environment
from locust.runners import LocalRunner
import gevent, json
from solrbench.load.locust_runtime import USER_CLASS, placeholder_user_class
from solrbench.load.locust_scaling import start_users_in_parts

runner = LocalRunner(Environment(user_classes=[placeholder_user_class(lambda: None)]))
start_users_in_parts(runner)
turns = [0]

def count_turns():
    while True:
        turns[0] += 1
        gevent.sleep(0)

gevent.spawn(count_turns)
gevent.sleep(0)
before = turns[0]
runner.spawn_users({USER_CLASS: 1000})
print(json.dumps([turns[0] - before, runner.user_count]))
"""


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Return what is called, pauses included."""
    found: list[object] = []
    monkeypatch.setattr(gevent, "sleep", lambda _: found.append("pause"))
    return found


def stop(counts: dict[str, int], stop_timeout: float | None, calls: list[object]) -> None:
    environment = SimpleNamespace(stop_timeout=stop_timeout)
    runner = SimpleNamespace(environment=environment, stop_users=calls.append)
    stop_users_in_parts(runner)
    runner.stop_users(counts)


@pytest.mark.parametrize(
    ("count", "parts"), [(0, []), (1, [1]), (200, [200]), (201, [200, 1]), (450, [200, 200, 50])]
)
def test_others_run_between_parts(count: int, parts: list[int], calls: list[object]) -> None:
    stop({"A": count, "B": 1}, None, calls)
    assert calls[:-2:2] == [{"A": part} for part in parts]
    assert calls[-2:] == [{"B": 1}, "pause"]
    assert calls[1::2] == ["pause"] * (len(parts) + 1)


def test_users_that_are_given_time_stop_together(calls: list[object]) -> None:
    stop({"A": 1000, "B": 1}, 3.0, calls)
    assert calls == [{"A": 1000, "B": 1}]


@pytest.mark.parametrize(
    ("count", "parts"), [(0, []), (1, [1]), (200, [200]), (450, [200, 200, 50])]
)
def test_others_run_between_parts_of_users_that_start(
    count: int, parts: list[int], calls: list[object]
) -> None:
    def start(counts: dict[str, int], wait: bool = False) -> list[str]:
        calls.append((counts, wait))
        return ["user"] * sum(counts.values())

    runner = SimpleNamespace(spawn_users=start)
    start_users_in_parts(runner)
    assert len(runner.spawn_users({"A": count}, True)) == count
    assert calls[:-1:2] == [({"A": part}, False) for part in parts]
    assert calls[1:-1:2] == ["pause"] * len(parts)
    assert calls[-1] == ({}, True)


@pytest.mark.slow
def test_real_users_start_while_other_greenlets_run() -> None:
    turns, users = run_python("-c", PROGRAM)
    assert turns >= 4
    assert users == 1000


ONE = (UserClass("VirtualUser"),)


def made(
    workers: Sequence[str] = ("a", "b", "c"),
    cut: Event | None = None,
    classes: Sequence[UserClass] = ONE,
) -> DeterministicUsersDispatcher:
    roster = WorkerRoster(tuple(workers), UserPlacement(len(workers)))
    return DeterministicUsersDispatcher(lambda: classes, lambda: roster, cut or Event())


def counts(level: dict[str, dict[str, int]]) -> list[int]:
    return [sum(users.values()) for users in level.values()]


def test_every_step_run_begins_with_the_same_worker() -> None:
    dispatcher = made()
    for users in (4, 0, 5, 0, 1):
        dispatcher.new_dispatch(users, 1_000_000.0)
        (level,) = dispatcher
        assert sum(counts(level)) == users
        assert counts(level) == sorted(counts(level), reverse=True)


def test_users_come_at_the_rate_asked_for() -> None:
    dispatcher, began = made(), time.monotonic()
    dispatcher.new_dispatch(30, 100.0)
    levels = [sum(counts(level)) for level in dispatcher]
    assert levels == [10, 20, 30]
    assert 0.2 <= time.monotonic() - began < 5


@pytest.mark.parametrize("late", [False, True])
def test_dispatch_is_cut_short_when_another_level_is_wanted(late: bool) -> None:
    cut = Event()
    dispatcher, began = made(cut=cut), time.monotonic()
    if late:
        gevent.spawn_later(0.05, cut.set)
    else:
        cut.set()
    dispatcher.new_dispatch(1000, 1.0)
    assert [sum(counts(level)) for level in dispatcher] == [1]
    assert time.monotonic() - began < 10  # of 1,000 seconds
    cut.clear()
    dispatcher.new_dispatch(0, 1_000_000.0)
    assert [sum(counts(level)) for level in dispatcher] == [0]


def test_locust_itself_dispatches_nothing_when_workers_come_or_go() -> None:
    dispatcher = made()
    dispatcher.new_dispatch(3, 1_000_000.0)
    dispatcher.add_worker(object())
    dispatcher.remove_worker(object())
    assert [counts(level) for level in dispatcher] == [[1, 1, 1]]
    assert dispatcher.dispatch_in_progress


def test_classes_are_spread_over_all_users_and_named_on_every_worker() -> None:
    classes = (UserClass("Reader", 3), UserClass("Writer", 1), UserClass("Admin", 9, 1))
    dispatcher = made(("a", "b"), classes=classes)
    dispatcher.new_dispatch(9, 1_000_000.0)
    (level,) = dispatcher
    assert counts(level) == [5, 4]
    assert all(users.keys() == {"Reader", "Writer", "Admin"} for users in level.values())
    total = {each.name: sum(users[each.name] for users in level.values()) for each in classes}
    assert total == {"Reader": 6, "Writer": 2, "Admin": 1}


def test_ramp_deals_classes_like_a_start_at_once() -> None:
    classes = (UserClass("Reader", 2), UserClass("Writer", 1))
    ramp, once = made(classes=classes), made(classes=classes)
    ramp.new_dispatch(30, 200.0)
    once.new_dispatch(30, 1_000_000.0)
    assert list(ramp)[-1] == next(once)


def test_level_is_shared_in_order_and_only_the_users_of_a_lost_worker_move() -> None:
    rosters = [WorkerRoster(("a", "b", "c"), UserPlacement(3))]
    dispatcher = DeterministicUsersDispatcher(lambda: ONE, lambda: rosters[-1], Event())
    dispatcher.new_dispatch(8, 1_000_000.0, None)
    assert [counts(level) for level in dispatcher] == [[3, 3, 2]]
    rosters.append(WorkerRoster(("a", "b", "c"), UserPlacement(3).after_loss(1)))
    dispatcher.new_dispatch(8, 1_000_000.0)
    (level,) = dispatcher
    assert {worker: sum(users.values()) for worker, users in level.items()} == {"a": 5, "c": 3}
