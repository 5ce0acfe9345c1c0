"""The load engine: the users of one worker and the step run they are in.

Everything here runs in one event loop and knows nothing of Locust. Other threads hand over calls
with `loop.call_soon_threadsafe`.
"""

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import Protocol

from solrbench.load.engine.measurement import ProgressUpdate
from solrbench.load.engine.step_run import StepRun
from solrbench.load.engine.target import LoadTarget
from solrbench.load.recording.worker_result import WorkerStepResult
from solrbench.load.schedule.messages import Assignment


class EngineListener(Protocol):
    """What follows a step run; called in the event loop's thread."""

    def on_ready(self, key: str) -> None:
        """Learn that all users of a step run are there."""

    def on_progress(self, progress: ProgressUpdate) -> None:
        """Take the news of the last second."""

    def on_finished(self, result: WorkerStepResult) -> None:
        """Take the result of a step run."""


class Engine:
    """Runs one step run after another."""

    def __init__(
        self, target: LoadTarget, listener: EngineListener, loop: asyncio.AbstractEventLoop
    ) -> None:
        self._target = target
        self._listener = listener
        self._loop = loop
        self._step_run: StepRun | None = None
        self._tick: asyncio.TimerHandle | None = None

    def begin(self, assignment: Assignment) -> None:
        """Begin a step run; users come with `add_user`."""
        self.abort_current()
        ready = partial(self._listener.on_ready, assignment.key)
        self._step_run = StepRun(
            assignment, self._target.of(assignment), ready, self._on_step_run_ended, self._loop
        )
        self._tick = self._loop.call_later(1, self._report)

    def add_user(self) -> None:
        """Add a user to the step run under way; one that comes too late has nothing to do."""
        if self._step_run is not None:
            self._step_run.add_user()

    def adopt_users(self, key: str, users: Sequence[int]) -> None:
        """Learn the numbers of users of a lost worker that come with `add_user` next."""
        if self._step_run is not None and self._step_run.key == key:
            self._step_run.adopt_users(users)

    def start_measuring(self, key: str) -> None:
        """Begin to measure the step run with this key."""
        if self._step_run is not None and self._step_run.key == key:
            self._step_run.start_measuring()

    def stop_sending(self, key: str) -> None:
        """Let the step run with this key begin no more requests."""
        if self._step_run is not None and self._step_run.key == key:
            self._step_run.stop_sending()

    def abort(self, key: str) -> None:
        """Drop the step run with this key without a result."""
        if self._step_run is not None and self._step_run.key == key:
            self.abort_current()

    def abort_current(self) -> None:
        """Drop the step run under way without a result."""
        if self._step_run is not None:
            self._step_run.abort()
            self._step_run = None
        if self._tick is not None:
            self._tick.cancel()

    def _report(self) -> None:
        if self._step_run is not None:
            self._listener.on_progress(self._step_run.progress())
            self._tick = self._loop.call_later(1, self._report)

    def _on_step_run_ended(self) -> None:
        ended = self._step_run
        if ended is None:
            return
        self._listener.on_progress(ended.progress(last=True))
        self.abort_current()
        self._listener.on_finished(ended.result())
