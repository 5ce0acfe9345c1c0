"""The answers of one turn of the event loop.

When many answers come at once, all are read before the first one is judged: where the kernel does
not tell when bytes came, the last would else wait until all others are judged, counted and
followed by a new request, and that time would count as the server's.

Requests that follow whatever the answers are go out next, before any answer is judged, so that the
server is not left waiting. And like work done together is quicker: the processor has it at hand.
"""

import asyncio
import time
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from solrbench.load.requests import PreparedRequest

if TYPE_CHECKING:
    from solrbench.load.asker import Asker


Answered = tuple["Asker", PreparedRequest, int, int, int, tuple[int, bytes]]
"""Who asked what, when it began and ended in ns, bytes on the wire, HTTP status and body."""


class Turn:
    """Keeps answers until the loop has read everything that was there to be read."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._answers: list[Answered] = []

    def add(self, answered: Answered) -> None:
        """Keep a whole answer, with the time of its last byte."""
        if not self._answers:
            self._loop.call_soon(self._hand_over)
        self._answers.append(answered)

    def _hand_over(self) -> None:
        answers, self._answers = self._answers, []
        now_ns = time.perf_counter_ns()
        for asker, request, _, _, _, _ in answers:
            if not asker.is_dropped:
                asker.hasten(request, now_ns)
        for asker, request, began_ns, ended_ns, received, answer in answers:
            if not asker.is_dropped:
                asker.completed(request, began_ns, ended_ns, received, None, answer)


_turns: WeakKeyDictionary[asyncio.AbstractEventLoop, Turn] = WeakKeyDictionary()


def turn_of(loop: asyncio.AbstractEventLoop) -> Turn:
    """Return what all askers of a loop share."""
    if loop not in _turns:
        _turns[loop] = Turn(loop)
    return _turns[loop]
