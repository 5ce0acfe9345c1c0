"""Where a run stands, as the operator and the log see it."""

import logging
from collections.abc import Callable
from enum import StrEnum

from solrbench.api.v1alpha1.load.rate_changes import rate_at
from solrbench.load.errors import LoadError
from solrbench.load.master.throughput import ThroughputMeter
from solrbench.load.master.worker_pool.pool import WorkerPool
from solrbench.plan.load_plan import LoadState, PlannedStepRun

_logger = logging.getLogger(__name__)


class RunStage(StrEnum):
    """What a run does; the values are those of `LoadState.stage`."""

    WAITING_FOR_WORKERS = "WaitingForWorkers"
    EMPTYING_CACHES = "EmptyingCaches"
    WARMING_UP = "WarmingUp"
    RAMPING = "Ramping"
    """Users come, or the planned rate grows."""
    MEASURING = "Measuring"
    STORING = "Storing"
    """The next step run waits until the results before it are stored."""
    FINISHED = "Finished"
    FAILED = "Failed"


class RunStatus:
    """Stage, step run and live totals of a run.

    `unacknowledged` gives the ids of the results that wait to be stored, `now` monotonic seconds.

    Attributes:
        stage: what the run does; `enter` changes it
        step_run: what is run; None before the first, while results are stored and at the end

    """

    def __init__(
        self,
        benchmark: str,
        workers: WorkerPool,
        unacknowledged: Callable[[], list[str]],
        now: Callable[[], float],
    ) -> None:
        self.stage = RunStage.WAITING_FOR_WORKERS
        self.step_run: PlannedStepRun | None = None
        self._benchmark = benchmark
        self._workers = workers
        self._unacknowledged = unacknowledged
        self._now = now
        self._measuring_since: float | None = None
        self._throughput = ThroughputMeter()
        self._failure: LoadError | None = None

    @property
    def is_over(self) -> bool:
        """Whether every step run is measured or the run has failed."""
        return self.stage in (RunStage.FINISHED, RunStage.FAILED)

    def enter(self, stage: RunStage) -> None:
        """Show and log another stage."""
        if stage is not self.stage:
            self.stage = stage
            where = self.step_run.id if self.step_run else "-"
            _logger.info("benchmark=%s step_run=%s stage=%s", self._benchmark, where, stage)

    def fail(self, failure: LoadError) -> None:
        """Show a failure from now on."""
        self._failure = failure
        self.enter(RunStage.FAILED)

    def restart_counting(self, measuring_since: float | None = None) -> None:
        """Count from 0: a step run begins, or its measurement did at `measuring_since`."""
        self._measuring_since = measuring_since
        self._throughput.reset()
        self._workers.reports.recent.clear()
        self._workers.reports.so_far.begin(measuring_since)

    def load_state(self) -> LoadState:
        """Return the response of `GET /solrbench/state`."""
        totals, now = self._workers.reports.live_totals, self._now()
        self._throughput.add(now, totals.requests)
        state = LoadState(
            stage=self.stage.value,
            workers=self._workers.connected,
            unacknowledged=self._unacknowledged(),
            reason=self._failure.reason if self._failure else None,
            message=self._failure.message if self._failure else None,
        )
        if self.step_run is None or self.is_over:
            return state
        since = now if self._measuring_since is None else self._measuring_since
        planned_rate = self._planned_rate(self.step_run, now - since)
        recent = self._workers.reports.recent.figures(now)
        progress = {
            "step_run_id": self.step_run.id,
            "repeat": self.step_run.repeat,
            "variant": self.step_run.variant or None,
            "step": self.step_run.step.name,
            "users": self._workers.users if self._has_users(self.step_run) else 0,
            "planned_requests_per_second": planned_rate,
            "requests": totals.requests,
            "failures": totals.failures,
            "requests_per_second": self._throughput.rate(now),
            "elapsed_seconds": now - since,
            "recent_requests": recent.requests,
            "recent_failures": recent.failures,
            "p50_milliseconds": recent.p50_milliseconds,
            "p95_milliseconds": recent.p95_milliseconds,
            "p99_milliseconds": recent.p99_milliseconds,
        }
        return state.model_copy(update=progress)

    def _has_users(self, planned: PlannedStepRun) -> bool:
        return self.stage is RunStage.WARMING_UP or planned.step.users is not None

    def _planned_rate(self, planned: PlannedStepRun, seconds: float) -> float | None:
        """Return the planned requests per second; None for users, who also send warm-ups."""
        if self.stage is RunStage.WARMING_UP:
            return None
        return rate_at(planned.step, seconds)
