"""The users of a step run on one worker: made, connected, started, stopped and counted."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from solrbench.load.engine.client_pool import CONNECTING_AT_ONCE
from solrbench.load.engine.sender import OpenLoopSender
from solrbench.load.engine.target import LoadTarget, UserContext
from solrbench.load.engine.virtual_user import ClosedLoopUser, Think
from solrbench.load.recording.open_loop import OpenLoopRecorder
from solrbench.load.recording.response_gaps import NodeActivity, NodeCounts, UserActivity
from solrbench.load.schedule.arrivals import ArrivalRate, Schedule, arrivals_seed
from solrbench.load.schedule.messages import Assignment
from solrbench.load.schedule.users import (
    first_pacing_wait_seconds,
    first_wait_seconds,
    pacing_wait_seconds,
    seed_of,
    think_seconds,
)


class StepRunUser(Protocol):
    """A virtual user, or what sends the arrivals of an open loop."""

    async def prepare(self) -> None:
        """Connect ahead of the first request."""

    def start(self) -> None:
        """Send the first request."""

    def stop(self) -> None:
        """Start no more requests; one in flight is finished."""

    def abort(self) -> None:
        """Let everything go at once."""


@dataclass(eq=False, repr=False)
class UserGroup:
    """Users in the order in which they were added; used in the event loop's thread alone.

    `on_all_ready` is called once, when as many users as expected are there; those that connect
    first have done so by then. `on_all_finished` is called when the last active user is done.
    """

    expected: int
    on_all_ready: Callable[[], None]
    on_all_finished: Callable[[], None]
    loop: asyncio.AbstractEventLoop
    _users: list[StepRunUser] = field(default_factory=list, init=False)
    _connecting: set[asyncio.Task[None]] = field(default_factory=set, init=False)
    _connect_slots: asyncio.Semaphore = field(
        default_factory=lambda: asyncio.Semaphore(CONNECTING_AT_ONCE), init=False
    )
    _ready: int = field(default=0, init=False)
    _active: int = field(default=0, init=False)

    def __len__(self) -> int:
        return len(self._users)

    def add_waiting(self, user: StepRunUser) -> None:
        """Add a user that connects and waits for `start`."""
        self._users.append(user)
        self._connecting.add(self.loop.create_task(self._connect(user)))

    def add_started(self, user: StepRunUser) -> None:
        """Add a user and start it."""
        self._users.append(user)
        self._active += 1
        user.start()
        self._count_ready()

    def start(self) -> None:
        """Start all users."""
        # Counted first: a user without anything to do leaves before the next one starts.
        self._active = len(self._users)
        for user in self._users:
            user.start()

    def on_user_finished(self) -> None:
        """Learn that a user has nothing left to do."""
        self._active -= 1
        if self._active == 0:
            self.on_all_finished()

    def stop(self) -> None:
        """Wake users that think: none of them may start another request."""
        for user in self._users:
            user.stop()

    def abort(self) -> None:
        """Let all users go at once."""
        for task in self._connecting:
            task.cancel()
        for user in self._users:
            user.abort()

    async def _connect(self, user: StepRunUser) -> None:
        async with self._connect_slots:
            await user.prepare()
        self._count_ready()

    def _count_ready(self) -> None:
        self._ready += 1
        if self._ready == self.expected:
            self._connecting.clear()
            self.on_all_ready()


@dataclass(eq=False, repr=False)
class UserFactory:
    """Makes users with the node and the think times of their number in the whole run."""

    assignment: Assignment
    target: LoadTarget
    context: UserContext
    on_measuring: Callable[[int], None]
    """Called by an open loop after its ramp."""
    adopted: list[int] = field(default_factory=list, init=False)
    """Numbers of the users of lost workers, which are made after those of this one."""
    open_loop_recorder: OpenLoopRecorder | None = field(default=None, init=False)
    """None in a closed loop, and before the sender of an open one is made."""
    node_counts: list[NodeCounts] = field(default_factory=list, init=False)
    """The requests of an open loop to each node; empty in a closed loop."""
    user_activities: list[UserActivity] = field(default_factory=list, init=False)
    """The requests of each user; empty in an open loop."""

    def __post_init__(self) -> None:
        self._nodes = self.target.nodes_of(self.assignment.variant)
        self.node_activities = [NodeActivity(node.address) for node in self._nodes]

    def make(self, index: int) -> ClosedLoopUser | OpenLoopSender:
        """Return user `index` of this worker, or what sends the arrivals of an open loop."""
        assignment = self.assignment
        if assignment.open_loop is not None:
            return self._make_sender(assignment.open_loop)
        # Its number in the whole run: users of a lost worker keep theirs, and with it their node.
        number = assignment.worker + index * assignment.workers
        further = index - assignment.worker_users
        if 0 <= further < len(self.adopted):
            number = self.adopted[further]
        node_index = number % len(self._nodes)
        node, recorder = self._nodes[node_index], self.context.recorder
        activity = UserActivity(number, self.node_activities[node_index], recorder)
        self.user_activities.append(activity)
        spec, pace = assignment.think_time, assignment.pacing_milliseconds
        seed = seed_of("think", self.target.seed, assignment.repeat, assignment.step, number)
        waits: tuple[Think | None, float] = (None, 0.0)
        if pace is not None:
            first_seconds = first_pacing_wait_seconds(pace, seed)
            waits = (lambda _, passed: pacing_wait_seconds(pace, passed), first_seconds)
        elif spec is not None:
            first_seconds = first_wait_seconds(spec, seed)
            waits = (lambda turn, _: think_seconds(spec, seed, turn), first_seconds)
        return ClosedLoopUser(self.context, node, activity, *waits)

    def _make_sender(self, rate: ArrivalRate) -> OpenLoopSender:
        assignment, workload = self.assignment, self.target.requests
        seed = arrivals_seed(self.target.seed, assignment.repeat, assignment.step)
        place = assignment.worker, assignment.workers
        schedule = Schedule(rate, seed, *place, workload.recorded_seconds)
        recorder = self.open_loop_recorder = OpenLoopRecorder(workload.names, workload.transactions)
        self.node_counts = [NodeCounts(node_activity) for node_activity in self.node_activities]
        nodes = list(zip(self._nodes, self.node_counts, strict=True))
        return OpenLoopSender(self.context, schedule, recorder, nodes, self.on_measuring)
