"""One connection of an open loop: connects ahead of any request, then carries scheduled ones."""

import asyncio
from typing import NamedTuple, Protocol

from solrbench.load.engine.http.http_client import HttpClient
from solrbench.load.engine.http.response_batch import CompletedRequest
from solrbench.load.engine.response_validation import validate_response
from solrbench.load.validation.response_checks import RequestFailure, request_failure
from solrbench.load.workload.http_requests import Node
from solrbench.load.workload.prepared_request import PreparedRequest

_NOT_SENT = -1


class Continuation(NamedTuple):
    """The next request of a transaction under way. Times are of `time.perf_counter_ns`."""

    request: PreparedRequest
    arrived_ns: int
    """Intended start of the first request of the transaction."""
    lag_ns: int
    """How much later that was sent."""


class PooledClientOwner(Protocol):
    """What counts the requests of a connection, and gives it the next one."""

    def on_completed(self, client: "PooledClient", ended: CompletedRequest) -> None:
        """Count the request that ended; what was wrong with it is in `client.failed`."""

    def on_opened(self, tried_ns: int, opened_ns: int) -> None:
        """Count a connection that was opened."""

    def on_retry(self, request: PreparedRequest) -> None:
        """Count a request that is sent again."""


class PooledClient(HttpClient):
    """Carries requests that are due, over whichever of a node's connections is free.

    Attributes:
        intended_ns: when the request under way was to start
        arrived_ns: when the transaction that it belongs to was to start, or itself
        failed: what was wrong with the last one

    """

    def __init__(
        self,
        owner: PooledClientOwner,
        node: Node,
        timeout_seconds: float,
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        super().__init__(node, timeout_seconds, loop)
        self.intended_ns = 0
        self.arrived_ns = 0
        self.failed: RequestFailure | None = None
        self._owner = owner
        self._lag_ns = _NOT_SENT

    @property
    def is_open(self) -> bool:
        """Say whether there is a connection."""
        return self._connection is not None

    async def connect(self) -> RequestFailure | None:
        """Open the connection; return why there is none."""
        seconds = self._deadline.timeout_ns / 1e9
        where = f"{self._node.host}:{self._node.port}"
        self.failed = request_failure("Timeout", f"cannot connect to {where} within {seconds:g} s")
        await self.connect_ahead()
        return None if self.is_open else self.failed

    def send_scheduled(self, request: PreparedRequest, intended_ns: int, now_ns: int) -> None:
        """Send a request that was to start at a time."""
        self.intended_ns = self.arrived_ns = intended_ns
        self._lag_ns = _NOT_SENT
        self.send(request, now_ns)

    def send_continuation(self, following: Continuation, intended_ns: int, now_ns: int) -> None:
        """Send the next request of a transaction, which was to start at a time."""
        request, self.arrived_ns, self._lag_ns = following
        self.intended_ns = intended_ns
        self.send(request, now_ns)

    def lag_ns(self, started_ns: int) -> int:
        """Return how late the transaction began whose request was sent at a time."""
        return started_ns - self.arrived_ns if self._lag_ns == _NOT_SENT else self._lag_ns

    def on_completed(self, ended: CompletedRequest) -> None:
        """Check a request and give the connection back."""
        request, _, _, _, failed, response = ended
        self.failed = failed if response is None else validate_response(request, *response)
        self._owner.on_completed(self, ended)

    def on_connected(self, tried_ns: int, opened_ns: int) -> None:
        """Count a connection that was opened."""
        self._owner.on_opened(tried_ns, opened_ns)

    def on_retry(self, request: PreparedRequest) -> None:
        """Count a request that is sent again."""
        self._owner.on_retry(request)

    def _fail(self, ended_ns: int, received: int, failed: RequestFailure) -> None:
        """Keep the reason where no request is there to bear it: while connecting."""
        self.failed = failed
        super()._fail(ended_ns, received, failed)
