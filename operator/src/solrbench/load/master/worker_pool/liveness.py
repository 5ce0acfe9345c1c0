"""Which workers are lost, and what follows."""

import logging

from solrbench.load.errors import EXIT_RETRYABLE, LoadError
from solrbench.load.master.worker_pool.distributed_step_run import DistributedStepRun
from solrbench.load.master.worker_pool.membership import Membership
from solrbench.load.master.worker_pool.orders import WorkerOrders
from solrbench.load.master.worker_pool.reports import StepReports
from solrbench.load.schedule.messages import ENGINE_SILENT_SECONDS
from solrbench.reasons.load import LoadReason

_logger = logging.getLogger(__name__)


class Liveness:
    """Notices lost workers and takes them out of the pool.

    A worker is lost when Locust misses its heartbeats or connection, when its engine is silent for
    `ENGINE_SILENT_SECONDS` in a step run, or when a report is late. With `redistribute` the run
    goes on without it as long as others are left.
    """

    def __init__(
        self,
        membership: Membership,
        reports: StepReports,
        orders: WorkerOrders,
        *,
        redistribute: bool,
    ) -> None:
        self._membership = membership
        self._reports = reports
        self._orders = orders
        self._redistribute = redistribute

    def check(self, step_run: DistributedStepRun | None, now: float) -> None:
        """Look at every worker once; `step_run` is the one under way, `now` in monotonic seconds.

        Raises:
            LoadError: `WorkerLost`; the run cannot go on
            StepRunAbortedError: the step run cannot go on, others are left

        """
        for worker in self._membership.watched:
            silent = self._reports.silent_seconds(worker, now)
            if not self._membership.is_alive(worker):
                self.remove(worker, "was lost", step_run)
            elif silent > ENGINE_SILENT_SECONDS and worker not in self._reports.results:
                self.remove(worker, f"is silent for {silent:.0f} s", step_run)

    def remove(self, worker: str, why: str, step_run: DistributedStepRun | None) -> None:
        """Go on without a worker.

        Raises:
            LoadError: `WorkerLost` if that is not wanted, or no worker is left
            StepRunAbortedError: the step run cannot go on, others are left

        """
        loss = f"worker {self._membership.name_of(worker)} {why}"
        if not self._redistribute:
            raise LoadError(LoadReason.WORKER_LOST, loss)
        _logger.warning("step_run=%s %s", self._reports.key, loss)
        self._membership.remove(worker)
        # It may only be cut off: then it must not go on sending beside those that take its users.
        self._orders.exit(worker, EXIT_RETRYABLE)
        if step_run is not None:
            step_run.remove_worker(worker, loss)
