"""What the workers reported of the step run under way."""

from collections.abc import Iterable

from solrbench.load.master.worker_pool.recent_window import RecentWindow
from solrbench.load.master.worker_pool.running_totals import RunningTotals
from solrbench.load.recording.recent_times import RecentRequests
from solrbench.load.recording.worker_result import WorkerStepResult
from solrbench.load.schedule.messages import LiveTotals

_NOTHING = LiveTotals(0, 0, 0, 0)


class StepReports:
    """Reports by worker; those of another step run are ignored.

    Attributes:
        key: key of the assignment; empty before the first
        spawned: workers whose users are all there
        results: results of the workers that have ended the step run
        recent: what all workers counted in the last seconds
        so_far: what all workers counted since measuring began

    """

    def __init__(self) -> None:
        self.key = ""
        self.spawned: set[str] = set()
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
        parts = list(self._totals.values())
        return LiveTotals(
            sum(part.users for part in parts),
            sum(part.requests for part in parts),
            sum(part.failures for part in parts),
            sum(part.sum_microseconds for part in parts),
        )
