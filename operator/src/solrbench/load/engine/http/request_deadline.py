"""The timeout of one request after another.

One timer lives through many requests: one for each would cost as much as sending it.
"""

import asyncio
import time
from typing import Protocol

_now = time.perf_counter_ns


class DeadlineOwner(Protocol):
    """What sends the requests that time out."""

    def has_request(self) -> bool:
        """Say whether a request is under way."""

    def on_deadline_expired(self, now_ns: int) -> None:
        """Give up the request under way."""


class RequestDeadline:
    """Lets a request expire that has not ended by its deadline.

    Times are of `time.perf_counter_ns`. The timer of a request that ends in time stays; when it
    fires, it is set for the request that is then under way.

    Attributes:
        at_ns: when the request under way times out; the hot path sets it for each request
        timeout_ns: what a request may take
        timer: runs if it is there; without one, the hot path calls `set_timer`

    """

    __slots__ = ("_loop", "at_ns", "timeout_ns", "timer")

    def __init__(self, timeout_seconds: float, loop: asyncio.AbstractEventLoop) -> None:
        self.timeout_ns = int(timeout_seconds * 1e9)
        self.at_ns = 0
        self.timer: asyncio.TimerHandle | None = None
        self._loop = loop

    def set_timer(self, owner: DeadlineOwner) -> None:
        """Watch the request that `owner` sends now, and those after it."""
        # The timer alone knows the owner: clients that are let go shall not need the collector.
        self.timer = self._loop.call_later(self.timeout_ns / 1e9, self._check, owner)

    def cancel(self) -> None:
        """Let no request expire any more."""
        if self.timer is not None:
            self.timer.cancel()

    def _check(self, owner: DeadlineOwner) -> None:
        """Let the request under way expire, or look again when it would."""
        now_ns = _now()
        self.timer = None
        if not owner.has_request():
            return
        if now_ns < self.at_ns:
            left_seconds = (self.at_ns - now_ns) / 1e9
            self.timer = self._loop.call_later(left_seconds, self._check, owner)
            return
        owner.on_deadline_expired(now_ns)
