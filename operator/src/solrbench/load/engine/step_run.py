"""The step run under way on one worker: who runs, what is left to do, when it is over."""

import asyncio
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import NamedTuple

from solrbench.load.engine.open_loop.sender import OpenLoopSender
from solrbench.load.engine.resource_usage import UsageMeter
from solrbench.load.engine.virtual_user import Think, VirtualUser
from solrbench.load.recording.recorder import SECOND_NS, StepRunRecorder
from solrbench.load.recording.request_stats import NEVER_NS, SecondStats
from solrbench.load.recording.response_times import OpenLoopRecorder
from solrbench.load.recording.worker_result import WorkerStepResult
from solrbench.load.schedule.arrivals import ArrivalRate, Schedule, arrivals_seed
from solrbench.load.schedule.assignment import Assignment, Start
from solrbench.load.schedule.seeds import seed_of
from solrbench.load.schedule.think_time import think_seconds
from solrbench.load.workload.http_requests import Node
from solrbench.load.workload.prepared_request import PreparedRequest
from solrbench.load.workload.request_mix import PreparedWorkload

_CONNECTING_AT_ONCE = 64
"""Connections opened side by side: less than the backlog of any server, which drops the rest."""

_now = time.perf_counter_ns


@dataclass(frozen=True)
class LoadTarget:
    """What is asked, and whom.

    Attributes:
        requests: the names, and what is drawn from
        seed: of whatever is drawn for users
        nodes: users are spread over them evenly
        timeout_seconds: a response that takes longer is a failure
        variants: nodes of the variants by name; step runs with a variant go there instead

    """

    requests: PreparedWorkload
    seed: int
    nodes: Sequence[Node]
    timeout_seconds: float
    variants: Mapping[str, Sequence[Node]] = field(default_factory=dict)

    def nodes_of(self, variant: str) -> Sequence[Node]:
        """Return where the users of a step run go; `variant` is empty without variants."""
        return self.variants[variant] if variant else self.nodes


class ProgressUpdate(NamedTuple):
    """The step run under way, once a second."""

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
    seconds: list[tuple[str, SecondStats]]
    """What was counted since the last time, by request name."""


def build_progress(
    assignment: Assignment, recorder: StepRunRecorder, users: int, *, last: bool = False
) -> ProgressUpdate:
    """Return what a recorder counted since the last call; `last` ends the current second early."""
    rolled = recorder.take_finished_seconds(_now(), last=last)
    requests, failures = recorder.totals()
    return ProgressUpdate(
        assignment.key,
        assignment.label,
        users,
        requests,
        failures,
        recorder.measured_microseconds(),
        rolled,
    )


class StepRun:
    """A step run from its first user to its last response; the source of its users' requests.

    `ready` is called once, when the last user of this worker is there; those at a barrier have
    connected by then. `ended` is called once, after the last response.
    """

    def __init__(
        self,
        assignment: Assignment,
        target: LoadTarget,
        on_ready: Callable[[], None],
        on_ended: Callable[[], None],
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        self.key = assignment.key
        self._assignment = assignment
        self._target = target
        self._on_ready = on_ready
        self._on_ended = on_ended
        self._loop = loop
        self._nodes = target.nodes_of(assignment.variant)
        self._stream = target.requests.open_stream(assignment)
        self._requests = self._stream.requests
        self._exhausted = False
        own = None if assignment.open_loop else assignment.worker_requests
        self._remaining = sys.maxsize if own is None else own
        self._stops_ns = NEVER_NS
        self._stop_timer: asyncio.TimerHandle | None = None
        self._users: list[VirtualUser | OpenLoopSender] = []
        self._preparing: set[asyncio.Task[None]] = set()
        self._connect_slots = asyncio.Semaphore(_CONNECTING_AT_ONCE)
        self._adopted_users: list[int] = []
        self._started = False
        self._ready_users = 0
        self._active_users = 0
        self._is_over = False
        self._recorder = StepRunRecorder(
            target.requests.names,
            _now(),
            target.requests.transactions,
            assignment.workers,
            target.requests.unchecked,
        )
        self.record = self._recorder.record
        self.add_slow_request = self._recorder.add_slow_request
        self._meter = UsageMeter()
        if assignment.start is Start.IMMEDIATE:
            self.measure_from(_now())

        if not assignment.worker_users:
            loop.call_soon(on_ready)

    def adopt_users(self, users: Sequence[int]) -> None:
        """Learn the numbers of users of a lost worker that are added next."""
        self._adopted_users += users

    def add_user(self) -> None:
        """Add the next user of this worker; before a barrier it connects, else it starts."""
        user = self._new_user(len(self._users))
        self._users.append(user)
        if self._assignment.start is Start.BARRIER and not self._started:
            self._preparing.add(self._loop.create_task(self._prepare(user)))
            return
        if not self._is_over:
            self._active_users += 1
            user.start()
        self._count_ready_user()

    def start_measuring(self) -> None:
        """Begin to measure; users at the barrier start."""
        if self._assignment.start is Start.IMMEDIATE:
            return
        self._started = True
        if self._assignment.open_loop is None:
            self.measure_from(_now())
        if self._assignment.start is Start.BARRIER:
            # Counted first: a user without anything to do leaves before the next one starts.
            self._active_users = len(self._users)
            for user in self._users:
                user.start()
        if not self._users:
            # A warm-up may have fewer users than workers.
            self._end()

    def stop_sending(self) -> None:
        """Begin no request from now on; those under way are finished and counted."""
        self._stops_ns = min(self._stops_ns, _now())
        self._stop()

    def take(self, now_ns: int) -> PreparedRequest | None:
        """Return the next request, None if there is no more to do."""
        if self._remaining <= 0 or now_ns >= self._stops_ns:
            return None
        request = next(self._requests, None)
        if request is None:
            self._remaining, self._exhausted = 0, True
            return None
        self._remaining -= 1
        return request

    def is_exhausted(self, now_ns: int) -> bool:
        """Say whether there is no more to do."""
        return self._remaining <= 0 or now_ns >= self._stops_ns

    def is_closed(self, now_ns: int) -> bool:
        """Say whether the time to start requests is over."""
        return now_ns >= self._stops_ns

    def on_retry(self, request: PreparedRequest) -> None:
        """Count a request that is sent again."""
        self._recorder.count_retry(request)

    def user_finished(self) -> None:
        """Learn that a user is done; the last one ends the step run."""
        self._active_users -= 1
        if self._active_users == 0 and not self._is_over:
            self._end()

    def progress(self, *, last: bool = False) -> ProgressUpdate:
        """Return what happened since the last call; `last` ends the current second early."""
        return build_progress(self._assignment, self._recorder, len(self._users), last=last)

    def result(self) -> WorkerStepResult:
        """Return the result; the step run must be over and its last second rolled."""
        recorder = self._recorder
        result = WorkerStepResult(
            key=self.key,
            users=self._assignment.worker_users + len(self._adopted_users),
            **asdict(self._meter.usage()),
            first_seconds=recorder.first_seconds,
            last_seconds=recorder.last_seconds,
            used_numbers=self._stream.used_numbers(),
            queries_exhausted=self._exhausted,
            requests=recorder.results(),
            micro_batches=recorder.micro_batches(),
        )
        sources = [user for user in self._users if isinstance(user, OpenLoopSender)]
        return sources[0].add_to_result(result, recorder.empty_result) if sources else result

    def abort(self) -> None:
        """Let all users go at once."""
        self._is_over = True
        for task in self._preparing:
            task.cancel()
        if self._stop_timer is not None:
            self._stop_timer.cancel()
        for user in self._users:
            user.abort()

    def _end(self) -> None:
        self._is_over = True
        self._meter.end()
        # Not at once: the last user is still in the middle of its own affairs.
        self._loop.call_soon(self._on_ended)

    async def _prepare(self, user: VirtualUser | OpenLoopSender) -> None:
        async with self._connect_slots:
            await user.prepare()
        self._count_ready_user()

    def _count_ready_user(self) -> None:
        self._ready_users += 1
        if self._ready_users == self._assignment.worker_users:
            self._preparing.clear()
            self._on_ready()

    def measure_from(self, now_ns: int) -> None:
        """Begin to measure."""
        self._meter.begin()
        self._recorder.measure_from(now_ns)
        seconds = self._assignment.seconds
        if seconds is not None and self._assignment.open_loop is None:
            self._stops_ns = now_ns + seconds * SECOND_NS
            self._stop_timer = self._loop.call_later(seconds, self._stop)

    def _stop(self) -> None:
        """Wake users that think: none of them may ask again."""
        late_ns = self._stops_ns - _now()
        if late_ns > 0:
            # Timers of the event loop have milliseconds; requests are let through to the end.
            self._stop_timer = self._loop.call_later(late_ns / SECOND_NS, self._stop)
            return
        for user in self._users:
            user.stop()

    def _new_user(self, own: int) -> VirtualUser | OpenLoopSender:
        if self._assignment.open_loop is not None:
            return self._new_sender(self._assignment.open_loop)
        number = self._number(own)
        node = self._nodes[number % len(self._nodes)]
        think = self._think_times(number)
        return VirtualUser(self, node, self._target.timeout_seconds, think, self._loop)

    def _new_sender(self, rate: ArrivalRate) -> OpenLoopSender:
        duty = self._assignment
        seed = arrivals_seed(self._target.seed, duty.repeat, duty.step)
        return OpenLoopSender(
            self,
            Schedule(rate, seed, duty.worker, duty.workers),
            OpenLoopRecorder(self._target.requests.names),
            self._nodes,
            self._target.timeout_seconds,
        )

    def _number(self, own: int) -> int:
        """Return the number in the whole run of user `own` of this worker."""
        further = own - self._assignment.worker_users
        if 0 <= further < len(self._adopted_users):
            return self._adopted_users[further]
        return self._assignment.worker + own * self._assignment.workers

    def _think_times(self, number: int) -> Think | None:
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
