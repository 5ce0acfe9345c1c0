"""The number of users over time, as Locust asks for it."""

from gevent.event import Event
from locust import LoadTestShape


class Ladder(LoadTestShape):
    """A shape that somebody else moves.

    `changed` is set while a level waits to be taken up; a dispatch under way is cut short then.
    """

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.changed = Event()
        self._users = 0
        self._rate = 1

    def move(self, users: int, rate: int) -> None:
        """Ask for `users` users, `rate` of them per second."""
        self._users = users
        self._rate = rate
        self.changed.set()

    def tick(self) -> tuple[int, float]:
        """Wait for the next level and return its users and rate."""
        self.changed.wait()
        self.changed.clear()
        return self._users, float(self._rate)
