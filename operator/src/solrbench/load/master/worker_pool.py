"""The workers of a run as one: who is there, what they are sent, and what they send."""

import math
import time
from collections.abc import Callable, Collection
from typing import Any

from gevent.event import Event

from solrbench.load.errors import LoadError
from solrbench.load.locust_scaling import WorkerRoster
from solrbench.load.master.distributed_step_run import DistributedStepRun, Liveness
from solrbench.load.master.live_totals import StepReports
from solrbench.load.master.membership import ChangeEvent, LoadShape, MasterRunner, Membership
from solrbench.load.recording.request_stats import RecentRequests
from solrbench.load.recording.worker_result import WorkerStepResult
from solrbench.load.schedule import messages
from solrbench.load.schedule.messages import Assignment, LiveTotals
from solrbench.load.schedule.users import UserClass, UserPlacement
from solrbench.reasons.load import LoadReason
from solrbench.reasons.registry import find_reason


class WorkerListeners:
    """Takes what workers send to membership and reports.

    `on_change` is called after each message that changed something, `on_failure` when a worker
    cannot work; `now` gives monotonic seconds.
    """

    def __init__(
        self,
        membership: Membership,
        reports: StepReports,
        *,
        on_change: Callable[[], None],
        on_failure: Callable[[LoadError], None],
        now: Callable[[], float],
    ) -> None:
        self._membership = membership
        self._reports = reports
        self._on_change = on_change
        self._on_failure = on_failure
        self._now = now

    def register(self, runner: MasterRunner) -> None:
        """Listen from now on."""
        for message, listener in {
            messages.READY: self._on_ready,
            messages.FAILED: self._on_failed,
            messages.SPAWNED: self._on_spawned,
            messages.PROGRESS: self._on_progress,
            messages.RESULT: self._on_result,
        }.items():
            runner.register_message(message, listener)

    def _on_ready(self, *, msg: Any, **_: Any) -> None:
        user_classes = tuple(UserClass(*user_class) for user_class in msg.data["classes"])
        try:
            self._membership.add(msg.node_id, msg.data["worker"], user_classes)
        except LoadError as failure:
            self._on_failure(failure)
        self._on_change()

    def _on_failed(self, *, msg: Any, **_: Any) -> None:
        self._on_failure(
            LoadError(
                find_reason(msg.data["reason"]) or LoadReason.LOAD_FAILED, msg.data["message"]
            )
        )

    def _on_spawned(self, *, msg: Any, **_: Any) -> None:
        if msg.data["key"] == self._reports.key:
            self._reports.spawned.add(msg.node_id)
            self._on_change()

    def _on_progress(self, *, msg: Any, **_: Any) -> None:
        if msg.data["key"] == self._reports.key:
            totals = LiveTotals(*(msg.data[name] for name in LiveTotals._fields))
            recent = RecentRequests(*msg.data["recent"])
            self._reports.add_progress(msg.node_id, totals, recent, self._now())
            self._on_change()

    def _on_result(self, *, msg: Any, **_: Any) -> None:
        result = WorkerStepResult.model_validate_json(msg.data["outcome"])
        # Users of a removed worker run elsewhere; its own result would count them twice.
        if result.key == self._reports.key and not self._membership.is_removed(msg.node_id):
            self._reports.results[msg.node_id] = result
            self._on_change()


_CHECK_SECONDS = 0.25
"""Time between two looks at which workers are alive."""


class WorkerPool:
    """Assigns step runs to the workers, awaits their reports and notices losses.

    With `redistribute`, the loss of a worker ends the run only if no worker is left. `now` gives
    monotonic seconds; `changed` is set whenever a worker was heard.
    """

    def __init__(  # noqa: PLR0913 - Locust, what is wanted of it, and time for tests to turn
        self,
        runner: MasterRunner,
        load_shape: LoadShape,
        expected_workers: int,
        *,
        redistribute: bool = False,
        now: Callable[[], float] = time.monotonic,
        changed: ChangeEvent | None = None,
    ) -> None:
        self._runner = runner
        self._load_shape = load_shape
        self._redistribute = redistribute
        self._now = now
        self._changed = changed or Event()
        self._failure: LoadError | None = None
        self._step_run: DistributedStepRun | None = None
        self._membership = Membership(runner, expected_workers)
        self._reports = StepReports()
        self._liveness = Liveness(self._membership, self._reports, redistribute=redistribute)
        WorkerListeners(
            self._membership,
            self._reports,
            on_change=self._changed.set,
            on_failure=self.fail,
            now=now,
        ).register(runner)

    @property
    def connected(self) -> int:
        """Workers that are ready and alive."""
        return self._membership.connected

    @property
    def user_classes(self) -> tuple[UserClass, ...]:
        """Classes of users that the workers know."""
        return self._membership.user_classes

    @property
    def users(self) -> int:
        """Users that Locust counts."""
        return self._runner.user_count

    @property
    def reports(self) -> StepReports:
        """What the workers said of the step run under way."""
        return self._reports

    @property
    def roster(self) -> WorkerRoster:
        """The workers of the step run by their places."""
        if self._step_run is None:
            return WorkerRoster((), UserPlacement(0))
        return self._step_run.roster

    def fail(self, failure: LoadError) -> None:
        """Raise `failure` in every wait from now on."""
        self._failure = self._failure or failure
        self._changed.set()

    def wait_for_workers(self) -> None:
        """Wait until the wanted workers are ready and give each its place.

        Raises:
            LoadError: `WorkerLost`, or what a worker reports
        """
        self.wait(lambda: self.connected >= self._membership.expected)
        self._membership.refresh()

    def assign(self, assignment: Assignment) -> DistributedStepRun:
        """Give every worker its part of the next step run; return it as it is run.

        Raises:
            LoadError: `WorkerLost`, or what a worker reports
        """
        self._check()
        if self._redistribute:
            self._membership.refresh()
        members = {member: self._membership.name_of(member) for member in self._membership.members}
        if assignment.open_loop is not None:
            # Workers may be fewer than were wanted; each stands for its share of the arrivals.
            assignment = assignment.model_copy(update={"users": len(members)})
        self._reports.begin(assignment.key, members, self._now())
        self._step_run = DistributedStepRun(
            assignment, members, self._reports, self._runner, self._load_shape.redispatch
        )
        self._step_run.assign()
        return self._step_run

    def spawn(self, users: int, rate: int) -> None:
        """Move to `users` users, `rate` of them per second."""
        self._load_shape.move(users, rate)

    def wait_spawned(self, step_run: DistributedStepRun, seconds: float) -> None:
        """Wait until every worker has its users.

        Raises:
            LoadError: `WorkerLost`, or what a worker reports
            StepRunAbortedError: a worker was lost, others are left
        """
        self._wait_for(step_run, self._reports.spawned, seconds)

    def wait_results(
        self,
        step_run: DistributedStepRun,
        seconds: float | None,
        look: Callable[[], None] = lambda: None,
    ) -> list[tuple[str, WorkerStepResult]]:
        """Wait until every worker has ended the step run; return names and results by place.

        `look` is called again and again meanwhile, whenever a worker was heard. Workers that were
        lost before that have no result.

        Raises:
            LoadError: `WorkerLost`, or what a worker reports
            StepRunAbortedError: a worker was lost and the step run cannot go on, others are left
        """
        self._wait_for(step_run, self._reports.results, seconds, look)
        step_run.conclude()
        return step_run.results

    def wait_empty(self, seconds: float) -> None:
        """Wait until the users are gone and Locust knows that none are wanted.

        Users of a locustfile may be gone before that; a level that is requested then would only
        change a number that Locust has not looked at yet.

        Raises:
            LoadError: `WorkerLost`, or what a worker reports
        """
        self.wait(lambda: self.users == 0 and self._load_shape.is_applied, seconds)

    def wait(self, holds: Callable[[], bool], seconds: float | None = None) -> None:
        """Wait for a condition while no worker is lost, or while those that are left can go on.

        Raises:
            LoadError: `WorkerLost`, or what a worker reports
            StepRunAbortedError: a worker was lost and the step run cannot go on, others are left
        """
        deadline = math.inf if seconds is None else self._now() + seconds
        while True:
            # Before the look, so that no message between look and wait is missed.
            self._changed.clear()
            self._check()
            if holds():
                return
            if self._now() > deadline:
                message = f"workers did not acknowledge within {seconds:.0f} s"
                raise LoadError(LoadReason.WORKER_LOST, f"step run {self._reports.key}: {message}")
            self._changed.wait(_CHECK_SECONDS)

    def shut_down(self, exit_code: int) -> None:
        """Let every worker's process end."""
        for worker in self._membership.workers:
            self._membership.exit(worker, exit_code)

    def _wait_for(
        self,
        step_run: DistributedStepRun,
        heard: Collection[str],
        seconds: float | None,
        look: Callable[[], None] = lambda: None,
    ) -> None:
        """Wait until all workers that are left were heard; those that are late are lost."""
        deadline = math.inf if seconds is None else self._now() + seconds

        def is_over() -> bool:
            look()
            return heard_all() or self._now() > deadline

        def heard_all() -> bool:
            return all(worker in heard for worker in step_run.remaining)

        self.wait(is_over)
        for worker in [each for each in step_run.remaining if each not in heard]:
            why = f"sent no result of step run {step_run.assignment.key} within {seconds:.0f} s"
            self._liveness.remove(worker, why, step_run)

    def _check(self) -> None:
        if self._failure is not None:
            raise self._failure
        self._liveness.check(self._step_run, self._now())
