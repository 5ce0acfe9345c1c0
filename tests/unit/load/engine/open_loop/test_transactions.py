"""Transactions at a planned rate: each is one arrival, whatever it asks."""

import asyncio

from solrbench.load.engine.target import LoadTarget
from solrbench.results.summary.arrivals import dropped, late, of_arrivals
from support.servers.http_server import Exchange, HttpServer
from unit.load.builders import run, run_step
from unit.load.engine.open_loop.test_sender import duty
from unit.load.master.test_merge_results import merged
from unit.load.workload.test_transactions import CHAIN, echo, lines, target, workload


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
