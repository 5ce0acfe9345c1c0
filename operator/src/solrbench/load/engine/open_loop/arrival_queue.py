"""Requests of an open loop that are due and wait for a connection."""

import time
from collections import deque
from collections.abc import Callable

from solrbench.load.recording.recorder import StepRunRecorder
from solrbench.load.recording.response_times import OpenLoopRecorder
from solrbench.load.validation.response_checks import RequestFailure
from solrbench.load.workload.prepared_request import PreparedRequest

_now = time.perf_counter_ns

TakeRequest = Callable[[int, int], PreparedRequest | None]
"""Returns the request of an arrival, from its intended start and the time, both in ns; None if
nothing is left to be sent."""


class ArrivalQueue:
    """Waiting requests, the oldest first. Times are of `time.perf_counter_ns`.

    Attributes:
        intended_ns: when each of them was to start

    """

    __slots__ = ("_open_loop", "_recorder", "_take", "_timeout_ns", "intended_ns")

    def __init__(
        self,
        timeout_seconds: float,
        take: TakeRequest,
        recorder: StepRunRecorder,
        open_loop_recorder: OpenLoopRecorder,
    ) -> None:
        """Keep requests for so long; those that are never sent are counted by the recorders."""
        self.intended_ns: deque[int] = deque()
        self._timeout_ns = int(timeout_seconds * 1e9)
        self._take = take
        self._recorder = recorder
        self._open_loop = open_loop_recorder

    def drop_expired(self, now_ns: int) -> None:
        """Drop requests that have waited too long."""
        waiting, counts = self.intended_ns, self._open_loop
        while waiting and now_ns - waiting[0] > self._timeout_ns:
            intended_ns = waiting.popleft()
            request = self._take(intended_ns, now_ns)
            if request is None:
                return
            for name in counted_names(request):
                if intended_ns >= counts.origin_ns:
                    counts.record_dropped(name, intended_ns, now_ns)
                else:
                    counts.record_dropped_in_ramp(name)

    def fail_oldest(self, tried_ns: int, failed: RequestFailure) -> None:
        """Let the oldest request bear a connection that could not be opened for it."""
        now_ns = _now()
        intended_ns = self.intended_ns.popleft()
        request = self._take(intended_ns, now_ns)
        if request is None:
            return
        started_ns = max(tried_ns, intended_ns)
        self._recorder.record(request, started_ns, now_ns, 0, failed, intended_ns)
        if request.extra is not None and request.extra.transaction is not None:
            whole = request.extra.transaction.summary_request
            self._recorder.record(whole, started_ns, now_ns, 0, failed, intended_ns)
        for name in counted_names(request):
            if intended_ns >= self._open_loop.origin_ns:
                self._open_loop.record(name, intended_ns, started_ns, now_ns)


def counted_names(request: PreparedRequest) -> tuple[int, ...]:
    """Return the indexes of the names that a request counts under: its own, its transaction's."""
    if request.extra is None or request.extra.transaction is None:
        return (request.name,)
    return request.name, request.extra.transaction.summary_request.name
