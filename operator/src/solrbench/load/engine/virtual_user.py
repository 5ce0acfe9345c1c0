"""A virtual user of a closed loop: sends, waits for the response, thinks, sends again."""

import asyncio
import time
from collections.abc import Callable

from solrbench.load.engine.http_client import TIMEOUT, CompletedRequest, HttpClient
from solrbench.load.engine.target import UserContext, validate_response
from solrbench.load.recording.response_gaps import UserActivity
from solrbench.load.workload.requests import (
    CompletedTransaction,
    NextRequest,
    Node,
    PreparedRequest,
)
from solrbench.load.workload.response_checks import RequestFailure

Think = Callable[[int, float], float]
"""Seconds to wait after the request or transaction with the given number, from 0, which began so
many seconds ago."""

_now = time.perf_counter_ns


class ClosedLoopUser(HttpClient):
    """One user, who never has more than one request under way."""

    def __init__(
        self,
        context: UserContext,
        node: Node,
        activity: UserActivity,
        think: Think | None,
        first_wait_seconds: float,
    ) -> None:
        """Begin without a connection; `think` is None for a user that does not think."""
        super().__init__(context, node)
        # Called for each request; looked up once.
        self._record = context.recorder.record
        self._record_wait = activity.record
        self._think = think
        self._first_wait_seconds = first_wait_seconds
        self._request_index = 0
        self._begun_ns = 0
        self._timer: asyncio.TimerHandle | None = None

    async def prepare(self) -> None:
        """Connect ahead of the first request, unless another user has met with silence."""
        silent, address = self._context.silent_nodes, self._node.address
        if address not in silent:
            failed = await self.connect_ahead()
            if failed is not None and failed.kind == TIMEOUT:
                silent.add(address)

    def start(self) -> None:
        """Send the first request, after a while if that is wanted."""
        now_ns = _now()
        if self._first_wait_seconds and not self._context.supply.is_exhausted(now_ns):
            self._timer = self._loop.call_later(self._first_wait_seconds, self._wake)
        else:
            self._send_next(now_ns)

    def stop(self) -> None:
        """Stop thinking: no request starts any more. One under way is finished."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
            self._send_next(_now())

    def abort(self) -> None:
        """Let everything go at once."""
        if self._timer is not None:
            self._timer.cancel()
        super().abort()

    def send_early(self, request: PreparedRequest, now_ns: int) -> None:
        """Send at once: a user that does not think does not wait until a response is checked."""
        if self._think is None and (request.extra is None or request.extra.transaction is None):
            self._send_next(now_ns)

    def on_completed(self, ended: CompletedRequest) -> None:
        """Check and count a request, then go on."""
        request, started_ns, ended_ns, received, failed, response = ended
        if response is not None:
            failed = validate_response(request, response[0], response[1])
        if self._record(request, started_ns, ended_ns, received, failed):
            self._context.recorder.add_slow_request(self.slow_sample(ended, failed))
        self._record_wait(request, started_ns, ended_ns)
        if (
            response is None
            or self._think is not None
            or (request.extra is not None and request.extra.transaction is not None)
        ):
            self._send_following(ended, failed)

    def _send_following(self, ended: CompletedRequest, failed: RequestFailure | None) -> None:
        request, started_ns, ended_ns, received, _, response = ended
        transaction = request.extra.transaction if request.extra is not None else None
        if transaction is not None:
            following = transaction.advance(started_ns, ended_ns, received, failed)
            if isinstance(following, CompletedTransaction):
                self._context.recorder.record(*following)
            elif not self._context.supply.is_closed(ended_ns):
                self._continue_transaction(following, ended_ns)
                return
        if self._think is None and response is not None:
            self._send_next(ended_ns)
            return
        # The step may have been closed since the response came, and wakes no user a second time.
        now_ns = _now()
        if self._context.supply.is_exhausted(now_ns):
            self._send_next(now_ns)
            return
        seconds = 0.0 if response is not None else self.backoff_seconds(ended_ns)
        if self._think is not None:
            passed = (now_ns - self._begun_ns) / 1e9
            seconds = max(seconds, self._think(self._request_index, passed))
            self._request_index += 1
        self._timer = self._loop.call_later(seconds, self._wake)

    def _continue_transaction(self, following: NextRequest, ended_ns: int) -> None:
        request, think_seconds = following
        if not think_seconds:
            self.send(request, ended_ns)
        elif self._context.supply.is_closed(now_ns := _now()):
            self._send_next(now_ns)
        else:
            self._timer = self._loop.call_later(think_seconds, self._resume, request)

    def _resume(self, request: PreparedRequest) -> None:
        self._timer = None
        self.send(request, _now())

    def _send_next(self, now_ns: int) -> None:
        self._begun_ns = now_ns
        request = self._context.supply.take(now_ns)
        if request is None:
            self._context.on_user_finished()
        else:
            self.send(request, now_ns)

    def _wake(self) -> None:
        self._timer = None
        self._send_next(_now())
