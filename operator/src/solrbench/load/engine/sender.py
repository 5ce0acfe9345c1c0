"""Sends the requests of an open loop on one worker: each when it is due, come what may.

Arrivals go to the nodes in turn. At each node, a due request without a free connection waits in a
queue while another connection is opened; whichever is free first, a new one or an old one, takes
the oldest request. So a connection that is slow to come up holds up no request, and a slow node
none of another.
"""

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import cycle

from solrbench.load.engine.client_pool import expected_clients, max_clients
from solrbench.load.engine.measurement import StepRunState
from solrbench.load.engine.node_sender import NodeSender
from solrbench.load.engine.precise_timer import make_timer
from solrbench.load.engine.target import UserContext
from solrbench.load.recording.open_loop import OpenLoopRecorder
from solrbench.load.recording.request_stats import NEVER_NS
from solrbench.load.recording.response_gaps import NodeCounts
from solrbench.load.schedule.arrivals import Schedule
from solrbench.load.workload.requests import Node, PreparedRequest

_ARRIVALS_AT_ONCE = 64
"""Requests sent in a row, before responses get their turn, by a worker that fell behind."""

_now = time.perf_counter_ns

# A member of an enum is a slow look-up, and the hot path compares with these.
_RAMPING = StepRunState.RAMPING
_STOPPING = StepRunState.STOPPING
_FINISHED = StepRunState.FINISHED
_ABORTED = StepRunState.ABORTED


@dataclass(eq=False, repr=False)
class OpenLoopSender:
    """Sends the requests of one worker by the schedule; stands where the users of a step run do."""

    context: UserContext
    schedule: Schedule
    recorder: OpenLoopRecorder
    nodes: Sequence[tuple[Node, NodeCounts]]
    on_measuring: Callable[[int], None]
    """Called with the end of the ramp, in ns."""
    state: StepRunState = field(default=StepRunState.WAITING, init=False)
    _started_ns: int = field(default=0, init=False)
    _next_ns: int = field(default=NEVER_NS, init=False)
    """When the next arrival is due; after the last one, a time that never comes."""

    def __post_init__(self) -> None:
        schedule, count = self.schedule, len(self.nodes)
        self._offsets_ns = self._arrivals()
        self._node_senders = [
            NodeSender(self, self.context, self.recorder, node, max_clients(schedule, index, count))
            for index, node in enumerate(self.nodes)
        ]
        # Workers begin with different nodes: all with the first would send it bursts.
        first = schedule.worker % count
        self._turns = cycle((*self._node_senders[first:], *self._node_senders[:first]))
        self._timer = make_timer(self.context.loop, self._on_timer)

    async def prepare(self) -> None:
        """Connect ahead of the first requests."""
        expected = expected_clients(self.schedule, len(self.nodes))
        await asyncio.gather(*(each.pool.prepare(expected) for each in self._node_senders))

    def start(self) -> None:
        """Begin the schedule."""
        self._started_ns = now_ns = _now()
        self._advance()
        self.recorder.origin_ns = now_ns + self.schedule.rate.ramp_ns
        self.state = StepRunState.RAMPING
        if self.recorder.origin_ns <= now_ns:
            self._measure()
        self._on_timer()

    def stop(self) -> None:
        """Let nothing arrive any more; what waits or is under way is carried to its end."""
        if self.state in {StepRunState.RAMPING, StepRunState.MEASURING}:
            self._next_ns = NEVER_NS
            self._on_timer()

    def abort(self) -> None:
        """Let everything go at once."""
        if self.state is not _FINISHED:
            self.state = StepRunState.ABORTED
        self._timer.close()
        for sender in self._node_senders:
            sender.abort()

    def on_ended(self) -> None:
        """Learn that less waits or is under way than before."""
        if self.state is _STOPPING:
            self._finish_if_done()

    def take_request(self, intended_ns: int, now_ns: int) -> PreparedRequest | None:
        """Return the request of an arrival; without one, end the schedule."""
        request = self.context.supply.take(now_ns)
        if request is None:
            self._end_schedule(intended_ns)
        return request

    def _arrivals(self) -> Iterator[int]:
        """Yield the arrivals since the begin; then note when all workers send, if that is known."""
        self.recorder.sending = yield from self.schedule.arrival_times_ns()

    def _advance(self) -> None:
        """Go on to the next arrival; the hot path."""
        following = next(self._offsets_ns, None)
        self._next_ns = NEVER_NS if following is None else self._started_ns + following

    def _on_timer(self) -> None:
        if self.state is _ABORTED or self.state is _FINISHED:
            # The loop may still hold a call of the timer when everything was let go.
            return
        recorder, now_ns = self.recorder, _now()
        for _ in range(_ARRIVALS_AT_ONCE):
            intended_ns = self._next_ns
            if intended_ns > now_ns:
                break
            self._advance()
            if intended_ns >= recorder.origin_ns:
                if self.state is _RAMPING:
                    self._measure()
                recorder.planned_requests += 1
                recorder.note_arrival(intended_ns, now_ns)
            next(self._turns).arrive(intended_ns, now_ns)
            # Read again: sending takes time, and by then the next one may be due.
            now_ns = _now()
        if self._next_ns == NEVER_NS:
            self.state = StepRunState.STOPPING
            if self.schedule.rate.seconds is None:
                self._note_end(now_ns)
            # It would ring in every turn of the loop until it is set again.
            self._timer.close()
            self._finish_if_done()
        else:
            self._timer.set(self._next_ns)

    def _end_schedule(self, intended_ns: int) -> None:
        """End the schedule: nothing is left for an arrival, nor for those behind it.

        Queries that are sent once each have all been taken, so the plan ends before it.
        """
        recorder, gone = self.recorder, [intended_ns]
        for sender in self._node_senders:
            gone += sender.clear_arrivals()
        recorder.planned_requests -= sum(each >= recorder.origin_ns for each in gone)
        self._next_ns = NEVER_NS
        self.state = StepRunState.STOPPING

    def _note_end(self, now_ns: int) -> None:
        """Note when the last arrival was taken: nothing is refused from which to learn it.

        What the schedule plans is the same on all workers, however late one of them is.
        """
        supply, sending = self.context.supply, self.recorder.sending
        ended_ns = now_ns if sending is None else self._started_ns + sending.end_ns
        supply.ended_ns = supply.ended_ns or ended_ns
        if sending is not None:
            self.context.recorder.drain_from(ended_ns)

    def _measure(self) -> None:
        self.state = StepRunState.MEASURING
        self.on_measuring(self.recorder.origin_ns)

    def _finish_if_done(self) -> None:
        if all(sender.is_done for sender in self._node_senders):
            self.state = StepRunState.FINISHED
            self.context.on_user_finished()
