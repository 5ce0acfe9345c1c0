"""Resources used by the worker itself, to show whether it was the bottleneck."""

import time
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, NamedTuple

from solrbench.load.engine.cgroups import CpuGroup
from solrbench.load.engine.host_cpu import stolen_seconds
from solrbench.results.model.step_result import UsageSlice

SCHEDULED = Path("/proc/thread-self/schedstat")
"""Time on a CPU, time waiting for one (both in ns), and turns of this thread; see "scheduler
statistics" (scheduler/sched-stats) in the kernel's documentation."""

_clock = time.perf_counter

SLICE_SECONDS = 5.0
"""Length of a slice. An average over a whole step hides that half of it was saturated; a slice much
shorter would show every garbage collection."""


@dataclass(frozen=True)
class Usage:
    """What a worker spent while it began requests of a step run.

    Attributes:
        cpu_seconds: CPU time of the process
        core_cpu_seconds: CPU time of the thread that sends requests and takes responses, within it
        core_waiting_seconds: time in which that thread wanted to run and no CPU was free for it;
            None where the kernel does not report it
        measured_seconds: time by the clock
        throttled_seconds: time in which the control group stood still for want of CPU quota; None
            where the kernel does not report it
        pressure_seconds: time in which a process of the control group waited for a CPU; where the
            kernel does not report it for groups, the time in which the sending thread did; None
            where it reports neither
        stolen_seconds: time that the host took from each CPU of the node, as a mean; None where
            the kernel does not report it
        cpu_limit_cores: limit of the control group; None without one, or where not reported
        most_cpu: the slice in which the process used most CPU; None if nothing was measured
        most_busy: the slice in which the thread ran or waited most

    """

    cpu_seconds: float
    core_cpu_seconds: float
    core_waiting_seconds: float | None
    measured_seconds: float
    throttled_seconds: float | None
    pressure_seconds: float | None
    stolen_seconds: float | None
    cpu_limit_cores: float | None
    most_cpu: UsageSlice | None
    most_busy: UsageSlice | None

    def fields(self) -> dict[str, Any]:
        """Return every number by its name."""
        return {each.name: getattr(self, each.name) for each in fields(self)}


class _Reading(NamedTuple):
    """All clocks at a moment, in seconds."""

    process: float
    thread: float
    clock: float
    waiting: float | None
    throttled: float | None


class _Lost(NamedTuple):
    """CPU time that went to others, in seconds; read at the begin and at the end only."""

    pressure: float | None
    stolen: float | None


class UsageMeter:
    """Reads the clocks while requests are begun; called in the engine's thread."""

    def __init__(self, group: CpuGroup | None = None) -> None:
        self._group = group or CpuGroup()
        self.begin()

    def begin(self) -> None:
        """Begin to measure."""
        self._started = self._slice_started = self._ended = _read(self._group)
        self._lost_before = self._lost = _read_lost(self._group)
        self._most_cpu: UsageSlice | None = None
        self._most_busy: UsageSlice | None = None
        self._is_over = False

    def tick(self) -> None:
        """End the slice under way if it is long enough; called about once a second."""
        if not self._is_over and self._slice_seconds() >= SLICE_SECONDS:
            self._end_slice(_read(self._group))

    def end(self) -> None:
        """End the measurement; the first end counts."""
        if self._is_over:
            return
        self._is_over = True
        self._ended, self._lost = _read(self._group), _read_lost(self._group)
        # The rest is a slice of its own only if it is long enough, or all there is.
        if self._most_cpu is None or self._slice_seconds() >= SLICE_SECONDS / 2:
            self._end_slice(self._ended)

    def usage(self) -> Usage:
        """Return what was spent between begin and end."""
        begin, end = self._started, self._ended
        return Usage(
            cpu_seconds=end.process - begin.process,
            core_cpu_seconds=end.thread - begin.thread,
            core_waiting_seconds=_difference(begin.waiting, end.waiting),
            measured_seconds=end.clock - begin.clock,
            throttled_seconds=_difference(begin.throttled, end.throttled),
            pressure_seconds=_difference(self._lost_before.pressure, self._lost.pressure),
            stolen_seconds=_difference(self._lost_before.stolen, self._lost.stolen),
            cpu_limit_cores=self._group.limit_cores(),
            most_cpu=self._most_cpu,
            most_busy=self._most_busy,
        )

    def _slice_seconds(self) -> float:
        return _clock() - self._slice_started.clock

    def _end_slice(self, now: _Reading) -> None:
        begin, self._slice_started = self._slice_started, now
        if now.clock <= begin.clock:
            return
        found = UsageSlice(
            begin_seconds=begin.clock - self._started.clock,
            seconds=now.clock - begin.clock,
            cpu_seconds=now.process - begin.process,
            core_cpu_seconds=now.thread - begin.thread,
            core_waiting_seconds=_difference(begin.waiting, now.waiting),
        )
        # Only the worst of each kind is wanted, and a step may last a day.
        self._most_cpu = max(self._most_cpu or found, found, key=_cpu_share)
        self._most_busy = max(self._most_busy or found, found, key=_busy_share)


def _cpu_share(slice_: UsageSlice) -> float:
    return slice_.cpu_seconds / slice_.seconds


def _busy_share(slice_: UsageSlice) -> float:
    return slice_.core_busy_seconds / slice_.seconds


def _difference(before: float | None, after: float | None) -> float | None:
    return None if before is None or after is None else after - before


def _read(group: CpuGroup) -> _Reading:
    throttled, waiting = group.throttled_seconds(), _run_queue_seconds()
    clocks = time.process_time(), time.thread_time(), _clock()
    return _Reading(*clocks, waiting, throttled)


def _read_lost(group: CpuGroup) -> _Lost:
    pressure = group.pressure_seconds()
    return _Lost(_run_queue_seconds() if pressure is None else pressure, stolen_seconds())


def _run_queue_seconds() -> float | None:
    """Return how long this thread has waited for a CPU, ever."""
    try:
        numbers = SCHEDULED.read_text("utf-8").split()
    except OSError:
        # Kernels may be built without it; it is reported as not measured.
        return None
    return int(numbers[1]) / 1e9 if len(numbers) >= 2 else None
