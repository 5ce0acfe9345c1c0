"""Makes the users of a step run on one worker."""

from collections.abc import Callable, Sequence

from solrbench.load.engine.open_loop.sender import OpenLoopSender
from solrbench.load.engine.target import LoadTarget
from solrbench.load.engine.user_context import UserContext
from solrbench.load.engine.virtual_user import VirtualUser
from solrbench.load.recording.node_counts import NodeCounts
from solrbench.load.recording.response_gaps import (
    NodeActivity,
    UserActivity,
    longest_response_gaps,
    user_shares,
)
from solrbench.load.recording.response_times import OpenLoopRecorder
from solrbench.load.recording.worker_result import WorkerStepResult
from solrbench.load.schedule.arrivals import ArrivalRate, Schedule, arrivals_seed
from solrbench.load.schedule.assignment import Assignment
from solrbench.load.schedule.seeds import seed_of
from solrbench.load.schedule.think_time import (
    first_pacing_wait_seconds,
    first_wait_seconds,
    pacing_wait_seconds,
    think_seconds,
)


class UserFactory:
    """Makes users with the node and the think times of their number in the whole run.

    Attributes:
        open_loop_recorder: counts the arrivals of an open loop; None in a closed loop, and before
            its sender is made
        node_counts: counts the requests of an open loop to each node

    """

    def __init__(
        self,
        assignment: Assignment,
        target: LoadTarget,
        context: UserContext,
        on_measuring: Callable[[int], None],
    ) -> None:
        """Make users that share `context`; an open loop calls `on_measuring` after its ramp."""
        self._assignment = assignment
        self._target = target
        self._nodes = target.nodes_of(assignment.variant)
        self._context = context
        self._on_measuring = on_measuring
        self._adopted: list[int] = []
        self.open_loop_recorder: OpenLoopRecorder | None = None
        self.node_counts: list[NodeCounts] = []
        self._user_activities: list[UserActivity] = []
        self._node_activities = [NodeActivity(f"{each.host}:{each.port}") for each in self._nodes]

    @property
    def expected_users(self) -> int:
        """Users of this worker, those of lost workers included."""
        return self._assignment.worker_users + len(self._adopted)

    def add_to_result(self, result: WorkerStepResult) -> WorkerStepResult:
        """Return the result of a step run with who waited in it."""
        users, origin_ns = self._user_activities, self._context.recorder.origin_ns
        return result.model_copy(
            update={
                "response_gaps": longest_response_gaps(users, self._node_activities, origin_ns),
                "user_shares": user_shares(users),
            }
        )

    def adopt(self, numbers: Sequence[int]) -> None:
        """Learn the numbers of users of a lost worker that are made after those of this one."""
        self._adopted += numbers

    def make(self, index: int) -> VirtualUser | OpenLoopSender:
        """Return user `index` of this worker, or what sends the arrivals of an open loop."""
        rate = self._assignment.open_loop
        return self._make_user(index) if rate is None else self._make_sender(rate)

    def _make_user(self, index: int) -> VirtualUser:
        number = self._number(index)
        place = number % len(self._nodes)
        node, recorder = self._nodes[place], self._context.recorder
        activity = UserActivity(number, self._node_activities[place], recorder)
        self._user_activities.append(activity)
        spec, pace = self._assignment.think_time, self._assignment.pacing_milliseconds
        seed = self._think_seed(number)
        if pace is not None:
            return VirtualUser(
                self._context,
                node,
                activity,
                lambda _, passed: pacing_wait_seconds(pace, passed),
                first_pacing_wait_seconds(pace, seed),
            )
        if spec is None:
            return VirtualUser(self._context, node, activity)
        return VirtualUser(
            self._context,
            node,
            activity,
            lambda turn, _: think_seconds(spec, seed, turn),
            first_wait_seconds(spec, seed),
        )

    def _make_sender(self, rate: ArrivalRate) -> OpenLoopSender:
        assignment = self._assignment
        seed = arrivals_seed(self._target.seed, assignment.repeat, assignment.step)
        schedule = Schedule(
            rate,
            seed,
            assignment.worker,
            assignment.workers,
            self._target.requests.recorded_seconds,
        )
        self.open_loop_recorder = OpenLoopRecorder(
            self._target.requests.names, self._target.requests.transactions
        )
        self.node_counts = [NodeCounts(each) for each in self._node_activities]
        return OpenLoopSender(
            self._context,
            schedule,
            self.open_loop_recorder,
            list(zip(self._nodes, self.node_counts, strict=True)),
            self._on_measuring,
        )

    def _number(self, index: int) -> int:
        """Return the number in the whole run of user `index` of this worker."""
        further = index - self._assignment.worker_users
        if 0 <= further < len(self._adopted):
            return self._adopted[further]
        return self._assignment.worker + index * self._assignment.workers

    def _think_seed(self, number: int) -> int:
        assignment = self._assignment
        return seed_of("think", self._target.seed, assignment.repeat, assignment.step, number)
