"""Which workers are there, and which of them take part in step runs."""

from solrbench.load.errors import LoadError
from solrbench.load.master.worker_pool.locust_runner import STATE_MISSING, MasterRunner
from solrbench.load.schedule.user_classes import UserClass
from solrbench.reasons.load import LoadReason


class Membership:
    """The workers that have reported ready, by their ids in Locust.

    Attributes:
        expected: workers that the plan wants
        members: ids of the workers that take part, by place; empty before the first refresh
        user_classes: classes of users that the workers know

    """

    def __init__(self, runner: MasterRunner, expected: int) -> None:
        self._runner = runner
        self.expected = expected
        self.members: list[str] = []
        self.user_classes: tuple[UserClass, ...] = ()
        self._names: dict[str, str] = {}
        self._removed: set[str] = set()

    @property
    def workers(self) -> list[str]:
        """Every worker that has ever been ready."""
        return list(self._names)

    @property
    def watched(self) -> list[str]:
        """Workers whose loss matters: the members, or all before there are any."""
        watched = self.members or self.workers
        return [worker for worker in watched if worker not in self._removed]

    @property
    def connected(self) -> int:
        """Workers that are ready and alive."""
        return sum(self.is_alive(worker) for worker in self._names)

    def add(self, worker: str, name: str, user_classes: tuple[UserClass, ...]) -> None:
        """Take in a worker that is ready; `name` is that of its pod.

        Raises:
            LoadError: `LocustfileChanged` if it has other user classes than the rest

        """
        before, self.user_classes = self.user_classes, user_classes
        self._names[worker] = name
        if before not in ((), user_classes):
            message = f"worker {name} has other user classes than the rest"
            remedy = "do not change the ConfigMap of the locustfile during a run"
            raise LoadError(LoadReason.LOCUSTFILE_CHANGED, f"{message}; {remedy}")

    def remove(self, worker: str) -> None:
        """Take out a worker for good, even if it should be heard again."""
        self._removed.add(worker)
        # Locust would start its own redistribution a minute later.
        self._runner.clients.pop(worker, None)

    def name_of(self, worker: str) -> str:
        """Return the name of a worker's pod."""
        return self._names[worker]

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
        alive = [worker for worker in self._names if self.is_alive(worker)]
        # Pods of a Job are numbered: shorter names first puts 10 after 9.
        alive.sort(key=lambda worker: (len(self._names[worker]), self._names[worker], worker))
        if not alive:
            raise LoadError(LoadReason.WORKER_LOST, "no worker is left")
        self.members = alive[: self.expected]
