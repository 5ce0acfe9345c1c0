"""The connections of an open loop on one worker.

A due request goes to the next node in turn, over the connection that was used last: few stay warm,
and all nodes get equally many requests.
"""

import asyncio
import math
import time
from collections.abc import Callable

from solrbench.load.engine.open_loop.pooled_client import PooledClient
from solrbench.load.schedule.arrivals import Schedule
from solrbench.load.schedule.assignment import worker_share
from solrbench.load.validation.response_checks import RequestFailure

_CONNECTING_AT_ONCE = 64
"""Connections opened side by side: less than the backlog of any server, which drops the rest."""

_EXPECTED_SECONDS = 0.1
"""Connections are opened ahead for responses that take so long; the others when they are needed."""

_now = time.perf_counter_ns

OnConnected = Callable[[PooledClient, int, RequestFailure | None], None]
"""Takes a client, when it began to connect, in ns, and why it has no connection, if so."""


class ClientPool:
    """Which connections are free, which are being opened, and how many there may be."""

    def __init__(
        self,
        schedule: Schedule,
        node_count: int,
        new_client: Callable[[int], PooledClient],
        on_connected: OnConnected,
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        """Begin without connections; `new_client` makes one for the node at an index."""
        self._new_client = new_client
        self._on_connected = on_connected
        self._loop = loop
        self._max_clients = worker_share(
            schedule.rate.max_in_flight, schedule.worker, schedule.workers
        )
        self._initial_clients = _expected_clients(schedule, node_count, self._max_clients)
        self._node_index = schedule.worker % node_count
        self._idle: list[list[PooledClient]] = [[] for _ in range(node_count)]
        self._clients: set[PooledClient] = set()
        self._opening: set[asyncio.Task[None]] = set()

    async def prepare(self) -> None:
        """Open the connections that are expected to be needed."""
        for _ in range(self._initial_clients):
            self._open()
            self._node_index = (self._node_index + 1) % len(self._idle)
        await asyncio.gather(*self._opening)

    def take_idle(self) -> PooledClient | None:
        """Return a free connection: to the node whose turn it is, if another can be opened."""
        index = self._node_index = (self._node_index + 1) % len(self._idle)
        client = self._pop(index)
        if client is None and len(self._clients) >= self._max_clients:
            others = (self._pop(each) for each in range(len(self._idle)))
            client = next((each for each in others if each is not None), None)
        return client

    def add_idle(self, client: PooledClient) -> None:
        """Take back a connection that is free."""
        self._idle[client.node_index].append(client)

    def discard(self, client: PooledClient) -> None:
        """Let go a client that has no connection."""
        self._clients.discard(client)
        client.abort()

    def open_for(self, waiting: int) -> None:
        """Open as many connections as there are requests that wait, within the limits."""
        wanted = min(waiting, _CONNECTING_AT_ONCE)
        while len(self._opening) < wanted and len(self._clients) < self._max_clients:
            self._open()

    def abort(self) -> None:
        """Let everything go at once."""
        for task in self._opening:
            task.cancel()
        for client in self._clients:
            client.abort()

    def _pop(self, node_index: int) -> PooledClient | None:
        idle = self._idle[node_index]
        while idle:
            client = idle.pop()
            if client.is_open:
                return client
            # The server has closed it in the meantime.
            self._clients.discard(client)
        return None

    def _open(self) -> None:
        client = self._new_client(self._node_index)
        self._clients.add(client)
        self._opening.add(self._loop.create_task(self._connect(client)))

    async def _connect(self, client: PooledClient) -> None:
        tried_ns = _now()
        failed = await client.connect()
        self._opening = {task for task in self._opening if task is not asyncio.current_task()}
        self._on_connected(client, tried_ns, failed)


def _expected_clients(schedule: Schedule, node_count: int, max_clients: int) -> int:
    """Return the connections in use at a time at the scheduled rate; at least one to each node."""
    rate = schedule.rate.requests_per_second / schedule.workers
    expected = min(math.ceil(rate * _EXPECTED_SECONDS), _CONNECTING_AT_ONCE)
    return min(max(expected, node_count), max_clients)
