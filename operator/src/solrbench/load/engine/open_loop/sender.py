"""Sends the requests of an open loop on one worker: each when it is due, come what may.

Without a free connection, a due request waits in a queue while another connection is opened;
whichever is free first, a new one or an old one, takes the oldest request. So a connection that is
slow to come up holds up no request.
"""

import time
from collections.abc import Callable, Sequence
from enum import Enum, auto
from functools import partial

from solrbench.load.engine.http.response_batch import CompletedRequest
from solrbench.load.engine.open_loop.arrival_queue import ArrivalQueue
from solrbench.load.engine.open_loop.arrival_times import ArrivalTimes
from solrbench.load.engine.open_loop.client_pool import ClientPool
from solrbench.load.engine.open_loop.pooled_client import PooledClient
from solrbench.load.engine.open_loop.precise_timer import make_timer
from solrbench.load.engine.user_context import UserContext
from solrbench.load.recording.response_times import OpenLoopRecorder
from solrbench.load.schedule.arrivals import Schedule
from solrbench.load.validation.response_checks import RequestFailure
from solrbench.load.workload.http_requests import Node
from solrbench.load.workload.prepared_request import CompletedTransaction, PreparedRequest

_ARRIVALS_AT_ONCE = 64
"""Requests sent in a row, before responses get their turn, by a worker that fell behind."""

_now = time.perf_counter_ns


class OpenLoopState(Enum):
    """Where the arrivals of one worker are; they go through the states in this order."""

    WAITING = auto()
    """Connections are opened; nothing is sent."""
    RAMPING = auto()
    """Requests are sent at a rising rate and not measured yet."""
    MEASURING = auto()
    """What arrives is measured."""
    DRAINING = auto()
    """Nothing arrives any more; requests that wait or are in flight are carried to their end."""
    FINISHED = auto()
    """Everything is sent and completed, or given up."""
    ABORTED = auto()
    """Dropped before its end."""


# A member of an enum is a slow look-up, and the hot path compares with these.
_RAMPING = OpenLoopState.RAMPING
_DRAINING = OpenLoopState.DRAINING
_FINISHED = OpenLoopState.FINISHED
_ABORTED = OpenLoopState.ABORTED


class OpenLoopSender:
    """Sends the requests of one worker by the schedule; stands where the users of a step run do.

    Attributes:
        state: where the arrivals are

    """

    def __init__(
        self,
        context: UserContext,
        schedule: Schedule,
        recorder: OpenLoopRecorder,
        nodes: Sequence[Node],
        on_measuring: Callable[[int], None],
    ) -> None:
        """Begin without connections; `on_measuring` is called with the end of the ramp, in ns."""
        self._context = context
        self._recorder = recorder
        self._on_measuring = on_measuring
        self._times = ArrivalTimes(schedule)
        new_client = partial(_new_client, self, nodes, context)
        self._pool = ClientPool(schedule, len(nodes), new_client, self._on_connected, context.loop)
        self._queue = ArrivalQueue(
            context.timeout_seconds, self._take_or_end, context.recorder, recorder
        )
        self._in_flight = 0
        self._timer = make_timer(context.loop, self._on_timer)
        self.state = OpenLoopState.WAITING

    async def prepare(self) -> None:
        """Connect ahead of the first requests."""
        await self._pool.prepare()

    def start(self) -> None:
        """Begin the schedule."""
        now_ns = _now()
        self._recorder.origin_ns = self._times.start(now_ns)
        self.state = OpenLoopState.RAMPING
        if self._recorder.origin_ns <= now_ns:
            self._measure()
        self._on_timer()

    def stop(self) -> None:
        """Do nothing: the schedule has an end of its own."""

    def abort(self) -> None:
        """Let everything go at once."""
        if self.state is not _FINISHED:
            self.state = OpenLoopState.ABORTED
        self._timer.close()
        self._pool.abort()

    def on_completed(self, client: PooledClient, ended: CompletedRequest) -> None:
        """Count a request and give its connection to the next one that is due.

        The next request of a transaction keeps it.
        """
        request, started_ns, ended_ns, received, _, _ = ended
        failed, intended_ns = client.failed, client.intended_ns
        if self._context.recorder.record(
            request, started_ns, ended_ns, received, failed, intended_ns
        ):
            self._context.recorder.add_slow_request(client.slow_sample(ended, failed))
        recorder = self._recorder
        if intended_ns >= recorder.origin_ns:
            recorder.record(request.name, intended_ns, started_ns, ended_ns)
        if request.extra is not None and client.continue_transaction(ended):
            return
        self._in_flight -= 1
        if self._queue.intended_ns or not client.is_open:
            self._release_client(client)
        else:
            self._pool.add_idle(client)
        if self.state is _DRAINING:
            self._finish_if_done()

    def on_retry(self, request: PreparedRequest) -> None:
        """Count a request that is sent again."""
        self._context.recorder.count_retry(request)

    def record_transaction(self, whole: CompletedTransaction, arrived_ns: int, lag_ns: int) -> None:
        """Count a whole transaction; it is measured if its arrival is."""
        self._context.recorder.record(*whole, arrived_ns)
        if arrived_ns >= self._recorder.origin_ns:
            started_ns = whole.started_ns
            # What it thinks is left out of its response time, too.
            self._recorder.record(
                whole.request.name, started_ns - lag_ns, started_ns, whole.ended_ns
            )

    def _on_timer(self) -> None:
        """Send what is due."""
        if self.state is _ABORTED or self.state is _FINISHED:
            # The loop may still hold a call of the timer when everything was let go.
            return
        times, now_ns = self._times, _now()
        for _ in range(_ARRIVALS_AT_ONCE):
            intended_ns = times.next_ns
            if intended_ns > now_ns:
                break
            times.advance()
            self._arrive(intended_ns, now_ns)
            now_ns = _now()
        if times.is_over:
            self.state = OpenLoopState.DRAINING
            self._finish_if_done()
        else:
            self._timer.set(times.next_ns)

    def _arrive(self, intended_ns: int, now_ns: int) -> None:
        recorder = self._recorder
        measured = intended_ns >= recorder.origin_ns
        if measured:
            if self.state is _RAMPING:
                self._measure()
            recorder.planned_requests += 1
            recorder.note_arrival(intended_ns, now_ns)
        client = self._pool.take_idle()
        if client is None:
            waiting = self._queue.intended_ns
            waiting.append(intended_ns)
            self._queue.drop_expired(now_ns)
            self._pool.open_for(len(waiting))
            return
        if measured:
            recorder.lags.record((now_ns - intended_ns) // 1000)
        self._send(client, intended_ns, now_ns)

    def _send(self, client: PooledClient, intended_ns: int, now_ns: int) -> None:
        request = self._context.supply.take(now_ns)
        if request is None:
            self._end_schedule(intended_ns)
            self._pool.add_idle(client)
            return
        self._in_flight += 1
        client.send_scheduled(request, intended_ns, now_ns)

    def _take_or_end(self, intended_ns: int, now_ns: int) -> PreparedRequest | None:
        """Return the request of an arrival that is never sent; without one, end the schedule."""
        request = self._context.supply.take(now_ns)
        if request is None:
            self._end_schedule(intended_ns)
        return request

    def _end_schedule(self, intended_ns: int) -> None:
        """End the schedule: nothing is left for an arrival, nor for those behind it.

        Queries that are sent once each have all been taken, so the plan ends before it.
        """
        waiting, recorder = self._queue.intended_ns, self._recorder
        recorder.planned_requests -= sum(
            each >= recorder.origin_ns for each in (intended_ns, *waiting)
        )
        waiting.clear()
        self._times.end()
        self.state = OpenLoopState.DRAINING

    def _release_client(self, client: PooledClient) -> None:
        """Give a connection to the oldest waiting request; without a connection, open another."""
        now_ns = _now()
        self._queue.drop_expired(now_ns)
        waiting = self._queue.intended_ns
        if not client.is_open:
            self._pool.discard(client)
        elif waiting:
            self._send(client, waiting.popleft(), now_ns)
        else:
            self._pool.add_idle(client)
        self._pool.open_for(len(waiting))

    def _on_connected(
        self, client: PooledClient, tried_ns: int, failed: RequestFailure | None
    ) -> None:
        if self.state is _ABORTED or self.state is _FINISHED:
            return
        if failed is not None and self._queue.intended_ns:
            self._queue.fail_oldest(tried_ns, failed)
        self._release_client(client)
        if self.state is _DRAINING:
            self._finish_if_done()

    def _measure(self) -> None:
        self.state = OpenLoopState.MEASURING
        self._on_measuring(self._recorder.origin_ns)

    def _finish_if_done(self) -> None:
        if not self._queue.intended_ns and not self._in_flight:
            self.state = OpenLoopState.FINISHED
            self._context.on_user_finished()


def _new_client(
    sender: OpenLoopSender, nodes: Sequence[Node], context: UserContext, node_index: int
) -> PooledClient:
    return PooledClient(
        sender, node_index, nodes[node_index], context.timeout_seconds, context.loop
    )
