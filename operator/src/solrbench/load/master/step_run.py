"""One step run from its assignment to its results, again if a worker was lost in it."""

import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from enum import StrEnum
from itertools import count
from typing import NamedTuple, Protocol

from solrbench.api.v1alpha1.arrivals import UntilSteady
from solrbench.api.v1alpha1.load import rate_at
from solrbench.contract.load_plan import LoadPlan, LoadState, PlannedStepRun
from solrbench.contract.server_document import DiagnosticFile, Telemetry
from solrbench.contract.windows import CacheSample, EndedEarly
from solrbench.contract.workload_files import once_only_entries
from solrbench.load.errors import LoadError, StepRunAbortedError
from solrbench.load.master.distributed_step_run import DistributedStepRun, DistributedStepRunState
from solrbench.load.master.result_store import ListOffsets, max_requests_sent
from solrbench.load.master.steady_state import (
    CollapseDetector,
    SteadyStateDetector,
    ThroughputMeter,
)
from solrbench.load.master.worker_pool import WorkerPool
from solrbench.load.recording.worker_result import WorkerStepResult
from solrbench.load.schedule.messages import (
    Abort,
    Assignment,
    Start,
    StartMeasuring,
    longest_drain_seconds,
)

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


IMMEDIATE_SPAWN_RATE = 1_000_000
"""Users per second that make every dispatch a single one."""

_GRACE_SECONDS = 30.0
_SPAWNS_PER_SECOND = 500
"""What even a busy worker manages; limits the wait for users that are spawned at once."""


class CacheReader(Protocol):
    """Samples Solr's caches during a step run."""

    def begin(self) -> None:
        """Sample at once and then again and again."""

    def end(self, began: float) -> list[CacheSample]:
        """Sample a last time; return everything, in seconds since `began` (monotonic)."""


class TelemetryReader(Protocol):
    """Reads what servers do during a step run."""

    def begin(self) -> None:
        """Forget the step run before."""

    def mark(self) -> None:
        """Begin to read: what is measured begins now."""

    def end(self) -> Telemetry:
        """Read a last time; return what was read since the mark."""

    def so_far(self) -> Telemetry:
        """Return what was read since the mark, and go on."""


class DiagnosticsReader(Protocol):
    """Takes thread dumps during a step run."""

    def mark(self, repeat: int) -> None:
        """Begin, if it is wanted in this repeat."""

    def end(self) -> list[DiagnosticFile]:
        """Return what was taken since the mark."""


class CompletedStepRun(NamedTuple):
    """A step run with its results."""

    start_time: datetime
    """When it began to be measured."""
    results: list[tuple[str, WorkerStepResult]]
    caches: list[CacheSample]
    steady: bool | None
    """Whether it became steady; None unless that was requested."""
    may_repeat: bool
    """Whether queries that are to be sent once may have been sent before it."""
    lost_workers: tuple[str, ...]
    """Names of the workers whose measurements are missing."""
    telemetry: Telemetry | None = None
    """What servers did meanwhile; None if it is turned off."""
    diagnostics: list[DiagnosticFile] = []
    """What was taken from Solr's JVMs."""
    ended_early: EndedEarly | None = None
    """Why it was ended before its time; None if it was not."""


class StepRunExecutor:
    """Runs step runs on the workers, one after the other.

    `utc_now` gives the time that results carry, `now` monotonic seconds.

    Attributes:
        offsets: where the lists of the workload go on with the next step run
    """

    def __init__(  # noqa: PLR0913 - what to run, on what, and two clocks
        self,
        plan: LoadPlan,
        workers: WorkerPool,
        status: RunStatus,
        caches: CacheReader,
        *,
        utc_now: Callable[[], datetime],
        now: Callable[[], float],
        telemetry: TelemetryReader | None = None,
        diagnostics: DiagnosticsReader | None = None,
    ) -> None:
        self.offsets = ListOffsets(once_only_entries(plan.workload))
        self._workload = plan.workload
        self._collapse_seconds = plan.stop.collapse_seconds
        self._workers = workers
        self._status = status
        self._caches = caches
        self._telemetry = telemetry
        self._diagnostics = diagnostics
        self._utc_now = utc_now
        self._now = now

    def run(
        self, assignment: Assignment, rate: int, stage: RunStage, until: UntilSteady | None = None
    ) -> CompletedStepRun:
        """Run one step run, `until` it is steady if that is given; again after each loss.

        Its users come at `rate` per second; `stage` is shown while it is measured.

        Raises:
            LoadError: the run cannot go on
        """
        for again in count():
            key = f"{assignment.key}/again-{again}" if again else assignment.key
            offsets = list(self.offsets.offsets)
            step_run = self._assign(
                assignment.model_copy(update={"key": key, "offsets": offsets, "restarts": again}),
                stage,
            )
            try:
                start_time = self._start(step_run, rate)
                return self._complete(step_run, start_time, rate, stage, until)
            except StepRunAbortedError as aborted:
                _logger.warning("step_run=%s is run again: %s", assignment.key, aborted.message)
                self._skip(step_run)
                step_run.command(Abort)
                self._caches.end(self._now())
                self._stop_users(step_run, rate)
        raise AssertionError  # count() has no end

    def _assign(self, assignment: Assignment, stage: RunStage) -> DistributedStepRun:
        self._status.restart_counting()
        warming_up = stage is RunStage.WARMING_UP
        self._status.enter(RunStage.WARMING_UP if warming_up else RunStage.RAMPING)
        # Before the caches are read, which takes its time: until then the live totals are those of
        # the last step run.
        step_run = self._workers.assign(assignment)
        self._caches.begin()
        if self._telemetry is not None:
            self._telemetry.begin()
        return step_run

    def _complete(
        self,
        step_run: DistributedStepRun,
        start_time: datetime,
        rate: int,
        stage: RunStage,
        until: UntilSteady | None,
    ) -> CompletedStepRun:
        """Measure a step run that has begun, wait for its results and let its users go."""
        began = self._now()
        if self._telemetry is not None:
            self._telemetry.mark()
        if self._diagnostics is not None and stage is RunStage.MEASURING:
            self._diagnostics.mark(step_run.assignment.repeat)
        self._status.restart_counting(began)
        self._status.enter(stage)
        detector = SteadyStateDetector(until, step_run, self._now) if until else None
        collapse = self._collapse_detector(step_run, stage)
        look = collapse.update if collapse else detector.update if detector else _look_at_nothing
        timeout = self._result_timeout(step_run.assignment)
        results = self._workers.wait_results(step_run, timeout, look)
        telemetry = self._telemetry.end() if self._telemetry is not None else None
        taken = self._diagnostics.end() if self._diagnostics is not None else []
        caches = self._caches.end(began)
        may_repeat = self.offsets.may_repeat
        self.offsets = self.offsets.advanced_by(
            [result for _, result in results], lost=bool(step_run.lost)
        )
        self._stop_users(step_run, rate)
        steady = detector.is_steady if detector else None
        lost = tuple(step_run.lost)
        ended = collapse.ended if collapse else None
        return CompletedStepRun(
            start_time, results, caches, steady, may_repeat, lost, telemetry, taken, ended
        )

    def _collapse_detector(
        self, step_run: DistributedStepRun, stage: RunStage
    ) -> CollapseDetector | None:
        if self._collapse_seconds is None or stage is not RunStage.MEASURING:
            return None
        return CollapseDetector(self._collapse_seconds, step_run, self._now)

    def _start(self, step_run: DistributedStepRun, rate: int) -> datetime:
        """Spawn the users and wait for the ramp; return when measuring begins."""
        assignment = step_run.assignment
        self._workers.spawn(assignment.users, rate)
        if assignment.start is not Start.IMMEDIATE:
            connecting = self._workload.timeout_seconds
            seconds = _spawn_seconds(assignment, rate) + connecting + _GRACE_SECONDS
            self._workers.wait_spawned(step_run, seconds)
            step_run.command(StartMeasuring)
        start_time = self._utc_now() + timedelta(seconds=assignment.ramp_seconds)
        if assignment.ramp_seconds:
            # The workers raise the rate by themselves: there is nothing to order.
            over = self._now() + assignment.ramp_seconds
            self._workers.wait(lambda: self._now() >= over)
        return start_time

    def _stop_users(self, step_run: DistributedStepRun, rate: int) -> None:
        step_run.conclude()
        self._workers.spawn(0, IMMEDIATE_SPAWN_RATE)
        self._workers.wait_empty(_spawn_seconds(step_run.assignment, rate) + _GRACE_SECONDS)

    def _skip(self, aborted: DistributedStepRun) -> None:
        """Go on behind what an aborted step run can have sent."""
        waited = (
            aborted.assignment.start is Start.BARRIER
            and aborted.state is DistributedStepRunState.SPAWNING
        )
        if any(self.offsets.once_only) and not waited:
            most = max_requests_sent(aborted.assignment, self._workload)
            self.offsets = self.offsets.skip_lost(most)

    def _result_timeout(self, assignment: Assignment) -> float | None:
        """Return the seconds after which a result is late; None if that cannot be known."""
        if assignment.seconds is None:
            return None
        drain = longest_drain_seconds(assignment, self._workload)
        return assignment.seconds + drain + _GRACE_SECONDS


def _spawn_seconds(assignment: Assignment, rate: int) -> float:
    return assignment.users / min(rate, _SPAWNS_PER_SECOND)


def _look_at_nothing() -> None:
    """Stand in for a detector where the length of a step run is given."""
