"""The load engine: the users of one worker and the step run they are in.

Where the step run is, when its users send, and when it is over. Everything here runs in one event
loop and knows nothing of Locust. Other threads hand over calls with `loop.call_soon_threadsafe`.
"""

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from solrbench.load.engine.measurement import (
    EngineReport,
    ProgressUpdate,
    StepRunMeasurement,
    StepRunState,
    UsersReady,
)
from solrbench.load.engine.target import LoadTarget, RequestSupply, UserContext
from solrbench.load.engine.user_group import UserFactory, UserGroup
from solrbench.load.recording.recorder import SECOND_NS, StepRunRecorder
from solrbench.load.recording.response_gaps import longest_response_gaps, user_shares
from solrbench.load.recording.worker_result import WorkerStepResult
from solrbench.load.schedule import messages
from solrbench.load.schedule.messages import Assignment, EngineCommand, Start

_now = time.perf_counter_ns


@dataclass(eq=False, repr=False)
class StepRun:
    """A step run from its first user to its last response.

    `on_ready` is called once, when the last user of this worker is there; those at a barrier have
    connected by then. `on_ended` is called once, after the last response.
    """

    assignment: Assignment
    target: LoadTarget
    on_ready: Callable[[], None]
    on_ended: Callable[[], None]
    loop: asyncio.AbstractEventLoop
    state: StepRunState = field(default=StepRunState.RAMPING, init=False)
    _stop_timer: asyncio.TimerHandle | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        assignment, workload = self.assignment, self.target.requests
        self.key = assignment.key
        # The schedule of an open loop has a number of its own, of which the ramp is no part.
        limit = None if assignment.open_loop is not None else assignment.worker_requests
        self._stream = workload.open_stream(assignment)
        self._supply = RequestSupply(self._stream.requests, limit)
        recorder = StepRunRecorder(
            workload.names, _now(), workload.transactions, assignment.workers, workload.unchecked
        )
        self._measurement = StepRunMeasurement(assignment, recorder)
        self._users = UserGroup(assignment.worker_users, self.on_ready, self._finish, self.loop)
        finished, timeout_seconds = self._users.on_user_finished, self.target.timeout_seconds
        context = UserContext(self._supply, recorder, timeout_seconds, self.loop, finished)
        self._factory = UserFactory(assignment, self.target, context, self._measure_from)
        if assignment.start is Start.BARRIER:
            self.state = StepRunState.WAITING
        if not assignment.worker_users:
            self.loop.call_soon(self.on_ready)

    def adopt_users(self, users: Sequence[int]) -> None:
        """Learn the numbers of users of a lost worker that are added next."""
        self._factory.adopted += users

    def add_user(self) -> None:
        """Add the next user of this worker; before a barrier it connects, else it starts."""
        if self.state.is_over:
            return
        user = self._factory.make(len(self._users))
        if self.state is StepRunState.WAITING:
            self._users.add_waiting(user)
        else:
            self._users.add_started(user)

    def start_measuring(self) -> None:
        """Begin to measure; users at the barrier start. An open loop may have a ramp before."""
        if self.state is StepRunState.WAITING:
            self.state = StepRunState.RAMPING
            if self.assignment.open_loop is None:
                self._measure_from(_now())
            self._users.start()
        elif self.state is StepRunState.RAMPING and self.assignment.start is not Start.BARRIER:
            self._measure_from(_now())
        if not self.assignment.worker_users:
            # A warm-up may have fewer users than workers.
            self._finish()

    def stop_sending(self) -> None:
        """Begin no request from now on; those in flight are finished and counted."""
        self._supply.stops_ns = min(self._supply.stops_ns, _now())
        self._stop()

    def progress(self, *, last: bool = False) -> ProgressUpdate:
        """Return what happened since the last call; `last` ends the current second early."""
        if self._supply.ended_ns:
            self._measurement.end()
        arrivals = self._factory.open_loop_recorder
        buckets = None if arrivals is None else arrivals.take_recent_buckets()
        return self._measurement.progress(len(self._users), last=last, response_buckets=buckets)

    def result(self) -> WorkerStepResult:
        """Return the result; the step run must be finished and its last second taken."""
        factory, recorder = self._factory, self._measurement.recorder
        users = factory.user_activities
        gaps = longest_response_gaps(users, factory.node_activities, recorder.origin_ns)
        result = self._measurement.result(
            self.assignment.worker_users + len(factory.adopted),
            self._stream.used_numbers(),
            queries_exhausted=self._supply.queries_exhausted,
            sending_ended_ns=self._supply.ended_ns,
        ).model_copy(
            update={
                "connections": recorder.connections.result(),
                "nodes": [node_counts.result() for node_counts in factory.node_counts],
                "response_gaps": gaps,
                "user_shares": user_shares(users),
            }
        )
        arrivals = factory.open_loop_recorder
        return result if arrivals is None else arrivals.add_to_result(result, recorder.result)

    def abort(self) -> None:
        """Let all users go at once."""
        if self.state is not StepRunState.FINISHED:
            self.state = StepRunState.ABORTED
        if self._stop_timer is not None:
            self._stop_timer.cancel()
        self._users.abort()

    def _measure_from(self, at_ns: int) -> None:
        if self.state is StepRunState.RAMPING:
            # An open loop that is stopped in its ramp meets the end of the ramp all the same.
            self.state = StepRunState.MEASURING
        self._measurement.begin(at_ns)
        seconds = self.assignment.seconds
        if seconds is not None and self.assignment.open_loop is None:
            self._supply.stops_ns = at_ns + seconds * SECOND_NS
            self._stop_timer = self.loop.call_later(seconds, self._stop)
        elif seconds is not None:
            # The schedule has its own end; only what the worker spends afterwards is left out.
            left_ns = max(at_ns + seconds * SECOND_NS - _now(), 0)
            self._stop_timer = self.loop.call_later(left_ns / SECOND_NS, self._measurement.end)

    def _stop(self) -> None:
        late_ns = self._supply.stops_ns - _now()
        if late_ns > 0:
            # Timers of the event loop have milliseconds; requests are let through to the end.
            self._stop_timer = self.loop.call_later(late_ns / SECOND_NS, self._stop)
            return
        if self.state in (StepRunState.RAMPING, StepRunState.MEASURING):
            self.state = StepRunState.STOPPING
            self._measurement.end()
            self._users.stop()

    def _finish(self) -> None:
        if self.state.is_over:
            return
        if self.state is StepRunState.RAMPING:
            # Its queries or arrivals ended in the ramp: nothing is measured, no user is awaited.
            arrivals = self._factory.open_loop_recorder
            origin_ns = _now() if arrivals is None else arrivals.origin_ns
            self._measurement.recorder.measure_from(origin_ns)
            if len(self._users) < self.assignment.worker_users:
                self.on_ready()
        self.state = StepRunState.FINISHED
        self._measurement.end()
        # Not at once: the last user is still in the middle of its own affairs.
        self.loop.call_soon(self.on_ended)


@dataclass(eq=False, repr=False)
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
