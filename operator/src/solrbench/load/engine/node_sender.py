"""The requests of an open loop to one node: under way, thinking and waiting.

Each node has connections and a queue of its own: a request waits for the node whose turn it was,
however free the others are. A common queue would send what a slow node holds up to the quick ones,
as an ideal load balancer does that no user has, and hide the slow node.
"""

import asyncio
import time
from collections import deque
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from solrbench.load.engine.client_pool import ClientPool, Continuation, PooledClient
from solrbench.load.engine.http_client import CompletedRequest
from solrbench.load.engine.target import UserContext
from solrbench.load.recording.open_loop import OpenLoopRecorder
from solrbench.load.recording.request_stats import SlowSample
from solrbench.load.recording.response_gaps import NodeCounts
from solrbench.load.workload.requests import (
    CompletedTransaction,
    NextRequest,
    Node,
    PreparedRequest,
)
from solrbench.load.workload.response_checks import RequestFailure

_now = time.perf_counter_ns


class WaitingRequest(NamedTuple):
    """One request that is due."""

    intended_ns: int
    continuation: Continuation | None = None
    """What follows within a transaction; None for an arrival, whose request is not taken yet."""


class NodeSenderOwner(Protocol):
    """What all nodes of an open loop share."""

    def take_request(self, intended_ns: int, now_ns: int) -> PreparedRequest | None:
        """Return the request of an arrival; None if nothing is left to be sent."""

    def on_ended(self) -> None:
        """Learn that less waits or is under way than before."""


@dataclass(eq=False, repr=False)
class NodeSender:
    """Sends the requests of one node, each arrival over one of the node's connections.

    It counts what became of them. An arrival is measured if it was to start after the ramp, and
    with it all requests of its transaction: what belongs to a transaction of the ramp belongs to
    the ramp. It is called in the event loop's thread alone.
    """

    owner: NodeSenderOwner
    context: UserContext
    arrivals: OpenLoopRecorder
    node_and_counts: tuple[Node, NodeCounts]
    max_clients: int
    _in_flight: int = field(default=0, init=False)
    """Arrivals that were sent and have not ended, transactions that think included."""
    _thinking: set[asyncio.TimerHandle] = field(default_factory=set, init=False)
    _waiting: deque[WaitingRequest] = field(default_factory=deque, init=False)
    """Requests that are due and wait for a connection, the oldest first."""
    _unreachable: RequestFailure | None = field(default=None, init=False)
    """What the last attempt to connect failed of; None if it did not."""

    def __post_init__(self) -> None:
        context = self.context
        node, self._node_counts = self.node_and_counts
        self._recorder = context.recorder
        self.pool = ClientPool(
            self.max_clients,
            lambda: PooledClient(context, node, self._on_completed),
            self._on_connected,
            context.loop,
        )
        self._timeout_ns = int(context.timeout_seconds * 1e9)

    @property
    def is_done(self) -> bool:
        """Say whether nothing waits or is under way."""
        return not self._in_flight and not self._waiting

    def abort(self) -> None:
        """Let everything go at once."""
        for timer in self._thinking:
            timer.cancel()
        self.pool.abort()

    def arrive(self, intended_ns: int, now_ns: int) -> None:
        """Send the request of an arrival, or let it wait for a connection; the hot path."""
        client = self.pool.take_idle()
        if client is None:
            self._wait(WaitingRequest(intended_ns), now_ns)
            return
        if intended_ns >= self.arrivals.origin_ns:
            # Only here: of a request that waits for a connection, the worker is not what is late.
            self.arrivals.lags.record((now_ns - intended_ns) // 1000)
        self._send(client, intended_ns, now_ns)

    def clear_arrivals(self) -> list[int]:
        """Let go the arrivals that wait, but no begun transactions; return when they were due."""
        gone = [each.intended_ns for each in self._waiting if each.continuation is None]
        self._waiting = deque(each for each in self._waiting if each.continuation is not None)
        return gone

    def _on_completed(self, client: PooledClient, ended: CompletedRequest) -> None:
        """Count a request and give its connection to the next one that is due.

        The next request of a transaction that does not think keeps it.
        """
        request, started_ns, ended_ns, received, _, _ = ended
        failed, intended_ns, arrived_ns = client.failed, client.intended_ns, client.arrived_ns
        is_slow = self._recorder.record(request, started_ns, ended_ns, received, failed, arrived_ns)
        if arrived_ns >= self.arrivals.origin_ns:
            # By its intended start: counted from the sending, a stall would leave out the very
            # requests that it held up (coordinated omission, ADR 5).
            self.arrivals.record(request.name, intended_ns, started_ns, ended_ns)
            self._node_counts.record((ended_ns - intended_ns) // 1000, failed)
            self._node_counts.activity.record(request, started_ns, ended_ns)
            if is_slow:
                self._recorder.add_slow_request(client.slow_sample(ended, failed))
        if request.extra is not None and self._continue_transaction(client, ended):
            return
        self._in_flight -= 1
        if self._waiting or not client.is_open:
            self._release_client(client)
        else:
            self.pool.add_idle(client)
        self.owner.on_ended()

    def _give_up_expired(self, now_ns: int) -> None:
        """Give up, and count with their wait, requests that have waited too long.

        They have failed if the node takes no connections, else all were in use: they are dropped.
        """
        # Not bound to a local name: giving one up may end the schedule, which replaces the queue.
        while self._waiting and now_ns - self._waiting[0].intended_ns > self._timeout_ns:
            if self._unreachable is not None:
                self._fail_oldest(now_ns - self._timeout_ns, self._unreachable)
                continue
            oldest = self._waiting.popleft()
            following = self._leave(oldest, now_ns)
            if following is None:
                continue
            request, arrived_ns, _, delay_ns = following
            waited_ns = now_ns - oldest.intended_ns
            if arrived_ns >= self.arrivals.origin_ns:
                self._node_counts.record_dropped(waited_ns // 1000)
            self.arrivals.record_dropped(request.name, arrived_ns, arrived_ns + waited_ns)
            if request.extra is not None and request.extra.transaction is not None:
                # The transaction is given up with its request.
                whole = request.extra.transaction
                ended_ns = arrived_ns + whole.elapsed_ns + delay_ns
                self.arrivals.record_dropped(whole.summary_request.name, arrived_ns, ended_ns)

    def _fail_oldest(self, tried_ns: int, failed: RequestFailure) -> None:
        """Let the oldest request bear a connection that could not be opened for it."""
        oldest = self._waiting.popleft()
        started_ns, ended_ns = max(tried_ns, oldest.intended_ns), _now()
        following = self._leave(oldest, started_ns, ended_ns)
        if following is None:
            return
        request, arrived_ns, lag_ns, delay_ns = following
        is_slow = self._recorder.record(request, started_ns, ended_ns, 0, failed, arrived_ns)
        if arrived_ns >= self.arrivals.origin_ns:
            self.arrivals.record(request.name, oldest.intended_ns, started_ns, ended_ns)
            self._node_counts.record((ended_ns - oldest.intended_ns) // 1000, failed)
            if is_slow:
                microseconds = (ended_ns - started_ns) // 1000
                node = self._node_counts.activity.name
                sample = SlowSample(microseconds, request, started_ns, node, None, failed)
                self._recorder.add_slow_request(sample)
        if request.extra is not None and request.extra.transaction is not None:
            whole = request.extra.transaction.advance(started_ns, ended_ns, 0, failed)
            if isinstance(whole, CompletedTransaction):
                self._record_transaction(whole, arrived_ns, lag_ns, delay_ns)

    def _record_transaction(
        self, whole: CompletedTransaction, arrived_ns: int, lag_ns: int, delay_ns: int
    ) -> None:
        """Count a transaction whose first request was to start at a time, and was sent later.

        Its response time is that of its requests together: what it thinks is left out, and what
        any of them waited for a connection is not (coordinated omission, ADR 5).
        """
        self._recorder.record(*whole, arrived_ns)
        if arrived_ns >= self.arrivals.origin_ns:
            name, intended_ns = whole.request.name, whole.started_ns - delay_ns
            self.arrivals.record(name, intended_ns, intended_ns + lag_ns, whole.ended_ns)

    def _leave(
        self, waiting: WaitingRequest, started_ns: int, now_ns: int | None = None
    ) -> Continuation | None:
        """Return a request that is never sent, its wait included; None without one to take."""
        intended_ns, following = waiting
        late_ns = started_ns - intended_ns
        if following is not None:
            self._in_flight -= 1
            return following._replace(delay_ns=following.delay_ns + late_ns)
        request = self.owner.take_request(intended_ns, now_ns or started_ns)
        return request and Continuation(request, intended_ns, late_ns, late_ns)

    def _wait(self, request: WaitingRequest, now_ns: int) -> None:
        self._waiting.append(request)
        self._give_up_expired(now_ns)
        self.pool.open_for(len(self._waiting))

    def _send(self, client: PooledClient, intended_ns: int, now_ns: int) -> None:
        request = self.owner.take_request(intended_ns, now_ns)
        if request is None:
            # No arrival is left, but requests of transactions that have begun may wait for it.
            self._release_client(client)
            return
        self._in_flight += 1
        client.send_scheduled(request, intended_ns, now_ns)

    def _release_client(self, client: PooledClient) -> None:
        """Give a connection to the oldest waiting request; without a connection, open another."""
        now_ns = _now()
        self._give_up_expired(now_ns)
        if not client.is_open:
            self.pool.discard(client)
        elif self._waiting:
            intended_ns, following = self._waiting.popleft()
            if following is None:
                self._send(client, intended_ns, now_ns)
            else:
                client.send_continuation(following, intended_ns, now_ns)
        else:
            self.pool.add_idle(client)
        self.pool.open_for(len(self._waiting))

    def _on_connected(
        self, client: PooledClient, tried_ns: int, failed: RequestFailure | None
    ) -> None:
        self._unreachable = failed
        if failed is not None and self._waiting:
            self._fail_oldest(tried_ns, failed)
        self._release_client(client)
        self.owner.on_ended()

    def _continue_transaction(self, client: PooledClient, ended: CompletedRequest) -> bool:
        """Go on with the transaction of a request; say whether it does.

        What follows is due when the request before is completed and its think time is over. The end
        of the step does not cut it short: what has arrived is carried to its end.
        """
        request, started_ns, ended_ns, received, _, _ = ended
        transaction = request.extra.transaction if request.extra is not None else None
        if transaction is None:
            return False
        delays_ns = client.delays_ns(started_ns)
        following = transaction.advance(started_ns, ended_ns, received, client.failed)
        if isinstance(following, CompletedTransaction):
            self._record_transaction(following, client.arrived_ns, *delays_ns)
            return False
        next_one = Continuation(following.request, client.arrived_ns, *delays_ns)
        if following.think_seconds:
            self._think(following, next_one, ended_ns)
            # Nothing is under way while it thinks, so others may have its connection.
            self._release_client(client)
        else:
            now_ns = _now()
            client.send_continuation(next_one, min(ended_ns, now_ns), now_ns)
        return True

    def _think(self, following: NextRequest, next_one: Continuation, ended_ns: int) -> None:
        due_ns = ended_ns + int(following.think_seconds * 1e9)

        def resume() -> None:
            self._thinking.discard(timer)
            now_ns = _now()
            # Timers of the event loop may fire up to a millisecond early.
            intended_ns = min(due_ns, now_ns)
            client = self.pool.take_idle()
            if client is None:
                self._wait(WaitingRequest(intended_ns, next_one), now_ns)
            else:
                client.send_continuation(next_one, intended_ns, now_ns)

        timer = self.context.loop.call_later(following.think_seconds, resume)
        self._thinking.add(timer)
