"""The responses of one turn of the event loop.

When many responses come at once, all are read before the first one is checked: where the kernel
does not report when bytes came, the last would else wait until all others are checked, counted and
followed by a new request, and that time would count as the server's.

Requests that follow whatever the responses are go out next, before any response is checked, so that
the server is not left waiting. And like work done together is quicker: the processor has it at
hand.
"""

import asyncio
import time
from typing import Protocol
from weakref import WeakKeyDictionary

from solrbench.load.validation.response_checks import RequestFailure
from solrbench.load.workload.prepared_request import PreparedRequest

_now = time.perf_counter_ns

CompletedRequest = tuple[
    PreparedRequest, int, int, int, RequestFailure | None, tuple[int, bytes] | None
]
"""A request that has ended.

The request; when its first byte was written, and when its last one came or it was given up, in
ns; bytes on the wire; why there is no whole response, None if there is one, good or not; HTTP
status and body, None without a whole response. Not a class: that would cost more than counting it.
"""


class ResponseListener(Protocol):
    """Who sent a request."""

    is_aborted: bool

    def send_early(self, request: PreparedRequest, now_ns: int) -> None:
        """Send what follows if that does not depend on the response, which is not checked yet."""

    def on_completed(self, ended: CompletedRequest) -> None:
        """Take the end of a request."""


class ResponseBatch:
    """Keeps responses until the loop has read everything that was there to be read."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._responses: list[tuple[ResponseListener, CompletedRequest]] = []

    def add(self, listener: ResponseListener, ended: CompletedRequest) -> None:
        """Keep a whole response, with the time of its last byte."""
        if not self._responses:
            self._loop.call_soon(self._deliver)
        self._responses.append((listener, ended))

    def _deliver(self) -> None:
        responses, self._responses = self._responses, []
        now_ns = _now()
        for listener, ended in responses:
            if not listener.is_aborted:
                listener.send_early(ended[0], now_ns)
        for listener, ended in responses:
            if not listener.is_aborted:
                listener.on_completed(ended)


_batches: WeakKeyDictionary[asyncio.AbstractEventLoop, ResponseBatch] = WeakKeyDictionary()


def batch_of_loop(loop: asyncio.AbstractEventLoop) -> ResponseBatch:
    """Return what all clients of a loop share."""
    if loop not in _batches:
        _batches[loop] = ResponseBatch(loop)
    return _batches[loop]
