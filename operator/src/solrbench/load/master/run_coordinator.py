"""The order of events of a run: workers, then every step run with its warm-up."""

import logging
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import count
from typing import NamedTuple, Protocol

from solrbench.api.v1alpha1.load.warm_up import UntilSteady
from solrbench.load.errors import LoadError
from solrbench.load.master.list_offsets import (
    ListOffsets,
    max_requests_sent,
    once_only_entries,
    resumed,
)
from solrbench.load.master.merge_results import StepRunMetadata, WarmUpResult, merge_worker_results
from solrbench.load.master.request_windows import merge_request_windows
from solrbench.load.master.result_store import ResultStore
from solrbench.load.master.steady_state import SteadyStateDetector
from solrbench.load.master.throughput import ThroughputMeter
from solrbench.load.master.worker_pool import StepRunAbortedError, WorkerPool
from solrbench.load.recording.name_limit import NameLimiter
from solrbench.load.recording.worker_result import WorkerStepResult
from solrbench.load.schedule.assignment import (
    Assignment,
    Start,
    step_assignment,
    warm_up_assignment,
)
from solrbench.plan.load_plan import LoadPlan, LoadState, PlannedStepRun
from solrbench.results.model.windows import CacheSample

IMMEDIATE_SPAWN_RATE = 1_000_000
"""Users per second that make every dispatch a single one."""

_GRACE_SECONDS = 30.0
_SPAWNS_PER_SECOND = 500
"""What even a busy worker manages; bounds the wait for users that are spawned at once."""

_logger = logging.getLogger(__name__)


class CacheReader(Protocol):
    """Asks for Solr's caches during a step run."""

    def begin(self) -> None:
        """Ask at once and then again and again."""

    def end(self, began: float) -> list[CacheSample]:
        """Ask a last time; return everything, in seconds since `began` (monotonic)."""


class _CompletedRun(NamedTuple):
    """A step run that was run."""

    start_time: datetime
    """When it began to be measured."""
    results: list[tuple[str, WorkerStepResult]]
    caches: list[CacheSample]
    steady: bool | None
    """Whether it became steady; None if not requested."""
    may_repeat: bool
    """Whether queries that are to be sent once may have been sent before it."""


class RunCoordinator:
    """Runs the plan.

    `utc_now` gives the time that documents carry; `prepare` is called once when all workers are
    there and raises `LoadError` if the run cannot begin.
    """

    def __init__(  # noqa: PLR0913 - the plan, and all collaborators
        self,
        plan: LoadPlan,
        workers: WorkerPool,
        store: ResultStore,
        prepare: Callable[[], None],
        *,
        utc_now: Callable[[], datetime],
        caches: CacheReader,
    ) -> None:
        self._plan = plan
        self._workers = workers
        self._store = store
        self._prepare = prepare
        self._utc_now = utc_now
        self._caches = caches
        self._stage = "WaitingForWorkers"
        self._step_run: PlannedStepRun | None = None
        self._began: float | None = None
        self._throughput = ThroughputMeter()
        self._failure: LoadError | None = None
        self._once_only = once_only_entries(plan.workload)
        self._offsets = ListOffsets(self._once_only)
        self._names = NameLimiter()

    @property
    def is_over(self) -> bool:
        """Say whether every step run is measured or the run has failed."""
        return self._stage in ("Finished", "Failed")

    def run(self) -> None:
        """Measure every step run of the plan.

        Raises:
            LoadError: the run cannot go on; finished documents stay in the store

        """
        self._workers.wait_for_workers()
        self._prepare()
        load_shape = None
        for planned in self._plan.passes:
            self._wait_until_stored()
            self._step_run = planned
            warmed_up = WarmUpResult()
            if (planned.repeat, planned.variant) != load_shape:
                self._offsets = ListOffsets(self._once_only) if load_shape else resumed(self._plan)
                load_shape = (planned.repeat, planned.variant)
                warmed_up = self._warm_up(planned)
            self._measure(planned, warmed_up)
        self._step_run = None
        self._enter("Finished")

    def fail(self, failure: LoadError) -> None:
        """Show a failure from now on."""
        self._failure = failure
        self._enter("Failed")

    def state(self) -> LoadState:
        """Return the response of `GET /solrbench/state`."""
        figures = self._workers.live_totals
        now = time.monotonic()
        self._throughput.add(now, figures.requests)
        running = self._step_run is not None and not self.is_over
        planned_rate = self._planned_rate() if running else None
        return LoadState(
            stage=self._stage,
            workers=self._workers.connected,
            pass_id=self._step_run.id if self._step_run and running else None,
            repeat=self._step_run.repeat if self._step_run and running else None,
            variant=self._step_run.variant or None if self._step_run and running else None,
            step=self._step_run.step.name if self._step_run and running else None,
            users=self._workers.users if running and planned_rate is None else 0,
            planned_requests_per_second=planned_rate,
            requests=figures.requests if running else 0,
            failures=figures.failures if running else 0,
            requests_per_second=self._throughput.rate(now) if running else 0.0,
            elapsed_seconds=now - self._began if running and self._began is not None else 0.0,
            unacknowledged=self._store.unacknowledged,
            reason=self._failure.reason if self._failure else None,
            message=self._failure.message if self._failure else None,
        )

    def _planned_rate(self) -> float | None:
        if self._step_run is None or self._stage == "WarmingUp":
            return None
        return self._step_run.step.requests_per_second

    def _warm_up(self, planned: PlannedStepRun) -> WarmUpResult:
        assignment = warm_up_assignment(self._plan, planned)
        if assignment is None:
            return WarmUpResult()
        until = self._plan.warm_up.until_steady if self._plan.warm_up else None
        played = self._run_with_retries(assignment, IMMEDIATE_SPAWN_RATE, "WarmingUp", until)
        results = [result for _, result in played.results]
        return WarmUpResult(
            requests=sum(result.measured for result in results),
            steady=played.steady,
            request_windows=merge_request_windows(results),
            caches=played.caches,
        )

    def _wait_until_stored(self) -> None:
        """Begin no step run of a list that is gone through once before the last one is stored.

        If this master is lost, the next one knows by that which step run may have been started.
        """
        if any(self._once_only) and self._store.unacknowledged:
            self._step_run = None
            self._enter("Storing")
            self._workers.wait(lambda: not self._store.unacknowledged)

    def _measure(self, planned: PlannedStepRun, warmed_up: WarmUpResult) -> None:
        assignment = step_assignment(self._plan, planned)
        rate = planned.step.spawn_rate or IMMEDIATE_SPAWN_RATE
        played = self._run_with_retries(assignment, rate, "Measuring")
        record = StepRunMetadata(
            self._plan.attempt,
            played.start_time,
            warmed_up,
            played.caches,
            tuple(self._workers.lost),
            self._offsets.offsets,
            played.may_repeat,
        )
        results = played.results
        if self._plan.workload.locustfile is not None:
            results = [(worker, _renamed(each, self._names)) for worker, each in results]
        self._store.add(merge_worker_results(planned, results, record))

    def _run_with_retries(
        self, assignment: Assignment, rate: int, stage: str, until: UntilSteady | None = None
    ) -> _CompletedRun:
        """Run one step run, `until` it is steady if that is given; again if need be."""
        for again in count():
            key = f"{assignment.key}/again-{again}" if again else assignment.key
            offsets = list(self._offsets.offsets)
            wanted = assignment.model_copy(update={"key": key, "offsets": offsets})
            try:
                return self._run_once(wanted, rate, stage, until)
            except StepRunAbortedError as aborted:
                _logger.warning("step_run=%s is run again: %s", assignment.key, aborted)
                self._skip(assignment)
                self._workers.abort()
                self._caches.end(time.monotonic())
                self._stop_users(assignment, rate)
        raise AssertionError  # count() has no end

    def _skip(self, assignment: Assignment) -> None:
        """Continue after what an aborted run may have sent."""
        waited = assignment.start is Start.BARRIER and not self._workers.is_measuring
        if any(self._once_only) and not waited:
            self._offsets = self._offsets.skip_lost(
                max_requests_sent(assignment, self._plan.workload)
            )

    def _run_once(
        self, assignment: Assignment, rate: int, stage: str, until: UntilSteady | None
    ) -> _CompletedRun:
        self._throughput.reset()
        self._began = None
        self._caches.begin()
        assignment = self._workers.assign(assignment)
        spawning = assignment.users / min(rate, _SPAWNS_PER_SECOND)
        self._enter("WarmingUp" if stage == "WarmingUp" else "Ramping")
        self._workers.spawn(assignment.users, rate)
        if assignment.start is not Start.IMMEDIATE:
            connecting = self._plan.workload.timeout_seconds
            self._workers.wait_spawned(spawning + connecting + _GRACE_SECONDS)
            self._workers.start_measuring()
        began = self._utc_now() + timedelta(seconds=assignment.ramp_seconds)
        self._wait_for_ramp(assignment.ramp_seconds)
        self._began = time.monotonic()
        self._throughput.reset()
        self._enter(stage)
        watch = None if until is None else SteadyStateDetector(until, self._workers)
        results = self._workers.wait_results(
            self._result_timeout(assignment), (lambda: None) if watch is None else watch.update
        )
        caches = self._caches.end(self._began)
        may_repeat, lost = self._offsets.may_repeat, bool(self._workers.lost)
        self._offsets = self._offsets.advanced_by([result for _, result in results], lost=lost)
        self._stop_users(assignment, rate)
        steady = None if watch is None else watch.is_steady
        return _CompletedRun(began, results, caches, steady, may_repeat)

    def _stop_users(self, assignment: Assignment, rate: int) -> None:
        self._workers.conclude()
        self._workers.spawn(0, IMMEDIATE_SPAWN_RATE)
        spawning = assignment.users / min(rate, _SPAWNS_PER_SECOND)
        self._workers.wait_empty(spawning + _GRACE_SECONDS)

    def _result_timeout(self, assignment: Assignment) -> float | None:
        """Return the seconds after which a result is late; None if it is unknown."""
        if assignment.seconds is None:
            return None
        # In an open loop a request may wait for a connection as long as for its response.
        return assignment.seconds + 2 * self._plan.workload.timeout_seconds + _GRACE_SECONDS

    def _wait_for_ramp(self, seconds: int) -> None:
        """Wait until a planned rate is reached; the workers need no word for it."""
        if seconds:
            over = time.monotonic() + seconds
            self._workers.wait(lambda: time.monotonic() >= over)

    def _enter(self, stage: str) -> None:
        if stage != self._stage:
            self._stage = stage
            where = self._step_run.id if self._step_run else "-"
            _logger.info("benchmark=%s step_run=%s stage=%s", self._plan.benchmark, where, stage)


def _renamed(result: WorkerStepResult, names: NameLimiter) -> WorkerStepResult:
    """Return a result with few names: each worker has met others first."""
    requests = [
        each.model_copy(update={"request": names.limit(each.request)}) for each in result.requests
    ]
    return result.model_copy(update={"requests": requests})
