"""A virtual user of a closed loop: asks, waits for the response, thinks, asks again."""

import asyncio
import time
from collections.abc import Callable
from typing import Protocol

from solrbench.load.engine.http_client import HttpClient
from solrbench.load.engine.response_batch import CompletedRequest
from solrbench.load.engine.response_validation import validate_response
from solrbench.load.recording.slow_requests import SlowSample
from solrbench.load.validation.response_checks import RequestFailure
from solrbench.load.workload.http_requests import Node
from solrbench.load.workload.prepared_request import NextRequest, PreparedRequest

Think = Callable[[int], float]
"""Seconds to wait after the request with the given number, from 0."""

Record = Callable[[PreparedRequest, int, int, int, RequestFailure | None], bool]

_now = time.perf_counter_ns


class UserContext(Protocol):
    """The step run that a user is in."""

    def take(self, now_ns: int) -> PreparedRequest | None:
        """Return the next request, None if there is no more to do."""

    def is_exhausted(self, now_ns: int) -> bool:
        """Say whether there is no more to do, so that no think time begins."""

    @property
    def record(self) -> Record:
        """What counts a request: when it began and ended in ns, bytes received, what failed.

        It says whether the request is one of the slowest, for `add_slow_request`.
        """

    @property
    def add_slow_request(self) -> Callable[[SlowSample], None]:
        """What keeps one of the slowest requests."""

    def is_closed(self, now_ns: int) -> bool:
        """Say whether the time to start requests is over, whatever else is left to do."""

    def on_retry(self, request: PreparedRequest) -> None:
        """Count a request that is sent again."""

    def user_finished(self) -> None:
        """Learn that the user is done."""


class VirtualUser(HttpClient):
    """One user, who never has more than one request under way."""

    def __init__(
        self,
        context: UserContext,
        node: Node,
        timeout_seconds: float,
        think: Think | None,
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        super().__init__(node, timeout_seconds, loop)
        self._context = context
        self._think = think
        self._request_index = 0
        self._timer: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Send the first request."""
        self._send_next(_now())

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
        """Send again at once: a user without think time does not wait for the check."""
        if self._think is None and (request.extra is None or request.extra.transaction is None):
            self._send_next(now_ns)

    def on_completed(self, ended: CompletedRequest) -> None:
        """Check and count a request, then go on."""
        request, started_ns, ended_ns, received, failed, answer = ended
        if answer is not None:
            failed = validate_response(request, *answer)
        if self._context.record(request, started_ns, ended_ns, received, failed):
            self._context.add_slow_request(self.slow_sample(ended, failed))
        if (
            answer is None
            or self._think is not None
            or (request.extra is not None and request.extra.transaction is not None)
        ):
            self._send_following(ended, failed)

    def _send_following(self, ended: CompletedRequest, failed: RequestFailure | None) -> None:
        """Ask what comes next, now or after a while."""
        request, started_ns, ended_ns, received, _, answer = ended
        flow = request.extra.transaction if request.extra is not None else None
        if flow is not None:
            sequel = flow.advance(self._context, started_ns, ended_ns, received, failed)
            if sequel is not None:
                self._continue_transaction(sequel, ended_ns)
                return
        if self._think is None and answer is not None:
            self._send_next(ended_ns)
            return
        # The step may have been closed since the answer came, and wakes no user a second time.
        now_ns = _now()
        if self._context.is_exhausted(now_ns):
            self._send_next(now_ns)
            return
        seconds = 0.0 if answer is not None else self.backoff_seconds(ended_ns)
        if self._think is not None:
            seconds = max(seconds, self._think(self._request_index))
            self._request_index += 1
        self._timer = self._loop.call_later(seconds, self._wake)

    def on_retry(self, request: PreparedRequest) -> None:
        """Count a request that is sent again."""
        self._context.on_retry(request)

    def _continue_transaction(self, sequel: NextRequest, ended_ns: int) -> None:
        """Go on with a transaction."""
        if not sequel.think_seconds:
            self.send(sequel.request, ended_ns)
        elif self._context.is_closed(now_ns := _now()):
            self._send_next(now_ns)
        else:
            self._timer = self._loop.call_later(sequel.think_seconds, self._resume, sequel.request)

    def _resume(self, request: PreparedRequest) -> None:
        self._timer = None
        self.send(request, _now())

    def _send_next(self, now_ns: int) -> None:
        request = self._context.take(now_ns)
        if request is None:
            self._context.user_finished()
        else:
            self.send(request, now_ns)

    def _wake(self) -> None:
        self._timer = None
        self._send_next(_now())
