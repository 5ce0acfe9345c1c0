"""An event loop whose clock does not run: it jumps to the next timer when nothing is left to do.

So a test of an hour takes no time, and what is to happen at a time happens at exactly that time.
"""

import asyncio
import math
import selectors
from collections.abc import Callable

_NS = 1_000_000_000


class _Jumping(selectors.DefaultSelector):
    """A selector that lets time pass instead of waiting."""

    def __init__(self, pass_seconds: Callable[[float], None]) -> None:
        super().__init__()
        self._pass_seconds = pass_seconds

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            raise RuntimeError("nothing is left to do, and the test waits for something")
        self._pass_seconds(timeout)
        return super().select(0)


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    """A loop whose `now_ns` is its clock, in whole nanoseconds; tests may set it forward."""

    def __init__(self) -> None:
        self.now_ns = 1_000 * _NS
        super().__init__(_Jumping(self._pass_seconds))
        # Timers fire less than this before their time, so not before it in whole nanoseconds.
        self._clock_resolution = 1 / _NS

    def time(self) -> float:
        return self.now_ns / _NS

    def clock_ns(self) -> int:
        """Return the time; stands in for `time.perf_counter_ns`."""
        return self.now_ns

    def _pass_seconds(self, seconds: float) -> None:
        self.now_ns += math.ceil(seconds * _NS)
