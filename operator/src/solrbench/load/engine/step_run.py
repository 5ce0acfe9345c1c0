"""The pass under way on one worker: who runs, what is left to do, when it is over."""

import asyncio
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import NamedTuple

from solrbench.load.engine.open_loop import ArrivalSource
from solrbench.load.engine.resource_usage import UsageMeter
from solrbench.load.engine.virtual_user import ClosedLoopUser, Think
from solrbench.load.recording.recorder import NEVER_NS, SECOND_NS, PassLedger, Second
from solrbench.load.recording.response_times import PlannedCounts
from solrbench.load.recording.worker_result import WorkerOutcome
from solrbench.load.schedule.arrivals import PlannedRate, Schedule, arrivals_seed
from solrbench.load.schedule.assignment import Assignment, Start
from solrbench.load.schedule.seeds import seed_of
from solrbench.load.schedule.think_time import think_seconds
from solrbench.load.workload.http_requests import Node
from solrbench.load.workload.prepared_request import PreparedRequest
from solrbench.load.workload.request_mix import Offer

_CONNECTING_AT_ONCE = 64
"""Connections opened side by side: less than the backlog of any server, which drops the rest."""

_now = time.perf_counter_ns


@dataclass(frozen=True)
class Target:
    """What is asked, and whom.

    Attributes:
        requests: the names, and what is drawn from
        seed: of whatever is drawn for users
        nodes: users are spread over them evenly
        timeout_seconds: an answer that takes longer is a failure
        variants: nodes of the variants by name; passes with a variant go there instead

    """

    requests: Offer
    seed: int
    nodes: Sequence[Node]
    timeout_seconds: float
    variants: Mapping[str, Sequence[Node]] = field(default_factory=dict)

    def nodes_of(self, variant: str) -> Sequence[Node]:
        """Return where the users of a pass go; `variant` is empty without variants."""
        return self.variants[variant] if variant else self.nodes


class Progress(NamedTuple):
    """The pass under way, once a second."""

    key: str
    step: str
    """Step and variant, as people read them."""
    users: int
    """Users that run."""
    requests: int
    """Measured requests so far; those of the ramp while it lasts."""
    failures: int
    sum_microseconds: int
    """Service times of the measured requests so far."""
    seconds: list[tuple[str, Second]]
    """What was counted since the last time, by request name."""


def progress_of(
    assignment: Assignment, ledger: PassLedger, users: int, *, last: bool = False
) -> Progress:
    """Return what a ledger counted since the last call; `last` ends the current second early."""
    rolled = ledger.take_rolled(_now(), last=last)
    requests, failures = ledger.totals()
    return Progress(
        assignment.key,
        assignment.label,
        users,
        requests,
        failures,
        ledger.measured_microseconds(),
        rolled,
    )


class RunningPass:
    """A pass from its first user to its last answer; the source of its users' requests.

    `ready` is called once, when the last user of this worker is there; those at a barrier have
    connected by then. `ended` is called once, after the last answer.
    """

    def __init__(
        self,
        assignment: Assignment,
        target: Target,
        ready: Callable[[], None],
        ended: Callable[[], None],
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        self.key = assignment.key
        self._assignment = assignment
        self._target = target
        self._ready = ready
        self._ended = ended
        self._loop = loop
        self._nodes = target.nodes_of(assignment.variant)
        self._draw = target.requests.begin(assignment)
        self._items = self._draw.items
        self._exhausted = False
        own = None if assignment.open_loop else assignment.own_requests
        self._left = sys.maxsize if own is None else own
        self._closes_ns = NEVER_NS
        self._closing: asyncio.TimerHandle | None = None
        self._users: list[ClosedLoopUser | ArrivalSource] = []
        self._preparing: set[asyncio.Task[None]] = set()
        self._door = asyncio.Semaphore(_CONNECTING_AT_ONCE)
        self._taken_over: list[int] = []
        self._began = False
        self._arrived = 0
        self._active = 0
        self._over = False
        self._ledger = PassLedger(
            target.requests.names,
            _now(),
            target.requests.transactions,
            assignment.workers,
            target.requests.unseen,
        )
        self.record = self._ledger.record
        self.note_slow = self._ledger.note_slow
        self._meter = UsageMeter()
        if assignment.start is Start.AT_ONCE:
            self.measure(_now())

        if not assignment.own_users:
            loop.call_soon(ready)

    def take_over(self, users: Sequence[int]) -> None:
        """Learn the numbers of users of a lost worker that are added next."""
        self._taken_over += users

    def add_user(self) -> None:
        """Add the next user of this worker; before a barrier it connects, else it starts."""
        user = self._new_user(len(self._users))
        self._users.append(user)
        if self._assignment.start is Start.BARRIER and not self._began:
            self._preparing.add(self._loop.create_task(self._prepare(user)))
            return
        if not self._over:
            self._active += 1
            user.start()
        self._arrive()

    def go(self) -> None:
        """Begin to measure; users at the barrier start."""
        if self._assignment.start is Start.AT_ONCE:
            return
        self._began = True
        if self._assignment.open_loop is None:
            self.measure(_now())
        if self._assignment.start is Start.BARRIER:
            # Counted first: a user without anything to do leaves before the next one starts.
            self._active = len(self._users)
            for user in self._users:
                user.start()
        if not self._users:
            # A warm-up may have fewer users than workers.
            self._end()

    def close(self) -> None:
        """Begin no request from now on; those under way are finished and counted."""
        self._closes_ns = min(self._closes_ns, _now())
        self._close()

    def take(self, now_ns: int) -> PreparedRequest | None:
        """Return the next request, None if there is no more to do."""
        if self._left <= 0 or now_ns >= self._closes_ns:
            return None
        request = next(self._items, None)
        if request is None:
            self._left, self._exhausted = 0, True
            return None
        self._left -= 1
        return request

    def is_exhausted(self, now_ns: int) -> bool:
        """Say whether there is no more to do."""
        return self._left <= 0 or now_ns >= self._closes_ns

    def is_closed(self, now_ns: int) -> bool:
        """Say whether the time to start requests is over."""
        return now_ns >= self._closes_ns

    def retried(self, request: PreparedRequest) -> None:
        """Count a request that is sent again."""
        self._ledger.retried[request.name] += 1

    def left(self) -> None:
        """Learn that a user is done; the last one ends the pass."""
        self._active -= 1
        if self._active == 0 and not self._over:
            self._end()

    def progress(self, *, last: bool = False) -> Progress:
        """Return what happened since the last call; `last` ends the current second early."""
        return progress_of(self._assignment, self._ledger, len(self._users), last=last)

    def outcome(self) -> WorkerOutcome:
        """Return the result; the pass must be over and its last second rolled."""
        ledger = self._ledger
        outcome = WorkerOutcome(
            key=self.key,
            users=self._assignment.own_users + len(self._taken_over),
            **asdict(self._meter.usage()),
            first_seconds=ledger.first_seconds,
            last_seconds=ledger.last_seconds,
            used_slots=self._draw.used_slots(),
            queries_exhausted=self._exhausted,
            requests=ledger.outcomes(),
            granules=ledger.granules(),
        )
        sources = [user for user in self._users if isinstance(user, ArrivalSource)]
        return sources[0].complete(outcome, ledger.empty_outcome) if sources else outcome

    def drop(self) -> None:
        """Let all users go at once."""
        self._over = True
        for task in self._preparing:
            task.cancel()
        if self._closing is not None:
            self._closing.cancel()
        for user in self._users:
            user.drop()

    def _end(self) -> None:
        self._over = True
        self._meter.end()
        # Not at once: the last user is still in the middle of its own affairs.
        self._loop.call_soon(self._ended)

    async def _prepare(self, user: ClosedLoopUser | ArrivalSource) -> None:
        async with self._door:
            await user.prepare()
        self._arrive()

    def _arrive(self) -> None:
        self._arrived += 1
        if self._arrived == self._assignment.own_users:
            self._preparing.clear()
            self._ready()

    def measure(self, now_ns: int) -> None:
        """Begin to measure."""
        self._meter.begin()
        self._ledger.measure_from(now_ns)
        seconds = self._assignment.seconds
        if seconds is not None and self._assignment.open_loop is None:
            self._closes_ns = now_ns + seconds * SECOND_NS
            self._closing = self._loop.call_later(seconds, self._close)

    def _close(self) -> None:
        """Wake users that think: none of them may ask again."""
        late_ns = self._closes_ns - _now()
        if late_ns > 0:
            # Timers of the event loop have milliseconds; requests are let through to the end.
            self._closing = self._loop.call_later(late_ns / SECOND_NS, self._close)
            return
        for user in self._users:
            user.close_round()

    def _new_user(self, own: int) -> ClosedLoopUser | ArrivalSource:
        if self._assignment.open_loop is not None:
            return self._new_source(self._assignment.open_loop)
        number = self._number(own)
        node = self._nodes[number % len(self._nodes)]
        think = self._thinker(number)
        return ClosedLoopUser(self, node, self._target.timeout_seconds, think, self._loop)

    def _new_source(self, rate: PlannedRate) -> ArrivalSource:
        duty = self._assignment
        seed = arrivals_seed(self._target.seed, duty.repeat, duty.step)
        return ArrivalSource(
            self,
            Schedule(rate, seed, duty.worker, duty.workers),
            PlannedCounts(self._target.requests.names),
            self._nodes,
            self._target.timeout_seconds,
        )

    def _number(self, own: int) -> int:
        """Return the number in the whole run of user `own` of this worker."""
        further = own - self._assignment.own_users
        if 0 <= further < len(self._taken_over):
            return self._taken_over[further]
        return self._assignment.worker + own * self._assignment.workers

    def _thinker(self, number: int) -> Think | None:
        spec = self._assignment.think_time
        if spec is None:
            return None
        seed = seed_of(
            "think",
            self._target.seed,
            self._assignment.repeat,
            self._assignment.step,
            number,
        )
        return lambda turn: think_seconds(spec, seed, turn)
