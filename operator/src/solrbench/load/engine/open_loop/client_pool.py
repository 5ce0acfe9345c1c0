"""The connections of an open loop to one node on one worker.

A due request goes over the connection that was used last, so few stay warm.
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


def max_clients(schedule: Schedule, node_index: int, node_count: int) -> int:
    """Return the connections that a worker may have to the node at an index; at least one."""
    own = worker_share(schedule.rate.max_in_flight, schedule.worker, schedule.workers)
    return max(worker_share(own, node_index, node_count), 1)


def expected_clients(schedule: Schedule, node_count: int) -> int:
    """Return the connections to a node that are in use at a time at the highest rate."""
    rate = schedule.rate.highest / schedule.workers / node_count
    return max(min(math.ceil(rate * _EXPECTED_SECONDS), _CONNECTING_AT_ONCE), 1)


class ClientPool:
    """Which connections are free, which are being opened, and how many there may be."""

    def __init__(
        self,
        max_clients: int,
        new_client: Callable[[], PooledClient],
        on_connected: OnConnected,
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        """Begin without connections."""
        self._max_clients = max_clients
        self._new_client = new_client
        self._on_connected = on_connected
        self._loop = loop
        self._idle: list[PooledClient] = []
        self._clients: set[PooledClient] = set()
        self._opening: set[asyncio.Task[None]] = set()

    async def prepare(self, expected: int) -> None:
        """Open the connections that are expected to be needed."""
        self.open_for(expected)
        await asyncio.gather(*self._opening)

    def take_idle(self) -> PooledClient | None:
        """Return a free connection, None if there is none."""
        idle = self._idle
        while idle:
            client = idle.pop()
            if client.is_open:
                return client
            # The server has closed it in the meantime.
            self._clients.discard(client)
        return None

    def add_idle(self, client: PooledClient) -> None:
        """Take back a connection that is free."""
        self._idle.append(client)

    def discard(self, client: PooledClient) -> None:
        """Let go a client that has no connection."""
        self._clients.discard(client)
        client.abort()

    def open_for(self, waiting: int) -> None:
        """Open as many connections as there are requests that wait, within the limits."""
        wanted = min(waiting, _CONNECTING_AT_ONCE)
        while len(self._opening) < wanted and len(self._clients) < self._max_clients:
            client = self._new_client()
            self._clients.add(client)
            self._opening.add(self._loop.create_task(self._connect(client)))

    def abort(self) -> None:
        """Let everything go at once."""
        for task in self._opening:
            task.cancel()
        for client in self._clients:
            client.abort()

    async def _connect(self, client: PooledClient) -> None:
        tried_ns = _now()
        failed = await client.connect()
        self._opening = {task for task in self._opening if task is not asyncio.current_task()}
        self._on_connected(client, tried_ns, failed)
