"""A clock that turns only where the code under test waits."""

import heapq
from collections.abc import Callable
from itertools import count

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
