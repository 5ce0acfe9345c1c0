"""Which connection carries the next request, in virtual time."""

import asyncio
from typing import Any

import pytest

from solrbench.load.engine.open_loop.client_pool import ClientPool
from solrbench.load.engine.open_loop.pooled_client import PooledClient
from solrbench.load.schedule.arrivals import ArrivalRate, Schedule
from solrbench.load.validation.response_checks import RequestFailure
from support.fakes.virtual_time import VirtualTimeLoop, run_virtually
from unit.load.builders import target
from unit.load.engine.virtual_server import serve

NODES = target("http://one:1/solr", "http://two:2/solr", "http://three:3/solr").nodes


class Owner:
    """Takes connections that came up, and notes which failed."""

    def __init__(self, loop: VirtualTimeLoop, **rate: Any) -> None:
        given = {"distribution": "Uniform", "requests": 10, "requests_per_second": 1} | rate
        schedule = Schedule(ArrivalRate.model_validate(given), 1, 0, 1)
        self.loop = loop
        self.failed: list[str] = []
        self.pool = ClientPool(schedule, len(NODES), self._new, self._on_connected, loop)

    def take(self) -> PooledClient:
        client = self.pool.take_idle()
        assert client is not None
        return client

    def _new(self, node_index: int) -> PooledClient:
        owner: Any = self
        return PooledClient(owner, node_index, NODES[node_index], 1.0, self.loop)

    def _on_connected(
        self, client: PooledClient, tried_ns: int, failed: RequestFailure | None
    ) -> None:
        del tried_ns
        if failed is None:
            self.pool.add_idle(client)
        else:
            self.failed.append(failed.kind)
            self.pool.discard(client)


@pytest.mark.parametrize(
    ("rate", "most", "opened"), [(1, 10, 3), (100, 50, 10), (100, 2, 2), (100_000, 200, 64)]
)
def test_as_many_connections_are_opened_ahead_as_are_expected_to_be_needed(
    monkeypatch: pytest.MonkeyPatch, rate: int, most: int, opened: int
) -> None:
    async def main(loop: VirtualTimeLoop) -> None:
        server = serve(monkeypatch, loop)
        owner = Owner(loop, requests_per_second=rate, max_in_flight=most)
        await owner.pool.prepare()
        assert server.connections == opened

    run_virtually(main)


def test_nodes_take_turns_and_the_connection_used_last_comes_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def main(loop: VirtualTimeLoop) -> None:
        serve(monkeypatch, loop)
        owner = Owner(loop, max_in_flight=6, requests_per_second=60)
        await owner.pool.prepare()
        taken = [owner.take() for _ in range(6)]
        assert [each.node_index for each in taken] == [1, 2, 0, 1, 2, 0]
        for client in taken:
            owner.pool.add_idle(client)
        assert [owner.take() for _ in range(3)] == taken[3:]

    run_virtually(main)


def test_another_node_helps_out_only_where_no_connection_may_be_opened(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def main(loop: VirtualTimeLoop) -> None:
        serve(monkeypatch, loop)
        limited, free = Owner(loop, max_in_flight=3), Owner(loop, max_in_flight=4)
        for owner in (limited, free):
            await owner.pool.prepare()
            first, second, _ = (owner.take() for _ in range(3))
            owner.pool.add_idle(second)
            assert first.node_index == 1
        assert limited.take().node_index == 2
        assert free.pool.take_idle() is None

    run_virtually(main)


def test_connection_that_was_closed_makes_room_for_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def main(loop: VirtualTimeLoop) -> None:
        server = serve(monkeypatch, loop)
        owner = Owner(loop, max_in_flight=3)
        await owner.pool.prepare()
        for client in [owner.take() for _ in range(3)]:
            owner.pool.add_idle(client)
            client.on_connection_lost(None, 0)
        assert [owner.pool.take_idle() for _ in range(3)] == [None, None, None]
        owner.pool.open_for(5)
        await asyncio.sleep(0.1)
        assert server.connections == 6

    run_virtually(main)


def test_connections_are_opened_for_those_that_wait_and_failures_are_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def main(loop: VirtualTimeLoop) -> None:
        server = serve(monkeypatch, loop)
        server.refuses = True
        owner = Owner(loop, max_in_flight=200)
        owner.pool.open_for(2)
        owner.pool.open_for(2)
        await asyncio.sleep(0.1)
        assert owner.failed == ["ConnectionRefused"] * 2
        owner.pool.open_for(100)
        await asyncio.sleep(0.1)
        assert len(owner.failed) == 2 + 64

    run_virtually(main)


@pytest.mark.parametrize("begun_seconds", [None, 0.1])
def test_aborted_pool_opens_nothing_that_was_under_way(
    monkeypatch: pytest.MonkeyPatch, begun_seconds: float | None
) -> None:
    async def main(loop: VirtualTimeLoop) -> None:
        server = serve(monkeypatch, loop)
        server.connect_seconds = 0.5
        owner = Owner(loop, max_in_flight=10)
        owner.pool.open_for(3)
        if begun_seconds is not None:
            await asyncio.sleep(begun_seconds)
        owner.pool.abort()
        await asyncio.sleep(5)
        assert (server.connections, owner.failed, owner.pool.take_idle()) == (0, [], None)

    run_virtually(main)
