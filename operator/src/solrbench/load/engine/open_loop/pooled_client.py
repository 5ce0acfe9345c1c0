"""One connection of an open loop: connects ahead of any request, then carries scheduled ones."""

import asyncio
import time
from typing import Protocol

from solrbench.load.engine.http.http_client import HttpClient
from solrbench.load.engine.http.response_batch import CompletedRequest
from solrbench.load.engine.response_validation import validate_response
from solrbench.load.validation.response_checks import RequestFailure, request_failure
from solrbench.load.workload.http_requests import Node
from solrbench.load.workload.prepared_request import CompletedTransaction, PreparedRequest

_NOT_SENT = -1

_now = time.perf_counter_ns


class PooledClientOwner(Protocol):
    """What counts the requests of a connection, and gives it the next one."""

    def on_completed(self, client: "PooledClient", ended: CompletedRequest) -> None:
        """Count the request that ended; what was wrong with it is in `client.failed`."""

    def record_transaction(self, whole: CompletedTransaction, arrived_ns: int, lag_ns: int) -> None:
        """Count a whole transaction.

        `arrived_ns` is the intended start of its first request, which was sent `lag_ns` later.
        """

    def on_retry(self, request: PreparedRequest) -> None:
        """Count a request that is sent again."""


class PooledClient(HttpClient):
    """Carries requests that are due, over whichever of a node's connections is free.

    Attributes:
        node_index: index of its node
        intended_ns: when the request under way was to start
        failed: what was wrong with the last one

    """

    def __init__(
        self,
        owner: PooledClientOwner,
        node_index: int,
        node: Node,
        timeout_seconds: float,
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        super().__init__(node, timeout_seconds, loop)
        self.node_index = node_index
        self.intended_ns = 0
        self.failed: RequestFailure | None = None
        self._owner = owner
        self._arrived_ns = 0
        self._lag_ns = _NOT_SENT
        self._thinking: asyncio.TimerHandle | None = None

    @property
    def is_open(self) -> bool:
        """Say whether there is a connection."""
        return self._connection is not None

    async def connect(self) -> RequestFailure | None:
        """Open the connection; return why there is none."""
        seconds = self._deadline.timeout_ns / 1e9
        where = f"{self._node.host}:{self._node.port}"
        self.failed = request_failure("Timeout", f"cannot connect to {where} within {seconds:g} s")
        await self.prepare()
        return None if self.is_open else self.failed

    def send_scheduled(self, request: PreparedRequest, intended_ns: int, now_ns: int) -> None:
        """Send a request that was to start at a time."""
        self.intended_ns = self._arrived_ns = intended_ns
        self._lag_ns = _NOT_SENT
        self.send(request, now_ns)

    def continue_transaction(self, ended: CompletedRequest) -> bool:
        """Go on with the transaction of a request; say whether it does.

        What follows is due when the request before is completed and its think time is over. The end
        of the step does not cut it short: what has arrived is carried to its end.
        """
        request, started_ns, ended_ns, received, _, _ = ended
        transaction = request.extra.transaction if request.extra is not None else None
        if transaction is None:
            return False
        if self._lag_ns == _NOT_SENT:
            self._lag_ns = started_ns - self._arrived_ns
        following = transaction.advance(started_ns, ended_ns, received, self.failed)
        if isinstance(following, CompletedTransaction):
            self._owner.record_transaction(following, self._arrived_ns, self._lag_ns)
            return False
        due_ns = ended_ns + int(following.think_seconds * 1e9)
        if following.think_seconds:
            self._thinking = self._loop.call_later(
                following.think_seconds, self._resume, following.request, due_ns
            )
        else:
            self._resume(following.request, due_ns)
        return True

    def abort(self) -> None:
        """Let everything go at once."""
        if self._thinking is not None:
            self._thinking.cancel()
        super().abort()

    def on_completed(self, ended: CompletedRequest) -> None:
        """Check a request and give the connection back."""
        request, _, _, _, failed, response = ended
        self.failed = failed if response is None else validate_response(request, *response)
        self._owner.on_completed(self, ended)

    def on_retry(self, request: PreparedRequest) -> None:
        """Count a request that is sent again."""
        self._owner.on_retry(request)

    def _resume(self, request: PreparedRequest, due_ns: int) -> None:
        self._thinking = None
        now_ns = _now()
        # Timers of the event loop may fire up to a millisecond early.
        self.intended_ns = min(due_ns, now_ns)
        self.send(request, now_ns)

    def _fail(self, ended_ns: int, received: int, failed: RequestFailure) -> None:
        """Keep the reason where no request is there to bear it: while connecting."""
        self.failed = failed
        super()._fail(ended_ns, received, failed)
