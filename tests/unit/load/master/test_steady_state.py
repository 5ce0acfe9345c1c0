from solrbench.api.v1alpha1.load.warm_up import UntilSteady
from solrbench.load.master.steady_state import SteadyStateDetector
from solrbench.load.schedule.messages import LiveTotals


class Workers:
    """Workers in a warm-up, and the clock on their wall."""

    def __init__(self) -> None:
        self.live_totals = LiveTotals(users=2, requests=0, failures=0, sum_microseconds=0)
        self.closed = 0
        self.seconds = 100.0

    def stop_sending(self) -> None:
        self.closed += 1

    def work(self, requests: int, mean: int) -> None:
        self.seconds += 1
        users, before, failures, elapsed = self.live_totals
        self.live_totals = LiveTotals(users, before + requests, failures, elapsed + requests * mean)


def watched(workers: Workers) -> SteadyStateDetector:
    until = UntilSteady(windows=3, window_requests=20)
    return SteadyStateDetector(until, workers, lambda: workers.seconds)


def test_closes_once_when_the_windows_are_alike() -> None:
    workers = Workers()
    watch = watched(workers)
    closed = []
    for mean in (900, 500, 100, 101, 99, 300, 100):
        workers.work(50, mean)
        watch.update()
        watch.update()
        closed.append(workers.closed)
    assert closed == [0, 0, 0, 0, 1, 1, 1]
    # What comes after the end changes nothing.
    assert watch.is_steady


def test_looks_between_two_reports_change_nothing() -> None:
    workers = Workers()
    watch = watched(workers)
    for _ in range(5):
        workers.seconds += 0.25
        watch.update()
    for _ in range(2):
        workers.work(50, 100)
        watch.update()
    assert not watch.is_steady
    workers.work(50, 100)
    watch.update()
    assert watch.is_steady
