"""Which connection carries the next request, in virtual time."""

import asyncio
from typing import Any

import pytest

from solrbench.load.engine.client_pool import (
    ClientPool,
    PooledClient,
    expected_clients,
    max_clients,
)
from solrbench.load.engine.target import RequestSupply, UserContext
from solrbench.load.recording.recorder import StepRunRecorder
from solrbench.load.schedule.arrivals import ArrivalRate, Schedule
from solrbench.load.workload.response_checks import RequestFailure
from support.fakes.virtual_time import VirtualTimeLoop
from support.load.builders import assignment, target
from support.servers.virtual_server import serve

TARGET = target("http://one:1/solr")


def schedule(workers: int = 1, worker: int = 0, **rate: Any) -> Schedule:
    given = {"distribution": "Uniform", "requests": 10, "requests_per_second": 1} | rate
    return Schedule(ArrivalRate.model_validate(given), 1, worker, workers)


class Owner:
    """Takes connections to a server that came up, and notes which failed."""

    def __init__(self, patch: pytest.MonkeyPatch, loop: VirtualTimeLoop, most: int) -> None:
        self.server = serve(patch, loop)
        self.loop = loop
        self.failed: list[str] = []
        self.pool = ClientPool(most, self._new, self._on_connected, loop)

    def take(self) -> PooledClient:
        client = self.pool.take_idle()
        assert client is not None
        return client

    def _new(self) -> PooledClient:
        recorder = StepRunRecorder((), self.loop.now_ns)
        supply = RequestSupply(TARGET.requests.open_stream(assignment()).requests)
        context = UserContext(supply, recorder, 1.0, self.loop, lambda: None)
        return PooledClient(context, TARGET.nodes[0], lambda *_: None)

    def _on_connected(self, client: PooledClient, _: int, failed: RequestFailure | None) -> None:
        if failed is None:
            self.pool.add_idle(client)
        else:
            self.failed.append(failed.kind)
            self.pool.discard(client)


@pytest.mark.parametrize(
    ("rate", "workers", "nodes", "expected"),
    [(1, 1, 3, 1), (300, 1, 3, 10), (300, 2, 3, 5), (100_000, 1, 1, 64)],
)
def test_as_many_connections_are_expected_as_are_in_use_for_a_tenth_of_a_second(
    rate: int, workers: int, nodes: int, expected: int
) -> None:
    planned = schedule(workers, requests_per_second=rate, max_in_flight=200)
    assert expected_clients(planned, nodes) == expected


@pytest.mark.parametrize(
    ("most", "workers", "nodes", "shares"),
    [(10, 1, 1, [10]), (10, 1, 3, [4, 3, 3]), (10, 2, 2, [3, 2, 2, 3]), (2, 2, 2, [1, 1] * 2)],
)
def test_workers_and_nodes_share_the_limit_and_each_node_has_one_connection(
    most: int, workers: int, nodes: int, shares: list[int]
) -> None:
    planned = [schedule(workers, worker, max_in_flight=most) for worker in range(workers)]
    found = [max_clients(each, index, nodes) for each in planned for index in range(nodes)]
    assert found == shares


def test_nodes_have_as_many_connections_over_all_workers() -> None:
    planned = [schedule(50, worker, max_in_flight=1000) for worker in range(50)]
    sums = [sum(max_clients(each, index, 16) for each in planned) for index in range(16)]
    assert max(sums) - min(sums) <= 4


async def test_connection_used_last_comes_first(
    monkeypatch: pytest.MonkeyPatch, loop: VirtualTimeLoop
) -> None:
    owner = Owner(monkeypatch, loop, 6)
    await owner.pool.prepare(10)
    assert owner.server.connections == 6
    taken = [owner.take() for _ in range(6)]
    for client in taken:
        owner.pool.add_idle(client)
    assert [owner.take() for _ in range(3)] == taken[:2:-1]


async def test_connection_that_was_closed_makes_room_for_another(
    monkeypatch: pytest.MonkeyPatch, loop: VirtualTimeLoop
) -> None:
    owner = Owner(monkeypatch, loop, 3)
    await owner.pool.prepare(3)
    for client in [owner.take() for _ in range(3)]:
        owner.pool.add_idle(client)
        client.on_connection_lost(None, 0)
    assert [owner.pool.take_idle() for _ in range(3)] == [None, None, None]
    owner.pool.open_for(5)
    await asyncio.sleep(0.1)
    assert owner.server.connections == 6


async def test_connections_are_opened_for_those_that_wait_and_failures_are_named(
    monkeypatch: pytest.MonkeyPatch, loop: VirtualTimeLoop
) -> None:
    owner = Owner(monkeypatch, loop, 200)
    owner.server.refuses = True
    owner.pool.open_for(2)
    owner.pool.open_for(2)
    await asyncio.sleep(0.1)
    assert owner.failed == ["ConnectionRefused"] * 2
    owner.pool.open_for(100)
    await asyncio.sleep(0.1)
    assert len(owner.failed) == 2 + 64


@pytest.mark.parametrize("begun_seconds", [None, 0.1])
async def test_aborted_pool_opens_nothing_that_was_under_way(
    monkeypatch: pytest.MonkeyPatch, begun_seconds: float | None, loop: VirtualTimeLoop
) -> None:
    owner = Owner(monkeypatch, loop, 10)
    owner.server.connect_seconds = 0.5
    owner.pool.open_for(3)
    if begun_seconds is not None:
        await asyncio.sleep(begun_seconds)
    owner.pool.abort()
    await asyncio.sleep(5)
    assert (owner.server.connections, owner.failed, owner.pool.take_idle()) == (0, [], None)
