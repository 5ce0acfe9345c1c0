"""When sending is over in an open loop.

Transactions at a planned rate: each is one arrival, whatever it asks.
"""

import asyncio
import time
from typing import Any

import pytest

from bench.servers.running import free_port
from solrbench.analysis.arrivals import dropped, late, of_arrivals
from solrbench.load.engine.sender import OpenLoopSender
from solrbench.load.recording.worker_result import WorkerStepResult
from solrbench.load.schedule.messages import StopSending
from solrbench.stats.histograms import decode
from support.load.builders import (
    RecordingListener,
    begin_step,
    duty,
    kinds,
    only,
    plain,
    run_step,
    target,
    until,
    workload,
)
from support.load.transactions import CHAIN, echo
from support.load.transactions import target as transactions
from support.load.worker_results import merged
from support.servers.http_server import EVERY, Exchange, HttpServer, respond_after


@pytest.mark.parametrize("kind", ["Poisson", "Uniform"])
@pytest.mark.parametrize("requests", [1, 300])
async def test_requests_are_exact(kind: str, requests: int) -> None:
    async with HttpServer() as server:
        what = duty(requests=requests, requests_per_second=2000, distribution=kind)
        outcome = await run_step(target(server.url), what)
    assert len(server.requests) == requests
    result = only(outcome)
    assert (result.requests, result.failures, result.dropped_requests) == (requests, 0, 0)
    assert outcome.planned_requests == requests
    for stored in (result.service_time_histogram, result.response_time_histogram):
        assert decode(stored or "").count == requests
    assert sum(window.requests for window in result.windows) == requests


async def test_two_workers_share_arrivals_and_queries_without_doubles() -> None:
    queries = plain(*(f"w{i}" for i in range(101)))
    async with HttpServer() as server:
        what = target(server.url, queries=queries)
        parts = [duty(w, 2, requests=101, requests_per_second=500) for w in (0, 1)]
        results = await asyncio.gather(*(run_step(what, part) for part in parts))
    assert sorted(server.queries) == sorted(f"w{i}" for i in range(101))
    assert [result.planned_requests for result in results] == [51, 50]


async def test_nothing_is_sent_before_its_time() -> None:
    arrived: list[float] = []

    async def note(exchange: Exchange) -> None:
        arrived.append(time.perf_counter())
        exchange.send()

    async with HttpServer(note) as server:
        began = time.perf_counter()
        result = await run_step(target(server.url), duty(requests=20, requests_per_second=100))
    assert all(at - began >= 0.01 * index for index, at in enumerate(arrived))
    assert result.lag_max_microseconds is not None
    assert (result.lag_p99_microseconds or 0) <= result.lag_max_microseconds
    assert (result.last_seconds or 0) >= 0.19


async def test_slow_response_delays_no_other_request() -> None:
    async with HttpServer(respond_after(0.5)) as server:
        work = duty(seconds=1, requests_per_second=50, max_in_flight=60)
        outcome = await run_step(target(server.url), work)
    result = only(outcome)
    # A closed loop of one user would have asked twice.
    assert (result.requests, result.dropped_requests) == (50, 0)
    # Timers of the server's loop are early by what its turn took, on a busy machine above all.
    assert (result.min_microseconds or 0) >= 490_000
    assert 1.47 < (outcome.last_seconds or 0) < 3
    assert server.connections <= 60


async def test_a_request_that_had_to_wait_shows_in_the_response_time_alone() -> None:
    async with HttpServer(respond_after(0.1)) as server:
        work = duty(requests=10, requests_per_second=1000, max_in_flight=1)
        outcome = await run_step(target(server.url), work)
    result = only(outcome)
    assert (server.connections, result.requests, result.dropped_requests) == (1, 10, 0)
    # The first is sent at once, the last after nine others; the load took 9 ms to arrive.
    # On a busy machine, the first is late too.
    assert result.late_requests in {9, 10}
    assert (result.response_max_microseconds or 0) >= 990_000
    assert result.response_sum_microseconds >= sum(100_000 * n - 1000 * n for n in range(10))
    assert (result.response_max_microseconds or 0) > 2 * (result.max_microseconds or 0)


async def test_requests_that_wait_too_long_are_dropped_and_counted_with_their_wait() -> None:
    async with HttpServer(respond_after(60, range(2))) as server:
        work = duty(seconds=1, requests_per_second=100, max_in_flight=2)
        outcome = await run_step(target(server.url, timeout_seconds=0.4), work)
    result = only(outcome)
    assert result.requests + result.dropped_requests == outcome.planned_requests == 100
    assert len(server.requests) == decode(result.service_time_histogram).count == result.requests
    assert kinds(outcome) == {"Timeout": 2}
    # Both connections are blocked from 0.01 s to 0.4 s, longer than any request waits.
    assert result.late_requests > 30
    assert decode(result.response_time_histogram or "").count == 100
    assert (result.response_max_microseconds or 0) >= 400_000


async def test_dropped_requests_keep_their_place_in_the_order() -> None:
    queries = plain(*(f"w{i}" for i in range(60)))
    async with HttpServer(respond_after(60, range(1))) as server:
        what = target(server.url, queries=queries, timeout_seconds=0.3)
        result = await run_step(what, duty(requests=60, requests_per_second=100, max_in_flight=1))
    dropped = only(result).dropped_requests
    assert result.used_numbers == [60]
    asked = [int(text[1:]) for text in server.queries]
    assert asked == sorted(set(asked))
    assert len(asked) == 60 - dropped


async def test_sender_rests_while_the_last_responses_are_awaited(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rings: list[int] = []
    ring = OpenLoopSender._on_timer

    def count(sender: OpenLoopSender) -> None:
        rings.append(1)
        ring(sender)

    monkeypatch.setattr(OpenLoopSender, "_on_timer", count)
    async with HttpServer(respond_after(0.2)) as server:
        await run_step(target(server.url), duty(requests=5, requests_per_second=1000))
    # A timer that stays due would call it in each turn of the loop.
    assert 1 <= len(rings) <= 6


async def test_arrivals_beyond_a_list_that_ran_out_while_they_waited_are_not_planned() -> None:
    queries = plain("w0", "w1", "w2")
    async with HttpServer(respond_after(60)) as server:
        what = target(server.url, queries=queries, timeout_seconds=0.3, spec=workload(order="Once"))
        outcome = await run_step(what, duty(seconds=2, requests_per_second=100, max_in_flight=1))
    result = only(outcome)
    # The third and those that nothing was left for became too old while the second was asked.
    assert result.dropped_requests >= 1
    assert result.requests + result.dropped_requests == 3
    assert (outcome.planned_requests, outcome.queries_exhausted) == (3, True)


async def test_arrivals_beyond_a_list_that_failing_connections_used_up_are_not_planned() -> None:
    what = target(
        f"http://127.0.0.1:{free_port()}/solr",
        queries=plain("w0", "w1", "w2"),
        spec=workload(order="Once"),
    )
    result = await run_step(what, duty(requests=30, requests_per_second=300))
    assert kinds(result) == {"ConnectionRefused": 3}
    assert (result.planned_requests, result.queries_exhausted) == (3, True)


async def test_schedule_without_an_arrival_ends_at_once() -> None:
    async with HttpServer() as server:
        result = await run_step(target(server.url), duty(1, 2, requests=1, requests_per_second=1))
    assert (result.planned_requests, result.requests, server.requests) == (0, [], [])


async def test_stopped_arrivals_are_no_plan_any_more() -> None:
    listener = RecordingListener()
    async with HttpServer() as server:
        what = duty(seconds=60, requests_per_second=200)
        engine = await begin_step(target(server.url), what, listener)
        await until(lambda: len(server.requests) >= 20)
        engine.execute(StopSending(key=what.key))
        result = await asyncio.wait_for(listener.outcome, 5)
    assert result.planned_requests == only(result).requests == len(server.requests) < 12_000
    assert only(result).dropped_requests == 0


async def test_the_drain_of_a_number_of_requests_is_no_time_of_sending() -> None:
    async with HttpServer(respond_after(0.3)) as server:
        outcome = await run_step(target(server.url), duty(requests=5, requests_per_second=50))
    # The last one arrives 0.08 s after the first; the next would 0.02 s later.
    assert (outcome.sending_seconds, outcome.planned_seconds) == (0.1, 0.1)
    assert [(each.second, each.requests) for each in only(outcome).windows] == [(1, 5)]


def thinking(milliseconds: int, *requests: dict[str, Any]) -> list[dict[str, Any]]:
    """Return requests that think before each but the first."""
    think = {"thinkTime": {"constantMilliseconds": milliseconds}}
    return [each | (think if index else {}) for index, each in enumerate(requests)]


async def test_transactions_that_think_occupy_no_connection() -> None:
    async with HttpServer(echo) as server:
        what = transactions(server.url, *thinking(300, *CHAIN), timeout_seconds=0.5)
        result = await run_step(what, duty(requests=30, requests_per_second=200, max_in_flight=2))
    document = merged(result)
    (whole,) = of_arrivals(document.requests)
    assert (whole.requests, whole.failures, dropped(document)) == (30, 0, 0)
    assert len(server.requests) == 90
    assert server.connections == 2
    assert result.nodes[0].requests == 90


def assert_whole_took_as_long_as_its_requests(result: WorkerStepResult) -> None:
    whole, *inside = sorted(result.requests, key=lambda each: not each.is_transaction)
    together = sum(each.response_sum_microseconds for each in inside)
    # Each of them is cut to whole microseconds.
    assert whole.response_sum_microseconds == pytest.approx(together, abs=20)


async def test_waits_of_later_requests_are_in_the_response_time_of_their_transaction() -> None:
    async with HttpServer(respond_after(0.1, respond=echo)) as server:
        what = transactions(server.url, *thinking(50, *CHAIN))
        result = await run_step(what, duty(requests=4, requests_per_second=100, max_in_flight=1))
    (whole,) = [each for each in result.requests if each.is_transaction]
    assert (whole.requests, whole.dropped_requests) == (4, 0)
    # All begin within 30 ms, and one connection serves twelve requests of 0.1 s.
    assert whole.response_sum_microseconds > whole.sum_microseconds + 2_000_000
    assert_whole_took_as_long_as_its_requests(result)


async def test_thought_out_requests_without_a_connection_are_dropped_with_their_transaction() -> (
    None
):
    async with HttpServer(respond_after(60, EVERY[1:], echo)) as server:
        what = transactions(server.url, *thinking(500, *CHAIN), timeout_seconds=0.8)
        result = await run_step(what, duty(requests=3, requests_per_second=5, max_in_flight=1))
    by_name = {each.request: each for each in merged(result).requests}
    # The first has thought while the others, never answered, have the only connection.
    assert (by_name["lend.a"].requests, by_name["lend.a"].failures) == (3, 2)
    whole = by_name["lend"]
    assert whole.requests + whole.dropped_requests == result.planned_requests == 3
    assert whole.failures + whole.dropped_requests == 3
    assert by_name["lend.b"].dropped_requests == whole.dropped_requests == 1
    assert_whole_took_as_long_as_its_requests(result)


async def test_transaction_that_waits_when_the_inputs_run_out_is_carried_to_its_end() -> None:
    async with HttpServer(respond_after(0.1, respond=echo)) as server:
        chain = thinking(50, *CHAIN[:2])
        what = transactions(server.url, *chain, inputs=("x", "broken"), order="Once")
        result = await run_step(what, duty(requests=3, requests_per_second=100, max_in_flight=1))
    # The first has thought while the second, which fails, has the only connection; the third, for
    # which no input is left, waited before it.
    assert server.queries == ["x", "broken", "<x>!"]
    assert (result.planned_requests, result.queries_exhausted) == (2, True)


async def test_what_belongs_to_a_transaction_of_the_ramp_belongs_to_the_ramp() -> None:
    async with HttpServer(echo) as server:
        what = transactions(server.url, *thinking(400, *CHAIN))
        result = await run_step(what, duty(requests=20, requests_per_second=40, ramp_seconds=1))
    by_name = {each.request: each for each in merged(result).requests}
    counts = {name: each.requests for name, each in by_name.items()}
    assert counts == dict.fromkeys(("lend", "lend.a", "lend.b", "lend.c"), 20)
    assert len({each.ramp_requests for each in by_name.values()}) == 1


async def test_transactions_that_are_never_sent_are_arrivals_that_were_dropped() -> None:
    async with HttpServer(respond_after(60, (4, 5), echo)) as server:
        what = transactions(server.url, *CHAIN, timeout_seconds=0.3)
        result = await run_step(what, duty(requests=60, requests_per_second=100, max_in_flight=1))
    document = merged(result)
    (whole,) = of_arrivals(document.requests)
    assert whole.request == "lend"
    assert whole.requests + dropped(document) == result.planned_requests == 60
    assert dropped(document) == whole.dropped_requests > 0
    assert late(document) == whole.late_requests > 0
    by_name = {each.request: each for each in document.requests}
    assert by_name["lend.a"].dropped_requests == whole.dropped_requests
    assert len(server.requests) == sum(by_name[f"lend.{name}"].requests for name in "abc")
