"""Transactions at a planned rate: each is one arrival, whatever it asks."""

import asyncio
from typing import Any

from solrbench.load.engine.target import LoadTarget
from solrbench.results.summary.arrivals import dropped, late, of_arrivals
from support.load.transactions import CHAIN, echo, lines, target, workload
from support.load.worker_results import merged
from support.servers.http_server import Exchange, HttpServer
from unit.load.builders import duty, run, run_step


def thinking(milliseconds: int, *requests: dict[str, Any]) -> list[dict[str, Any]]:
    """Return requests that think before each but the first."""
    think = {"thinkTime": {"constantMilliseconds": milliseconds}}
    return [each | (think if index else {}) for index, each in enumerate(requests)]


def test_transactions_that_think_occupy_no_connection() -> None:
    async def body() -> None:
        async with HttpServer(echo) as server:
            spec = workload(*thinking(300, *CHAIN))
            what = target(server.url, spec, lines("x"))
            impatient = LoadTarget(what.requests, 1, what.nodes, 0.5)
            plan = duty(requests=30, requests_per_second=200, max_in_flight=2)
            result = await run_step(impatient, plan)
        document = merged(result)
        (whole,) = of_arrivals(document.requests)
        assert (whole.requests, whole.failures, dropped(document)) == (30, 0, 0)
        assert len(server.requests) == 90
        assert server.connections == 2
        assert result.nodes[0].requests == 90

    run(body)


def test_thought_out_requests_that_find_no_connection_are_dropped_with_their_transaction() -> None:
    async def stuck(exchange: Exchange) -> None:
        if exchange.number >= 1:
            await asyncio.sleep(60)
        await echo(exchange)

    async def body() -> None:
        async with HttpServer(stuck) as server:
            what = target(server.url, workload(*thinking(100, *CHAIN)), lines("x"))
            impatient = LoadTarget(what.requests, 1, what.nodes, 0.3)
            plan = duty(requests=2, requests_per_second=50, max_in_flight=1)
            result = await run_step(impatient, plan)
        by_name = {each.request: each for each in merged(result).requests}
        # The first has thought while the second, never answered, has the only connection.
        assert (by_name["lend.a"].requests, by_name["lend.a"].failures) == (2, 1)
        whole = by_name["lend"]
        assert whole.requests + whole.dropped_requests == result.planned_requests == 2
        assert whole.failures + whole.dropped_requests == 2

    run(body)


def test_what_belongs_to_a_transaction_of_the_ramp_belongs_to_the_ramp() -> None:
    async def body() -> None:
        async with HttpServer(echo) as server:
            what = target(server.url, workload(*thinking(400, *CHAIN)), lines("x"))
            plan = duty(requests=20, requests_per_second=40, ramp_seconds=1)
            result = await run_step(what, plan)
        by_name = {each.request: each for each in merged(result).requests}
        assert {name: each.requests for name, each in by_name.items()} == dict.fromkeys(
            ("lend", "lend.a", "lend.b", "lend.c"), 20
        )
        assert len({each.ramp_requests for each in by_name.values()}) == 1

    run(body)


def test_transactions_that_are_never_sent_are_arrivals_that_were_dropped() -> None:
    async def stuck(exchange: Exchange) -> None:
        if exchange.number in (4, 5):
            await asyncio.sleep(60)
        await echo(exchange)

    async def body() -> None:
        async with HttpServer(stuck) as server:
            what = target(server.url, workload(*CHAIN), lines("x"))
            impatient = LoadTarget(what.requests, 1, what.nodes, 0.3)
            plan = duty(requests=60, requests_per_second=100, max_in_flight=1)
            result = await run_step(impatient, plan)
        document = merged(result)
        (whole,) = of_arrivals(document.requests)
        assert whole.request == "lend"
        assert result.planned_requests == 60
        assert whole.requests + dropped(document) == 60
        assert dropped(document) == whole.dropped_requests > 0
        assert late(document) == whole.late_requests > 0
        by_name = {each.request: each for each in document.requests}
        assert by_name["lend.a"].dropped_requests == whole.dropped_requests
        assert len(server.requests) == sum(by_name[f"lend.{name}"].requests for name in "abc")

    run(body)
