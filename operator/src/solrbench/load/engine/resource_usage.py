"""Resources used by the worker itself, to show whether it was the bottleneck.

A container's CPU limit is a quota of its group for each period of 100 ms. A group that has used it
up stands still until the next period, and a worker in it stamps every response late. See "cpu.stat"
and "cpu.max" in the kernel's documentation of control groups (admin-guide/cgroup-v2), and "CFS
Bandwidth Control" (scheduler/sched-bwc) for version 1; for CPU time that the host of a virtual
machine gave to others, proc_stat(5), "steal".
"""

import os
import time
from pathlib import Path
from typing import NamedTuple

from solrbench.contract.step_document import UsageSlice, WorkerUsage
from solrbench.telemetry.kernel_files import ControlGroup, file_text

STAT = Path("/proc/stat")

_STEAL = 8
"""Place of steal in the line of all CPUs, after its name."""


def stolen_seconds(stat: Path = STAT) -> float | None:
    """Return the time since the node's start, as a mean over its CPUs; None where not reported.

    A container reads what its whole node shows.
    """
    lines = file_text(stat).splitlines()
    cpus = sum(line.startswith("cpu") for line in lines) - 1
    whole = lines[0].split() if lines else []
    if cpus < 1 or len(whole) <= _STEAL or not whole[_STEAL].isdigit():
        return None
    return int(whole[_STEAL]) / os.sysconf("SC_CLK_TCK") / cpus


SCHEDULED = Path("/proc/thread-self/schedstat")
"""Time on a CPU, time waiting for one (both in ns), and turns of this thread; see "scheduler
statistics" (scheduler/sched-stats) in the kernel's documentation."""

_clock = time.perf_counter

SLICE_SECONDS = 5.0
"""Length of a slice. An average over a whole step hides that half of it was saturated; a slice much
shorter would show every garbage collection."""


class _ClockReading(NamedTuple):
    """All clocks at a moment, in seconds."""

    process: float
    thread: float
    clock: float
    waiting: float | None
    throttled: float | None


class UsageMeter:
    """Reads the clocks while requests are begun; called in the engine's thread."""

    def __init__(self, group: ControlGroup | None = None) -> None:
        self._group = group or ControlGroup()
        self.begin()

    def begin(self) -> None:
        """Begin to measure."""
        self._started = self._slice_started = self._ended = _read(self._group)
        self._lost_before = self._lost = self._read_lost()
        self._most_cpu: UsageSlice | None = None
        self._most_busy: UsageSlice | None = None
        self._is_over = False

    def tick(self) -> None:
        """End the slice under way if it is long enough; called about once a second."""
        if not self._is_over and _clock() - self._slice_started.clock >= SLICE_SECONDS:
            self._end_slice(_read(self._group))

    def end(self) -> None:
        """End the measurement; the first end counts."""
        if self._is_over:
            return
        self._is_over = True
        self._ended, self._lost = _read(self._group), self._read_lost()
        # The rest is a slice of its own only if it is long enough, or all there is.
        rest_seconds = self._ended.clock - self._slice_started.clock
        if self._most_cpu is None or rest_seconds >= SLICE_SECONDS / 2:
            self._end_slice(self._ended)

    def usage(self, users: int = 0) -> WorkerUsage:
        """Return what was spent between begin and end, for so many users."""
        begin, end = self._started, self._ended
        pressure_before, stolen_before = self._lost_before
        pressure, stolen = self._lost
        return WorkerUsage(
            users=users,
            cpu_seconds=end.process - begin.process,
            core_cpu_seconds=end.thread - begin.thread,
            core_waiting_seconds=_difference(begin.waiting, end.waiting),
            measured_seconds=end.clock - begin.clock,
            throttled_seconds=_difference(begin.throttled, end.throttled),
            pressure_seconds=_difference(pressure_before, pressure),
            stolen_seconds=_difference(stolen_before, stolen),
            cpu_limit_cores=self._group.limit_cores(),
            most_cpu=self._most_cpu,
            most_busy=self._most_busy,
        )

    def _read_lost(self) -> tuple[float | None, float | None]:
        """Return the CPU time that went to others: by pressure, and taken by the host."""
        pressure = self._group.pressure("cpu").get("cpu_some_seconds")
        # Kernels without pressure of groups still count how long the sending thread has waited.
        return _run_queue_seconds() if pressure is None else pressure, stolen_seconds()

    def _end_slice(self, now: _ClockReading) -> None:
        begin, self._slice_started = self._slice_started, now
        if now.clock <= begin.clock:
            return
        ended = UsageSlice(
            begin_seconds=begin.clock - self._started.clock,
            seconds=now.clock - begin.clock,
            cpu_seconds=now.process - begin.process,
            core_cpu_seconds=now.thread - begin.thread,
            core_waiting_seconds=_difference(begin.waiting, now.waiting),
        )
        # Only the worst of each kind is wanted, and a step may last a day.
        self._most_cpu = max(
            self._most_cpu or ended, ended, key=lambda each: each.cpu_seconds / each.seconds
        )
        self._most_busy = max(
            self._most_busy or ended, ended, key=lambda each: each.core_busy_seconds / each.seconds
        )


def _difference(before: float | None, after: float | None) -> float | None:
    return None if before is None or after is None else after - before


def _read(group: ControlGroup) -> _ClockReading:
    throttled, waiting = group.throttled_seconds(), _run_queue_seconds()
    clocks = time.process_time(), time.thread_time(), _clock()
    return _ClockReading(*clocks, waiting, throttled)


def _run_queue_seconds() -> float | None:
    """Return how long this thread has waited for a CPU, ever."""
    # Kernels may be built without it; it is reported as not measured.
    numbers = file_text(SCHEDULED).split()
    return int(numbers[1]) / 1e9 if len(numbers) >= 2 else None
