"""What all workers reported in the last seconds, as one."""

from collections import deque
from typing import NamedTuple

from solrbench.load.recording.recent_times import RecentRequests, percentiles_of

WINDOW_SECONDS = 10.0
MOST_REPORTS = 20_000
"""Reports that are kept: ten seconds of 2000 workers, each of a few hundred bytes."""


class RecentFigures(NamedTuple):
    """Requests of all workers that ended in the last seconds; all None without any."""

    requests: int | None = None
    failures: int | None = None
    p50_milliseconds: float | None = None
    p95_milliseconds: float | None = None
    p99_milliseconds: float | None = None


class RecentWindow:
    """Keeps reports as they came and merges them when they are asked for.

    A report costs the master a few microseconds, whatever the number of its requests; percentiles
    are of the merged counts, as an average of percentiles is none.
    """

    def __init__(self) -> None:
        self._reports: deque[tuple[float, RecentRequests]] = deque(maxlen=MOST_REPORTS)

    def clear(self) -> None:
        """Forget everything: another step run begins, or its measurement does."""
        self._reports.clear()

    def add(self, now: float, recent: RecentRequests) -> None:
        """Keep a report that came at `now`, in seconds."""
        self._drop_old(now)
        if recent.requests or recent.times:
            self._reports.append((now, recent))

    def figures(self, now: float) -> RecentFigures:
        """Return what came in the seconds before `now`."""
        self._drop_old(now)
        if not self._reports:
            return RecentFigures()
        reports = [recent for _, recent in self._reports]
        times = percentiles_of((each.times for each in reports), (50, 95, 99))
        return RecentFigures(
            sum(each.requests for each in reports), sum(each.failures for each in reports), *times
        )

    def _drop_old(self, now: float) -> None:
        while self._reports and self._reports[0][0] <= now - WINDOW_SECONDS:
            self._reports.popleft()
