"""Planned requests to several nodes, some of which are away."""

import asyncio

from solrbench.results.stats.histograms import decode
from support.servers.http_server import Exchange, HttpServer
from support.servers.ports import free_port
from unit.load.builders import (
    duty,
    kinds,
    only,
    run,
    run_step,
    target,
    until,
)


def test_requests_are_spread_over_nodes_by_few_connections() -> None:
    async def body() -> None:
        async with HttpServer() as one, HttpServer() as two, HttpServer() as three:
            what = target(one.url, two.url, three.url)
            await run_step(what, duty(requests=300, requests_per_second=300))
        assert [len(each.requests) for each in (one, two, three)] == [100, 100, 100]
        assert sum(each.connections for each in (one, two, three)) < 60

    run(body)


def test_a_node_that_is_down_fails_its_share() -> None:
    async def body() -> None:
        async with HttpServer() as server:
            what = target(server.url, f"http://127.0.0.1:{free_port()}/solr")
            outcome = await run_step(what, duty(requests=100, requests_per_second=200))
        result = only(outcome)
        assert result.requests == 100
        assert kinds(outcome) == {"ConnectionRefused": 50}
        assert len(server.requests) == 50
        assert [(each.requests, each.failures) for each in outcome.nodes] == [(50, 0), (50, 50)]

    run(body)


def test_requests_wait_for_the_node_whose_turn_it_was() -> None:
    free = asyncio.Event()

    async def stuck(exchange: Exchange) -> None:
        await free.wait()
        exchange.send()

    async def body() -> None:
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

    run(body)


def test_requests_dropped_at_a_silent_node_are_its_own() -> None:
    async def never(_: Exchange) -> None:
        await asyncio.sleep(60)

    async def body() -> None:
        async with HttpServer(never) as silent, HttpServer() as quick:
            outcome = await run_step(
                target(silent.url, quick.url, timeout_seconds=0.3),
                duty(requests=100, requests_per_second=200, max_in_flight=2),
            )
        lost, prompt = outcome.nodes
        assert (prompt.requests, prompt.failures, prompt.unsent_requests) == (50, 0, 0)
        assert lost.requests + lost.unsent_requests == 50
        assert lost.requests == lost.failures == len(silent.requests)
        assert only(outcome).dropped_requests == lost.unsent_requests > 0

    run(body)


def test_refused_connections_fail_every_request() -> None:
    async def body() -> None:
        what = target(f"http://127.0.0.1:{free_port()}/solr")
        result = await run_step(what, duty(requests=30, requests_per_second=300))
        assert kinds(result) == {"ConnectionRefused": 30}
        assert decode(only(result).response_time_histogram or "").count == 30

    run(body)


def test_connections_that_the_server_closes_are_opened_again() -> None:
    async def close(exchange: Exchange) -> None:
        exchange.send(headers="Connection: close\r\n")
        exchange.close()

    async def body() -> None:
        async with HttpServer(close) as server:
            result = await run_step(
                target(server.url), duty(requests=100, requests_per_second=400, max_in_flight=5)
            )
        assert (only(result).requests, only(result).failures) == (100, 0)
        assert server.connections >= 100

    run(body)
