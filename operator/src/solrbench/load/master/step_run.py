"""One step run from its assignment to its results, again if a worker was lost in it."""

import logging
from collections.abc import Callable, Iterable
from dataclasses import KW_ONLY, dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from itertools import count
from typing import Any, NamedTuple

from solrbench.api.v1alpha1.arrivals import UntilSteady
from solrbench.api.v1alpha1.load import rate_at
from solrbench.contract.answers import StoredAnswers
from solrbench.contract.load_plan import LoadPlan, LoadState, PlannedStepRun
from solrbench.contract.request_counts import sum_counts
from solrbench.contract.server_document import (
    AddedDocuments,
    DiagnosticFile,
    Telemetry,
    VisibilityResult,
)
from solrbench.contract.windows import CacheSample, EmptiedCaches, EndedEarly, RequestWindow
from solrbench.contract.workload_files import once_only_entries
from solrbench.load.errors import LoadError, StepRunAbortedError
from solrbench.load.master.added_documents import StepDocuments
from solrbench.load.master.caches import CacheSampler
from solrbench.load.master.diagnostics import DiagnosticsRecorder
from solrbench.load.master.distributed_step_run import DistributedStepRun, DistributedStepRunState
from solrbench.load.master.result_store import ListOffsets, max_requests_sent
from solrbench.load.master.steady_state import (
    CollapseDetector,
    SteadyStateDetector,
    ThroughputMeter,
)
from solrbench.load.master.telemetry import TelemetrySampler
from solrbench.load.master.visibility import VisibilityProbe
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
    SENDING_QUERIES = "SendingQueries"
    """Each query is sent once, and what Solr answers is kept."""
    EMPTYING_CACHES = "EmptyingCaches"
    WARMING_UP = "WarmingUp"
    RAMPING = "Ramping"
    """Users come, or the planned rate grows."""
    MEASURING = "Measuring"
    STORING = "Storing"
    """The next step run waits until the results before it are stored."""
    FINISHED = "Finished"
    FAILED = "Failed"


@dataclass(eq=False, repr=False)
class RunStatus:
    """Stage, step run and live totals of a run.

    `unacknowledged` gives the ids of the results that wait to be stored, `now` monotonic seconds.
    """

    benchmark: str
    workers: WorkerPool
    unacknowledged: Callable[[], list[str]]
    now: Callable[[], float]
    stage: RunStage = field(default=RunStage.WAITING_FOR_WORKERS, init=False)
    step_run: PlannedStepRun | None = field(default=None, init=False)
    """What is run; None before the first, while results are stored and at the end."""
    _measuring_since: float | None = field(default=None, init=False)
    _throughput: ThroughputMeter = field(default_factory=ThroughputMeter, init=False)
    _failure: LoadError | None = field(default=None, init=False)

    @property
    def is_over(self) -> bool:
        """Whether every step run is measured or the run has failed."""
        return self.stage in (RunStage.FINISHED, RunStage.FAILED)

    def enter(self, stage: RunStage) -> None:
        """Show and log another stage."""
        if stage is not self.stage:
            self.stage = stage
            where = self.step_run.id if self.step_run else "-"
            _logger.info("benchmark=%s step_run=%s stage=%s", self.benchmark, where, stage)

    def fail(self, failure: LoadError) -> None:
        """Show a failure from now on."""
        self._failure = failure
        self.enter(RunStage.FAILED)

    def restart_counting(self, measuring_since: float | None = None) -> None:
        """Count from 0: a step run begins, or its measurement did at `measuring_since`."""
        self._measuring_since = measuring_since
        self._throughput.reset()
        reports = self.workers.reports
        if measuring_since is None:
            # What is reported until workers are assigned the step run is of the last one.
            reports.begin("", (), self.now())
        reports.recent.clear()
        reports.so_far.begin(measuring_since)

    def load_state(self) -> LoadState:
        """Return the response of `GET /solrbench/state`."""
        totals, now = self.workers.reports.live_totals, self.now()
        self._throughput.add(now, totals.requests)
        state = LoadState(
            stage=self.stage.value,
            workers=self.workers.connected,
            unacknowledged=self.unacknowledged(),
            reason=self._failure.reason if self._failure else None,
            message=self._failure.message if self._failure else None,
        )
        if self.step_run is None or self.is_over:
            return state
        since = now if self._measuring_since is None else self._measuring_since
        recent = self.workers.reports.recent.figures(now)
        step = self.step_run.step
        # Warm-ups are sent by users, also before a step whose rate is planned.
        is_warm_up = self.stage is RunStage.WARMING_UP
        has_users = is_warm_up or step.users is not None
        progress = {
            "step_run_id": self.step_run.id,
            "repeat": self.step_run.repeat,
            "variant": self.step_run.variant or None,
            "step": step.name,
            # Users that stand for the arrivals of a worker are none that anyone planned.
            "users": self.workers.runner.user_count if has_users else 0,
            "planned_requests_per_second": None if is_warm_up else rate_at(step, now - since),
            "requests": totals.requests,
            "failures": totals.failures,
            "requests_per_second": self._throughput.rate(now),
            "elapsed_seconds": now - since,
        }
        return state.model_copy(update=progress | recent._asdict())


IMMEDIATE_SPAWN_RATE = 1_000_000
"""Users per second that make every dispatch a single one."""

_GRACE_SECONDS = 30.0
_SPAWNS_PER_SECOND = 500
"""What even a busy worker manages; limits the wait for users that are spawned at once."""


@dataclass(frozen=True)
class WarmUpResult:
    """A warm-up as it is kept, named as in the document of the step run."""

    warm_up_requests: int = 0
    warm_up_steady: bool | None = None
    """None unless it was to go on until it is steady."""
    warm_up_thousands: list[RequestWindow] = field(default_factory=list)
    warm_up_caches: list[CacheSample] = field(default_factory=list)
    answers: StoredAnswers | None = None
    """What the target answered before it; None if that was not asked for."""
    emptied_caches: EmptiedCaches | None = None
    """Solr's caches as they were emptied before it; None if they were kept."""


@dataclass(frozen=True)
class StepRunMetadata:
    """What the master knows of a step run besides the results, named as in its document."""

    attempt: int
    start_time: datetime
    """When measuring began; aware."""
    warm_up: WarmUpResult = field(default_factory=WarmUpResult)
    caches: list[CacheSample] = field(default_factory=list)
    lost_workers: tuple[str, ...] = ()
    list_offsets: tuple[int, ...] = ()
    queries_may_repeat: bool = False
    telemetry: Telemetry | None = None
    visibility: list[VisibilityResult] = field(default_factory=list)
    added: AddedDocuments | None = None
    diagnostics: list[DiagnosticFile] = field(default_factory=list)
    ended_early: EndedEarly | None = None

    def fields(self, planned: PlannedStepRun) -> dict[str, Any]:
        """Return them, and what was planned, as fields of the document of the step run."""
        own = vars(self) | vars(self.warm_up)
        del own["warm_up"]
        return own | {
            "id": planned.id,
            "repeat": planned.repeat,
            "variant": planned.variant,
            "step": planned.step.name,
            "trial": planned.trial,
            "users": planned.step.users,
            "batch_size": planned.batch_size,
        }


class CompletedStepRun(NamedTuple):
    """A step run with its results by worker, and what the master knows besides them."""

    metadata: StepRunMetadata
    results: list[tuple[str, WorkerStepResult]]
    steady: bool | None
    """Whether it became steady; None unless that was requested."""


@dataclass(eq=False, repr=False)
class StepRunExecutor:
    """Runs step runs on the workers, one after the other.

    `utc_now` gives the time that results carry, `now` monotonic seconds.
    """

    plan: LoadPlan
    workers: WorkerPool
    status: RunStatus
    caches: CacheSampler
    _: KW_ONLY
    utc_now: Callable[[], datetime]
    now: Callable[[], float]
    telemetry: TelemetrySampler | None = None
    diagnostics: DiagnosticsRecorder | None = None
    visibility: VisibilityProbe | None = None
    documents: StepDocuments | None = None
    offsets: ListOffsets = field(init=False)
    """Where the lists of the workload go on with the next step run."""
    _started: tuple[DistributedStepRun, int] | None = field(default=None, init=False)
    """What was started last, and its users per second: they may still be there."""

    def __post_init__(self) -> None:
        self.offsets = ListOffsets(once_only_entries(self.plan.workload))

    def run(
        self, assignment: Assignment, rate: int, stage: RunStage, until: UntilSteady | None = None
    ) -> CompletedStepRun:
        """Run one step run, `until` it is steady if that is given; again after each loss.

        Its users come at `rate` per second; `stage` is shown while it is measured. It raises
        `LoadError` if the run cannot go on.
        """
        for again in count():
            key = f"{assignment.key}/again-{again}" if again else assignment.key
            # Updates are of no list: ids begin anew with each step run.
            offsets = [] if assignment.indexing else list(self.offsets.offsets)
            own = assignment.model_copy(update={"key": key, "offsets": offsets})
            step_run = self._assign(own, stage)
            self._started = step_run, rate
            try:
                start_time = self._start(step_run, rate)
                return self._complete(step_run, start_time, stage, until)
            except StepRunAbortedError as aborted:
                _logger.warning("step_run=%s is run again: %s", assignment.key, aborted.message)
                self._skip(step_run)
                step_run.command(Abort)
                self.caches.end(self.now())
                self._stop_users(step_run)
                self.wait_until_free()
        raise AssertionError  # count() has no end

    def wait_until_free(self) -> None:
        """Wait until the users of the step run before are gone; errors as of `WorkerPool`."""
        if self._started is not None:
            before, rate = self._started
            self.workers.wait_empty(_spawn_seconds(before.assignment, rate) + _GRACE_SECONDS)

    def _assign(self, assignment: Assignment, stage: RunStage) -> DistributedStepRun:
        self.status.restart_counting()
        self.status.enter(stage if stage is RunStage.WARMING_UP else RunStage.RAMPING)
        if self.documents is not None and (assignment.indexing or self.documents.are_left):
            self.documents.delete()  # those of a warm-up, of a try that was lost, or left over
        # Before the caches are read, which takes its time: workers prepare meanwhile.
        step_run = self.workers.assign(assignment)
        self.caches.begin()
        if self.telemetry is not None:
            self.telemetry.begin()
        if self.visibility is not None:
            self.visibility.begin()
        return step_run

    def _complete(
        self,
        step_run: DistributedStepRun,
        start_time: datetime,
        stage: RunStage,
        until: UntilSteady | None,
    ) -> CompletedStepRun:
        """Measure a step run that has begun, wait for its results and let its users go."""
        began = self.now()
        if self.telemetry is not None:
            self.telemetry.mark()
        if self.diagnostics is not None and stage is RunStage.MEASURING:
            self.diagnostics.mark(step_run.assignment.repeat)
        if self.visibility is not None and stage is RunStage.MEASURING:
            self.visibility.mark(step_run.assignment.key.replace("/", "-"))
        self.status.restart_counting(began)
        self.status.enter(stage)
        detector = SteadyStateDetector(until, step_run, self.now) if until else None
        collapse = None
        if self.plan.stop.collapse_seconds is not None and stage is RunStage.MEASURING:
            collapse = CollapseDetector(self.plan.stop.collapse_seconds, step_run, self.now)
        timeout, assignment = None, step_run.assignment
        if assignment.seconds is not None:
            drain = longest_drain_seconds(assignment, self.plan.workload)
            timeout = assignment.seconds + drain + _GRACE_SECONDS
        look = collapse.update if collapse else detector.update if detector else lambda: None
        results = self.workers.wait_results(step_run, timeout, look)
        before, indexing = self.offsets, assignment.indexing
        if not indexing:
            parts = [result for _, result in results]
            self.offsets = before.advanced_by(parts, lost=bool(step_run.lost))
        # Servers are read while the users are still there: letting them go takes seconds.
        metadata = StepRunMetadata(
            attempt=assignment.attempt,
            start_time=start_time,
            # In this order: the counters of servers change with each moment, caches hardly.
            telemetry=self.telemetry.end() if self.telemetry is not None else None,
            diagnostics=self.diagnostics.end() if self.diagnostics is not None else [],
            caches=self.caches.end(began),
            # Last: it waits for documents that are not found yet, and commits.
            visibility=self.visibility.end() if self.visibility is not None else [],
            added=self._added(assignment, results) if indexing else None,
            lost_workers=tuple(step_run.lost),
            list_offsets=self.offsets.offsets or (0,) * len(self.offsets.once_only),
            queries_may_repeat=before.may_repeat,
            ended_early=collapse.ended if collapse else None,
        )
        self._stop_users(step_run)
        return CompletedStepRun(metadata, results, detector.is_steady if detector else None)

    def _added(
        self, assignment: Assignment, results: Iterable[tuple[str, WorkerStepResult]]
    ) -> AddedDocuments | None:
        """Return what the replicas have of the documents of a step, which are deleted then."""
        if self.documents is None or assignment.indexing is None or assignment.is_warm_up:
            return None
        sums = sum_counts(each for _, result in results for each in result.requests)
        accepted = sums.accepted * assignment.indexing.batch_size
        return self.documents.count_and_delete(assignment.document_prefix, accepted)

    def _start(self, step_run: DistributedStepRun, rate: int) -> datetime:
        """Spawn the users and wait for the ramp; return when measuring begins."""
        assignment = step_run.assignment
        if assignment.start is Start.IMMEDIATE:
            # Not with the assignment: servers are read between the two, and workers idle.
            step_run.command(StartMeasuring)
        self.workers.load_shape.move(assignment.users, rate)
        if assignment.start is not Start.IMMEDIATE:
            connecting = self.plan.workload.timeout_seconds
            seconds = _spawn_seconds(assignment, rate) + connecting + _GRACE_SECONDS
            self.workers.wait_spawned(step_run, seconds)
            step_run.command(StartMeasuring)
        start_time = self.utc_now() + timedelta(seconds=assignment.ramp_seconds)
        if assignment.ramp_seconds:
            # The workers raise the rate by themselves: there is nothing to order.
            over = self.now() + assignment.ramp_seconds
            self.workers.wait(lambda: self.now() >= over)
        return start_time

    def _stop_users(self, step_run: DistributedStepRun) -> None:
        step_run.conclude()
        self.workers.load_shape.move(0, IMMEDIATE_SPAWN_RATE)

    def _skip(self, aborted: DistributedStepRun) -> None:
        """Go on behind what an aborted step run can have sent."""
        # Users at a barrier have sent nothing before all of them were there.
        assignment, state = aborted.assignment, aborted.state
        waited = assignment.start is Start.BARRIER and state is DistributedStepRunState.SPAWNING
        if any(self.offsets.once_only) and not waited and not assignment.indexing:
            most = max_requests_sent(assignment, self.plan.workload)
            self.offsets = self.offsets.skip_lost(most)


def _spawn_seconds(assignment: Assignment, rate: int) -> float:
    return assignment.users / min(rate, _SPAWNS_PER_SECOND)
