"""One step run over its workers: what is sent to them, who is lost, and what follows."""

from collections.abc import Callable, Mapping, MutableMapping
from enum import Enum, auto
from typing import Any, Protocol

from solrbench.load.errors import LoadError, StepRunAbortedError
from solrbench.load.locust_scaling import WorkerRoster
from solrbench.load.master.live_totals import StepReports
from solrbench.load.recording.worker_result import WorkerStepResult
from solrbench.load.schedule.messages import (
    COMMAND,
    Abort,
    AdoptUsers,
    Assignment,
    LiveTotals,
    StartMeasuring,
    StopSending,
    command_data,
)
from solrbench.load.schedule.users import UserPlacement
from solrbench.reasons.load import LoadReason


class MasterRunner(Protocol):
    """`locust.runners.MasterRunner`: the connections to the workers.

    Importing Locust patches the process, so this is all that the pool and its tests know of it.
    """

    @property
    def clients(self) -> MutableMapping[str, Any]:
        """The connected workers by id; each has a `state`."""

    @property
    def user_count(self) -> int:
        """Users running, as the workers reported last."""

    def register_message(self, msg_type: str, listener: Callable[..., None]) -> None:
        """Call `listener` with `msg` for each message of a type."""

    def send_message(self, msg_type: str, data: dict[str, Any], client_id: str) -> None:
        """Send a message to one worker."""


class DistributedStepRunState(Enum):
    """Where a step run stands; it decides what the loss of a worker means."""

    SPAWNING = auto()
    """Assigned; users come. A loss aborts it."""
    MEASURING = auto()
    """Measuring was ordered. Users of a lost worker can go to the others."""
    CONCLUDED = auto()
    """Over or aborted. A loss changes nothing any more."""


class DistributedStepRun:
    """A step run that every worker has its part of; used in the greenlet of the run alone."""

    def __init__(
        self,
        assignment: Assignment,
        members: Mapping[str, str],
        reports: StepReports,
        runner: MasterRunner,
        redispatch: Callable[[], None],
    ) -> None:
        """Begin with the workers `members`: names by id, in the order of their places."""
        self.assignment = assignment
        """What is run, as worker 0 sees it."""
        self.state = DistributedStepRunState.SPAWNING
        self.lost: list[str] = []
        """Names of the workers whose measurements are missing."""
        self._names = members
        self._members = list(members)
        self._placement = UserPlacement(len(members))
        self._removed: set[str] = set()
        self._reports = reports
        self._runner = runner
        self._redispatch = redispatch

    @property
    def remaining(self) -> list[str]:
        """Workers that have users of the step run."""
        return [self._members[index] for index in self._placement.remaining_workers]

    @property
    def roster(self) -> WorkerRoster:
        """The workers by their places."""
        return WorkerRoster(tuple(self._members), self._placement)

    @property
    def live_totals(self) -> LiveTotals:
        """Totals of all workers, as of the last second."""
        return self._reports.live_totals

    @property
    def results(self) -> list[tuple[str, WorkerStepResult]]:
        """Names and results of the workers that have ended the step run, by place."""
        results = self._reports.results
        return [
            (self._names[member], results[member]) for member in self._members if member in results
        ]

    def assign(self) -> None:
        """Give every worker its part."""
        for index, worker in enumerate(self._members):
            seat = {"worker": index, "workers": len(self._members)}
            part = self.assignment.model_copy(update=seat)
            self._runner.send_message(COMMAND, command_data(part), client_id=worker)

    def command(self, command: type[StartMeasuring | StopSending | Abort]) -> None:
        """Send a command to every worker that has users of the step run."""
        if command is StartMeasuring:
            # From here on the other workers can go on with the users of a lost one.
            self.state = DistributedStepRunState.MEASURING
        data = command_data(command(key=self.assignment.key))
        for worker in self.remaining:
            self._runner.send_message(COMMAND, data, client_id=worker)

    def conclude(self) -> None:
        """Let losses change nothing from now on."""
        self.state = DistributedStepRunState.CONCLUDED

    def remove_worker(self, worker: str, loss: str) -> None:
        """Go on without a worker: its users go to the others; `loss` says why.

        Raises:
            LoadError: `WorkerLost` if it was the last one
            StepRunAbortedError: its part cannot be made good, and others are left
        """
        self._removed.add(worker)
        if self.state is DistributedStepRunState.CONCLUDED or worker in self._reports.results:
            return
        if self._removed.issuperset(self.remaining):
            raise LoadError(LoadReason.WORKER_LOST, f"{loss}, and no worker is left")
        # What is exact, or planned for each worker, has lost its part with it.
        is_planned = self.assignment.open_loop is not None or self.assignment.requests is not None
        if self.state is not DistributedStepRunState.MEASURING or is_planned:
            raise StepRunAbortedError(LoadReason.WORKER_LOST, loss)
        self.lost.append(self._names[worker])
        self._placement = self._placement.after_loss(self._members.index(worker))
        # The command goes before the dispatch: messages of one connection arrive in the order they
        # were sent, so a worker knows the numbers of the users that Locust then spawns.
        reassigned = self._placement.reassigned_users(self.assignment.users)
        for index, users in reassigned.items():
            command = AdoptUsers(key=self.assignment.key, users=users)
            self._runner.send_message(
                COMMAND, command_data(command), client_id=self._members[index]
            )
        self._redispatch()
