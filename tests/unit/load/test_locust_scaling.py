import time
from collections.abc import Sequence

import gevent
import pytest
from gevent.event import Event

from solrbench.load.locust_runtime.users_dispatcher import (
    DeterministicUsersDispatcher,
    WorkerRoster,
)
from solrbench.load.schedule.user_classes import UserClass
from solrbench.load.schedule.user_placement import UserPlacement

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


def test_all_at_once_is_one_level_shared_in_order() -> None:
    dispatcher = made()
    dispatcher.new_dispatch(8, 1_000_000.0, None)
    assert [counts(level) for level in dispatcher] == [[3, 3, 2]]


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


def test_only_the_users_of_a_lost_worker_move() -> None:
    rosters = [WorkerRoster(("a", "b", "c"), UserPlacement(3))]
    dispatcher = DeterministicUsersDispatcher(lambda: ONE, lambda: rosters[-1], Event())
    dispatcher.new_dispatch(8, 1_000_000.0)
    assert [counts(level) for level in dispatcher] == [[3, 3, 2]]
    rosters.append(WorkerRoster(("a", "b", "c"), UserPlacement(3).after_loss(1)))
    dispatcher.new_dispatch(8, 1_000_000.0)
    (level,) = dispatcher
    assert {worker: sum(users.values()) for worker, users in level.items()} == {"a": 5, "c": 3}
