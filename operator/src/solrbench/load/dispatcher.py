"""Which worker gets the next user: one after the other, always in the same order.

Locust's own dispatcher goes on where the last pass left off and moves users of a lost worker to
the others. Here a pass must be the same whatever ran before it, and a lost worker ends it.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from gevent.event import Event

from solrbench.load.assignment import share

_BATCHES_PER_SECOND = 10


class EvenDispatcher:
    """Stands in for `locust.dispatch.UsersDispatcher`."""

    def __init__(
        self,
        user_class: str,
        workers: Callable[[], Sequence[str]],
        cut_short: Event,
    ) -> None:
        self._user_class = user_class
        self._workers = workers
        self._cut_short = cut_short
        self._users = 0
        self._levels: Iterator[int] = iter(())
        self.dispatch_in_progress = False

    def new_dispatch(self, target_user_count: int, spawn_rate: float, *_: Any, **__: Any) -> None:
        """Begin to move to a number of users."""
        self._levels = self._move(target_user_count, spawn_rate)

    def add_worker(self, worker_node: Any) -> None:
        """Ignore a worker that comes late: it is none of the plan's."""

    def remove_worker(self, worker_node: Any) -> None:
        """Ignore that a worker left: the pass ends anyway."""

    def __iter__(self) -> Iterator[dict[str, dict[str, int]]]:
        return self

    def __next__(self) -> dict[str, dict[str, int]]:
        users = next(self._levels)
        workers = self._workers()
        return {
            worker: {self._user_class: share(users, place, len(workers))}
            for place, worker in enumerate(workers)
        }

    def _move(self, target: int, rate: float) -> Iterator[int]:
        self.dispatch_in_progress = True
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
        self.dispatch_in_progress = False
