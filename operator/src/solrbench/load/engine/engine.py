"""The load core: the users of one worker and the pass they are in.

Everything here runs in one event loop and knows nothing of Locust. Other threads hand over calls
with `loop.call_soon_threadsafe`.
"""

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import Protocol

from solrbench.load.engine.step_run import Progress, RunningPass, Target
from solrbench.load.recording.worker_result import WorkerOutcome
from solrbench.load.schedule.assignment import Assignment


class Listener(Protocol):
    """Who is told of a pass; called in the event loop's thread."""

    def ready(self, key: str) -> None:
        """Learn that all users of a pass are there."""

    def progressed(self, progress: Progress) -> None:
        """Take the news of the last second."""

    def finished(self, outcome: WorkerOutcome) -> None:
        """Take the result of a pass."""


class Core:
    """Runs one pass after another."""

    def __init__(self, target: Target, listener: Listener, loop: asyncio.AbstractEventLoop) -> None:
        self._target = target
        self._listener = listener
        self._loop = loop
        self._pass: RunningPass | None = None
        self._tick: asyncio.TimerHandle | None = None

    def begin(self, assignment: Assignment) -> None:
        """Begin a pass; users come with `add_user`."""
        self.abandon()
        ready = partial(self._listener.ready, assignment.key)
        self._pass = RunningPass(assignment, self._target, ready, self._finished, self._loop)
        self._tick = self._loop.call_later(1, self._report)

    def add_user(self) -> None:
        """Add a user to the pass under way; one that comes too late has nothing to do."""
        if self._pass is not None:
            self._pass.add_user()

    def take_over(self, key: str, users: Sequence[int]) -> None:
        """Learn the numbers of users of a lost worker that come with `add_user` next."""
        if self._pass is not None and self._pass.key == key:
            self._pass.take_over(users)

    def go(self, key: str) -> None:
        """Begin to measure the pass with this key."""
        if self._pass is not None and self._pass.key == key:
            self._pass.go()

    def close(self, key: str) -> None:
        """Let the pass with this key begin no more requests."""
        if self._pass is not None and self._pass.key == key:
            self._pass.close()

    def forget(self, key: str) -> None:
        """Drop the pass with this key without a result."""
        if self._pass is not None and self._pass.key == key:
            self.abandon()

    def abandon(self) -> None:
        """Drop the pass under way without a result."""
        if self._pass is not None:
            self._pass.drop()
            self._pass = None
        if self._tick is not None:
            self._tick.cancel()

    def _report(self) -> None:
        if self._pass is not None:
            self._listener.progressed(self._pass.progress())
            self._tick = self._loop.call_later(1, self._report)

    def _finished(self) -> None:
        ended = self._pass
        if ended is None:
            return
        self._listener.progressed(ended.progress(last=True))
        self.abandon()
        self._listener.finished(ended.outcome())
