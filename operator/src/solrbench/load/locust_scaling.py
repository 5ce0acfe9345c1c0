"""Which worker gets the next user, and of which class: always in the same order.

Locust's own dispatcher goes on where the last step run left off and places all users again when a
worker is lost. Here a step run must be the same whatever ran before it, and only users of the lost
worker move.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

from gevent.event import Event

from solrbench.load.schedule.user_classes import UserClass, class_sequence
from solrbench.load.schedule.user_placement import UserPlacement

_BATCHES_PER_SECOND = 10


class WorkerRoster(NamedTuple):
    """The workers of a step run."""

    workers: tuple[str, ...]
    """Their ids by place, lost ones too."""
    placement: UserPlacement


class DeterministicUsersDispatcher:
    """Stands in for `locust.dispatch.UsersDispatcher`."""

    dispatch_in_progress = True
    """Locust starts a dispatch of its own when workers come or go, unless one is under way. Only
    the steps may."""

    def __init__(
        self,
        classes: Callable[[], Sequence[UserClass]],
        roster: Callable[[], WorkerRoster],
        cut_short: Event,
    ) -> None:
        self._classes = classes
        self._roster = roster
        self._cut_short = cut_short
        self._users = 0
        self._levels: Iterator[int] = iter(())
        self._dispatched = 0
        self._dispatched_to = WorkerRoster((), UserPlacement(0))
        self._turns: Iterator[str] = iter(())
        self._counts: list[dict[str, int]] = []

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
        users, roster = next(self._levels), self._roster()
        self._dispatch(users, roster)
        return {
            roster.workers[index]: dict(self._counts[index])
            for index in roster.placement.remaining_workers
        }

    def _dispatch(self, users: int, roster: WorkerRoster) -> None:
        """Count users by worker and class; those that were counted before are not counted again."""
        if users < self._dispatched or roster != self._dispatched_to:
            classes = self._classes()
            self._turns = class_sequence(classes)
            self._counts = [{each.name: 0 for each in classes} for _ in roster.workers]
            self._dispatched, self._dispatched_to = 0, roster
        for name in islice(self._turns, users - self._dispatched):
            self._counts[roster.placement.worker_of(self._dispatched)][name] += 1
            self._dispatched += 1

    def _move(self, target: int, rate: float) -> Iterator[int]:
        began = time.monotonic()
        start, batch = self._users, max(1, int(rate / _BATCHES_PER_SECOND))
        self._users = target if target <= start else min(start + batch, target)
        yield self._users
        while self._users < target:
            due = began + (self._users - start) / rate
            if self._cut_short.wait(max(due - time.monotonic(), 0)):
                break
            self._users = min(self._users + batch, target)
            yield self._users
