"""Which workers are there, and which of them take part in step runs."""

from collections.abc import Callable, MutableMapping
from typing import Any, Protocol

from solrbench.load.errors import LoadError
from solrbench.load.schedule.messages import COMMAND, Exit, command_data
from solrbench.load.schedule.users import UserClass
from solrbench.reasons.load import LoadReason

STATE_MISSING = "missing"
"""`locust.runners.STATE_MISSING`: state of a worker whose heartbeats stay away."""


class MasterRunner(Protocol):
    """`locust.runners.MasterRunner`: the connections to the workers.

    Importing Locust patches the process, so this is all that the pool and its tests know of it.
    """

    @property
    def clients(self) -> MutableMapping[str, Any]:
        """The connected workers by id; each has a `state`, such as `STATE_MISSING`."""

    @property
    def user_count(self) -> int:
        """Users running, as the workers reported last."""

    def register_message(self, msg_type: str, listener: Callable[..., None]) -> None:
        """Call `listener` with `msg` for each message of a type."""

    def send_message(self, msg_type: str, data: dict[str, Any], client_id: str) -> None:
        """Send a message to one worker."""


class Membership:
    """The workers that have reported ready, by their ids in Locust.

    Greenlets of the main thread use it: that of the run, and those of messages.
    """

    def __init__(self, runner: MasterRunner, expected: int) -> None:
        self._runner = runner
        self.expected = expected
        """Workers that the plan wants."""
        self.members: list[str] = []
        """Ids of the workers that take part, by place; empty before the first refresh."""
        self.user_classes: tuple[UserClass, ...] = ()
        """Classes of users that the workers know."""
        self.names: dict[str, str] = {}
        """The name of the pod of every worker that has ever been ready."""
        self._removed: set[str] = set()

    @property
    def watched(self) -> list[str]:
        """Workers whose loss matters: the members, or all before there are any."""
        watched = self.members or list(self.names)
        return [worker for worker in watched if worker not in self._removed]

    @property
    def connected(self) -> int:
        """Workers that are ready and alive."""
        return sum(self.is_alive(worker) for worker in self.names)

    def add(self, worker: str, name: str, user_classes: tuple[UserClass, ...]) -> None:
        """Take in a worker that is ready; `name` is that of its pod.

        Raises:
            LoadError: `LocustfileChanged` if it has other user classes than the rest
        """
        before, self.user_classes = self.user_classes, user_classes
        self.names[worker] = name
        if before not in ((), user_classes):
            message = f"worker {name} has other user classes than the rest"
            remedy = "do not change the ConfigMap of the locustfile during a run"
            raise LoadError(LoadReason.LOCUSTFILE_CHANGED, f"{message}; {remedy}")

    def remove(self, worker: str) -> None:
        """Take out a worker for good, even if it should be heard again."""
        self._removed.add(worker)
        # Locust would start its own redistribution a minute later.
        self._runner.clients.pop(worker, None)

    def exit(self, worker: str, exit_code: int) -> None:
        """Let a worker's process end, also that of a worker that was taken out."""
        command = Exit(exit_code=exit_code)
        self._runner.send_message(COMMAND, command_data(command), client_id=worker)

    def is_alive(self, worker: str) -> bool:
        """Say whether a worker is connected and was not removed."""
        node = self._runner.clients.get(worker)
        return worker not in self._removed and node is not None and node.state != STATE_MISSING

    def is_removed(self, worker: str) -> bool:
        """Say whether a worker was taken out for good."""
        return worker in self._removed

    def refresh(self) -> None:
        """Make members of the workers that are alive, also of those that came for lost ones.

        Raises:
            LoadError: `WorkerLost` if there are none
        """
        alive = [worker for worker in self.names if self.is_alive(worker)]
        # Pods of a Job are numbered: shorter names first puts 10 after 9.
        alive.sort(key=lambda worker: (len(self.names[worker]), self.names[worker], worker))
        if not alive:
            raise LoadError(LoadReason.WORKER_LOST, "no worker is left")
        self.members = alive[: self.expected]
