"""The answers of one turn of the event loop.

When many answers come at once, all are read before the first one is judged: where the kernel does
not tell when bytes came, the last would else wait until all others are judged, counted and
followed by a new request, and that time would count as the server's.

Requests that follow whatever the answers are go out next, before any answer is judged, so that the
server is not left waiting. And like work done together is quicker: the processor has it at hand.
"""

import asyncio
import time
from typing import Protocol
from weakref import WeakKeyDictionary

from solrbench.load.validation.response_checks import Failure
from solrbench.load.workload.prepared_request import PreparedRequest

Ended = tuple[PreparedRequest, int, int, int, Failure | None, tuple[int, bytes] | None]
"""A request that has ended.

What was asked; when its first byte was written, and when its last one came or it was given up, in
ns; bytes on the wire; why there is no whole answer, None if there is one, good or not; HTTP status
and body, None without a whole answer. Not a class: that would cost more than counting it.
"""


class ResponseListener(Protocol):
    """Who sent a request."""

    is_dropped: bool

    def hasten(self, request: PreparedRequest, now_ns: int) -> None:
        """Send what follows if that does not depend on the answer, which is not judged yet."""

    def completed(self, ended: Ended) -> None:
        """Take the end of a request."""


class Turn:
    """Keeps answers until the loop has read everything that was there to be read."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._answers: list[tuple[ResponseListener, Ended]] = []

    def add(self, asker: ResponseListener, ended: Ended) -> None:
        """Keep a whole answer, with the time of its last byte."""
        if not self._answers:
            self._loop.call_soon(self._hand_over)
        self._answers.append((asker, ended))

    def _hand_over(self) -> None:
        answers, self._answers = self._answers, []
        now_ns = time.perf_counter_ns()
        for asker, ended in answers:
            if not asker.is_dropped:
                asker.hasten(ended[0], now_ns)
        for asker, ended in answers:
            if not asker.is_dropped:
                asker.completed(ended)


_turns: WeakKeyDictionary[asyncio.AbstractEventLoop, Turn] = WeakKeyDictionary()


def turn_of(loop: asyncio.AbstractEventLoop) -> Turn:
    """Return what all askers of a loop share."""
    if loop not in _turns:
        _turns[loop] = Turn(loop)
    return _turns[loop]
