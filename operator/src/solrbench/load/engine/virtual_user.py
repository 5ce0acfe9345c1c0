"""A virtual user of a closed loop: asks, waits for the answer, thinks, asks again."""

import asyncio
import time
from collections.abc import Callable
from typing import Protocol

from solrbench.load.engine.http_client import Asker
from solrbench.load.engine.response_batch import Ended
from solrbench.load.engine.response_validation import check
from solrbench.load.recording.slow_requests import SlowSample
from solrbench.load.validation.response_checks import Failure
from solrbench.load.workload.http_requests import Node
from solrbench.load.workload.prepared_request import PreparedRequest, Sequel

Think = Callable[[int], float]
"""Seconds to wait after the request with the given number, from 0."""

Record = Callable[[PreparedRequest, int, int, int, Failure | None], bool]

_now = time.perf_counter_ns


class RequestSource(Protocol):
    """The pass that a user is in."""

    def take(self, now_ns: int) -> PreparedRequest | None:
        """Return the next request, None if there is no more to do."""

    def is_exhausted(self, now_ns: int) -> bool:
        """Say whether there is no more to do, so that nobody thinks about it."""

    @property
    def record(self) -> Record:
        """What counts a request: when it began and ended in ns, bytes received, what failed.

        It says whether the request is one of the slowest, for `note_slow`.
        """

    @property
    def note_slow(self) -> Callable[[SlowSample], None]:
        """What keeps one of the slowest requests."""

    def is_closed(self, now_ns: int) -> bool:
        """Say whether the time to start requests is over, whatever else is left to do."""

    def retried(self, request: PreparedRequest) -> None:
        """Count a request that is sent again."""

    def left(self) -> None:
        """Learn that the user is done."""


class ClosedLoopUser(Asker):
    """One user, who never has more than one request under way."""

    def __init__(
        self,
        source: RequestSource,
        node: Node,
        timeout_seconds: float,
        think: Think | None,
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        super().__init__(node, timeout_seconds, loop)
        self._source = source
        self._think = think
        self._turn = 0
        self._pause: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Send the first request."""
        self._next(_now())

    def close_round(self) -> None:
        """Stop thinking: no request starts any more. One under way is finished."""
        if self._pause is not None:
            self._pause.cancel()
            self._pause = None
            self._next(_now())

    def drop(self) -> None:
        """Let everything go at once."""
        if self._pause is not None:
            self._pause.cancel()
        super().drop()

    def hasten(self, request: PreparedRequest, now_ns: int) -> None:
        """Ask again at once: a user who does not think waits for no judgement."""
        if self._think is None and (request.extra is None or request.extra.flow is None):
            self._next(now_ns)

    def completed(self, ended: Ended) -> None:
        """Judge and count a request, then go on."""
        request, began_ns, ended_ns, received, failed, answer = ended
        if answer is not None:
            failed = check(request, *answer)
        if self._source.record(request, began_ns, ended_ns, received, failed):
            self._source.note_slow(self.slow_sample(ended, failed))
        if (
            answer is None
            or self._think is not None
            or (request.extra is not None and request.extra.flow is not None)
        ):
            self._go_on(ended, failed)

    def _go_on(self, ended: Ended, failed: Failure | None) -> None:
        """Ask what comes next, now or after a while."""
        request, began_ns, ended_ns, received, _, answer = ended
        flow = request.extra.flow if request.extra is not None else None
        if flow is not None:
            sequel = flow.follow(self._source, began_ns, ended_ns, received, failed)
            if sequel is not None:
                self._follow(sequel, ended_ns)
                return
        if (self._think is None and answer is not None) or self._source.is_exhausted(ended_ns):
            self._next(ended_ns)
            return
        seconds = 0.0 if answer is not None else self.pause_seconds(ended_ns)
        if self._think is not None:
            seconds = max(seconds, self._think(self._turn))
            self._turn += 1
        self._pause = self._loop.call_later(seconds, self._wake)

    def retried(self, request: PreparedRequest) -> None:
        """Count a request that is sent again."""
        self._source.retried(request)

    def _follow(self, sequel: Sequel, ended_ns: int) -> None:
        """Go on with a transaction."""
        if not sequel.think_seconds:
            self.ask(sequel.request, ended_ns)
        else:
            self._pause = self._loop.call_later(sequel.think_seconds, self._resume, sequel.request)

    def _resume(self, request: PreparedRequest) -> None:
        self._pause = None
        self.ask(request, _now())

    def _next(self, now_ns: int) -> None:
        request = self._source.take(now_ns)
        if request is None:
            self._source.left()
        else:
            self.ask(request, now_ns)

    def _wake(self) -> None:
        self._pause = None
        self._next(_now())
