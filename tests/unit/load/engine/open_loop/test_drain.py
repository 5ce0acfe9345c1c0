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
        sent, last = outcome.sending_seconds, outcome.last_seconds
        assert sent is not None
        assert last is not None
        # The last one arrives 0.08 s after the first, and is answered 0.3 s later.
        assert 0.08 <= sent <= last - 0.29

    run(body)
