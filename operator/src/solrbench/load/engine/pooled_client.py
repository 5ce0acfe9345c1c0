"""One connection of an open loop: connects ahead of any request, then carries planned ones."""

import asyncio
import time
from typing import NamedTuple, Protocol

from solrbench.load.engine.http_client import HttpClient
from solrbench.load.engine.response_batch import CompletedRequest
from solrbench.load.engine.response_validation import validate_response
from solrbench.load.validation.response_checks import RequestFailure, request_failure
from solrbench.load.workload.http_requests import Node
from solrbench.load.workload.prepared_request import PreparedRequest


class TransactionTiming(NamedTuple):
    """When a transaction was made."""

    arrived_ns: int
    """Intended start of its first request."""
    lag_ns: int
    """From there until that request was sent."""
    started_ns: int
    """Its end without the time that its requests took: what it thinks is left out."""
    ended_ns: int


class ClientPool(Protocol):
    """Where a connection belongs."""

    def on_completed(self, client: "PooledClient", ended: CompletedRequest) -> None:
        """Count the request that ended; its failure is in `client.failed`."""

    def record_transaction(
        self,
        whole: PreparedRequest,
        times: TransactionTiming,
        received: int,
        failed: RequestFailure | None,
    ) -> None:
        """Count a whole transaction."""

    def on_retry(self, request: PreparedRequest) -> None:
        """Count a request that is sent again."""


class PooledClient(HttpClient):
    """Carries requests that are due, whichever of a node's connections is free.

    Attributes:
        node_index: place of its node
        intended_ns: when the request under way was to start
        failed: what was wrong with the last one

    """

    def __init__(
        self,
        pool: ClientPool,
        node_index: int,
        node: Node,
        timeout_seconds: float,
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        super().__init__(node, timeout_seconds, loop)
        self.node_index = node_index
        self.intended_ns = 0
        self.failed: RequestFailure | None = None
        self._pool = pool
        self._arrived_ns = 0
        self._lag_ns = -1
        self._thinking: asyncio.TimerHandle | None = None

    @property
    def is_open(self) -> bool:
        """Say whether there is a connection."""
        return self._connection is not None

    async def connect(self) -> RequestFailure | None:
        """Open the connection; return why there is none."""
        seconds = self._timeout_ns / 1e9
        where = f"{self._node.host}:{self._node.port}"
        self.failed = request_failure("Timeout", f"cannot connect to {where} within {seconds:g} s")
        await self.prepare()
        return None if self.is_open else self.failed

    def send_scheduled(self, request: PreparedRequest, intended_ns: int, now_ns: int) -> None:
        """Send a request that was to start at a time."""
        self.intended_ns = self._arrived_ns = intended_ns
        self._lag_ns = -1
        self.send(request, now_ns)

    def continue_transaction(self, ended: CompletedRequest) -> bool:
        """Go on with the transaction of a request; say whether it does.

        What follows is due as soon as the request before is answered and thought about.
        """
        request, started_ns, ended_ns, received, _, _ = ended
        flow = request.extra.transaction if request.extra is not None else None
        if flow is None:
            return False
        if self._lag_ns < 0:
            self._lag_ns = started_ns - self._arrived_ns
        sequel = flow.advance(self, started_ns, ended_ns, received, self.failed)
        if sequel is None:
            return False
        due_ns = ended_ns + int(sequel.think_seconds * 1e9)
        if sequel.think_seconds:
            self._thinking = self._loop.call_later(
                sequel.think_seconds, self._resume, sequel.request, due_ns
            )
        else:
            self._resume(sequel.request, due_ns)
        return True

    def record(
        self,
        request: PreparedRequest,
        started_ns: int,
        ended_ns: int,
        received: int,
        failed: RequestFailure | None,
    ) -> bool:
        """Count the whole transaction under way."""
        times = TransactionTiming(self._arrived_ns, self._lag_ns, started_ns, ended_ns)
        self._pool.record_transaction(request, times, received, failed)
        return False

    def is_closed(self, now_ns: int) -> bool:
        """Say that there is time: what has arrived is carried to its end."""
        del now_ns
        return False

    def abort(self) -> None:
        """Let everything go at once."""
        if self._thinking is not None:
            self._thinking.cancel()
        super().abort()

    def on_completed(self, ended: CompletedRequest) -> None:
        """Check a request and give it back."""
        request, _, _, _, failed, answer = ended
        self.failed = failed if answer is None else validate_response(request, *answer)
        self._pool.on_completed(self, ended)

    def on_retry(self, request: PreparedRequest) -> None:
        """Count a request that is sent again."""
        self._pool.on_retry(request)

    def _resume(self, request: PreparedRequest, due_ns: int) -> None:
        self._thinking = None
        now_ns = time.perf_counter_ns()
        # Timers of the event loop may ring up to a millisecond early.
        self.intended_ns = min(due_ns, now_ns)
        self.send(request, now_ns)

    def _fail(self, ended_ns: int, received: int, failed: RequestFailure) -> None:
        """Keep the reason; while connecting there is no request to attach it to."""
        self.failed = failed
        super()._fail(ended_ns, received, failed)
