"""What measuring cost the worker itself, to tell whether it was the one that was slow."""

import time
from dataclasses import dataclass

from solrbench.load.cgroups import CpuGroup


@dataclass(frozen=True)
class Usage:
    """What a worker spent while a pass was measured.

    Attributes:
        cpu_seconds: CPU time of the process
        core_cpu_seconds: CPU time of the thread that sends and takes answers, within it
        measured_seconds: time by the clock
        throttled_seconds: time in which the control group stood still for want of CPU quota; None
            where the kernel does not tell
        cpu_limit_cores: limit of the control group; None without one, or where nobody tells

    """

    cpu_seconds: float
    core_cpu_seconds: float
    measured_seconds: float
    throttled_seconds: float | None
    cpu_limit_cores: float | None


class UsageMeter:
    """Reads the clocks when measuring begins and when it ends; called in the core's thread."""

    def __init__(self, group: CpuGroup | None = None) -> None:
        self._group = group or CpuGroup()
        self._begun = _read(self._group)
        self._ended = self._begun

    def begin(self) -> None:
        """Begin to measure."""
        self._begun = self._ended = _read(self._group)

    def end(self) -> None:
        """End the measurement; the last end counts."""
        self._ended = _read(self._group)

    def usage(self) -> Usage:
        """Return what was spent between begin and end."""
        process, thread, clock, throttled = (
            None if before is None or after is None else after - before
            for before, after in zip(self._begun, self._ended, strict=True)
        )
        return Usage(
            cpu_seconds=process or 0.0,
            core_cpu_seconds=thread or 0.0,
            measured_seconds=clock or 0.0,
            throttled_seconds=throttled,
            cpu_limit_cores=self._group.limit_cores(),
        )


def _read(group: CpuGroup) -> tuple[float, float, float, float | None]:
    """Return CPU time of process and thread, the clock and the throttled time, in seconds."""
    throttled = group.throttled_seconds()
    return time.process_time(), time.thread_time(), time.perf_counter(), throttled
