import time
from collections.abc import Sequence

import gevent
import pytest
from gevent.event import Event

from solrbench.load.dispatcher import EvenDispatcher


def made(workers: Sequence[str] = ("a", "b", "c"), cut: Event | None = None) -> EvenDispatcher:
    return EvenDispatcher("VirtualUser", lambda: workers, cut or Event())


def counts(level: dict[str, dict[str, int]]) -> list[int]:
    return [users["VirtualUser"] for users in level.values()]


def test_all_at_once_is_one_level_shared_in_order() -> None:
    dispatcher = made()
    dispatcher.new_dispatch(8, 1_000_000.0, None)
    assert [counts(level) for level in dispatcher] == [[3, 3, 2]]
    assert not dispatcher.dispatch_in_progress


def test_every_pass_begins_with_the_same_worker() -> None:
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
    assert 0.2 <= time.monotonic() - began < 1


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
    assert time.monotonic() - began < 1
    cut.clear()
    dispatcher.new_dispatch(0, 1_000_000.0)
    assert [sum(counts(level)) for level in dispatcher] == [0]


def test_workers_that_come_or_go_change_nothing() -> None:
    dispatcher = made()
    dispatcher.new_dispatch(3, 1_000_000.0)
    dispatcher.add_worker(object())
    dispatcher.remove_worker(object())
    assert [counts(level) for level in dispatcher] == [[1, 1, 1]]
