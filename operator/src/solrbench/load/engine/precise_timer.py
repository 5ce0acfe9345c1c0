"""An alarm clock for the event loop that rings in time: within some 0.1 ms and never early.

Timers of the event loop have whole milliseconds, more than many a response takes. On Linux the
kernel's own timer (timerfd_create(2)) rings by its high-resolution clock; Python offers it from
3.13 on, before that by way of the C library. Elsewhere the loop's timers have to do.
"""

import asyncio
import ctypes
import os
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

_FLAGS = os.O_NONBLOCK | os.O_CLOEXEC
_ABSOLUTE = 1
_SECOND_NS = 1_000_000_000

_now = time.perf_counter_ns


def make_timer(
    loop: asyncio.AbstractEventLoop, callback: Callable[[], None]
) -> "TimerFdTimer | LoopTimer":
    """Return the best alarm that this machine has; `callback` is called in the loop's thread.

    It rings once each time it is set.
    """
    # Times of `perf_counter_ns` are given to the kernel as they are, so it must be the same clock.
    if "CLOCK_MONOTONIC" in time.get_clock_info("perf_counter").implementation:
        with suppress(AttributeError, OSError):  # of another kernel or C library
            return TimerFdTimer(loop, callback)
    return LoopTimer(loop, callback)


class _Timer(ctypes.Structure):
    """`struct itimerspec`: the interval, then the time of the first ring."""

    _fields_ = (
        ("interval_seconds", ctypes.c_long),
        ("interval_nanoseconds", ctypes.c_long),
        ("seconds", ctypes.c_long),
        ("nanoseconds", ctypes.c_long),
    )


class TimerFdTimer:
    """An alarm by a file descriptor that the loop watches.

    It raises `AttributeError` if the C library has no such timers, `OSError` if the kernel has not.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, callback: Callable[[], None]) -> None:
        # Calls take less time than to let another thread run and to wait for it to stop.
        library: Any = ctypes.PyDLL(None, use_errno=True)
        self._settime = library.timerfd_settime
        self._loop = loop
        self._file = library.timerfd_create(time.CLOCK_MONOTONIC, _FLAGS)
        if self._file < 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number))
        self._timer = _Timer()
        self._pointer = ctypes.byref(self._timer)
        loop.add_reader(self._file, callback)

    def set(self, at_ns: int) -> None:
        """Ring at a time of `time.perf_counter_ns`, at once if that is over."""
        # Setting the time also forgets rings that were not read.
        self._timer.seconds, self._timer.nanoseconds = divmod(at_ns, _SECOND_NS)
        self._settime(self._file, _ABSOLUTE, self._pointer, None)

    def close(self) -> None:
        """Never ring again."""
        if self._file >= 0:
            self._loop.remove_reader(self._file)
            os.close(self._file)
            self._file = -1


@dataclass(eq=False, repr=False)
class LoopTimer:
    """An alarm by the loop's own timers, up to some milliseconds late."""

    loop: asyncio.AbstractEventLoop
    callback: Callable[[], None]
    _at_ns: int = field(default=0, init=False)
    _handle: asyncio.TimerHandle | None = field(default=None, init=False)

    def set(self, at_ns: int) -> None:
        """Ring at a time of `time.perf_counter_ns`, at once if that is over."""
        self._at_ns = at_ns
        self._wait()

    def close(self) -> None:
        """Never ring again."""
        if self._handle is not None:
            self._handle.cancel()

    def _wait(self) -> None:
        left_ns = self._at_ns - _now()
        self._handle = self.loop.call_later(max(left_ns, 0) / _SECOND_NS, self._check)

    def _check(self) -> None:
        # The loop's timers have whole milliseconds, and may so ring early.
        if _now() < self._at_ns:
            self._wait()
        else:
            self.callback()
