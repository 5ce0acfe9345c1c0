"""One step run over its workers: what they report each second, what is sent to them, who is lost.

The reports are all that is left if it breaks off: they have no names of requests, and times are
known to 1.6 %.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import TYPE_CHECKING, NamedTuple

from solrbench.contract.second_series import SecondSeries, SecondSums
from solrbench.load.errors import LoadError, StepRunAbortedError
from solrbench.load.locust_scaling import WorkerRoster
from solrbench.load.recording.request_stats import RecentRequests, histogram_of, sum_times
from solrbench.load.recording.worker_result import WorkerStepResult
from solrbench.load.schedule.messages import (
    COMMAND,
    Abort,
    AdoptUsers,
    Assignment,
    LiveTotals,
    StartMeasuring,
    StopSending,
    command_data,
)
from solrbench.load.schedule.users import UserPlacement
from solrbench.reasons.load import LoadReason
from solrbench.stats.histograms import Histogram
from solrbench.stats.number_format import scaled

if TYPE_CHECKING:
    # Importing Locust patches the process, here and in tests.
    from solrbench.load.locust_runtime import MasterRunner

WINDOW_SECONDS = 10.0
MAX_REPORTS = 20_000
"""Reports that are kept: ten seconds of 2000 workers, each of a few hundred bytes."""


class RecentMetrics(NamedTuple):
    """Requests of all workers that ended in the last seconds; all None without any."""

    recent_requests: int | None = None
    recent_failures: int | None = None
    p50_milliseconds: float | None = None
    p95_milliseconds: float | None = None
    p99_milliseconds: float | None = None


class RecentWindow:
    """Keeps reports as they came and merges them when they are asked for.

    A report costs the master a few microseconds, whatever the number of its requests; percentiles
    are of the merged counts, as an average of percentiles is none.
    """

    def __init__(self) -> None:
        self._reports: deque[tuple[float, RecentRequests]] = deque(maxlen=MAX_REPORTS)

    def clear(self) -> None:
        """Forget everything: another step run begins, or its measurement does."""
        self._reports.clear()

    def add(self, now: float, recent: RecentRequests) -> None:
        """Keep a report that came at `now`, in seconds."""
        self._drop_old(now)
        if recent.requests or recent.times:
            self._reports.append((now, recent))

    def figures(self, now: float) -> RecentMetrics:
        """Return what came in the seconds before `now`."""
        self._drop_old(now)
        if not self._reports:
            return RecentMetrics()
        reports = [recent for _, recent in self._reports]
        times = histogram_of(sum_times(report.times for report in reports))
        return RecentMetrics(
            sum(report.requests for report in reports),
            sum(report.failures for report in reports),
            *(scaled(times.percentile(percent), 1000) for percent in (50, 95, 99)),
        )

    def _drop_old(self, now: float) -> None:
        while self._reports and self._reports[0][0] <= now - WINDOW_SECONDS:
            self._reports.popleft()


_REPORT_SECONDS = 0.95
"""A report is of the last whole second; it comes at any time in the next, and takes a moment."""


class RunningTotals:
    """Sums over all workers since measuring began, in as little memory as a step's windows need."""

    def __init__(self) -> None:
        self.begin(None)

    def begin(self, now: float | None) -> None:
        """Forget everything; measuring begins at `now`, in monotonic seconds, or not yet."""
        self.began = now
        self.reported = now or 0.0
        self.requests = self.failures = self.sum_microseconds = 0
        self.last_good, self.last_good_second, self.failures_since = self.reported, 0, 0
        """The last report with a good response: when it came, its second, the failures since."""
        self._counts = sum_times(())
        self._seconds = SecondSeries()

    def add(self, before: LiveTotals, totals: LiveTotals, times: bytes, now: float) -> None:
        """Add what a worker, whose totals were `before`, reports at `now`."""
        if self.began is None:
            return
        # Totals whose sum is 0 are of the ramp.
        before = before if before.sum_microseconds else _NOTHING
        requests, failures = totals.requests - before.requests, totals.failures - before.failures
        spent = totals.sum_microseconds - before.sum_microseconds
        self.reported = now
        if totals.sum_microseconds:
            # Of an open loop they are of what ended, or was given up, since the report before:
            # totals are of whole seconds, and may come with another report.
            self._counts += sum_times([times])
        if not (requests and totals.sum_microseconds):
            return
        second = max(int(now - self.began - _REPORT_SECONDS), 0)
        # The longest is not reported: no time may be below the mean.
        self._seconds.add(SecondSums(second, requests, failures, spent, spent // requests))
        self.requests += requests
        self.failures += failures
        self.sum_microseconds += spent
        if failures < requests:
            self.last_good, self.last_good_second, self.failures_since = now, second, 0
        else:
            self.failures_since += failures

    @property
    def windows(self) -> SecondSeries:
        """Windows of the seconds that are over: of the last, not all workers may have reported."""
        return self._seconds.before(self._seconds[-1].second) if self._seconds else self._seconds

    @property
    def histogram(self) -> Histogram:
        """Service times, in an open loop response times."""
        return histogram_of(self._counts)


_NOTHING = LiveTotals(0, 0, 0, 0)


class StepReports:
    """Reports by worker; those of another step run are ignored."""

    def __init__(self) -> None:
        self.key = ""
        """Key of the assignment; empty before the first."""
        self.spawned: set[str] = set()
        """Workers whose users are all there."""
        self.results: dict[str, WorkerStepResult] = {}
        self.recent = RecentWindow()
        self.so_far = RunningTotals()
        self._totals: dict[str, LiveTotals] = {}
        self._progress_at: dict[str, float] = {}

    def begin(self, key: str, workers: Iterable[str], now: float) -> None:
        """Forget the last step run; workers of the next one may be silent from `now` on."""
        self.key = key
        self.spawned.clear()
        self.results.clear()
        self._totals.clear()
        self.recent.clear()
        self.so_far.begin(None)
        self._progress_at = dict.fromkeys(workers, now)

    def add_progress(
        self, worker: str, totals: LiveTotals, recent: RecentRequests, now: float
    ) -> None:
        """Keep a worker's totals and its last second, reported at `now`."""
        self.recent.add(now, recent)
        self._progress_at[worker] = now
        self.so_far.add(self._totals.get(worker, _NOTHING), totals, recent.times, now)
        self._totals[worker] = totals

    def silent_seconds(self, worker: str, now: float) -> float:
        """Return the time since a worker's last report; 0 of a worker that need not report."""
        return now - self._progress_at.get(worker, now)

    @property
    def live_totals(self) -> LiveTotals:
        """Totals of all workers, as of the last second."""
        return LiveTotals(*map(sum, zip(_NOTHING, *self._totals.values(), strict=True)))


class DistributedStepRunState(Enum):
    """Where a step run stands; it decides what the loss of a worker means."""

    SPAWNING = auto()
    """Assigned; users come. A loss aborts it."""
    MEASURING = auto()
    """Measuring was ordered. Users of a lost worker can go to the others."""
    CONCLUDED = auto()
    """Over or aborted. A loss changes nothing any more."""


@dataclass(eq=False, repr=False)
class DistributedStepRun:
    """A step run that every worker has its part of; used in the greenlet of the run alone."""

    assignment: Assignment
    """What is run, as worker 0 sees it."""
    names: Mapping[str, str]
    """Names of the workers by id, in the order of their places."""
    reports: StepReports
    runner: MasterRunner
    redispatch: Callable[[], None]
    roster: WorkerRoster = field(init=False)
    """The workers by their places."""
    state: DistributedStepRunState = field(default=DistributedStepRunState.SPAWNING, init=False)
    lost: list[str] = field(default_factory=list, init=False)
    """Names of the workers whose measurements are missing."""
    _removed: set[str] = field(default_factory=set, init=False)

    def __post_init__(self) -> None:
        self.roster = WorkerRoster(tuple(self.names), UserPlacement(len(self.names)))

    @property
    def remaining(self) -> list[str]:
        """Workers that have users of the step run."""
        workers, placement = self.roster
        return [workers[index] for index in placement.remaining_workers]

    @property
    def results(self) -> list[tuple[str, WorkerStepResult]]:
        """Names and results of the workers that have ended the step run, by place."""
        results = self.reports.results
        return [(name, results[each]) for each, name in self.names.items() if each in results]

    def assign(self) -> None:
        """Give every worker its part."""
        for index, worker in enumerate(self.names):
            seat = {"worker": index, "workers": len(self.names)}
            part = self.assignment.model_copy(update=seat)
            self.runner.send_message(COMMAND, command_data(part), client_id=worker)

    def command(self, command: type[StartMeasuring | StopSending | Abort]) -> None:
        """Send a command to every worker that has users of the step run."""
        if command is StartMeasuring:
            # From here on the other workers can go on with the users of a lost one.
            self.state = DistributedStepRunState.MEASURING
        data = command_data(command(key=self.assignment.key))
        for worker in self.remaining:
            self.runner.send_message(COMMAND, data, client_id=worker)

    def conclude(self) -> None:
        """Let losses change nothing from now on."""
        self.state = DistributedStepRunState.CONCLUDED

    def needs(self, worker: str) -> bool:
        """Say whether a worker has still to measure and report; one that was aborted has not."""
        return self._is_open and worker not in self.reports.results

    def has_result_of(self, worker: str) -> bool:
        """Say whether a worker has ended the step run, whose results are still awaited."""
        return self._is_open and worker in self.reports.results

    @property
    def _is_open(self) -> bool:
        return self.state is not DistributedStepRunState.CONCLUDED

    def remove_worker(self, worker: str, loss: str) -> None:
        """Go on without a worker: its users go to the others; `loss` says why.

        It raises `LoadError` with `WorkerLost` if it was the last one, `StepRunAbortedError` if its
        part cannot be made good and others are left.
        """
        self._removed.add(worker)
        if not self.needs(worker):
            return
        if self._removed.issuperset(self.remaining):
            raise LoadError(LoadReason.WORKER_LOST, f"{loss}, and no worker is left")
        # What is exact, or planned for each worker, has lost its part with it; and a worker without
        # users has ended its part already, and takes none over.
        is_planned = self.assignment.open_loop is not None or self.assignment.requests is not None
        has_idle = self.assignment.users < len(self.names)
        if self.state is not DistributedStepRunState.MEASURING or is_planned or has_idle:
            raise StepRunAbortedError(LoadReason.WORKER_LOST, loss)
        self.lost.append(self.names[worker])
        workers, before = self.roster
        placement = before.after_loss(workers.index(worker))
        self.roster = WorkerRoster(workers, placement)
        # The command goes before the dispatch: messages of one connection arrive in the order they
        # were sent, so a worker knows the numbers of the users that Locust then spawns.
        for index, users in placement.reassigned_users(self.assignment.users).items():
            command = AdoptUsers(key=self.assignment.key, users=users)
            self.runner.send_message(COMMAND, command_data(command), client_id=workers[index])
        self.redispatch()
