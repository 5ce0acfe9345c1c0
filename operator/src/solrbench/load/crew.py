"""The workers as the master knows them."""

import time
from collections.abc import Callable
from typing import Any

from gevent.event import Event
from locust.runners import STATE_MISSING, MasterRunner

from solrbench.load import messages
from solrbench.load.assignment import Assignment
from solrbench.load.failures import LoadFailure
from solrbench.load.ladder import Ladder
from solrbench.load.messages import Figures
from solrbench.load.outcome import WorkerOutcome

_LOOK_SECONDS = 0.25
"""Time between two looks at who is still alive."""


class Crew:
    """Sends orders to the workers, collects what they say and notices who is lost."""

    def __init__(self, runner: MasterRunner, ladder: Ladder, wanted: int) -> None:
        self._runner = runner
        self._ladder = ladder
        self._wanted = wanted
        self._changed = Event()
        self._names: dict[str, str] = {}
        self._failure: LoadFailure | None = None
        self.members: list[str] = []
        """Ids of the workers that run the plan, in the order of their places."""
        self._key = ""
        self._spawned: set[str] = set()
        self._outcomes: dict[str, WorkerOutcome] = {}
        self._figures: dict[str, Figures] = {}
        self._heard: dict[str, float] = {}
        for message, listener in {
            messages.READY: self._on_ready,
            messages.FAILED: self._on_failed,
            messages.SPAWNED: self._on_spawned,
            messages.PROGRESS: self._on_progress,
            messages.OUTCOME: self._on_outcome,
        }.items():
            runner.register_message(message, listener)

    @property
    def connected(self) -> int:
        """Workers that are ready and alive."""
        return sum(self._is_alive(worker) for worker in self._names)

    @property
    def users(self) -> int:
        """Users that Locust counts."""
        return self._runner.user_count

    @property
    def figures(self) -> Figures:
        """The pass under way, as of the last second."""
        parts = list(self._figures.values())
        return Figures(
            sum(part.users for part in parts),
            sum(part.requests for part in parts),
            sum(part.failures for part in parts),
            sum(part.sum_microseconds for part in parts),
        )

    def fail(self, failure: LoadFailure) -> None:
        """Make whoever waits, now or later, raise `failure`."""
        self._failure = self._failure or failure
        self._changed.set()

    def gather(self) -> None:
        """Wait until the wanted workers are ready and give each its place.

        Raises:
            LoadFailure: `WorkerLost`, or what a worker reports

        """
        self.wait(lambda: self.connected >= self._wanted)
        alive = [worker for worker in self._names if self._is_alive(worker)]
        # Pods of a Job are numbered: shorter names first puts 10 after 9.
        alive.sort(key=lambda worker: (len(self._names[worker]), self._names[worker], worker))
        self.members = alive[: self._wanted]

    def assign(self, assignment: Assignment) -> None:
        """Give every worker its part of the next pass."""
        self._key = assignment.key
        self._spawned.clear()
        self._outcomes.clear()
        self._figures.clear()
        self._heard = dict.fromkeys(self.members, time.monotonic())
        for place, worker in enumerate(self.members):
            part = assignment.model_copy(update={"worker": place})
            self._send(worker, messages.ASSIGNMENT, {"assignment": part.model_dump_json()})

    def spawn(self, users: int, rate: int) -> None:
        """Move to `users` users, `rate` of them per second."""
        self._ladder.move(users, rate)

    def go(self) -> None:
        """Let the pass begin to be measured."""
        for worker in self.members:
            self._send(worker, messages.GO, {"key": self._key})

    def close(self) -> None:
        """Let the pass begin no more requests."""
        for worker in self.members:
            self._send(worker, messages.CLOSE, {"key": self._key})

    def dismiss(self, exit_code: int) -> None:
        """Tell every worker to end."""
        for worker in self._names:
            self._send(worker, messages.END, {"exit_code": exit_code})

    def wait_spawned(self, seconds: float) -> None:
        """Wait until every worker has its users.

        Raises:
            LoadFailure: `WorkerLost`, or what a worker reports

        """
        self.wait(lambda: len(self._spawned) == len(self.members), seconds)

    def wait_outcomes(
        self, seconds: float | None, look: Callable[[], None] = lambda: None
    ) -> list[tuple[str, WorkerOutcome]]:
        """Wait until every worker has ended the pass; return names and outcomes by place.

        `look` is called again and again meanwhile, whenever a worker was heard.

        Raises:
            LoadFailure: `WorkerLost`, or what a worker reports

        """

        def ended() -> bool:
            look()
            return len(self._outcomes) == len(self.members)

        self.wait(ended, seconds)
        return [(self._names[worker], self._outcomes[worker]) for worker in self.members]

    def wait(self, holds: Callable[[], bool], seconds: float | None = None) -> None:
        """Wait for a condition while nobody is lost.

        Raises:
            LoadFailure: `WorkerLost`, or what a worker reports

        """
        deadline = None if seconds is None else time.monotonic() + seconds
        while True:
            self._changed.clear()
            self._check()
            if holds():
                return
            if deadline is not None and time.monotonic() > deadline:
                raise LoadFailure("WorkerLost", self._describe_late(seconds))
            self._changed.wait(_LOOK_SECONDS)

    def _check(self) -> None:
        if self._failure is not None:
            raise self._failure
        for worker in self.members or self._names:
            if not self._is_alive(worker):
                raise LoadFailure("WorkerLost", f"worker {self._names[worker]} was lost")
        now = time.monotonic()
        for worker, heard in self._heard.items():
            silent = now - heard
            if worker not in self._outcomes and silent > messages.CORE_SILENT_SECONDS:
                name = self._names[worker]
                raise LoadFailure("WorkerLost", f"worker {name} is silent for {silent:.0f} s")

    def _describe_late(self, seconds: float | None) -> str:
        late = [self._names[w] for w in self.members if w not in self._outcomes]
        return f"pass {self._key}: no result within {seconds:.0f} s from {', '.join(late)}"

    def _is_alive(self, worker: str) -> bool:
        node = self._runner.clients.get(worker)
        return node is not None and node.state != STATE_MISSING

    def _send(self, worker: str, message: str, data: dict[str, Any]) -> None:
        self._runner.send_message(message, data, client_id=worker)

    def _on_ready(self, *, msg: Any, **_: Any) -> None:
        self._names[msg.node_id] = msg.data["worker"]
        self._changed.set()

    def _on_failed(self, *, msg: Any, **_: Any) -> None:
        self.fail(LoadFailure(msg.data["reason"], msg.data["message"]))

    def _on_spawned(self, *, msg: Any, **_: Any) -> None:
        if msg.data["key"] == self._key:
            self._spawned.add(msg.node_id)
            self._changed.set()

    def _on_progress(self, *, msg: Any, **_: Any) -> None:
        data = msg.data
        if data["key"] == self._key:
            self._heard[msg.node_id] = time.monotonic()
            self._figures[msg.node_id] = Figures(*(data[name] for name in Figures._fields))
            self._changed.set()

    def _on_outcome(self, *, msg: Any, **_: Any) -> None:
        outcome = WorkerOutcome.model_validate_json(msg.data["outcome"])
        if outcome.key == self._key:
            self._outcomes[msg.node_id] = outcome
            self._changed.set()
