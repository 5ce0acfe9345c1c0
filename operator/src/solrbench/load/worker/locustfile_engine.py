"""Runs users of a custom locustfile: takes the place of the load engine and its bridge.

All of it runs in greenlets of the main thread, where Locust's users run. Times are those that
Locust's `request` event reports; a request ends when its event is fired.
"""

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

import gevent
import locust
from gevent.event import Event
from locust import User
from locust.env import Environment
from locust.event import EventHook
from locust.exception import StopUser
from locust.runners import STATE_RUNNING, STATE_SPAWNING, WorkerRunner

from solrbench.load.engine.measurement import (
    EngineReport,
    ProgressUpdate,
    StepRunMeasurement,
    StepRunState,
    UsersReady,
)
from solrbench.load.errors import LoadError
from solrbench.load.recording.recorder import SECOND_NS, NameLimiter, StepRunRecorder
from solrbench.load.recording.request_stats import NEVER_NS, SlowSample
from solrbench.load.recording.worker_result import WorkerStepResult
from solrbench.load.schedule import messages
from solrbench.load.schedule.messages import Assignment, EngineCommand, Start
from solrbench.load.worker.locustfile import LoadedLocustfile, describe
from solrbench.load.worker.locustfile_events import describe_event, event_failure
from solrbench.load.workload.requests import PreparedRequest
from solrbench.reasons.load import LoadReason

_NS_PER_MS = 1_000_000
_NOT_COUNTED = {"partial_results": None, "empty_results": None}
"""Locust does not report what a response contains."""

_now = time.perf_counter_ns


@dataclass(eq=False, repr=False)
class LocustfileStepRun:
    """Counts what the users of a step run report, and ends it.

    `on_ready` is called when all users of this worker are there, their `on_start` done, or ended
    without; `on_ended` in a greenlet of its own when everything is counted; `on_users_exited`
    instead of it when all users ended of their own accord before. Each is called at most once.
    """

    assignment: Assignment
    hosts: Sequence[str]
    """URLs that users are spread over."""
    names: NameLimiter
    stop_timeout_seconds: float
    _: KW_ONLY
    on_ready: Callable[[], None]
    on_ended: Callable[[], None]
    on_users_exited: Callable[[], None]
    _running: set[User] = field(default_factory=set, init=False)
    _ready: set[User] = field(default_factory=set, init=False)
    _made: int = field(default=0, init=False)
    _quit: int = field(default=0, init=False)
    """Users that were made, and how many of them ended of their own accord."""
    _barrier: Event = field(default_factory=Event, init=False)
    _requests: dict[str, PreparedRequest] = field(default_factory=dict, init=False)
    _stops_ns: int = field(default=NEVER_NS, init=False)
    _timer: gevent.Greenlet | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        assignment = self.assignment
        self._recorder = StepRunRecorder((), _now(), workers=assignment.workers)
        # Users run in this thread, so it is the one that must not be short of CPU time.
        self._measurement = StepRunMeasurement(assignment, self._recorder)
        requests = assignment.worker_requests
        self._remaining = sys.maxsize if requests is None else requests
        waits = assignment.start is Start.BARRIER
        self.state = StepRunState.WAITING if waits else StepRunState.RAMPING
        if not assignment.worker_users:
            self.on_ready()

    def next_host(self) -> str:
        """Return where the next user goes: users are spread over the nodes evenly."""
        number = self.assignment.worker + self._made * self.assignment.workers
        self._made += 1
        return self.hosts[number % len(self.hosts)]

    def joined(self, user: User) -> None:
        """Learn that a user was started."""
        self._running.add(user)

    def arrive(self, user: User) -> None:
        """Keep a user that has done its `on_start` at a barrier; `StopUser` if all is over."""
        if self.state.is_over or self._is_closed():
            raise StopUser
        self._mark_ready(user)
        if self.assignment.start is Start.BARRIER:
            self._barrier.wait()

    def left(self, user: User) -> None:
        """Learn that a user ended, of its own accord or because it was stopped."""
        self._running.discard(user)
        if self.state.is_over:
            return
        if self._is_closed():
            if not self._running:
                self._end()
            return
        self._quit += 1
        # While others are still to come, an empty worker is none whose users have all gone.
        if not self._running and self._made >= self.assignment.worker_users:
            self.state = StepRunState.ABORTED
            self.on_users_exited()
            return
        # The others do not wait for a user that will never be there.
        self._mark_ready(user)

    def start_measuring(self) -> None:
        """Begin to measure; users at the barrier start."""
        if self.state not in (StepRunState.WAITING, StepRunState.RAMPING):
            return
        now_ns = _now()
        self.state = StepRunState.MEASURING
        self._measurement.begin(now_ns)
        seconds = self.assignment.seconds
        if seconds is not None:
            self._stops_ns = now_ns + seconds * SECOND_NS
            self._timer = gevent.spawn_later(seconds, self._stop)
        if self._remaining <= 0 or not self.assignment.worker_users:
            # A warm-up may have fewer users, and a step fewer requests, than workers.
            self._finish()
        self._barrier.set()

    def stop_sending(self) -> None:
        """Count no request that begins from now on; users stop after the task they are in."""
        if self.state.is_over or self._is_closed():
            return
        self._stops_ns = _now()
        self._cancel_timer()
        self._stop()

    def record(
        self, name: str, response_time: float, response_length: int | None, **event: Any
    ) -> None:
        """Count a request; a listener of Locust's `request` event."""
        ended_ns = _now()
        # Below 0 where a clock was set back, or as a mark.
        started_ns = ended_ns - max(int((response_time or 0) * _NS_PER_MS), 0)
        if self.state.is_over or started_ns >= self._stops_ns:
            return
        kept = self.names.limit(name)
        request = self._requests.get(kept)
        if request is None:
            request = PreparedRequest(b"", self._recorder.add(kept), is_readable=False)
            self._requests[kept] = request
        exception, response = event.pop("exception", None), event.pop("response", None)
        failed = event_failure(exception, response)
        received = int(response_length or 0)
        is_slow = self._recorder.record(request, started_ns, ended_ns, received, failed)
        # A request that the ramp began is in no result, however late it ends.
        if started_ns < self._recorder.origin_ns:
            return
        if is_slow:
            query, node, qtime = describe_event(name, response, **event)
            shown = request._replace(body=query.encode("utf-8", "replace"))
            microseconds = (ended_ns - started_ns) // 1000
            sample = SlowSample(microseconds, shown, started_ns, node, qtime, failed)
            self._recorder.add_slow_request(sample)
        self._remaining -= 1
        if self._remaining <= 0:
            self._finish()

    def progress(self, *, last: bool = False) -> ProgressUpdate:
        """Return what happened since the last call; `last` ends the current second early."""
        return self._measurement.progress(len(self._running), last=last)

    def result(self) -> WorkerStepResult:
        """Return the result; the step run must be finished and its last second taken."""
        result = self._measurement.result(self._made - self._quit)
        requests = [request.model_copy(update=_NOT_COUNTED) for request in result.requests]
        return result.model_copy(update={"requests": requests})

    def abort(self) -> None:
        """Let everything go at once."""
        if self.state is not StepRunState.FINISHED:
            self.state = StepRunState.ABORTED
        self._cancel_timer()

    def _mark_ready(self, user: User) -> None:
        if user not in self._ready:
            self._ready.add(user)
            if len(self._ready) == self.assignment.worker_users:
                self.on_ready()

    def _is_closed(self) -> bool:
        """Say whether the time to start requests is over; users may not have been stopped yet."""
        return self._stops_ns <= _now()

    def _stop(self) -> None:
        """Stop users after the task they are in; those that do not come to an end are cut off."""
        # The timer may fire a little early, and requests are let through to the end.
        gevent.sleep(max(self._stops_ns - _now(), 0) / SECOND_NS)
        if self.state.is_over:
            # It may have been dropped meanwhile.
            return
        if not self._running:
            self._end()
            return
        self.state = StepRunState.STOPPING
        self._measurement.end()
        for user in self._running:
            # Each in a greenlet of its own: a user may take as long as its task to stop.
            gevent.spawn(user.stop)
        self._timer = gevent.spawn_later(self.stop_timeout_seconds, self._finish)

    def _finish(self) -> None:
        """End the step run now: requests in flight are cut off."""
        if self.state.is_over:
            return
        self._end()
        for user in self._running:
            gevent.spawn(user.stop, force=True)

    def _end(self) -> None:
        self.state = StepRunState.FINISHED
        self._measurement.end()
        # The greenlet of the timer may be the one that ends the step run, and must not kill itself.
        if self._timer is not gevent.getcurrent():
            self._cancel_timer()
        # Not at once: who reported the last request is still in the middle of its own affairs.
        gevent.spawn(self.on_ended)

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.kill(block=False)


@dataclass(eq=False, repr=False)
class LocustfileEngine:
    """Runs one step run after another; `report` is called in any greenlet.

    Locust's own statistics are not used: what is counted here goes to its page by step, as that of
    the load engine does.
    """

    locustfile: LoadedLocustfile
    report: Callable[[EngineReport], None]
    _step_run: LocustfileStepRun | None = field(default=None, init=False)
    _last_error: str = field(default="", init=False)
    _requests: EventHook = field(default_factory=lambda: locust.events.request, init=False)
    _runner: WorkerRunner | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self._names = NameLimiter(self.locustfile.plan.max_request_names)
        self.user_classes = self.locustfile.user_classes

    def environment(self) -> Environment:
        """Return Locust's environment for a runner that shall not count requests itself."""
        # The runner listens to the event that it finds, and would count each request a second time.
        locust.events.request = EventHook()
        classes = [_instrument_user_class(each, self) for each in self.locustfile.classes]
        return Environment(
            user_classes=classes,
            events=locust.events,
            tags=self.locustfile.spec.tags,
            exclude_tags=self.locustfile.spec.exclude_tags,
        )

    def start(self, runner: WorkerRunner) -> None:
        """Listen to what users report from now on."""
        self._runner = runner
        # Those of the file listen to this one; the runner has only heard of the one that was there.
        locust.events.request = self._requests
        self._requests.add_listener(self._record)
        locust.events.user_error.add_listener(self._note_error)
        locust.events.init.fire(environment=runner.environment, runner=runner, web_ui=None)
        gevent.spawn(self._report_seconds)

    def execute(self, command: EngineCommand) -> None:
        """Begin a step run, whose users Locust brings, or change the one with this key."""
        if isinstance(command, Assignment):
            self._begin(command)
            return
        step_run = self._step_run
        if step_run is None or step_run.assignment.key != command.key:
            return
        match command:
            case messages.StartMeasuring():
                step_run.start_measuring()
            case messages.StopSending():
                step_run.stop_sending()
            case messages.AdoptUsers():
                pass  # Locust brings the users of a lost worker, and they are like any others.
            case messages.Abort():
                # Its users are stopped next: by Locust.
                step_run.abort()
                self._step_run = None

    @property
    def host(self) -> str:
        """Where the next user goes."""
        step_run = self._step_run
        return self.locustfile.hosts("")[0] if step_run is None else step_run.next_host()

    def joined(self, user: User) -> LocustfileStepRun | None:
        """Learn that a user was started; return the step run it is in."""
        if self._step_run is not None:
            self._step_run.joined(user)
        return self._step_run

    def user_init_failed(self, error: Exception) -> None:
        """Report that a user could not even be made; the others would wait for it."""
        self.report(LoadError(LoadReason.LOCUSTFILE_FAILED, describe(error)))

    def _begin(self, assignment: Assignment) -> None:
        if self._step_run is not None:
            self._step_run.abort()
        self._last_error = ""
        self._step_run = LocustfileStepRun(
            assignment,
            self.locustfile.hosts(assignment.variant),
            self._names,
            self.locustfile.plan.workload.timeout_seconds,
            on_ready=lambda: self.report(UsersReady(assignment.key)),
            on_ended=self._on_step_run_ended,
            on_users_exited=self._on_users_exited,
        )

    def _on_step_run_ended(self) -> None:
        ended, self._step_run = self._step_run, None
        if ended is not None:
            self.report(ended.progress(last=True))
            self.report(ended.result())

    def _on_users_exited(self) -> None:
        # A runner that is in no step stops its users itself: then there is nothing to report.
        if self._runner is None or self._runner.state not in (STATE_SPAWNING, STATE_RUNNING):
            return
        why = self._last_error or "they stopped themselves"
        text = f"all users stopped before the end of the step; last: {why}"
        self.report(LoadError(LoadReason.LOCUSTFILE_FAILED, text))

    def _record(self, **request: Any) -> None:
        if self._step_run is not None:
            self._step_run.record(**request)

    def _note_error(self, *, exception: BaseException, **_: Any) -> None:
        self._last_error = describe(exception)

    def _report_seconds(self) -> None:
        while True:
            gevent.sleep(1)
            if self._step_run is not None:
                self.report(self._step_run.progress())


def _instrument_user_class(user_class: type[User], engine: LocustfileEngine) -> type[User]:
    """Return a class of the same name whose users take part in step runs."""

    class Attending(user_class):  # type: ignore[misc, valid-type] # the base is known at run time
        def __init__(self, environment: Environment) -> None:
            # Before all else: clients are made from it.
            self.host = engine.host
            self._part: LocustfileStepRun | None = None
            try:
                super().__init__(environment)
            except Exception as error:
                engine.user_init_failed(error)
                raise

        def start(self, group: Any) -> Any:
            self._part = engine.joined(self)
            greenlet = super().start(group)
            greenlet.link(self._end)
            return greenlet

        def on_start(self) -> None:
            if self._part is None or self._part.state.is_over:
                # It comes too late, would send between two step runs, and has nothing to end.
                self.__dict__["on_stop"] = lambda: None
                raise StopUser
            super().on_start()
            self._part.arrive(self)

        def _end(self, _: Any) -> None:
            if self._part is not None:
                self._part.left(self)

    for name in ("__name__", "__qualname__", "__module__", "__doc__"):
        setattr(Attending, name, getattr(user_class, name))
    return Attending
