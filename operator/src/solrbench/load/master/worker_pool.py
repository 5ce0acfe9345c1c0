"""The workers of a run as one: who is there, what they are sent, and what they send."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Collection
from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Any

from gevent.event import Event

from solrbench.load.errors import EXIT_RETRYABLE, LoadError
from solrbench.load.locust_scaling import WorkerRoster
from solrbench.load.master.distributed_step_run import DistributedStepRun, StepReports
from solrbench.load.recording.request_stats import RecentRequests
from solrbench.load.recording.worker_result import WorkerStepResult
from solrbench.load.schedule import messages
from solrbench.load.schedule.messages import ENGINE_SILENT_SECONDS, Assignment, LiveTotals
from solrbench.load.schedule.users import UserClass
from solrbench.reasons.load import LoadReason
from solrbench.reasons.registry import find_reason

if TYPE_CHECKING:
    # Importing Locust patches the process, here and in tests.
    from solrbench.load.locust_runtime import MasterRunner, StepLoadShape

_logger = logging.getLogger(__name__)

STATE_MISSING = "missing"
"""`locust.runners.STATE_MISSING`: state of a worker whose heartbeats stay away."""

_CHECK_SECONDS = 0.25
"""Time between two looks at which workers are alive."""


@dataclass(eq=False, repr=False)
class WorkerPool:
    """Assigns step runs to the workers, awaits their reports and notices losses.

    A worker is lost when Locust misses its heartbeats or connection, when its engine is silent for
    `ENGINE_SILENT_SECONDS` in a step run, or when a report is late. With `redistribute`, that ends
    the run only if no worker is left. `now` gives monotonic seconds; `changed` is set whenever a
    worker was heard.

    The greenlet of the run calls its methods. Locust calls its listeners in greenlets of the same
    thread; they only note what they hear, so nothing is lost while the run waits.

    Each method that waits or assigns raises `LoadError`, `WorkerLost` or what a worker reports, and
    `StepRunAbortedError` if a worker was lost, others are left, and the step run cannot go on.
    """

    runner: MasterRunner
    load_shape: StepLoadShape
    expected_workers: int
    _: KW_ONLY
    redistribute: bool = False
    now: Callable[[], float] = time.monotonic
    changed: Event = field(default_factory=Event)
    user_classes: tuple[UserClass, ...] = field(default=(), init=False)
    reports: StepReports = field(default_factory=StepReports, init=False)
    _failure: LoadError | None = field(default=None, init=False)
    _step_run: DistributedStepRun | None = field(default=None, init=False)
    _members: list[str] = field(default_factory=list, init=False)
    """Ids of the workers that take part, by place; empty until there are as many as wanted."""
    _names: dict[str, str] = field(default_factory=dict, init=False)
    """The name of the pod of every worker that has ever been ready."""
    _removed: set[str] = field(default_factory=set, init=False)
    """Workers that were taken out for good, even if they should be heard again."""

    def __post_init__(self) -> None:
        for message, listener in {
            messages.READY: self._on_ready,
            messages.FAILED: self._on_failed,
            messages.SPAWNED: self._on_spawned,
            messages.PROGRESS: self._on_progress,
            messages.RESULT: self._on_result,
        }.items():
            self.runner.register_message(message, listener)

    @property
    def connected(self) -> int:
        """Workers that are ready and alive."""
        return sum(self._is_alive(worker) for worker in self._names)

    @property
    def roster(self) -> WorkerRoster:
        """The workers of the step run by their places."""
        return WorkerRoster() if self._step_run is None else self._step_run.roster

    def fail(self, failure: LoadError) -> None:
        """Raise `failure` in every wait from now on."""
        self._failure = self._failure or failure
        self.changed.set()

    def wait_for_workers(self) -> None:
        """Wait until the wanted workers are ready and give each its place."""
        self.wait(lambda: self.connected >= self.expected_workers)
        self._refresh_members()

    def assign(self, assignment: Assignment) -> DistributedStepRun:
        """Give every worker its part of the next step run; return it as it is run."""
        self._check()
        if self.redistribute:
            # Also pods that came in the place of lost ones take part from now on.
            self._refresh_members()
        members = {member: self._names[member] for member in self._members}
        if assignment.open_loop is not None:
            # Workers may be fewer than were wanted; each stands for its share of the arrivals.
            assignment = assignment.model_copy(update={"users": len(members)})
        self.reports.begin(assignment.key, members, self.now())
        self._step_run = DistributedStepRun(
            assignment, members, self.reports, self.runner, self.load_shape.redispatch
        )
        self._step_run.assign()
        return self._step_run

    def wait_spawned(self, step_run: DistributedStepRun, seconds: float) -> None:
        """Wait until every worker has its users."""
        self._wait_for(step_run, self.reports.spawned, "did not start its users", seconds)

    def wait_results(
        self,
        step_run: DistributedStepRun,
        seconds: float | None,
        look: Callable[[], None] = lambda: None,
    ) -> list[tuple[str, WorkerStepResult]]:
        """Wait until every worker has ended the step run; return names and results by place.

        `look` is called again and again meanwhile, whenever a worker was heard. Workers that were
        lost before that have no result.
        """
        self._wait_for(step_run, self.reports.results, "sent no result", seconds, look)
        step_run.conclude()
        return step_run.results

    def wait_empty(self, seconds: float) -> None:
        """Wait until the users are gone and Locust knows that none are wanted.

        Users of a locustfile may be gone before that; a level that is requested then would only
        change a number that Locust has not looked at yet.
        """
        self.wait(lambda: self.runner.user_count == 0 and self.load_shape.is_applied, seconds)

    def wait(self, holds: Callable[[], bool], seconds: float | None = None) -> None:
        """Wait for a condition while no worker is lost, or while those that are left can go on."""
        deadline = math.inf if seconds is None else self.now() + seconds
        while True:
            # Before the look, so that no message between look and wait is missed.
            self.changed.clear()
            self._check()
            if holds():
                return
            if self.now() > deadline:
                message = f"workers did not acknowledge within {seconds:.0f} s"
                raise LoadError(LoadReason.WORKER_LOST, f"step run {self.reports.key}: {message}")
            self.changed.wait(_CHECK_SECONDS)

    def shut_down(self, exit_code: int) -> None:
        """Let every worker's process end."""
        # Also those that were taken out: they may only be cut off, and send on.
        for worker in self._names:
            self._exit(worker, exit_code)

    def _exit(self, worker: str, exit_code: int) -> None:
        data = messages.command_data(messages.Exit(exit_code=exit_code))
        self.runner.send_message(messages.COMMAND, data, client_id=worker)

    def _is_alive(self, worker: str) -> bool:
        node = self.runner.clients.get(worker)
        return worker not in self._removed and node is not None and node.state != STATE_MISSING

    def _refresh_members(self) -> None:
        alive = [worker for worker in self._names if self._is_alive(worker)]
        # Pods of a Job are numbered: shorter names first puts 10 after 9.
        alive.sort(key=lambda worker: (len(self._names[worker]), self._names[worker], worker))
        if not alive:
            raise LoadError(LoadReason.WORKER_LOST, "no worker is left")
        self._members = alive[: self.expected_workers]

    def _on_ready(self, *, msg: Any, **_: Any) -> None:
        user_classes = tuple(UserClass(*user_class) for user_class in msg.data["classes"])
        before, self.user_classes = self.user_classes, user_classes
        name = self._names[msg.node_id] = msg.data["worker"]
        if before not in ((), user_classes):
            # Raised in the greenlet of the run: this one is Locust's.
            text = (
                f"worker {name} has other user classes than the rest;"
                " do not change the ConfigMap of the locustfile during a run"
            )
            self.fail(LoadError(LoadReason.LOCUSTFILE_CHANGED, text))
        self.changed.set()

    def _on_failed(self, *, msg: Any, **_: Any) -> None:
        reason = find_reason(msg.data["reason"]) or LoadReason.LOAD_FAILED
        self.fail(LoadError(reason, msg.data["message"]))

    def _on_spawned(self, *, msg: Any, **_: Any) -> None:
        if msg.data["key"] == self.reports.key:
            self.reports.spawned.add(msg.node_id)
            self.changed.set()

    def _on_progress(self, *, msg: Any, **_: Any) -> None:
        # Users of a removed worker run elsewhere: what it reports would count them twice.
        if msg.data["key"] == self.reports.key and msg.node_id not in self._removed:
            totals = LiveTotals(*msg.data["totals"])
            recent = RecentRequests(*msg.data["recent"])
            self.reports.add_progress(msg.node_id, totals, recent, self.now())
            self.changed.set()

    def _on_result(self, *, msg: Any, **_: Any) -> None:
        result = WorkerStepResult.model_validate_json(msg.data["outcome"])
        # As in `_on_progress`.
        if result.key == self.reports.key and msg.node_id not in self._removed:
            self.reports.results[msg.node_id] = result
            self.changed.set()

    def _wait_for(
        self,
        step_run: DistributedStepRun,
        heard: Collection[str],
        missing: str,
        seconds: float | None,
        look: Callable[[], None] = lambda: None,
    ) -> None:
        """Wait until all workers left were heard; late ones are lost: `missing` says why."""
        deadline = math.inf if seconds is None else self.now() + seconds

        def is_over() -> bool:
            look()
            # Who is left is asked anew each time: a worker may be lost while the others are heard.
            heard_all = all(worker in heard for worker in step_run.remaining)
            return heard_all or self.now() > deadline

        self.wait(is_over)
        for worker in [each for each in step_run.remaining if each not in heard]:
            why = f"{missing} of step run {step_run.assignment.key} within {seconds:.0f} s"
            self._remove(worker, why)

    def _check(self) -> None:
        if self._failure is not None:
            raise self._failure
        step_run = self._step_run
        # Before there are members, every worker that came is waited for.
        watched = self._members or list(self._names)
        for worker in [each for each in watched if each not in self._removed]:
            silent = self.reports.silent_seconds(worker, self.now())
            if step_run is not None and step_run.has_result_of(worker):
                # Its loss costs what follows, not the step run that others have yet to end.
                continue
            if not self._is_alive(worker):
                self._remove(worker, "was lost")
            elif silent > ENGINE_SILENT_SECONDS and step_run and step_run.needs(worker):
                # Heartbeats are of Locust's greenlets: they go on where the engine's thread hangs.
                self._remove(worker, f"is silent for {silent:.0f} s")

    def _remove(self, worker: str, why: str) -> None:
        """Go on without a worker; errors as of the class."""
        loss = f"worker {self._names[worker]} {why}"
        if not self.redistribute:
            raise LoadError(LoadReason.WORKER_LOST, loss)
        _logger.warning("step_run=%s %s", self.reports.key, loss)
        self._removed.add(worker)
        # Locust would start its own redistribution a minute later.
        self.runner.clients.pop(worker, None)
        # It may only be cut off: then it must not go on sending beside those that take its users.
        self._exit(worker, EXIT_RETRYABLE)
        if self._step_run is not None:
            self._step_run.remove_worker(worker, loss)
