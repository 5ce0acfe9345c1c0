"""Counts the requests of an open loop to one node, and decides which of them are measured."""

from solrbench.load.engine.client_pool import Continuation, PooledClient
from solrbench.load.engine.http_client import CompletedRequest
from solrbench.load.recording.open_loop import OpenLoopRecorder
from solrbench.load.recording.recorder import StepRunRecorder
from solrbench.load.recording.response_gaps import NodeCounts
from solrbench.load.workload.requests import CompletedTransaction, PreparedRequest
from solrbench.load.workload.response_checks import RequestFailure


class ArrivalRecorder:
    """Counts what became of arrivals at one node.

    An arrival is measured if it was to start after the ramp, and with it all requests of its
    transaction: what belongs to a transaction of the ramp belongs to the ramp.
    """

    __slots__ = ("_node", "_open_loop", "_step_run")

    def __init__(
        self, step_run: StepRunRecorder, open_loop: OpenLoopRecorder, node: NodeCounts
    ) -> None:
        self._step_run = step_run
        self._open_loop = open_loop
        self._node = node

    def record_lag(self, intended_ns: int, now_ns: int) -> None:
        """Count how late a request is sent that found a free connection, if it is measured."""
        if intended_ns >= self._open_loop.origin_ns:
            self._open_loop.lags.record((now_ns - intended_ns) // 1000)

    def record(self, client: PooledClient, ended: CompletedRequest) -> None:
        """Count a request that was sent; the hot path."""
        request, started_ns, ended_ns, received, _, _ = ended
        failed, intended_ns, arrived_ns = client.failed, client.intended_ns, client.arrived_ns
        is_slow = self._step_run.record(request, started_ns, ended_ns, received, failed, arrived_ns)
        if arrived_ns >= self._open_loop.origin_ns:
            # By its intended start: counted from the sending, a stall would leave out the very
            # requests that it held up (coordinated omission, ADR 5).
            self._open_loop.record(request.name, intended_ns, started_ns, ended_ns)
            self._node.record((ended_ns - intended_ns) // 1000, failed)
            self._node.activity.record(request, started_ns, ended_ns)
            if is_slow:
                self._step_run.add_slow_request(client.slow_sample(ended, failed))

    def record_dropped(self, request: PreparedRequest, arrived_ns: int, waited_ns: int) -> None:
        """Count a request that was given up before it was sent, and its transaction."""
        measured = arrived_ns >= self._open_loop.origin_ns
        if measured:
            self._node.record_dropped(waited_ns // 1000)
        names = [request.name]
        if request.extra is not None and request.extra.transaction is not None:
            names.append(request.extra.transaction.summary_request.name)
        for name in names:
            if measured:
                self._open_loop.record_dropped(name, arrived_ns, arrived_ns + waited_ns)
            else:
                self._open_loop.record_dropped_in_ramp(name)

    def record_unconnected(
        self,
        following: Continuation,
        intended_ns: int,
        tried_ns: tuple[int, int],
        failed: RequestFailure,
    ) -> None:
        """Count a request for which no connection could be opened, and its transaction."""
        request, arrived_ns, lag_ns = following
        started_ns, ended_ns = tried_ns
        self._step_run.record(request, started_ns, ended_ns, 0, failed, arrived_ns)
        if arrived_ns >= self._open_loop.origin_ns:
            self._open_loop.record(request.name, intended_ns, started_ns, ended_ns)
            self._node.record((ended_ns - intended_ns) // 1000, failed)
        if request.extra is not None and request.extra.transaction is not None:
            whole = request.extra.transaction.advance(started_ns, ended_ns, 0, failed)
            if isinstance(whole, CompletedTransaction):
                self.record_transaction(whole, arrived_ns, lag_ns)

    def record_transaction(self, whole: CompletedTransaction, arrived_ns: int, lag_ns: int) -> None:
        """Count a whole transaction.

        `arrived_ns` is the intended start of its first request, which was sent `lag_ns` later.
        """
        self._step_run.record(*whole, arrived_ns)
        if arrived_ns >= self._open_loop.origin_ns:
            started_ns = whole.started_ns
            # What it thinks is left out of its response time, too.
            self._open_loop.record(
                whole.request.name, started_ns - lag_ns, started_ns, whole.ended_ns
            )
