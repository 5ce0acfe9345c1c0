"""The number of users over time, as Locust requests it."""

import math

from gevent.event import Event
from locust import LoadTestShape


class StepLoadShape(LoadTestShape):
    """A shape that is changed from outside.

    `changed` is set while a level waits to be taken up; a dispatch under way is cut short then.
    """

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.changed = Event()
        self._users = 0
        self._rate = 1.0

    def move(self, users: int, rate: int) -> None:
        """Request `users` users, `rate` of them per second."""
        self._users = users
        self._rate = float(rate)
        self.changed.set()

    def redispatch(self) -> None:
        """Let the same level be taken up once more, since workers changed."""
        # Locust skips a level that equals the one before.
        self._rate = math.nextafter(self._rate, math.inf)
        self.changed.set()

    @property
    def is_applied(self) -> bool:
        """Whether Locust has begun to move to the level requested last."""
        return not self.changed.is_set()

    def tick(self) -> tuple[int, float]:
        """Wait for the next level and return its users and rate."""
        self.changed.wait()
        self.changed.clear()
        return self._users, self._rate
