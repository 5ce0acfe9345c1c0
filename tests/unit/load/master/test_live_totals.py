"""The last seconds of all workers."""

from solrbench.load.master.live_totals import WINDOW_SECONDS, RecentMetrics, RecentWindow
from solrbench.load.recording.request_stats import RecentRequests, pack_times


def test_window_without_reports_has_no_figures() -> None:
    assert RecentWindow().figures(0) == RecentMetrics()


def test_percentiles_are_of_all_workers_and_no_average() -> None:
    window = RecentWindow()
    window.add(1, RecentRequests(90, 1, pack_times({1600: 90})))
    window.add(1, RecentRequests(10, 2, pack_times({16: 10})))
    assert window.figures(1) == RecentMetrics(100, 3, 1.615, 1.615, 1.615)


def test_reports_leave_the_window_after_ten_seconds() -> None:
    window = RecentWindow()
    window.add(1, RecentRequests(5, 5, pack_times({16: 5})))
    window.add(2, RecentRequests(1, 0, pack_times({32: 1})))
    assert window.figures(1 + WINDOW_SECONDS) == RecentMetrics(1, 0, 0.047, 0.047, 0.047)
    assert window.figures(2 + WINDOW_SECONDS) == RecentMetrics()


def test_failures_without_a_time_count() -> None:
    window = RecentWindow()
    window.add(1, RecentRequests(2, 2))
    assert window.figures(1) == RecentMetrics(2, 2)


def test_cleared_window_is_empty() -> None:
    window = RecentWindow()
    window.add(1, RecentRequests(1, 0, pack_times({16: 1})))
    window.clear()
    assert window.figures(1) == RecentMetrics()
