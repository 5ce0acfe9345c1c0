"""A step run whose target is gone is ended; nothing else is."""

import asyncio
import socket
import threading
from typing import cast

import pytest

from bench.servers.running import free_port
from solrbench.api.v1alpha1.arrivals import UntilSteady
from solrbench.load.errors import LoadError
from solrbench.load.master.distributed_step_run import DistributedStepRun, StepReports
from solrbench.load.master.steady_state import (
    CollapseDetector,
    SteadyStateDetector,
    ThroughputMeter,
    wait_for_target,
)
from solrbench.load.recording.request_stats import RecentRequests
from solrbench.load.schedule.messages import LiveTotals, StopSending
from support.failing import failing
from support.load.builders import do_not_pause
from support.narrowing import not_none
from support.servers.http_server import Exchange, HttpServer


class Load:
    """A step run on its workers, and the clock on their wall."""

    def __init__(self) -> None:
        self.reports = StepReports()
        self.stopped = 0
        self.seconds = 100.0
        self.reports.so_far.begin(self.seconds)

    def command(self, command: type[StopSending]) -> None:
        self.stopped += command is StopSending

    def work(self, requests: int, mean: int = 1, failures: int = 0) -> None:
        self.seconds += 1
        _, before, failed, elapsed = self.reports.live_totals
        totals = LiveTotals(2, before + requests, failed + failures, elapsed + requests * mean)
        self.reports.add_progress("worker", totals, RecentRequests(), self.seconds)


def watched(load: Load) -> SteadyStateDetector:
    until = UntilSteady(windows=3, window_requests=20)
    return SteadyStateDetector(until, cast("DistributedStepRun", load), lambda: load.seconds)


def test_closes_once_when_the_windows_are_alike() -> None:
    load = Load()
    watch = watched(load)
    closed = []
    for mean in (900, 500, 100, 101, 99, 300, 100):
        load.work(50, mean)
        watch.update()
        watch.update()
        closed.append(load.stopped)
    assert closed == [0, 0, 0, 0, 1, 1, 1]
    # What comes after the end changes nothing.
    assert watch.is_steady


def test_looks_between_two_reports_change_nothing() -> None:
    load = Load()
    watch = watched(load)
    for _ in range(5):
        load.seconds += 0.25
        watch.update()
    for _ in range(2):
        load.work(50, 100)
        watch.update()
    assert not watch.is_steady
    load.work(50, 100)
    watch.update()
    assert watch.is_steady


async def _unavailable(exchange: Exchange) -> None:
    exchange.send(status=503)


async def test_any_answer_of_any_node_will_do() -> None:
    async with HttpServer(_unavailable) as server:
        urls = [f"http://127.0.0.1:{free_port()}/solr", server.url]
        await asyncio.to_thread(wait_for_target, urls, 1, do_not_pause)
        assert len(server.requests) == 1


def test_node_that_comes_up_late_is_waited_for() -> None:
    port, pauses = free_port(), []
    url = f"http://127.0.0.1:{port}/solr"
    with socket.socket() as listener:

        def serve() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(1000)
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")

        def come_up(seconds: float) -> None:
            pauses.append(seconds)
            listener.bind(("127.0.0.1", port))
            listener.listen()
            threading.Thread(target=serve, daemon=True).start()

        wait_for_target([url], 30, come_up)
    assert len(pauses) == 1


def test_unreachable_target_fails_with_the_last_error() -> None:
    clock = iter(range(100))
    url = f"http://127.0.0.1:{free_port()}/solr"
    with failing(LoadError, "TargetUnreachable", "none of 1 nodes responded within 3 s") as caught:
        wait_for_target([url], 3, lambda _: None, lambda: next(clock))
    assert url in caught.value.message
    assert next(clock) == 4
    several = [f"http://127.0.0.1:{free_port()}/solr" for _ in range(3)]
    with failing(LoadError, "TargetUnreachable", "none of the first 2 of 3 nodes responded"):
        wait_for_target(several, 2, lambda _: None, lambda: next(clock))


async def test_login_that_is_refused_is_not_waited_out() -> None:
    async def refuse(exchange: Exchange) -> None:
        exchange.send(status=401)

    async with HttpServer(refuse) as server:
        with failing(LoadError, "AuthenticationFailed"):
            await asyncio.to_thread(wait_for_target, [server.url], 5, do_not_pause)


def test_rate_is_that_of_the_last_five_seconds() -> None:
    speed = ThroughputMeter()
    for second in range(20):
        speed.add(second, 100 * second if second < 10 else 1000 + 300 * (second - 10))
    assert speed.rate(19) == pytest.approx(300)


def test_rate_needs_two_totals() -> None:
    speed = ThroughputMeter()
    assert speed.rate(0) == 0
    speed.add(0, 10)
    assert speed.rate(1) == 0
    speed.add(2, 10)
    assert speed.rate(2) == 0
    speed.add(2.5, 60)
    assert speed.rate(2.5) == pytest.approx(20)


def test_rate_falls_to_zero_when_nothing_comes_any_more() -> None:
    speed = ThroughputMeter()
    speed.add(0, 0)
    speed.add(1, 50)
    assert speed.rate(3) == pytest.approx(50)
    assert speed.rate(7) == 0


@pytest.mark.parametrize("explicit", [True, False])
def test_reset_forgets_earlier_step_run(explicit: bool) -> None:
    speed = ThroughputMeter()
    speed.add(0, 0)
    speed.add(1, 5000)
    if explicit:
        speed.reset()
    speed.add(2, 10)
    assert speed.rate(2) == 0
    speed.add(3, 30)
    assert speed.rate(3) == pytest.approx(20)


def seen(*by_second: tuple[int, int]) -> tuple[Load, CollapseDetector]:
    """Show requests and failures of each second to a limit of 5 s."""
    load = Load()
    detector = CollapseDetector(5, cast("DistributedStepRun", load), lambda: load.seconds)
    for requests, failures in by_second:
        load.work(requests, failures=failures)
        detector.update()
    return load, detector


def test_step_without_good_response_is_ended_once_with_its_first_symptom() -> None:
    load, detector = seen(*[(10, 1)] * 7, *[(3, 3)] * 8)
    assert load.stopped == 1
    ended = not_none(detector.ended)
    assert (ended.second, ended.last_good_second, ended.failures) == (12, 7, 15)


def test_target_that_comes_back_is_not_ended() -> None:
    load, detector = seen((9, 0), *[(3, 3)] * 3, (4, 1), *[(3, 3)] * 2)
    assert (load.stopped, detector.ended) == (0, None)


def test_silence_without_failures_is_no_collapse() -> None:
    load, _ = seen((5, 0), *[(0, 0)] * 19)
    assert load.stopped == 0


def test_target_that_was_never_there_is_ended() -> None:
    _, detector = seen(*[(1, 1)] * 7)
    assert not_none(detector.ended).last_good_second == 0
