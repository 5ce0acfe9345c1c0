"""The connections of an open loop to one node: each connects ahead of any request.

A due request goes over the connection that was used last, so few stay warm.
"""

import asyncio
import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from solrbench.load.engine.http_client import CompletedRequest, HttpClient
from solrbench.load.engine.target import UserContext, validate_response
from solrbench.load.schedule.arrivals import Schedule
from solrbench.load.schedule.messages import worker_share
from solrbench.load.workload.requests import Node, PreparedRequest
from solrbench.load.workload.response_checks import RequestFailure


class Continuation(NamedTuple):
    """The next request of a transaction under way. Times are of `time.perf_counter_ns`."""

    request: PreparedRequest
    arrived_ns: int
    """Intended start of the first request of the transaction."""
    lag_ns: int
    """How much later that was sent."""
    delay_ns: int
    """How much later than intended the requests until now were sent, all together."""


class PooledClient(HttpClient):
    """Carries requests that are due, over whichever of a node's connections is free.

    `on_ended` is called with each request that ended, counts it and gives the client the next one.
    """

    def __init__(
        self,
        context: UserContext,
        node: Node,
        on_ended: Callable[["PooledClient", CompletedRequest], None],
    ) -> None:
        super().__init__(context, node)
        self.intended_ns = 0
        """When the request under way was to start."""
        self.arrived_ns = 0
        """When the transaction that it belongs to was to start, or itself."""
        self.failed: RequestFailure | None = None
        """What was wrong with the last request."""
        self._on_ended = on_ended
        self._lag_ns: int | None = None
        """How late the transaction began; None in its first request."""
        self._delay_ns = 0
        """Delays of the requests of the transaction until now."""

    @property
    def is_open(self) -> bool:
        """Say whether there is a connection."""
        return self._connection is not None

    def send_scheduled(self, request: PreparedRequest, intended_ns: int, now_ns: int) -> None:
        """Send the request of an arrival, which was to start at a time."""
        self.intended_ns = self.arrived_ns = intended_ns
        self._lag_ns, self._delay_ns = None, 0
        self.send(request, now_ns)

    def send_continuation(self, following: Continuation, intended_ns: int, now_ns: int) -> None:
        """Send the next request of a transaction, which was to start at a time."""
        request, self.arrived_ns, self._lag_ns, self._delay_ns = following
        self.intended_ns = intended_ns
        self.send(request, now_ns)

    def delays_ns(self, started_ns: int) -> tuple[int, int]:
        """Return how late a transaction began, and all requests until that sent at a time."""
        late_ns = started_ns - self.intended_ns
        return late_ns if self._lag_ns is None else self._lag_ns, self._delay_ns + late_ns

    def on_completed(self, ended: CompletedRequest) -> None:
        """Check a request and give the connection back."""
        request, _, _, _, failed, response = ended
        self.failed = failed if response is None else validate_response(request, *response)
        self._on_ended(self, ended)


CONNECTING_AT_ONCE = 64
"""Connections opened side by side: less than the backlog of any server, which drops the rest."""

_EXPECTED_SECONDS = 0.1
"""Connections are opened ahead for responses that take so long; the others when they are needed."""

_now = time.perf_counter_ns


def max_clients(schedule: Schedule, node_index: int, node_count: int) -> int:
    """Return the connections that a worker may have to the node at an index; at least one."""
    own = worker_share(schedule.rate.max_in_flight, schedule.worker, schedule.workers)
    # Each worker begins with another node, or all that is left over would go to the first ones.
    place = (node_index - schedule.worker) % node_count
    return max(worker_share(own, place, node_count), 1)


def expected_clients(schedule: Schedule, node_count: int) -> int:
    """Return the connections to a node that are in use at a time at the highest rate."""
    rate = schedule.rate.highest / schedule.workers / node_count
    return max(min(math.ceil(rate * _EXPECTED_SECONDS), CONNECTING_AT_ONCE), 1)


@dataclass(eq=False, repr=False)
class ClientPool:
    """Which connections are free, which are being opened, and how many there may be."""

    max_clients: int
    new_client: Callable[[], PooledClient]
    on_connected: Callable[[PooledClient, int, RequestFailure | None], None]
    """Takes a client, when it began to connect, in ns, and why it has no connection, if so."""
    loop: asyncio.AbstractEventLoop
    _idle: list[PooledClient] = field(default_factory=list, init=False)
    _clients: set[PooledClient] = field(default_factory=set, init=False)
    _opening: set[asyncio.Task[None]] = field(default_factory=set, init=False)

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
        wanted = min(waiting, CONNECTING_AT_ONCE)
        while len(self._opening) < wanted and len(self._clients) < self.max_clients:
            client = self.new_client()
            self._clients.add(client)
            self._opening.add(self.loop.create_task(self._connect(client)))

    def abort(self) -> None:
        """Let everything go at once."""
        for task in self._opening:
            task.cancel()
        for client in self._clients:
            client.abort()

    async def _connect(self, client: PooledClient) -> None:
        tried_ns = _now()
        failed = await client.connect_ahead()
        # Before the call, which may need further connections and counts those under way.
        self._opening = {task for task in self._opening if task is not asyncio.current_task()}
        self.on_connected(client, tried_ns, failed)
