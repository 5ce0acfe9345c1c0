"""The workers of a run as one."""

import math
import time
from collections.abc import Callable, Collection

from gevent.event import Event

from solrbench.load.errors import LoadError
from solrbench.load.locust_runtime.users_dispatcher import WorkerRoster
from solrbench.load.master.worker_pool.distributed_step_run import DistributedStepRun
from solrbench.load.master.worker_pool.listeners import WorkerListeners
from solrbench.load.master.worker_pool.liveness import Liveness
from solrbench.load.master.worker_pool.locust_runner import ChangeEvent, LoadShape, MasterRunner
from solrbench.load.master.worker_pool.membership import Membership
from solrbench.load.master.worker_pool.orders import WorkerOrders
from solrbench.load.master.worker_pool.reports import StepReports
from solrbench.load.recording.worker_result import WorkerStepResult
from solrbench.load.schedule.assignment import Assignment
from solrbench.load.schedule.user_classes import UserClass
from solrbench.load.schedule.user_placement import UserPlacement
from solrbench.reasons.load import LoadReason

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
        self._orders = WorkerOrders(runner)
        self._liveness = Liveness(
            self._membership, self._reports, self._orders, redistribute=redistribute
        )
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
        members = {each: self._membership.name_of(each) for each in self._membership.members}
        if assignment.open_loop is not None:
            # Workers may be fewer than were wanted; each stands for its share of the arrivals.
            assignment = assignment.model_copy(update={"users": len(members)})
        self._reports.begin(assignment.key, members, self._now())
        self._step_run = DistributedStepRun(
            assignment, members, self._reports, self._orders, self._load_shape.redispatch
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
            self._orders.exit(worker, exit_code)

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
