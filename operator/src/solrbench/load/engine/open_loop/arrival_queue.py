"""Requests of an open loop that are due at one node and wait for a connection to it."""

import time
from collections import deque
from typing import NamedTuple, Protocol

from solrbench.load.engine.open_loop.pooled_client import Continuation
from solrbench.load.validation.response_checks import RequestFailure

_now = time.perf_counter_ns


class WaitingRequest(NamedTuple):
    """One request that is due."""

    intended_ns: int
    """When it was to start."""
    continuation: Continuation | None = None
    """What follows within a transaction; None for an arrival, whose request is not taken yet."""


class QueueOwner(Protocol):
    """What counts the requests that are never sent."""

    def on_dropped(self, waiting: WaitingRequest, waited_ns: int) -> None:
        """Count a request that has waited too long."""

    def on_unconnected(
        self, waiting: WaitingRequest, tried_ns: tuple[int, int], failed: RequestFailure
    ) -> None:
        """Count a request for which no connection could be opened, from a time to another."""


class ArrivalQueue:
    """Waiting requests, the oldest first. Times are of `time.perf_counter_ns`.

    Attributes:
        waiting: the requests

    """

    __slots__ = ("_owner", "_timeout_ns", "waiting")

    def __init__(self, timeout_seconds: float, owner: QueueOwner) -> None:
        """Keep requests for so long."""
        self.waiting: deque[WaitingRequest] = deque()
        self._timeout_ns = int(timeout_seconds * 1e9)
        self._owner = owner

    def drop_expired(self, now_ns: int) -> None:
        """Drop requests that have waited too long."""
        waiting = self.waiting
        while waiting and now_ns - waiting[0].intended_ns > self._timeout_ns:
            oldest = waiting.popleft()
            self._owner.on_dropped(oldest, now_ns - oldest.intended_ns)

    def fail_oldest(self, tried_ns: int, failed: RequestFailure) -> None:
        """Let the oldest request bear a connection that could not be opened for it."""
        oldest = self.waiting.popleft()
        tried = (max(tried_ns, oldest.intended_ns), _now())
        self._owner.on_unconnected(oldest, tried, failed)

    def clear_arrivals(self) -> list[int]:
        """Let go the arrivals; return when they were to start. Begun transactions stay."""
        gone = [each.intended_ns for each in self.waiting if each.continuation is None]
        kept = [each for each in self.waiting if each.continuation is not None]
        self.waiting.clear()
        self.waiting.extend(kept)
        return gone
