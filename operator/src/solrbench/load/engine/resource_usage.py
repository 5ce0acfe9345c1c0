"""Resources used by the worker itself, to show whether it was the bottleneck."""

import time
from dataclasses import dataclass
from pathlib import Path

from solrbench.load.engine.cgroups import CpuGroup

SCHEDULED = Path("/proc/thread-self/schedstat")
"""Time on a CPU, time waiting for one (both in ns), and turns of this thread; see "scheduler
statistics" (scheduler/sched-stats) in the kernel's documentation."""


@dataclass(frozen=True)
class Usage:
    """What a worker spent while a step run was measured.

    Attributes:
        cpu_seconds: CPU time of the process
        core_cpu_seconds: CPU time of the thread that sends requests and takes responses, within it
        core_waiting_seconds: time in which that thread wanted to run and no CPU was free for it;
            None where the kernel does not report it
        measured_seconds: time by the clock
        throttled_seconds: time in which the control group stood still for want of CPU quota; None
            where the kernel does not report it
        cpu_limit_cores: limit of the control group; None without one, or where not reported

    """

    cpu_seconds: float
    core_cpu_seconds: float
    core_waiting_seconds: float | None
    measured_seconds: float
    throttled_seconds: float | None
    cpu_limit_cores: float | None


class UsageMeter:
    """Reads the clocks when measuring begins and when it ends; called in the engine's thread."""

    def __init__(self, group: CpuGroup | None = None) -> None:
        self._group = group or CpuGroup()
        self._started = _read(self._group)
        self._ended = self._started

    def begin(self) -> None:
        """Begin to measure."""
        self._started = self._ended = _read(self._group)

    def end(self) -> None:
        """End the measurement; the last end counts."""
        self._ended = _read(self._group)

    def usage(self) -> Usage:
        """Return what was spent between begin and end."""
        process, thread, clock, waiting, throttled = (
            None if before is None or after is None else after - before
            for before, after in zip(self._started, self._ended, strict=True)
        )
        return Usage(
            cpu_seconds=process or 0.0,
            core_cpu_seconds=thread or 0.0,
            core_waiting_seconds=waiting,
            measured_seconds=clock or 0.0,
            throttled_seconds=throttled,
            cpu_limit_cores=self._group.limit_cores(),
        )


def _read(group: CpuGroup) -> tuple[float, float, float, float | None, float | None]:
    """Return in seconds: CPU time of process and thread, the clock, waiting, throttled."""
    throttled, waiting = group.throttled_seconds(), _run_queue_seconds()
    return time.process_time(), time.thread_time(), time.perf_counter(), waiting, throttled


def _run_queue_seconds() -> float | None:
    """Return how long this thread has waited for a CPU, ever."""
    try:
        numbers = SCHEDULED.read_text("utf-8").split()
    except OSError:
        # Kernels may be built without it; it is reported as not measured.
        return None
    return int(numbers[1]) / 1e9 if len(numbers) >= 2 else None
