"""The load engine: the users of one worker and the step run they are in.

Everything here runs in one event loop and knows nothing of Locust. Other threads hand over calls
with `loop.call_soon_threadsafe`.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from solrbench.load.engine.measurement import EngineReport, UsersReady
from solrbench.load.engine.step_run import StepRun
from solrbench.load.engine.target import LoadTarget
from solrbench.load.schedule import messages
from solrbench.load.schedule.messages import Assignment, EngineCommand


@dataclass
class Engine:
    """Runs one step run after another.

    Its methods are called in the thread of `loop`, and so is `report`, which must not wait.
    """

    target: LoadTarget
    report: Callable[[EngineReport], None]
    loop: asyncio.AbstractEventLoop
    _step_run: StepRun | None = field(default=None, init=False)
    _tick: asyncio.TimerHandle | None = field(default=None, init=False)

    def execute(self, command: EngineCommand) -> None:
        """Begin a step run, or change the one with the key of the command."""
        if isinstance(command, Assignment):
            self._begin(command)
            return
        step_run = self._step_run
        if step_run is None or step_run.key != command.key:
            return
        match command:
            case messages.StartMeasuring():
                step_run.start_measuring()
            case messages.StopSending():
                step_run.stop_sending()
            case messages.AdoptUsers():
                step_run.adopt_users(command.users)
            case messages.Abort():
                self._drop_step_run()

    def add_user(self) -> None:
        """Add a user to the step run under way; one that comes too late has nothing to do."""
        if self._step_run is not None:
            self._step_run.add_user()

    def _begin(self, assignment: Assignment) -> None:
        self._drop_step_run()
        self._step_run = StepRun(
            assignment,
            self.target.of(assignment),
            lambda: self.report(UsersReady(assignment.key)),
            self._on_step_run_ended,
            self.loop,
        )
        self._tick = self.loop.call_later(1, self._report_second)

    def _drop_step_run(self) -> None:
        """Let the users of the step run under way go at once, without a result."""
        if self._step_run is not None:
            self._step_run.abort()
            self._step_run = None
        if self._tick is not None:
            self._tick.cancel()

    def _report_second(self) -> None:
        if self._step_run is not None:
            self.report(self._step_run.progress())
            self._tick = self.loop.call_later(1, self._report_second)

    def _on_step_run_ended(self) -> None:
        ended = self._step_run
        if ended is None:
            return
        self.report(ended.progress(last=True))
        self._drop_step_run()
        self.report(ended.result())
