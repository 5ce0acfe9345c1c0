"""The workers as the master knows them."""

import logging
import math
import time
from collections.abc import Callable, Collection
from typing import Any

from gevent.event import Event
from locust.runners import STATE_MISSING, MasterRunner

from solrbench.load.errors import EXIT_RETRYABLE, LoadError
from solrbench.load.locust_runtime.load_shape import StepLoadShape
from solrbench.load.locust_runtime.users_dispatcher import WorkerRoster
from solrbench.load.recording.worker_result import WorkerStepResult
from solrbench.load.schedule import messages
from solrbench.load.schedule.assignment import Assignment
from solrbench.load.schedule.messages import LiveTotals
from solrbench.load.schedule.user_classes import UserClass
from solrbench.load.schedule.user_placement import UserPlacement

_LOOK_SECONDS = 0.25
"""Time between two looks at who is still alive."""

_logger = logging.getLogger(__name__)


class StepRunAbortedError(Exception):
    """A worker was lost in a step run that cannot go on; those that are left can run it again."""


class WorkerPool:
    """Sends orders to the workers, collects what they say and notices who is lost.

    With `redistribute`, the loss of a worker ends the run only if none is left.
    """

    def __init__(
        self,
        runner: MasterRunner,
        load_shape: StepLoadShape,
        expected_workers: int,
        *,
        redistribute: bool = False,
    ) -> None:
        self._runner = runner
        self._load_shape = load_shape
        self._expected_workers = expected_workers
        self._redistribute = redistribute
        self._changed = Event()
        self._names: dict[str, str] = {}
        self._failure: LoadError | None = None
        self.classes: tuple[UserClass, ...] = ()
        """Classes of users that the workers know."""
        self.lost: list[str] = []
        """Names of the workers whose measurements of the step run are missing."""
        self._members: list[str] = []
        self._placement = UserPlacement(0)
        self._assignment: Assignment | None = None
        self._measuring = False
        self._gone: set[str] = set()
        self._key = ""
        self._spawned: set[str] = set()
        self._results: dict[str, WorkerStepResult] = {}
        self._live_totals: dict[str, LiveTotals] = {}
        self._heard: dict[str, float] = {}
        for message, listener in {
            messages.READY: self._on_ready,
            messages.FAILED: self._on_failed,
            messages.SPAWNED: self._on_spawned,
            messages.PROGRESS: self._on_progress,
            messages.RESULT: self._on_result,
        }.items():
            runner.register_message(message, listener)

    @property
    def connected(self) -> int:
        """Workers that are ready and alive."""
        return sum(self._is_alive(worker) for worker in self._names)

    @property
    def users(self) -> int:
        """Users that Locust counts."""
        return self._runner.user_count

    @property
    def live_totals(self) -> LiveTotals:
        """The step run under way, as of the last second."""
        parts = list(self._live_totals.values())
        return LiveTotals(
            sum(part.users for part in parts),
            sum(part.requests for part in parts),
            sum(part.failures for part in parts),
            sum(part.sum_microseconds for part in parts),
        )

    @property
    def is_measuring(self) -> bool:
        """Say whether measuring was started, as opposed to the ramp."""
        return self._measuring

    @property
    def roster(self) -> WorkerRoster:
        """The workers of the step run by their places."""
        return WorkerRoster(tuple(self._members), self._placement)

    def fail(self, failure: LoadError) -> None:
        """Make who waits, now or later, raise `failure`."""
        self._failure = self._failure or failure
        self._changed.set()

    def wait_for_workers(self) -> None:
        """Wait until the wanted workers are ready and give each its place.

        Raises:
            LoadError: `WorkerLost`, or what a worker reports

        """
        self.wait(lambda: self.connected >= self._expected_workers)
        self._refresh_members()

    def _refresh_members(self) -> None:
        """Take in who is there: workers that took the place of lost ones, too."""
        alive = [worker for worker in self._names if self._is_alive(worker)]
        # Pods of a Job are numbered: shorter names first puts 10 after 9.
        alive.sort(key=lambda worker: (len(self._names[worker]), self._names[worker], worker))
        if not alive:
            raise LoadError("WorkerLost", "no worker is left")
        self._members = alive[: self._expected_workers]
        self._placement = UserPlacement(len(self._members))

    def assign(self, assignment: Assignment) -> Assignment:
        """Give every worker its part of the next step run; return it as it is run.

        Raises:
            LoadError: `WorkerLost`, or what a worker reports

        """
        self._check()
        if self._redistribute:
            self._refresh_members()
        if assignment.open_loop is not None:
            # Workers may be fewer than were wanted; each stands for its share of the arrivals.
            assignment = assignment.model_copy(update={"users": len(self._members)})
        self._assignment = assignment
        self._measuring = False
        self.lost = []
        self._key = assignment.key
        self._spawned.clear()
        self._results.clear()
        self._live_totals.clear()
        self._heard = dict.fromkeys(self._members, time.monotonic())
        for index, worker in enumerate(self._members):
            seat = {"worker": index, "workers": len(self._members)}
            part = assignment.model_copy(update=seat)
            self._send(worker, messages.ASSIGNMENT, {"assignment": part.model_dump_json()})
        return assignment

    def spawn(self, users: int, rate: int) -> None:
        """Move to `users` users, `rate` of them per second."""
        self._load_shape.move(users, rate)

    def wait_empty(self, seconds: float) -> None:
        """Wait until the users are gone and Locust knows that none are wanted.

        Users of the user's own may be gone before that; who asks for the next ones then would only
        change a number that Locust has not looked at yet.

        Raises:
            LoadError: `WorkerLost`, or what a worker reports

        """
        self.wait(lambda: self.users == 0 and self._load_shape.is_applied, seconds)

    def start_measuring(self) -> None:
        """Let the step run begin to be measured."""
        self._measuring = True
        for worker in self._present:
            self._send(worker, messages.START_MEASURING, {"key": self._key})

    def stop_sending(self) -> None:
        """Let the step run begin no more requests."""
        for worker in self._present:
            self._send(worker, messages.STOP_SENDING, {"key": self._key})

    def shut_down(self, exit_code: int) -> None:
        """Send every worker the order to exit."""
        for worker in self._names:
            self._send(worker, messages.EXIT, {"exit_code": exit_code})

    def wait_spawned(self, seconds: float) -> None:
        """Wait until every worker has its users.

        Raises:
            LoadError: `WorkerLost`, or what a worker reports
            StepRunAbortedError: a worker was lost, others are left

        """
        self._wait_for(self._spawned, seconds)

    def wait_results(
        self, seconds: float | None, look: Callable[[], None] = lambda: None
    ) -> list[tuple[str, WorkerStepResult]]:
        """Wait until every worker has ended the step run; return names and results by place.

        `look` is called again and again, whenever a worker has sent a message. Workers that were
        lost before that have no result.

        Raises:
            LoadError: `WorkerLost`, or what a worker reports
            StepRunAbortedError: a worker was lost and the step run cannot go on, others are left

        """
        self._wait_for(self._results, seconds, look)
        self.conclude()
        return [
            (self._names[worker], self._results[worker])
            for worker in self._members
            if worker in self._results
        ]

    @property
    def _present(self) -> list[str]:
        """Workers of the step run that are not lost."""
        return [self._members[index] for index in self._placement.remaining_workers]

    def _wait_for(
        self,
        heard: Collection[str],
        seconds: float | None,
        look: Callable[[], None] = lambda: None,
    ) -> None:
        """Wait until all workers that are left were heard; who is late is lost."""
        deadline = math.inf if seconds is None else time.monotonic() + seconds

        def over() -> bool:
            look()
            return not self._unheard(heard) or time.monotonic() > deadline

        self.wait(over)
        for worker in self._unheard(heard):
            self._handle_lost_worker(
                worker, f"sent no result of step run {self._key} within {seconds:.0f} s"
            )

    def _unheard(self, heard: Collection[str]) -> list[str]:
        return [worker for worker in self._present if worker not in heard]

    def wait(self, holds: Callable[[], bool], seconds: float | None = None) -> None:
        """Wait for a condition while no worker is lost, or while the remaining ones can go on.

        Raises:
            LoadError: `WorkerLost`, or what a worker reports
            StepRunAbortedError: a worker was lost and the step run cannot go on, others are left

        """
        deadline = None if seconds is None else time.monotonic() + seconds
        while True:
            self._changed.clear()
            self._check()
            if holds():
                return
            if deadline is not None and time.monotonic() > deadline:
                message = (
                    f"step run {self._key}: workers did not acknowledge within {seconds:.0f} s"
                )
                raise LoadError("WorkerLost", message)
            self._changed.wait(_LOOK_SECONDS)

    def abort(self) -> None:
        """Drop the step run under way; it may be assigned again under another key."""
        for worker in self._present:
            self._send(worker, messages.ABORT, {"key": self._key})

    def conclude(self) -> None:
        """Be done with the step run: who is lost from now on takes nothing along."""
        self._assignment = None

    def _check(self) -> None:
        if self._failure is not None:
            raise self._failure
        now = time.monotonic()
        for worker in self._members or list(self._names):
            silent = now - self._heard.get(worker, now)
            if worker in self._gone:
                continue
            if not self._is_alive(worker):
                self._handle_lost_worker(worker, "was lost")
            elif silent > messages.ENGINE_SILENT_SECONDS and worker not in self._results:
                self._handle_lost_worker(worker, f"is silent for {silent:.0f} s")

    def _handle_lost_worker(self, worker: str, why: str) -> None:
        """Go on without a worker.

        Raises:
            LoadError: `WorkerLost` if that is not wanted, or none is left
            StepRunAbortedError: the step run cannot go on

        """
        loss = f"worker {self._names[worker]} {why}"
        if not self._redistribute:
            raise LoadError("WorkerLost", loss)
        _logger.warning("step_run=%s %s", self._key, loss)
        self._gone.add(worker)
        # It may only be cut off: then it must not go on asking beside those that take its users.
        self._send(worker, messages.EXIT, {"exit_code": EXIT_RETRYABLE})
        # Locust would start its own redistribution a minute later.
        self._runner.clients.pop(worker, None)
        if self._assignment is not None and worker not in self._results:
            self._redistribute_users(worker, self._assignment, loss)

    def _redistribute_users(self, worker: str, assignment: Assignment, loss: str) -> None:
        if all(each in self._gone for each in self._present):
            raise LoadError("WorkerLost", f"{loss}, and no worker is left")
        planned = assignment.open_loop is not None
        if not self._measuring or planned or assignment.requests is not None:
            # What is exact or planned for each worker cannot be made good by the others.
            raise StepRunAbortedError(loss)
        self.lost.append(self._names[worker])
        self._placement = self._placement.after_loss(self._members.index(worker))
        for index, users in self._placement.reassigned_users(assignment.users).items():
            order = {"key": self._key, "users": users}
            self._send(self._members[index], messages.ADOPT_USERS, order)
        self._load_shape.redispatch()

    def _is_alive(self, worker: str) -> bool:
        node = self._runner.clients.get(worker)
        return worker not in self._gone and node is not None and node.state != STATE_MISSING

    def _send(self, worker: str, message: str, data: dict[str, Any]) -> None:
        self._runner.send_message(message, data, client_id=worker)

    def _on_ready(self, *, msg: Any, **_: Any) -> None:
        self._names[msg.node_id] = msg.data["worker"]
        classes = tuple(UserClass(*each) for each in msg.data["classes"])
        if self.classes not in ((), classes):
            message = f"worker {msg.data['worker']} has other user classes than the rest"
            self.fail(LoadError("LocustfileChanged", f"{message}; was its ConfigMap changed?"))
        self.classes = classes
        self._changed.set()

    def _on_failed(self, *, msg: Any, **_: Any) -> None:
        self.fail(LoadError(msg.data["reason"], msg.data["message"]))

    def _on_spawned(self, *, msg: Any, **_: Any) -> None:
        if msg.data["key"] == self._key:
            self._spawned.add(msg.node_id)
            self._changed.set()

    def _on_progress(self, *, msg: Any, **_: Any) -> None:
        data = msg.data
        if data["key"] == self._key:
            self._heard[msg.node_id] = time.monotonic()
            self._live_totals[msg.node_id] = LiveTotals(
                *(data[name] for name in LiveTotals._fields)
            )
            self._changed.set()

    def _on_result(self, *, msg: Any, **_: Any) -> None:
        result = WorkerStepResult.model_validate_json(msg.data["outcome"])
        if result.key == self._key and msg.node_id not in self._gone:
            self._results[msg.node_id] = result
            self._changed.set()
