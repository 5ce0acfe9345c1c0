"""The Locust users of a step run on one worker: made, ready, gone."""

from collections.abc import Callable, Sequence

import gevent
from gevent.event import Event
from locust import User

from solrbench.load.schedule.assignment import Assignment


class LocustUserGroup:
    """Counts users that Locust spawns; `on_all_ready` is called once, when the last one is ready.

    A user is ready when its `on_start` is done, or when it ends without.
    """

    def __init__(
        self, assignment: Assignment, hosts: Sequence[str], on_all_ready: Callable[[], None]
    ) -> None:
        """Spread users over `hosts`, which are URLs."""
        self._assignment = assignment
        self._hosts = hosts
        self._on_all_ready = on_all_ready
        self._running: set[User] = set()
        self._ready: set[User] = set()
        self._made = 0
        self._quit = 0
        self._barrier = Event()

    def __len__(self) -> int:
        return len(self._running)

    @property
    def remaining(self) -> int:
        """Users that were made and did not end of their own accord."""
        return self._made - self._quit

    @property
    def has_exited(self) -> bool:
        """Say whether all users of this worker were made and none runs any more."""
        return not self._running and self._made >= self._assignment.worker_users

    def next_host(self) -> str:
        """Return where the next user goes: users are spread over the nodes evenly."""
        number = self._assignment.worker + self._made * self._assignment.workers
        self._made += 1
        return self._hosts[number % len(self._hosts)]

    def add(self, user: User) -> None:
        """Learn that a user was started."""
        self._running.add(user)

    def discard(self, user: User) -> None:
        """Learn that a user ended."""
        self._running.discard(user)

    def count_quit(self) -> None:
        """Count a user that ended of its own accord."""
        self._quit += 1

    def mark_ready(self, user: User) -> None:
        """Learn that a user is ready."""
        if user in self._ready:
            return
        self._ready.add(user)
        if len(self._ready) == self._assignment.worker_users:
            self._on_all_ready()

    def wait_at_barrier(self) -> None:
        """Keep the user that runs in this greenlet waiting for `open_barrier`."""
        self._barrier.wait()

    def open_barrier(self) -> None:
        """Let users go on that wait, and those that come."""
        self._barrier.set()

    def stop(self) -> None:
        """Stop users after the task they are in."""
        for user in self._running:
            gevent.spawn(user.stop)

    def cut_off(self) -> None:
        """Stop users in the middle of the task they are in."""
        for user in self._running:
            gevent.spawn(user.stop, force=True)
