"""The part of Locust's master that the pool needs.

Importing Locust patches the process, so this is all that the pool and its tests know of it.
"""

from collections.abc import Callable
from typing import Any, Protocol

STATE_MISSING = "missing"
"""`locust.runners.STATE_MISSING`: state of a worker whose heartbeats stay away."""


class WorkerNode(Protocol):
    """`locust.runners.WorkerNode`: a connected worker."""

    @property
    def state(self) -> str:
        """What the worker does, or `STATE_MISSING`."""


class WorkerNodes(Protocol):
    """`locust.runners.WorkerNodes`: the connected workers by id."""

    def get(self, worker: str, /) -> WorkerNode | None:
        """Return a worker; None if it is not connected."""

    def pop(self, worker: str, default: None, /) -> WorkerNode | None:
        """Remove a worker, so that Locust starts nothing of its own when it misses it."""


class MasterRunner(Protocol):
    """`locust.runners.MasterRunner`: the connections to the workers."""

    @property
    def clients(self) -> WorkerNodes:
        """The connected workers."""

    @property
    def user_count(self) -> int:
        """Users running, as the workers reported last."""

    def register_message(self, msg_type: str, listener: Callable[..., None]) -> None:
        """Call `listener` with `msg` for each message of a type."""

    def send_message(self, msg_type: str, data: dict[str, Any], client_id: str) -> None:
        """Send a message to one worker."""


class LoadShape(Protocol):
    """`StepLoadShape`: the number of users that Locust moves to."""

    @property
    def is_applied(self) -> bool:
        """Whether Locust has begun to move to the level requested last."""

    def move(self, users: int, rate: int) -> None:
        """Request `users` users, `rate` of them per second."""

    def redispatch(self) -> None:
        """Let the same level be taken up once more, since workers changed."""


class ChangeEvent(Protocol):
    """`gevent.event.Event`: set by messages, awaited by the greenlet of the run."""

    def set(self) -> None:
        """Wake what waits."""

    def clear(self) -> None:
        """Make the next wait last until something is set again."""

    def wait(self, timeout: float) -> bool:
        """Wait until the event is set, at most `timeout` seconds."""
