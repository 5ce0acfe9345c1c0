"""The arrivals of an open loop on one worker: each is sent when it is due, come what may.

A due request goes to the next node in turn, over the connection that was used last: few stay warm,
and all nodes get equally many requests. Without a free connection it waits in a queue while another
one is opened; whichever is free first, a new one or an old one, takes the head of the queue. So a
connection that is slow to open delays no other request.
"""

import asyncio
import math
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Protocol

from solrbench.load.engine.pooled_client import PooledClient, TransactionTiming
from solrbench.load.engine.precise_timer import make_timer
from solrbench.load.engine.response_batch import CompletedRequest
from solrbench.load.recording.recorder import NEVER_NS
from solrbench.load.recording.response_times import LatencyRecorder, OpenLoopRecorder
from solrbench.load.recording.slow_requests import SlowSample
from solrbench.load.recording.worker_result import WorkerRequestStats, WorkerStepResult
from solrbench.load.schedule.arrivals import Schedule
from solrbench.load.schedule.assignment import worker_share
from solrbench.load.validation.response_checks import RequestFailure
from solrbench.load.workload.http_requests import Node
from solrbench.load.workload.prepared_request import PreparedRequest

_CONNECTING_AT_ONCE = 64
"""Connections opened side by side: less than the backlog of any server, which drops the rest."""

_EXPECTED_SECONDS = 0.1
"""Connections are opened ahead for responses that take so long; the others when they are needed."""

_ARRIVALS_AT_ONCE = 64
"""Requests sent in a row, before responses get their turn, by a worker that fell behind."""

_now = time.perf_counter_ns


RecordScheduled = Callable[[PreparedRequest, int, int, int, RequestFailure | None, int], bool]


class OpenLoopContext(Protocol):
    """The step run that the arrivals are of."""

    def take(self, now_ns: int) -> PreparedRequest | None:
        """Return the next request."""

    def measure_from(self, now_ns: int) -> None:
        """Begin to measure."""

    @property
    def record(self) -> RecordScheduled:
        """What counts a request: begin and end in ns, bytes received, failure, plan in ns.

        It says whether the request is one of the slowest, for `add_slow_request`.
        """

    @property
    def add_slow_request(self) -> Callable[[SlowSample], None]:
        """What keeps one of the slowest requests."""

    def on_retry(self, request: PreparedRequest) -> None:
        """Count a request that is sent again."""

    def user_finished(self) -> None:
        """Learn that everything is sent and answered."""


class OpenLoopSender:
    """Sends the requests of one worker by the schedule."""

    def __init__(
        self,
        context: OpenLoopContext,
        schedule: Schedule,
        recorder: OpenLoopRecorder,
        nodes: Sequence[Node],
        timeout_seconds: float,
    ) -> None:
        self._recorder = recorder
        self._context = context
        self._record = context.record
        self._ramp_ns = schedule.rate.ramp_ns
        self._times = schedule.arrival_times_ns()
        self._nodes = nodes
        self._timeout_seconds = timeout_seconds
        self._timeout_ns = int(timeout_seconds * 1e9)
        self._loop = asyncio.get_running_loop()
        self._max_clients = worker_share(
            schedule.rate.max_in_flight, schedule.worker, schedule.workers
        )
        self._initial_connections = self._count_initial_connections(schedule)
        self._node_index = schedule.worker % len(nodes)
        self._idle: list[list[PooledClient]] = [[] for _ in nodes]
        self._clients: set[PooledClient] = set()
        self._opening: set[asyncio.Task[None]] = set()
        self._waiting: deque[int] = deque()
        self._in_flight = 0
        self._started_ns = 0
        self._measure_from_ns = 0
        self._next_ns = 0
        self._measuring = False
        self._timer = make_timer(self._loop, self._on_timer)
        self._is_over = False
        self._planned_requests = 0
        self._lags = LatencyRecorder()

    async def prepare(self) -> None:
        """Connect ahead of the first requests."""
        for _ in range(self._initial_connections):
            self._open()
            self._advance_node()
        await asyncio.gather(*self._opening)

    def start(self) -> None:
        """Begin the schedule."""
        self._started_ns = _now()
        self._measure_from_ns = self._started_ns + self._ramp_ns
        if not self._ramp_ns:
            self._measure()
        self._advance_schedule()
        self._on_timer()

    def stop(self) -> None:
        """Do nothing: the schedule has an end of its own."""

    def abort(self) -> None:
        """Let everything go at once."""
        self._is_over = True
        self._timer.close()
        for task in self._opening:
            task.cancel()
        for client in self._clients:
            client.abort()

    def on_completed(self, client: PooledClient, ended: CompletedRequest) -> None:
        """Count a request and give its connection to the next one that is due.

        The next request of a transaction keeps it.
        """
        request, started_ns, ended_ns, received, _, _ = ended
        failed, intended_ns = client.failed, client.intended_ns
        if self._record(request, started_ns, ended_ns, received, failed, intended_ns):
            self._context.add_slow_request(client.slow_sample(ended, failed))
        if intended_ns >= self._measure_from_ns:
            self._recorder.record(request.name, intended_ns, started_ns, ended_ns)
        if request.extra is not None and client.continue_transaction(ended):
            return
        self._in_flight -= 1
        if self._waiting or not client.is_open:
            self._release_client(client)
        else:
            self._idle[client.node_index].append(client)
        if self._next_ns == NEVER_NS:
            self._finish_if_done()

    def on_retry(self, request: PreparedRequest) -> None:
        """Count a request that is sent again."""
        self._context.on_retry(request)

    def record_transaction(
        self,
        whole: PreparedRequest,
        times: TransactionTiming,
        received: int,
        failed: RequestFailure | None,
    ) -> None:
        """Count a whole transaction; it is measured if its arrival is."""
        arrived_ns, lag_ns, started_ns, ended_ns = times
        self._record(whole, started_ns, ended_ns, received, failed, arrived_ns)
        if arrived_ns >= self._measure_from_ns:
            self._recorder.record(whole.name, started_ns - lag_ns, started_ns, ended_ns)

    def add_to_result(
        self, result: WorkerStepResult, empty: Callable[[int], WorkerRequestStats]
    ) -> WorkerStepResult:
        """Return the result of the step run with what only an open loop has.

        `empty` makes the result of a request name that was never sent, from its place.
        """
        figures = {
            "planned_requests": self._planned_requests,
            "lag_p99_microseconds": self._lags.percentile(99),
            "lag_max_microseconds": self._lags.max_microseconds,
            "requests": self._recorder.add_to_results(result.requests, empty),
        }
        return result.model_copy(update=figures)

    def _on_timer(self) -> None:
        """Send what is due."""
        if self._is_over:
            # The loop may still hold a ring when everything was let go.
            return
        now_ns = _now()
        for _ in range(_ARRIVALS_AT_ONCE):
            intended_ns = self._next_ns
            if intended_ns > now_ns:
                break
            self._advance_schedule()
            self._arrive(intended_ns, now_ns)
            now_ns = _now()
        if self._next_ns != NEVER_NS:
            self._timer.set(self._next_ns)
        else:
            self._finish_if_done()

    def _advance_schedule(self) -> None:
        following = next(self._times, None)
        self._next_ns = NEVER_NS if following is None else self._started_ns + following

    def _arrive(self, intended_ns: int, now_ns: int) -> None:
        measured = intended_ns >= self._measure_from_ns
        if measured:
            if not self._measuring:
                self._measure()
            self._planned_requests += 1
        client = self._find_idle()
        if client is None:
            self._waiting.append(intended_ns)
            self._drop_expired(now_ns)
            self._open_more()
            return
        if measured:
            self._lags.record((now_ns - intended_ns) // 1000)
        self._send(client, intended_ns, now_ns)

    def _send(self, client: PooledClient, intended_ns: int, now_ns: int) -> None:
        request = self._context.take(now_ns)
        if request is None:
            self._end_schedule(intended_ns)
            self._idle[client.node_index].append(client)
            return
        self._in_flight += 1
        client.send_scheduled(request, intended_ns, now_ns)

    def _end_schedule(self, intended_ns: int) -> None:
        """End the schedule: nothing is left for an arrival, nor for those behind it.

        Queries that are sent once each have all been taken, so the plan ends before it.
        """
        left = (intended_ns, *self._waiting)
        self._planned_requests -= sum(each >= self._measure_from_ns for each in left)
        self._waiting.clear()
        self._next_ns = NEVER_NS

    def _find_idle(self) -> PooledClient | None:
        """Return a free connection: to the node whose turn it is, if another can be opened."""
        self._advance_node()
        client = self._pop(self._node_index)
        if client is None and len(self._clients) >= self._max_clients:
            others = (self._pop(index) for index in range(len(self._nodes)))
            client = next((each for each in others if each is not None), None)
        return client

    def _advance_node(self) -> None:
        self._node_index = (self._node_index + 1) % len(self._nodes)

    def _pop(self, node_index: int) -> PooledClient | None:
        idle = self._idle[node_index]
        while idle:
            client = idle.pop()
            if client.is_open:
                return client
            # The server has closed it in the meantime.
            self._clients.discard(client)
        return None

    def _release_client(self, client: PooledClient) -> None:
        """Give a connection to the head of the queue; without a connection, open another."""
        now_ns = _now()
        self._drop_expired(now_ns)
        if not client.is_open:
            self._clients.discard(client)
            client.abort()
        elif self._waiting:
            self._send(client, self._waiting.popleft(), now_ns)
        else:
            self._idle[client.node_index].append(client)
        self._open_more()

    def _drop_expired(self, now_ns: int) -> None:
        """Drop requests that have waited too long."""
        waiting = self._waiting
        while waiting and now_ns - waiting[0] > self._timeout_ns:
            intended_ns = waiting.popleft()
            request = self._context.take(now_ns)
            if request is None:
                self._end_schedule(intended_ns)
                return
            for name in counted_names(request):
                if intended_ns >= self._measure_from_ns:
                    self._recorder.record_dropped(name, now_ns - intended_ns)
                else:
                    self._recorder.record_dropped_in_ramp(name)

    def _open_more(self) -> None:
        """Open as many connections as there are requests that wait, within bounds."""
        wanted = min(len(self._waiting), _CONNECTING_AT_ONCE)
        while len(self._opening) < wanted and len(self._clients) < self._max_clients:
            self._open()

    def _open(self) -> None:
        node = self._nodes[self._node_index]
        client = PooledClient(self, self._node_index, node, self._timeout_seconds, self._loop)
        self._clients.add(client)
        self._opening.add(self._loop.create_task(self._connect(client)))

    async def _connect(self, client: PooledClient) -> None:
        tried_ns = _now()
        failed = await client.connect()
        self._opening = {task for task in self._opening if task is not asyncio.current_task()}
        if self._is_over:
            return
        if failed is not None and self._waiting:
            self._fail_waiting(tried_ns, failed)
        self._release_client(client)
        self._finish_if_done()

    def _fail_waiting(self, tried_ns: int, failed: RequestFailure) -> None:
        """Let the head of the queue bear a connection that could not be opened for it."""
        now_ns = _now()
        intended_ns = self._waiting.popleft()
        request = self._context.take(now_ns)
        if request is None:
            self._end_schedule(intended_ns)
            return
        started_ns = max(tried_ns, intended_ns)
        self._record(request, started_ns, now_ns, 0, failed, intended_ns)
        if request.extra is not None and request.extra.transaction is not None:
            whole = request.extra.transaction.summary_request
            self._record(whole, started_ns, now_ns, 0, failed, intended_ns)
        for name in counted_names(request):
            if intended_ns >= self._measure_from_ns:
                self._recorder.record(name, intended_ns, started_ns, now_ns)

    def _measure(self) -> None:
        self._measuring = True
        self._context.measure_from(self._measure_from_ns)

    def _finish_if_done(self) -> None:
        done = self._next_ns == NEVER_NS and not self._waiting and not self._in_flight
        if done and not self._is_over:
            self._is_over = True
            self._context.user_finished()

    def _count_initial_connections(self, schedule: Schedule) -> int:
        rate = schedule.rate.requests_per_second / schedule.workers
        expected = min(math.ceil(rate * _EXPECTED_SECONDS), _CONNECTING_AT_ONCE)
        return min(max(expected, len(self._nodes)), self._max_clients)


def counted_names(request: PreparedRequest) -> tuple[int, ...]:
    """Return the places of the names that a request counts under: its own, its transaction's."""
    if request.extra is None or request.extra.transaction is None:
        return (request.name,)
    return request.name, request.extra.transaction.summary_request.name
