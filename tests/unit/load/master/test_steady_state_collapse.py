"""A step run whose target is gone is ended; nothing else is."""

from solrbench.load.master.steady_state import CollapseDetector
from solrbench.load.schedule.messages import LiveTotals


class Load:
    def __init__(self) -> None:
        self.now = 100.0
        self.live_totals = LiveTotals(1, 0, 0, 0)
        self.stopped = 0

    def stop_sending(self) -> None:
        self.stopped += 1


def seen(*by_second: tuple[int, int]) -> tuple[Load, CollapseDetector]:
    """Show requests and failures so far, second by second, to a limit of 5 s."""
    load = Load()
    detector = CollapseDetector(5, load, lambda: load.now)
    for requests, failures in by_second:
        load.now += 1
        load.live_totals = LiveTotals(1, requests, failures, 0)
        detector.update()
    return load, detector


def test_step_without_good_response_is_ended_once_with_its_first_symptom() -> None:
    good = [(10 * second, second) for second in range(1, 8)]
    dead = [(70 + 3 * second, 7 + 3 * second) for second in range(1, 9)]
    load, detector = seen(*good, *dead)
    assert load.stopped == 1
    assert detector.ended is not None
    assert (detector.ended.second, detector.ended.last_good_second) == (12, 7)
    assert detector.ended.failures == 15


def test_target_that_comes_back_is_not_ended() -> None:
    load, detector = seen((9, 0), (12, 3), (15, 6), (18, 9), (22, 10), (25, 13), (28, 16))
    assert (load.stopped, detector.ended) == (0, None)


def test_silence_without_failures_is_no_collapse() -> None:
    load, _ = seen(*[(5, 0)] * 20)
    assert load.stopped == 0


def test_target_that_was_never_there_is_ended() -> None:
    _, detector = seen(*[(second, second) for second in range(1, 8)])
    assert detector.ended is not None
    assert detector.ended.last_good_second == 0
