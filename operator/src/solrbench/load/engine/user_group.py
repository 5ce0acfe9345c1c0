"""The users of a step run on one worker: connected, started, stopped and counted."""

import asyncio
from collections.abc import Callable
from typing import Protocol

_CONNECTING_AT_ONCE = 64
"""Connections opened side by side: less than the backlog of any server, which drops the rest."""


class StepRunUser(Protocol):
    """A virtual user, or what sends the arrivals of an open loop."""

    async def prepare(self) -> None:
        """Connect ahead of the first request."""

    def start(self) -> None:
        """Send the first request."""

    def stop(self) -> None:
        """Start no more requests; one in flight is finished."""

    def abort(self) -> None:
        """Let everything go at once."""


class UserGroup:
    """Users in the order in which they were added.

    `on_all_ready` is called once, when as many users as expected are there; those that connect
    first have done so by then. `on_all_finished` is called when the last active user is done.
    """

    def __init__(
        self,
        expected: int,
        on_all_ready: Callable[[], None],
        on_all_finished: Callable[[], None],
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        self._expected = expected
        self._on_all_ready = on_all_ready
        self._on_all_finished = on_all_finished
        self._loop = loop
        self._users: list[StepRunUser] = []
        self._connecting: set[asyncio.Task[None]] = set()
        self._connect_slots = asyncio.Semaphore(_CONNECTING_AT_ONCE)
        self._ready = 0
        self._active = 0

    def __len__(self) -> int:
        return len(self._users)

    def add_waiting(self, user: StepRunUser) -> None:
        """Add a user that connects and waits for `start`."""
        self._users.append(user)
        self._connecting.add(self._loop.create_task(self._connect(user)))

    def add_started(self, user: StepRunUser) -> None:
        """Add a user and start it."""
        self._users.append(user)
        self._active += 1
        user.start()
        self._count_ready()

    def start(self) -> None:
        """Start all users."""
        # Counted first: a user without anything to do leaves before the next one starts.
        self._active = len(self._users)
        for user in self._users:
            user.start()

    def on_user_finished(self) -> None:
        """Learn that a user has nothing left to do."""
        self._active -= 1
        if self._active == 0:
            self._on_all_finished()

    def stop(self) -> None:
        """Wake users that think: none of them may start another request."""
        for user in self._users:
            user.stop()

    def abort(self) -> None:
        """Let all users go at once."""
        for task in self._connecting:
            task.cancel()
        for user in self._users:
            user.abort()

    async def _connect(self, user: StepRunUser) -> None:
        async with self._connect_slots:
            await user.prepare()
        self._count_ready()

    def _count_ready(self) -> None:
        self._ready += 1
        if self._ready == self._expected:
            self._connecting.clear()
            self._on_all_ready()
