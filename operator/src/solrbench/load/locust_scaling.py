"""What Locust lacks for 100,000 users and for runs of a day.

Its dispatcher goes on where the last step run left off and places all users again when a worker is
lost. Here a step run is the same whatever ran before it, and only users of the lost worker move.

It starts, and stops, all users of a worker in one turn of its loop. Of 17,000, either takes 1.5 s
of CPU time, on a busy node many seconds, after which the master takes the worker for lost. Here
they start in parts, so that heartbeats go on meanwhile.

It keeps the requests of every second and a line of history every five seconds for as long as it
runs: of a day with ten names, 200 MB. Here both are cut.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Any, ClassVar, NamedTuple, NoReturn

import gevent
from gevent.event import Event
from gevent.lock import RLock

from solrbench.load.schedule.users import UserClass, UserPlacement, class_sequence

_BATCHES_PER_SECOND = 10


class WorkerRoster(NamedTuple):
    """The workers of a step run."""

    workers: tuple[str, ...] = ()
    """Their ids by place, lost ones too."""
    placement: UserPlacement = UserPlacement(0)


@dataclass(eq=False, repr=False)
class DeterministicUsersDispatcher:
    """Stands in for `locust.dispatch.UsersDispatcher`."""

    dispatch_in_progress: ClassVar = True
    """Locust starts a dispatch of its own when workers come or go, unless one is under way. Only
    the steps may."""

    classes: Callable[[], Sequence[UserClass]]
    roster: Callable[[], WorkerRoster]
    cut_short: Event
    _users: int = field(default=0, init=False)
    _levels: Iterator[int] = field(default=iter(()), init=False)
    _dispatched: int = field(default=0, init=False)
    _dispatched_to: WorkerRoster = field(default=WorkerRoster(), init=False)
    _turns: Iterator[str] = field(default=iter(()), init=False)
    _counts: list[dict[str, int]] = field(default_factory=list, init=False)

    def new_dispatch(self, target_user_count: int, spawn_rate: float, *_: Any, **__: Any) -> None:
        """Begin to move to a number of users."""
        self._levels = self._move(target_user_count, spawn_rate)

    def add_worker(self, worker_node: Any) -> None:
        """Ignore a worker that comes late: the next step run may take it in."""

    def remove_worker(self, worker_node: Any) -> None:
        """Ignore that a worker left: the roster decides what follows."""

    def __iter__(self) -> Iterator[dict[str, dict[str, int]]]:
        return self

    def __next__(self) -> dict[str, dict[str, int]]:
        users, roster = next(self._levels), self.roster()
        if users < self._dispatched or roster != self._dispatched_to:
            classes = self.classes()
            self._turns = class_sequence(classes)
            self._counts = [{user_class.name: 0 for user_class in classes} for _ in roster.workers]
            self._dispatched, self._dispatched_to = 0, roster
        for name in islice(self._turns, users - self._dispatched):
            self._counts[roster.placement.worker_of(self._dispatched)][name] += 1
            self._dispatched += 1
        return {
            roster.workers[index]: dict(self._counts[index])
            for index in roster.placement.remaining_workers
        }

    def _move(self, target: int, rate: float) -> Iterator[int]:
        began = time.monotonic()
        start, batch = self._users, max(1, int(rate / _BATCHES_PER_SECOND))
        self._users = target if target <= start else min(start + batch, target)
        yield self._users
        while self._users < target:
            due = began + (self._users - start) / rate
            if self.cut_short.wait(max(due - time.monotonic(), 0)):
                # Another level is wanted: what is left of this one shall not delay it.
                break
            self._users = min(self._users + batch, target)
            yield self._users


_PART = 200
"""Users started or stopped at once: some 20 ms."""


def start_users_in_parts(runner: Any) -> None:
    """Let a `locust.runners.Runner` start users part by part; others run in between.

    An order that comes meanwhile ends this one in a pause, and counts the users that are there.
    """
    start_all = runner.spawn_users

    def spawn_users(counts: dict[str, int], wait: bool = False) -> list[Any]:
        started: list[Any] = []
        for part in _parts(counts):
            started += start_all(part)
            gevent.sleep(0)
        # None to start: Locust notes that the worker has begun to, and may wait for its users.
        started += start_all({}, wait)
        return started

    runner.spawn_users = spawn_users


def stop_users_in_parts(runner: Any) -> None:
    """Let a `locust.runners.Runner` stop users part by part; others run in between.

    Of those, none stops users as well: a lock is held meanwhile.

    Users that are given time to end are stopped together, as each part would wait for that time.
    """
    stop_all, lock = runner.stop_users, RLock()

    def stop_users(counts: dict[str, int]) -> None:
        if runner.environment.stop_timeout:
            stop_all(counts)
            return
        with lock:
            for part in _parts(counts):
                stop_all(part)
                gevent.sleep(0)

    runner.stop_users = stop_users


def _parts(counts: dict[str, int]) -> Iterator[dict[str, int]]:
    for name, count in list(counts.items()):
        for before in range(0, count, _PART):
            yield {name: min(_PART, count - before)}


KEPT_SECONDS = 120
"""Seconds of which single counts are kept; the page's current rate looks at the last twelve."""

MAX_HISTORY_LINES = 720
"""Lines of history; with more, every second one of the older half is dropped."""

CHECK_SECONDS = 30.0


def limit_stats_forever(stats: Any) -> NoReturn:
    """Limit the statistics again and again."""
    while True:
        limit_stats(stats)
        gevent.sleep(CHECK_SECONDS)


def limit_stats(stats: Any) -> None:
    """Drop from a `locust.stats.RequestStats` what is older than the page shows."""
    for entry in chain([stats.total], stats.entries.values()):
        last = entry.last_request_timestamp
        if last is not None:
            for counts in (entry.num_reqs_per_sec, entry.num_fail_per_sec):
                for second in [count for count in counts if count < last - KEPT_SECONDS]:
                    del counts[second]
    if len(stats.history) > MAX_HISTORY_LINES:
        # Older lines get sparser the older they are, so a chart of a whole day keeps its shape.
        half = len(stats.history) // 2
        stats.history[:half] = stats.history[:half:2]
