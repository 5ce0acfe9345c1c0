"""Runs users of a custom locustfile: takes the place of the load engine and its bridge."""

import logging
from collections.abc import Callable
from typing import Any

import gevent
import locust
from locust import User
from locust.env import Environment
from locust.event import EventHook
from locust.runners import STATE_RUNNING, STATE_SPAWNING, WorkerRunner

from solrbench.load.engine.measurement import EngineReport, UsersReady
from solrbench.load.errors import LoadError
from solrbench.load.recording.recorder import NameLimiter
from solrbench.load.schedule import messages
from solrbench.load.schedule.messages import Assignment, EngineCommand
from solrbench.load.worker.locustfile import LoadedLocustfile, describe
from solrbench.load.worker.locustfile_step_run import LocustfileStepRun
from solrbench.reasons.load import LoadReason

_logger = logging.getLogger(__name__)


class LocustfileEngine:
    """Runs one step run after another.

    All of it runs in greenlets of the main thread; `report` is called in any of them.
    Locust's own statistics are not used: what is counted here goes to its page by step, as that of
    the load engine does.
    """

    def __init__(
        self, locustfile: LoadedLocustfile, report: Callable[[EngineReport], None]
    ) -> None:
        self._locustfile = locustfile
        self._report = report
        self._names = NameLimiter(locustfile.plan.max_request_names)
        self._step_run: LocustfileStepRun | None = None
        self._last_error = ""
        self._requests = locust.events.request
        self._runner: WorkerRunner | None = None
        self.user_classes = locustfile.user_classes

    def environment(self) -> Environment:
        """Return Locust's environment for a runner that shall not count requests itself."""
        locustfile = self._locustfile.plan.workload.locustfile
        # The runner listens to the event that it finds, and would count each request a second time.
        locust.events.request = EventHook()
        return Environment(
            user_classes=[
                _instrument_user_class(user_class, self) for user_class in self._locustfile.classes
            ],
            events=locust.events,
            tags=locustfile.tags if locustfile is not None else None,
            exclude_tags=locustfile.exclude_tags if locustfile is not None else None,
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
        if step_run is None or step_run.key != command.key:
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
        return (
            self._locustfile.hosts("")[0] if self._step_run is None else self._step_run.next_host()
        )

    def joined(self, user: User) -> LocustfileStepRun | None:
        """Learn that a user was started; return the step run it is in."""
        if self._step_run is not None:
            self._step_run.joined(user)
        return self._step_run

    def user_init_failed(self, error: Exception) -> None:
        """Report that a user could not even be made; the others would wait for it."""
        self._report(LoadError(LoadReason.LOCUSTFILE_FAILED, describe(error)))

    def _begin(self, assignment: Assignment) -> None:
        if self._step_run is not None:
            self._step_run.abort()
        self._last_error = ""
        self._step_run = LocustfileStepRun(
            assignment,
            self._locustfile.hosts(assignment.variant),
            self._names,
            self._locustfile.plan.workload.timeout_seconds,
            on_ready=lambda: self._report(UsersReady(assignment.key)),
            on_ended=self._on_step_run_ended,
            on_users_exited=self._on_users_exited,
        )

    def _on_step_run_ended(self) -> None:
        ended, self._step_run = self._step_run, None
        if ended is not None:
            self._report(ended.progress(last=True))
            self._report(ended.result())

    def _on_users_exited(self) -> None:
        # A runner that is in no step stops its users itself: then there is nothing to report.
        if self._runner is None or self._runner.state not in (STATE_SPAWNING, STATE_RUNNING):
            return
        why = self._last_error or "they stopped themselves"
        self._report(
            LoadError(
                LoadReason.LOCUSTFILE_FAILED,
                f"all users stopped before the end of the step; last: {why}",
            )
        )

    def _record(self, **request: Any) -> None:
        if self._step_run is not None:
            self._step_run.record(**request)

    def _note_error(self, *, exception: BaseException, **_: Any) -> None:
        self._last_error = describe(exception)

    def _report_seconds(self) -> None:
        while True:
            gevent.sleep(1)
            if self._step_run is not None:
                self._report(self._step_run.progress())


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
            super().on_start()
            if self._part is not None:
                self._part.arrive(self)

        def _end(self, _: Any) -> None:
            if self._part is not None:
                self._part.left(self)

    for name in ("__name__", "__qualname__", "__module__", "__doc__"):
        setattr(Attending, name, getattr(user_class, name))
    return Attending
