"""When sending is over in an open loop."""

import asyncio

from support.servers.http_server import Exchange, HttpServer
from unit.load.builders import duty, run, run_step, target


def test_the_drain_of_a_number_of_requests_is_no_time_of_sending() -> None:
    async def slow(exchange: Exchange) -> None:
        await asyncio.sleep(0.3)
        exchange.send()

    async def body() -> None:
        async with HttpServer(slow) as server:
            outcome = await run_step(target(server.url), duty(requests=5, requests_per_second=50))
        # The last one arrives 0.08 s after the first; the next would 0.02 s later.
        assert (outcome.sending_seconds, outcome.planned_seconds) == (0.1, 0.1)
        (result,) = outcome.requests
        assert [(each.second, each.requests) for each in result.windows] == [(1, 5)]

    run(body)
