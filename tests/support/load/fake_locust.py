"""Locust's master without Locust, a pool on it, and workers that do what they are ordered to.

Their clock turns only where the code under test waits.
"""

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count
from types import SimpleNamespace
from typing import Any, NamedTuple

from solrbench.contract.load_plan import LoadPlan
from solrbench.contract.windows import CacheSample
from solrbench.load.master.worker_pool import WorkerPool
from solrbench.load.recording.request_stats import RecentRequests
from solrbench.load.recording.worker_result import WorkerStepResult
from solrbench.load.schedule import messages
from solrbench.load.schedule.messages import Assignment, LiveTotals, Start
from support.load.builders import workload
from support.load.worker_results import part

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


IDLE = LiveTotals(users=1, requests=0, failures=0, sum_microseconds=0)


@dataclass
class Node:
    state: str = "ready"


class Sent(NamedTuple):
    worker: str
    message: str
    data: dict[str, Any]


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
        self.sent.append(Sent(client_id, msg_type, data))
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
            self.runner,
            self.shape,
            expected,
            redistribute=redistribute,
            now=self.clock.now,
            changed=ManualEvent(self.clock),
        )

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
        data = totals._asdict() | {"recent": list(recent)}
        self.runner.deliver(worker, messages.PROGRESS, key=key, **data)

    def result(self, key: str, *workers: str, used: Sequence[int] = (), requests: Any = ()) -> None:
        for worker in workers:
            made = WorkerStepResult(
                key=key, users=1, cpu_seconds=0, used_numbers=list(used), requests=list(requests)
            )
            self.runner.deliver(worker, messages.RESULT, outcome=made.model_dump_json())

    def sent(self, message: str) -> list[tuple[str, dict[str, Any]]]:
        """Return to which workers a message was sent, with its data, in order."""
        return [(each.worker, each.data) for each in self.runner.sent if each.message == message]

    def assignments(self) -> list[tuple[str, Assignment]]:
        return [
            (worker, Assignment.model_validate_json(data["assignment"]))
            for worker, data in self.sent(messages.ASSIGNMENT)
        ]


class ObedientWorkers:
    """Workers that spawn within a second, then report each second and end in time.

    Attributes:
        requests_per_second: requests of each of them, every one of a millisecond
        exact_seconds: time for a number of requests
        names: request names of each result
        fails_from_second: from when on every request fails; None for never
    """

    def __init__(self, load: FakeLoad, exact_seconds: int = 4) -> None:
        self.requests_per_second = 10
        self.exact_seconds = exact_seconds
        self.names = ["query"]
        self.fails_from_second: int | None = None
        self._load = load
        self._parts: dict[str, Assignment] = {}
        load.runner.on_send = self._obey

    def _obey(self, sent: Sent) -> None:
        if sent.message == messages.ASSIGNMENT:
            part = Assignment.model_validate_json(sent.data["assignment"])
            self._parts[sent.worker] = part
            self._later(1, sent.worker, lambda: self._load.spawned(part.key, sent.worker))
            if part.start is Start.IMMEDIATE:
                self._measure(sent.worker)
        elif sent.message == messages.START_MEASURING:
            self._measure(sent.worker)
        elif sent.message == messages.STOP_SENDING:
            self._later(0.5, sent.worker, lambda: self._finish(sent.worker))
        elif sent.message == messages.ABORT:
            self._parts.pop(sent.worker, None)

    def _measure(self, worker: str) -> None:
        part = self._parts[worker]
        seconds = part.ramp_seconds + (part.seconds or self.exact_seconds)
        for second in range(1, seconds):
            done = second * self.requests_per_second
            late = 0 if self.fails_from_second is None else max(second - self.fails_from_second, 0)
            totals = LiveTotals(1, done, late * self.requests_per_second, 1000 * done)
            self._later(second, worker, partial(self._load.progress, part.key, worker, totals))
        self._later(seconds, worker, lambda: self._finish(worker))

    def _later(self, seconds: float, worker: str, action: Callable[[], object]) -> None:
        """Do something unless the worker is lost by then, or does something else."""
        part = self._parts[worker]

        def act() -> None:
            if worker in self._load.runner.clients and self._parts.get(worker) is part:
                action()

        self._load.clock.after(seconds, act)

    def _finish(self, worker: str) -> None:
        key = self._parts.pop(worker).key
        measured = [part([1000] * self.requests_per_second, name) for name in self.names]
        self._load.result(key, worker, used=[self.requests_per_second], requests=measured)


class FakeCaches:
    """A reader of caches that only counts its readings; `meanwhile` is called in the first."""

    def __init__(self, meanwhile: Callable[[], object] = lambda: None) -> None:
        self.begun = 0
        self.ended: list[float] = []
        self._meanwhile = meanwhile

    def begin(self) -> None:
        self.begun += 1
        self._meanwhile()

    def end(self, began: float) -> list[CacheSample]:
        self.ended.append(began)
        return []


def load_plan(*steps: dict[str, Any], repeats: int = 1, **fields: Any) -> LoadPlan:
    """Return a plan of a ladder for two workers, with a list in sequence."""
    return LoadPlan.model_validate(
        {
            "benchmark": "tests/small",
            "attempt": 2,
            "solrUrls": ["http://solr:8983/solr"],
            "collection": "books",
            "workload": workload(timeout_seconds=2),
            "workers": 2,
            "stepRuns": [
                {"id": f"r{repeat}-s{index}-{step['name']}", "repeat": repeat, "step": step}
                for repeat in range(1, repeats + 1)
                for index, step in enumerate(steps)
            ],
            "masterHost": "master",
            **fields,
        }
    )
