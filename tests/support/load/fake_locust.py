"""Locust's master without Locust, and a pool on it."""

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeVar, cast

from solrbench.load.master.worker_pool import WorkerPool
from solrbench.load.recording.request_stats import RecentRequests
from solrbench.load.recording.worker_result import WorkerStepResult
from solrbench.load.schedule import messages
from solrbench.load.schedule.messages import Command, LiveTotals, parse_command

LONGEST_SECONDS = 2000.0
"""A wait beyond it would never end."""


class ManualClock:
    """Seconds that pass while an `Event` of it is awaited; then what is due by then is done."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._due: list[tuple[float, int, Callable[[], object]]] = []
        self._numbers = count()

    def now(self) -> float:
        return self.seconds

    def after(self, seconds: float, action: Callable[[], object]) -> None:
        heapq.heappush(self._due, (self.seconds + seconds, next(self._numbers), action))

    def turn(self, deadline: float, until: Callable[[], bool]) -> None:
        assert deadline < LONGEST_SECONDS, "waits for what never comes"
        while not until() and self._due and self._due[0][0] <= deadline:
            self.seconds, _, action = heapq.heappop(self._due)
            action()
        if not until():
            self.seconds = deadline


class ManualEvent:
    """`gevent.event.Event` by a clock."""

    def __init__(self, clock: ManualClock) -> None:
        self._clock = clock
        self._is_set = False

    def set(self) -> None:
        self._is_set = True

    def clear(self) -> None:
        self._is_set = False

    def wait(self, timeout: float) -> bool:
        self._clock.turn(self._clock.now() + timeout, lambda: self._is_set)
        return self._is_set


if TYPE_CHECKING:
    from gevent.event import Event

    from solrbench.load.locust_runtime import MasterRunner, StepLoadShape

Wanted = TypeVar("Wanted", bound=Command)
IDLE = LiveTotals(users=1, requests=0, failures=0, sum_microseconds=0)


@dataclass
class Node:
    state: str = "ready"


class Sent(NamedTuple):
    worker: str
    command: Command


class FakeRunner:
    """`locust.runners.MasterRunner`: keeps what is sent; `on_send` is called with it."""

    def __init__(self) -> None:
        self.clients: dict[str, Node] = {}
        self.user_count = 0
        self.sent: list[Sent] = []
        self.on_send: Callable[[Sent], None] = lambda _: None
        self._listeners: dict[str, Callable[..., None]] = {}

    def register_message(self, msg_type: str, listener: Callable[..., None]) -> None:
        assert msg_type not in self._listeners
        self._listeners[msg_type] = listener

    def send_message(self, msg_type: str, data: dict[str, Any], client_id: str) -> None:
        assert msg_type == messages.COMMAND
        self.sent.append(Sent(client_id, parse_command(data)))
        self.on_send(self.sent[-1])

    def deliver(self, worker: str, message: str, /, **data: Any) -> None:
        msg = SimpleNamespace(node_id=worker, data=data)
        self._listeners[message](environment=None, msg=msg)


class FakeShape:
    """`StepLoadShape`: Locust has all users at once."""

    def __init__(self, runner: FakeRunner) -> None:
        self._runner = runner
        self.is_applied = True
        self.levels: list[tuple[int, int]] = []
        self.redispatches = 0

    def move(self, users: int, rate: int) -> None:
        self.levels.append((users, rate))
        self._runner.user_count = users

    def redispatch(self) -> None:
        self.redispatches += 1


class FakeLoad:
    """A pool on a fake of Locust, and what happens to its workers."""

    def __init__(self, expected: int = 2, *, redistribute: bool = False) -> None:
        self.clock = ManualClock()
        self.runner = FakeRunner()
        self.shape = FakeShape(self.runner)
        self.pool = WorkerPool(
            cast("MasterRunner", self.runner),
            cast("StepLoadShape", self.shape),
            expected,
            redistribute=redistribute,
            now=self.clock.now,
            changed=cast("Event", ManualEvent(self.clock)),
        )

    @classmethod
    def ready(cls, workers: str = "ab", *, redistribute: bool = False) -> Self:
        """Return a pool whose workers, each named by a letter, are all there."""
        load = cls(len(workers), redistribute=redistribute)
        load.join(*workers)
        load.pool.wait_for_workers()
        return load

    def join(
        self, *workers: str, classes: Sequence[tuple[str, int]] = (("VirtualUser", 1),)
    ) -> None:
        """Let workers report ready; `a` is in the pod `pod-a`."""
        for worker in workers:
            self.runner.clients[worker] = Node()
            data = {"worker": f"pod-{worker}", "classes": [list(each) for each in classes]}
            self.runner.deliver(worker, messages.READY, **data)

    def lose(self, *workers: str) -> None:
        """Let the connections of workers end."""
        for worker in workers:
            del self.runner.clients[worker]

    def spawned(self, key: str, *workers: str) -> None:
        for worker in workers:
            self.runner.deliver(worker, messages.SPAWNED, key=key)

    def progress(
        self,
        key: str,
        worker: str,
        totals: LiveTotals = IDLE,
        recent: RecentRequests = RecentRequests(),  # noqa: B008 - a tuple does not change
    ) -> None:
        data = {"totals": list(totals), "recent": list(recent)}
        self.runner.deliver(worker, messages.PROGRESS, key=key, **data)

    def result(self, key: str, *workers: str, used: Sequence[int] = (), requests: Any = ()) -> None:
        for worker in workers:
            made = WorkerStepResult(
                key=key, users=1, cpu_seconds=0, used_numbers=list(used), requests=list(requests)
            )
            self.runner.deliver(worker, messages.RESULT, outcome=made.model_dump_json())

    def sent(self, kind: type[Wanted]) -> list[tuple[str, Wanted]]:
        """Return to which workers commands of a kind were sent, in order."""
        commands = [(each.worker, each.command) for each in self.runner.sent]
        return [(worker, command) for worker, command in commands if isinstance(command, kind)]
