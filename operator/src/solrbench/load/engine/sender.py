"""Sends the requests of an open loop on one worker: each when it is due, come what may.

Arrivals go to the nodes in turn. At each node, a due request without a free connection waits in a
queue while another connection is opened; whichever is free first, a new one or an old one, takes
the oldest request. So a connection that is slow to come up holds up no request, and a slow node
none of another.
"""

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import cycle

from solrbench.load.engine.client_pool import expected_clients, max_clients
from solrbench.load.engine.measurement import StepRunState
from solrbench.load.engine.node_sender import NodeSender
from solrbench.load.engine.precise_timer import make_timer
from solrbench.load.engine.target import UserContext
from solrbench.load.recording.open_loop import OpenLoopRecorder
from solrbench.load.recording.request_stats import NEVER_NS
from solrbench.load.recording.response_gaps import NodeCounts
from solrbench.load.schedule.arrivals import Schedule, SendingTime
from solrbench.load.workload.requests import Node, PreparedRequest


class ArrivalTimes:
    """The arrivals of one worker, one after another. Times are of `time.perf_counter_ns`."""

    __slots__ = ("_offsets_ns", "_ramp_ns", "_started_ns", "next_ns", "sending")

    def __init__(self, schedule: Schedule) -> None:
        self._offsets_ns = self._until_end(schedule)
        self._ramp_ns = schedule.rate.ramp_ns
        self._started_ns = 0
        self.next_ns = NEVER_NS
        """When the next arrival is due; after the last one, a time that never comes."""
        self.sending: SendingTime | None = None
        """When all workers send, since the begin of the schedule; None before the last arrival of
        this one, and unless their number is planned."""

    @property
    def is_over(self) -> bool:
        """Say whether nothing arrives any more."""
        return self.next_ns == NEVER_NS

    def start(self, now_ns: int) -> int:
        """Begin the schedule; return when its ramp ends."""
        self._started_ns = now_ns
        self.advance()
        return now_ns + self._ramp_ns

    def advance(self) -> None:
        """Go on to the next arrival; the hot path."""
        following = next(self._offsets_ns, None)
        self.next_ns = NEVER_NS if following is None else self._started_ns + following

    def end(self) -> None:
        """Let nothing arrive any more."""
        self.next_ns = NEVER_NS

    def sending_ended_ns(self) -> int | None:
        """Return the planned end of the arrivals of all workers; None if it is not known."""
        return None if self.sending is None else self._started_ns + self.sending.end_ns

    def _until_end(self, schedule: Schedule) -> Iterator[int]:
        self.sending = yield from schedule.arrival_times_ns()


_ARRIVALS_AT_ONCE = 64
"""Requests sent in a row, before responses get their turn, by a worker that fell behind."""

_now = time.perf_counter_ns


# A member of an enum is a slow look-up, and the hot path compares with these.
_RAMPING = StepRunState.RAMPING
_STOPPING = StepRunState.STOPPING
_FINISHED = StepRunState.FINISHED
_ABORTED = StepRunState.ABORTED


class OpenLoopSender:
    """Sends the requests of one worker by the schedule; stands where the users of a step run do."""

    def __init__(
        self,
        context: UserContext,
        schedule: Schedule,
        recorder: OpenLoopRecorder,
        nodes: Sequence[tuple[Node, NodeCounts]],
        on_measuring: Callable[[int], None],
    ) -> None:
        """Begin without connections to the nodes, each of which has its own counts.

        `on_measuring` is called with the end of the ramp, in ns.
        """
        self._context = context
        self._recorder = recorder
        self._on_measuring = on_measuring
        self._times = ArrivalTimes(schedule)
        self._is_counted = schedule.rate.seconds is None
        self._expected_clients = expected_clients(schedule, len(nodes))
        self._node_senders = [
            NodeSender(self, context, recorder, node, max_clients(schedule, index, len(nodes)))
            for index, node in enumerate(nodes)
        ]
        # Workers begin with different nodes: all with the first would send it bursts.
        first = schedule.worker % len(nodes)
        self._turns = cycle((*self._node_senders[first:], *self._node_senders[:first]))
        self._timer = make_timer(context.loop, self._on_timer)
        self.state = StepRunState.WAITING

    async def prepare(self) -> None:
        """Connect ahead of the first requests."""
        await asyncio.gather(
            *(node_sender.prepare(self._expected_clients) for node_sender in self._node_senders)
        )

    def start(self) -> None:
        """Begin the schedule."""
        now_ns = _now()
        self._recorder.origin_ns = self._times.start(now_ns)
        self.state = StepRunState.RAMPING
        if self._recorder.origin_ns <= now_ns:
            self._measure()
        self._on_timer()

    def stop(self) -> None:
        """Let nothing arrive any more; what waits or is under way is carried to its end."""
        if self.state in {StepRunState.RAMPING, StepRunState.MEASURING}:
            self._times.end()
            self._on_timer()

    def abort(self) -> None:
        """Let everything go at once."""
        if self.state is not _FINISHED:
            self.state = StepRunState.ABORTED
        self._timer.close()
        for sender in self._node_senders:
            sender.abort()

    def is_over(self) -> bool:
        """Say whether nothing is to be sent any more."""
        return self.state is _ABORTED or self.state is _FINISHED

    def on_ended(self) -> None:
        """Learn that less waits or is under way than before."""
        if self.state is _STOPPING:
            self._finish_if_done()

    def take_request(self, intended_ns: int, now_ns: int) -> PreparedRequest | None:
        """Return the request of an arrival; without one, end the schedule."""
        request = self._context.supply.take(now_ns)
        if request is None:
            self._end_schedule(intended_ns)
        return request

    def _on_timer(self) -> None:
        if self.is_over():
            # The loop may still hold a call of the timer when everything was let go.
            return
        times, recorder, now_ns = self._times, self._recorder, _now()
        for _ in range(_ARRIVALS_AT_ONCE):
            intended_ns = times.next_ns
            if intended_ns > now_ns:
                break
            times.advance()
            if intended_ns >= recorder.origin_ns:
                if self.state is _RAMPING:
                    self._measure()
                recorder.planned_requests += 1
                recorder.note_arrival(intended_ns, now_ns)
            next(self._turns).arrive(intended_ns, now_ns)
            # Read again: sending takes time, and by then the next one may be due.
            now_ns = _now()
        if times.is_over:
            self.state = StepRunState.STOPPING
            if self._is_counted:
                self._note_end(now_ns)
            # It would ring in every turn of the loop until it is set again.
            self._timer.close()
            self._finish_if_done()
        else:
            self._timer.set(times.next_ns)

    def _end_schedule(self, intended_ns: int) -> None:
        """End the schedule: nothing is left for an arrival, nor for those behind it.

        Queries that are sent once each have all been taken, so the plan ends before it.
        """
        recorder, gone = self._recorder, [intended_ns]
        for sender in self._node_senders:
            gone += sender.clear_arrivals()
        recorder.planned_requests -= sum(each >= recorder.origin_ns for each in gone)
        self._times.end()
        self.state = StepRunState.STOPPING

    def _note_end(self, now_ns: int) -> None:
        """Note when the last arrival was taken: nothing is refused from which to learn it.

        What the schedule plans is the same on all workers, however late one of them is.
        """
        planned_ns = self._times.sending_ended_ns()
        self._context.supply.note_end(now_ns if planned_ns is None else planned_ns)
        if planned_ns is not None:
            self._recorder.sending = self._times.sending
            self._context.recorder.drain_from(planned_ns)

    def _measure(self) -> None:
        self.state = StepRunState.MEASURING
        self._on_measuring(self._recorder.origin_ns)

    def _finish_if_done(self) -> None:
        if all(sender.is_done for sender in self._node_senders):
            self.state = StepRunState.FINISHED
            self._context.on_user_finished()
