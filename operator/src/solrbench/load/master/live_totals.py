"""The step run under way as its workers report it each second: all that is left if it breaks off.

Names of requests are not in these reports, and times are known to 1.6 % (`recent_times`).
"""

from solrbench.load.recording.recent_times import add_times, histogram_of, no_times
from solrbench.load.recording.window_sums import SecondSums, WindowSums
from solrbench.load.schedule.messages import LiveTotals
from solrbench.results.stats.histograms import Histogram

_REPORT_SECONDS = 0.5
"""A report belongs to the second before it; messages take less than this."""


class RunningTotals:
    """Sums over all workers since measuring began, in as little memory as a step's windows need.

    Attributes:
        began: when measuring began, in monotonic seconds; None before
        reported: when the last report came
        requests: requests that ended since
        failures: how many of them failed
        sum_microseconds: their service times
        last_good_second: the last second with a good response, counted from `began`; 0 without one
        failures_since: requests that failed since then

    """

    def __init__(self) -> None:
        self.begin(None)

    def begin(self, now: float | None) -> None:
        """Forget everything; measuring begins at `now`, or not yet."""
        self.began = now
        self.reported = now or 0.0
        self.requests = self.failures = self.sum_microseconds = 0
        self.last_good_second = self.failures_since = 0
        self._counts = no_times()
        self._windows = WindowSums()
        self._second = SecondSums(0, 0, 0, 0, 0)

    def add(self, before: LiveTotals, totals: LiveTotals, times: bytes, now: float) -> None:
        """Add what a worker, whose totals were `before`, reports at `now`."""
        if self.began is None:
            return
        requests, failures = totals.requests - before.requests, totals.failures - before.failures
        spent = totals.sum_microseconds - before.sum_microseconds
        self.reported = now
        if requests <= 0:
            return
        second = max(int(now - self.began - _REPORT_SECONDS), 0)
        self._add_second(second, requests, failures, spent)
        self.requests += requests
        self.failures += failures
        self.sum_microseconds += spent
        add_times(self._counts, times)
        if failures < requests:
            self.last_good_second, self.failures_since = second, 0
        else:
            self.failures_since += failures

    def _add_second(self, second: int, requests: int, failures: int, spent: int) -> None:
        if second > self._second.second:
            self._close_second()
            self._second = SecondSums(second, 0, 0, 0, 0)
        known = self._second
        self._second = known._replace(
            requests=known.requests + requests,
            failures=known.failures + failures,
            sum_microseconds=known.sum_microseconds + spent,
            # The longest is not reported: no time may be below the mean.
            max_microseconds=max(known.max_microseconds, spent // requests),
        )

    def _close_second(self) -> None:
        if self._second.requests:
            self._windows.append(self._second)

    @property
    def windows(self) -> WindowSums:
        """Windows of the seconds that are over."""
        return self._windows

    @property
    def histogram(self) -> Histogram:
        """Service times, in an open loop response times."""
        return histogram_of(self._counts)
