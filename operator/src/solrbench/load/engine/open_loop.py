"""The arrivals of an open loop on one worker: each is sent when it is due, come what may.

A due request goes to the next node in turn, over the connection that was used last: few stay warm,
and all nodes get equally many requests. Without a free connection it waits in a queue while another
one is opened; whichever is free first, a new one or an old one, takes the head of the queue. So a
connection that is slow to come up holds up nobody.
"""

import asyncio
import math
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Protocol

from solrbench.load.engine.pooled_client import PlannedAsker, Whole
from solrbench.load.engine.precise_timer import make_alarm
from solrbench.load.engine.response_batch import Ended
from solrbench.load.recording.recorder import NEVER_NS
from solrbench.load.recording.response_times import PlannedCounts, Times
from solrbench.load.recording.slow_requests import SlowSample
from solrbench.load.recording.worker_result import RequestOutcome, WorkerOutcome
from solrbench.load.schedule.arrivals import Schedule
from solrbench.load.schedule.assignment import share
from solrbench.load.validation.response_checks import Failure
from solrbench.load.workload.http_requests import Node
from solrbench.load.workload.prepared_request import PreparedRequest

_CONNECTING_AT_ONCE = 64
"""Connections opened side by side: less than the backlog of any server, which drops the rest."""

_EXPECTED_SECONDS = 0.1
"""Connections are opened ahead for answers that take so long; the others when they are needed."""

_ARRIVALS_AT_ONCE = 64
"""Requests sent in a row, before answers get their turn, by a worker that fell behind."""

_now = time.perf_counter_ns


RecordPlanned = Callable[[PreparedRequest, int, int, int, Failure | None, int], bool]


class PlannedPass(Protocol):
    """The pass that the arrivals are of."""

    def take(self, now_ns: int) -> PreparedRequest | None:
        """Return the next request."""

    def measure(self, now_ns: int) -> None:
        """Begin to measure."""

    @property
    def record(self) -> RecordPlanned:
        """What counts a request: begin and end in ns, bytes received, failure, plan in ns.

        It says whether the request is one of the slowest, for `note_slow`.
        """

    @property
    def note_slow(self) -> Callable[[SlowSample], None]:
        """What keeps one of the slowest requests."""

    def retried(self, request: PreparedRequest) -> None:
        """Count a request that is sent again."""

    def left(self) -> None:
        """Learn that everything is sent and answered."""


class ArrivalSource:
    """Sends the requests of one worker by the schedule."""

    def __init__(
        self,
        running: PlannedPass,
        schedule: Schedule,
        counts: PlannedCounts,
        nodes: Sequence[Node],
        timeout_seconds: float,
    ) -> None:
        self._counts = counts
        self._pass = running
        self._record = running.record
        self._ramp_ns = schedule.rate.ramp_ns
        self._times = schedule.times()
        self._nodes = nodes
        self._timeout_seconds = timeout_seconds
        self._timeout_ns = int(timeout_seconds * 1e9)
        self._loop = asyncio.get_running_loop()
        self._most = share(schedule.rate.max_in_flight, schedule.worker, schedule.workers)
        self._ahead = self._connections_ahead(schedule)
        self._turn = schedule.worker % len(nodes)
        self._idle: list[list[PlannedAsker]] = [[] for _ in nodes]
        self._askers: set[PlannedAsker] = set()
        self._opening: set[asyncio.Task[None]] = set()
        self._waiting: deque[int] = deque()
        self._under_way = 0
        self._begin_ns = 0
        self._origin_ns = 0
        self._next_ns = 0
        self._measuring = False
        self._alarm = make_alarm(self._loop, self._ring)
        self._over = False
        self._planned = 0
        self._lags = Times()

    async def prepare(self) -> None:
        """Connect ahead of the first requests."""
        for _ in range(self._ahead):
            self._open()
            self._next_turn()
        await asyncio.gather(*self._opening)

    def start(self) -> None:
        """Begin the schedule."""
        self._begin_ns = _now()
        self._origin_ns = self._begin_ns + self._ramp_ns
        if not self._ramp_ns:
            self._measure()
        self._advance()
        self._ring()

    def close_round(self) -> None:
        """Do nothing: the schedule has an end of its own."""

    def drop(self) -> None:
        """Let everything go at once."""
        self._over = True
        self._alarm.close()
        for task in self._opening:
            task.cancel()
        for asker in self._askers:
            asker.drop()

    def completed(self, asker: PlannedAsker, ended: Ended) -> None:
        """Count a request and give its connection to the next one that is due.

        The next request of a transaction keeps it.
        """
        request, began_ns, ended_ns, received, _, _ = ended
        failed, intended_ns = asker.failed, asker.intended_ns
        if self._record(request, began_ns, ended_ns, received, failed, intended_ns):
            self._pass.note_slow(asker.slow_sample(ended, failed))
        if intended_ns >= self._origin_ns:
            self._counts.record(request.name, intended_ns, began_ns, ended_ns)
        if request.extra is not None and asker.follow(ended):
            return
        self._under_way -= 1
        if self._waiting or not asker.is_open:
            self._take_back(asker)
        else:
            self._idle[asker.place].append(asker)
        if self._next_ns == NEVER_NS:
            self._leave_if_done()

    def retried(self, request: PreparedRequest) -> None:
        """Count a request that is sent again."""
        self._pass.retried(request)

    def record_whole(
        self, whole: PreparedRequest, times: Whole, received: int, failed: Failure | None
    ) -> None:
        """Count a whole transaction; it is measured if its arrival is."""
        arrived_ns, lag_ns, began_ns, ended_ns = times
        self._record(whole, began_ns, ended_ns, received, failed, arrived_ns)
        if arrived_ns >= self._origin_ns:
            self._counts.record(whole.name, began_ns - lag_ns, began_ns, ended_ns)

    def complete(
        self, outcome: WorkerOutcome, empty: Callable[[int], RequestOutcome]
    ) -> WorkerOutcome:
        """Return the outcome of the pass with what only an open loop has.

        `empty` makes the outcome of a request name that was never sent, from its place.
        """
        figures = {
            "planned_requests": self._planned,
            "lag_p99_microseconds": self._lags.percentile(99),
            "lag_max_microseconds": self._lags.max_microseconds,
            "requests": self._counts.complete(outcome.requests, empty),
        }
        return outcome.model_copy(update=figures)

    def _ring(self) -> None:
        """Send what is due."""
        if self._over:
            # The loop may still hold a ring when everything was let go.
            return
        now_ns = _now()
        for _ in range(_ARRIVALS_AT_ONCE):
            intended_ns = self._next_ns
            if intended_ns > now_ns:
                break
            self._advance()
            self._arrive(intended_ns, now_ns)
            now_ns = _now()
        if self._next_ns != NEVER_NS:
            self._alarm.set(self._next_ns)
        else:
            self._leave_if_done()

    def _advance(self) -> None:
        following = next(self._times, None)
        self._next_ns = NEVER_NS if following is None else self._begin_ns + following

    def _arrive(self, intended_ns: int, now_ns: int) -> None:
        measured = intended_ns >= self._origin_ns
        if measured:
            if not self._measuring:
                self._measure()
            self._planned += 1
        asker = self._find_idle()
        if asker is None:
            self._waiting.append(intended_ns)
            self._give_up(now_ns)
            self._open_more()
            return
        if measured:
            self._lags.record((now_ns - intended_ns) // 1000)
        self._send(asker, intended_ns, now_ns)

    def _send(self, asker: PlannedAsker, intended_ns: int, now_ns: int) -> None:
        request = self._pass.take(now_ns)
        if request is None:
            self._run_dry(intended_ns)
            self._idle[asker.place].append(asker)
            return
        self._under_way += 1
        asker.carry(request, intended_ns, now_ns)

    def _run_dry(self, intended_ns: int) -> None:
        """End the schedule: nothing is left for an arrival, nor for those behind it.

        Queries that are sent once each have all been taken, so the plan ends before it.
        """
        left = (intended_ns, *self._waiting)
        self._planned -= sum(each >= self._origin_ns for each in left)
        self._waiting.clear()
        self._next_ns = NEVER_NS

    def _find_idle(self) -> PlannedAsker | None:
        """Return a free connection: to the node whose turn it is, if another can be opened."""
        self._next_turn()
        asker = self._pop(self._turn)
        if asker is None and len(self._askers) >= self._most:
            others = (self._pop(place) for place in range(len(self._nodes)))
            asker = next((each for each in others if each is not None), None)
        return asker

    def _next_turn(self) -> None:
        self._turn = (self._turn + 1) % len(self._nodes)

    def _pop(self, place: int) -> PlannedAsker | None:
        idle = self._idle[place]
        while idle:
            asker = idle.pop()
            if asker.is_open:
                return asker
            # The server has closed it in the meantime.
            self._askers.discard(asker)
        return None

    def _take_back(self, asker: PlannedAsker) -> None:
        """Give a connection to the head of the queue; without a connection, open another."""
        now_ns = _now()
        self._give_up(now_ns)
        if not asker.is_open:
            self._askers.discard(asker)
            asker.drop()
        elif self._waiting:
            self._send(asker, self._waiting.popleft(), now_ns)
        else:
            self._idle[asker.place].append(asker)
        self._open_more()

    def _give_up(self, now_ns: int) -> None:
        """Drop requests that have waited too long."""
        waiting = self._waiting
        while waiting and now_ns - waiting[0] > self._timeout_ns:
            intended_ns = waiting.popleft()
            request = self._pass.take(now_ns)
            if request is None:
                self._run_dry(intended_ns)
                return
            for name in names_of(request):
                if intended_ns >= self._origin_ns:
                    self._counts.drop(name, now_ns - intended_ns)
                else:
                    self._counts.drop_in_ramp(name)

    def _open_more(self) -> None:
        """Open as many connections as there are requests that wait, within bounds."""
        wanted = min(len(self._waiting), _CONNECTING_AT_ONCE)
        while len(self._opening) < wanted and len(self._askers) < self._most:
            self._open()

    def _open(self) -> None:
        node = self._nodes[self._turn]
        asker = PlannedAsker(self, self._turn, node, self._timeout_seconds, self._loop)
        self._askers.add(asker)
        self._opening.add(self._loop.create_task(self._connect(asker)))

    async def _connect(self, asker: PlannedAsker) -> None:
        tried_ns = _now()
        failed = await asker.connect()
        self._opening = {task for task in self._opening if task is not asyncio.current_task()}
        if self._over:
            return
        if failed is not None and self._waiting:
            self._fail(tried_ns, failed)
        self._take_back(asker)
        self._leave_if_done()

    def _fail(self, tried_ns: int, failed: Failure) -> None:
        """Let the head of the queue bear a connection that could not be opened for it."""
        now_ns = _now()
        intended_ns = self._waiting.popleft()
        request = self._pass.take(now_ns)
        if request is None:
            self._run_dry(intended_ns)
            return
        began_ns = max(tried_ns, intended_ns)
        self._record(request, began_ns, now_ns, 0, failed, intended_ns)
        if request.extra is not None and request.extra.flow is not None:
            whole = request.extra.flow.whole
            self._record(whole, began_ns, now_ns, 0, failed, intended_ns)
        for name in names_of(request):
            if intended_ns >= self._origin_ns:
                self._counts.record(name, intended_ns, began_ns, now_ns)

    def _measure(self) -> None:
        self._measuring = True
        self._pass.measure(self._origin_ns)

    def _leave_if_done(self) -> None:
        done = self._next_ns == NEVER_NS and not self._waiting and not self._under_way
        if done and not self._over:
            self._over = True
            self._pass.left()

    def _connections_ahead(self, schedule: Schedule) -> int:
        rate = schedule.rate.requests_per_second / schedule.workers
        expected = min(math.ceil(rate * _EXPECTED_SECONDS), _CONNECTING_AT_ONCE)
        return min(max(expected, len(self._nodes)), self._most)


def names_of(request: PreparedRequest) -> tuple[int, ...]:
    """Return the places of the names that a request counts under: its own, its transaction's."""
    if request.extra is None or request.extra.flow is None:
        return (request.name,)
    return request.name, request.extra.flow.whole.name
