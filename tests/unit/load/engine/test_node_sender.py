"""The states of an open loop's sender, in virtual time.

Planned requests to several nodes, some of which are away.
"""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from bench.servers.running import free_port
from solrbench.load.engine.measurement import StepRunState
from solrbench.load.engine.sender import OpenLoopSender
from solrbench.load.engine.target import RequestSupply, UserContext
from solrbench.load.recording.open_loop import OpenLoopRecorder
from solrbench.load.recording.recorder import StepRunRecorder
from solrbench.load.recording.response_gaps import NodeActivity, NodeCounts
from solrbench.load.recording.worker_result import WorkerRequestStats
from solrbench.load.schedule.arrivals import ArrivalRate, Schedule
from solrbench.stats.histograms import decode
from support.fakes.virtual_time import VirtualTimeLoop
from support.load.builders import (
    assignment,
    duty,
    kinds,
    only,
    plain,
    run_step,
    target,
    until,
    workload,
)
from support.load.worker_results import outcome
from support.servers.http_server import Exchange, HttpServer, respond_after
from support.servers.virtual_server import Calls, calling, serve

WAITING, RAMPING, MEASURING, STOPPING, FINISHED, ABORTED = StepRunState
URL = "http://solr:8983/solr"
MS = 1_000_000


class Bench:
    """A sender of one worker, the server it sends to, and what it reported."""

    def __init__(
        self,
        patch: pytest.MonkeyPatch,
        loop: VirtualTimeLoop,
        *,
        response_seconds: float = 0.05,
        finite_queries: int = 0,
        timeout_seconds: float = 5.0,
        **rate: Any,
    ) -> None:
        given = {"distribution": "Uniform", "max_in_flight": 10, "requests_per_second": 10} | rate
        what = target(
            URL,
            queries=plain(*(f"w{i}" for i in range(finite_queries or 3))),
            spec=workload(order="Once" if finite_queries else "Sequential"),
        )
        self.server = serve(patch, loop, response_seconds)
        self.loop = loop
        self.calls: Calls = []
        self.counts = OpenLoopRecorder(what.requests.names)
        self.recorder = StepRunRecorder(what.requests.names, loop.now_ns)
        supply = RequestSupply(what.requests.open_stream(assignment()).requests)
        finished = calling(self.calls, "finished")
        context = UserContext(supply, self.recorder, timeout_seconds, loop, finished)
        schedule = Schedule(ArrivalRate.model_validate(given), 1, 0, 1)
        nodes = [(each, NodeCounts(NodeActivity(each.host))) for each in what.nodes]
        self.sender = OpenLoopSender(context, schedule, self.counts, nodes, self._on_measuring)
        self.started_ns = 0

    async def start(self) -> None:
        await self.sender.prepare()
        assert (self.sender.state, self.server.sent_ns) == (WAITING, [])
        self.started_ns = self.loop.now_ns
        self.sender.start()

    async def until(self, state: StepRunState) -> float:
        """Wait for a state; return the seconds since the start."""
        while self.sender.state is not state:  # noqa: ASYNC110 - in virtual time
            await asyncio.sleep(0.001)
        return round((self.loop.now_ns - self.started_ns) / 1e9, 3)

    @property
    def sent_ms(self) -> list[int]:
        return [round((at - self.started_ns) / MS) for at in self.server.sent_ns]

    @property
    def results(self) -> list[WorkerRequestStats]:
        closed = outcome(*self.recorder.results())
        return self.counts.add_to_result(closed, self.recorder.result).requests

    def _on_measuring(self, at_ns: int) -> None:
        self.recorder.measure_from(at_ns)
        self.calls.append(f"measuring from {(at_ns - self.started_ns) // MS} ms")


MakeBench = Callable[..., Bench]


@pytest.fixture
def make(monkeypatch: pytest.MonkeyPatch, loop: VirtualTimeLoop) -> MakeBench:
    return partial(Bench, monkeypatch, loop)


async def test_requests_are_sent_at_their_time_and_drained_to_the_last_response(
    make: MakeBench,
) -> None:
    bench = make(requests=4)
    await bench.start()
    assert (bench.sender.state, bench.calls) == (MEASURING, ["measuring from 0 ms"])
    drained = await bench.until(STOPPING)
    assert 0.3 <= drained <= 0.35
    assert bench.calls == ["measuring from 0 ms"]
    assert await bench.until(FINISHED) - drained == pytest.approx(0.05, abs=0.002)
    assert bench.sent_ms == [0, 100, 200, 300]
    assert bench.calls == ["measuring from 0 ms", "finished"]
    assert (bench.counts.planned_requests, bench.counts.lags.max_microseconds) == (4, 0)


async def test_ramp_is_measured_from_its_end_even_if_that_comes_before_an_arrival(
    make: MakeBench,
) -> None:
    bench = make(requests=3, ramp_seconds=1)
    await bench.start()
    assert bench.sender.state is RAMPING
    # The first arrival at or after the end of the ramp turns the state, not the end itself.
    assert 1.0 <= await bench.until(MEASURING) <= 1.101
    assert bench.calls == ["measuring from 1000 ms"]
    ramp = [at for at in bench.sent_ms if at < 1000]
    await bench.until(FINISHED)
    assert ramp
    assert len(bench.sent_ms) - len(ramp) == bench.counts.planned_requests == 3


async def test_queries_that_end_drain_the_schedule_before_its_time(make: MakeBench) -> None:
    bench = make(requests=100, finite_queries=2, response_seconds=1.0)
    await bench.start()
    assert await bench.until(STOPPING) == pytest.approx(0.2, abs=0.002)
    assert bench.counts.planned_requests == 2
    assert await bench.until(FINISHED) == pytest.approx(1.1, abs=0.002)
    assert bench.calls == ["measuring from 0 ms", "finished"]


async def test_draining_lasts_until_no_request_waits(make: MakeBench) -> None:
    bench = make(requests=4, max_in_flight=1, response_seconds=1.0)
    await bench.start()
    assert await bench.until(STOPPING) == pytest.approx(0.3, abs=0.002)
    assert len(bench.sender._node_senders[0]._waiting) == 3
    assert await bench.until(FINISHED) == pytest.approx(4.0, abs=0.002)
    assert bench.sent_ms == [0, 1000, 2000, 3000]
    # Only the first found its connection free.
    assert bench.counts.lags.histogram().count == 1


async def test_requests_that_wait_longer_than_the_timeout_are_dropped(make: MakeBench) -> None:
    bench = make(requests=4, max_in_flight=1, response_seconds=0.45, timeout_seconds=0.5)
    await bench.start()
    await bench.until(FINISHED)
    assert bench.sent_ms == [0, 450]
    assert [each.dropped_requests for each in bench.results] == [2]


async def test_requests_fail_if_their_node_swallows_connections(
    loop: VirtualTimeLoop, make: MakeBench
) -> None:
    bench = make(requests=100, requests_per_second=100, timeout_seconds=0.5)
    bench.server.connect_seconds = 3600
    await bench.start()
    await bench.until(FINISHED)
    bench.recorder.take_finished_seconds(loop.now_ns, last=True)
    (result,) = bench.results
    # Of fifty that wait at a time, ten have an attempt to connect of their own.
    assert (result.requests, result.failures, result.dropped_requests) == (100, 100, 0)
    assert result.max_microseconds == 500_000
    (failed,) = result.failure_kinds
    assert (failed.kind, failed.sample) == ("Timeout", "cannot connect to solr:8983 within 0.5 s")
    slowest = [(each.service_time_microseconds, each.failure) for each in result.slow_requests]
    assert slowest == [(500_000, "Timeout")] * 10
    await asyncio.sleep(1)
    assert bench.calls == ["measuring from 0 ms", "finished"]


@pytest.mark.parametrize("state", [WAITING, RAMPING, MEASURING, STOPPING])
async def test_aborted_sender_sends_and_reports_no_more(
    state: StepRunState, make: MakeBench
) -> None:
    bench = make(requests=5, ramp_seconds=1)
    if state is not WAITING:
        await bench.start()
    await bench.until(state)
    sent, calls = len(bench.sent_ms), list(bench.calls)
    bench.sender.abort()
    bench.sender._on_timer()  # as one that the loop held already
    await asyncio.sleep(10)
    assert (bench.sender.state, len(bench.sent_ms), bench.calls) == (ABORTED, sent, calls)


async def test_finished_sender_stays_finished(make: MakeBench) -> None:
    bench = make(requests=1)
    await bench.start()
    await bench.until(FINISHED)
    bench.sender._on_timer()
    bench.sender.stop()
    bench.sender.abort()
    await asyncio.sleep(1)
    assert (bench.sender.state, bench.calls[1:]) == (FINISHED, ["finished"])


async def test_worker_that_stood_still_knows_its_own_part_of_the_response_times(
    loop: VirtualTimeLoop, make: MakeBench
) -> None:
    bench = make(requests=5, max_in_flight=1)
    await bench.start()
    await asyncio.sleep(0.06)
    loop.now_ns += 1000 * MS
    await bench.until(FINISHED)
    (result,) = [each for each in bench.results if each.response_time_without_lag_histogram]
    without = decode(result.response_time_without_lag_histogram or "")
    delayed = decode(result.response_time_histogram or "")
    assert without.count == delayed.count == 5
    # All that was due is sent one behind the other, 50 ms each, over the one connection.
    assert (without.percentile(100) or 0) < 210_000
    assert (delayed.percentile(100) or 0) > 900_000


async def test_requests_are_spread_over_nodes_by_few_connections() -> None:
    async with HttpServer() as one, HttpServer() as two, HttpServer() as three:
        what = target(one.url, two.url, three.url)
        await run_step(what, duty(requests=300, requests_per_second=300))
    assert [len(each.requests) for each in (one, two, three)] == [100, 100, 100]
    assert sum(each.connections for each in (one, two, three)) < 60


async def test_a_node_that_is_down_fails_its_share() -> None:
    async with HttpServer() as server:
        what = target(server.url, f"http://127.0.0.1:{free_port()}/solr")
        outcome = await run_step(what, duty(requests=100, requests_per_second=200))
    result = only(outcome)
    assert result.requests == 100
    assert kinds(outcome) == {"ConnectionRefused": 50}
    assert len(server.requests) == 50
    assert [(each.requests, each.failures) for each in outcome.nodes] == [(50, 0), (50, 50)]


async def test_requests_wait_for_the_node_whose_turn_it_was() -> None:
    free = asyncio.Event()

    async def stuck(exchange: Exchange) -> None:
        await free.wait()
        exchange.send()

    async with HttpServer(stuck) as slow, HttpServer() as quick:
        what = duty(requests=60, requests_per_second=600, max_in_flight=4)
        running = asyncio.create_task(run_step(target(slow.url, quick.url), what))
        await until(lambda: len(quick.requests) == 30)
        assert len(slow.requests) == 2
        free.set()
        outcome = await running
    assert (len(slow.requests), len(quick.requests)) == (30, 30)
    late, prompt = outcome.nodes
    assert (late.node, prompt.node) == (f"127.0.0.1:{slow.port}", f"127.0.0.1:{quick.port}")
    assert (late.requests, prompt.requests, prompt.failures) == (30, 30, 0)
    assert late.response_sum_microseconds > prompt.response_sum_microseconds
    whole = decode(late.response_time_histogram).count + prompt.requests
    assert whole == decode(only(outcome).response_time_histogram or "").count == 60


async def test_requests_dropped_at_a_silent_node_are_its_own() -> None:
    async with HttpServer(respond_after(60)) as silent, HttpServer() as quick:
        outcome = await run_step(
            target(silent.url, quick.url, timeout_seconds=0.3),
            duty(requests=100, requests_per_second=200, max_in_flight=2),
        )
    lost, prompt = outcome.nodes
    assert (prompt.requests, prompt.failures, prompt.unsent_requests) == (50, 0, 0)
    assert lost.requests + lost.unsent_requests == 50
    assert lost.requests == lost.failures == len(silent.requests)
    assert only(outcome).dropped_requests == lost.unsent_requests > 0
