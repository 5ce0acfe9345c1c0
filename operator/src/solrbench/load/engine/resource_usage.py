"""Resources used by the worker itself, to show whether it was the bottleneck.

A container's CPU limit is a quota of its group for each period of 100 ms. A group that has used it
up stands still until the next period, and a worker in it stamps every response late. See "cpu.stat"
and "cpu.max" in the kernel's documentation of control groups (admin-guide/cgroup-v2), and "CFS
Bandwidth Control" (scheduler/sched-bwc) for version 1; for CPU time that the host of a virtual
machine gave to others, proc_stat(5), "steal".
"""

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from solrbench.contract.step_document import UsageSlice, WorkerUsage

SELF = Path("/proc/self/cgroup")
ROOT = Path("/sys/fs/cgroup")


class CpuGroup:
    """The group whose CPU limit applies to this process; `self_file` names it."""

    def __init__(self, self_file: Path = SELF, root: Path = ROOT) -> None:
        folders = list(_folders(self_file, root))
        self._unified = _first(folders, "cpu.max")
        self._classic = _first(folders, "cpu.cfs_quota_us")
        self._pressure = _first(folders, "cpu.pressure")

    def throttled_seconds(self) -> float | None:
        """Return how long the group was throttled in total; None where not reported."""
        # Version 2 of control groups counts microseconds, version 1 nanoseconds.
        for folder, name, unit in (
            (self._unified, "throttled_usec", 1e6),
            (self._classic, "throttled_time", 1e9),
        ):
            if folder is not None:
                throttled = _numbers(folder / "cpu.stat").get(name)
                return None if throttled is None else throttled / unit
        return None

    def pressure_seconds(self) -> float | None:
        """Return how long a process of the group waited for a CPU in total; None if not reported.

        It is "some" of "cpu.pressure": see "Pressure Stall Information" (accounting/psi).
        """
        if self._pressure is None:
            return None
        for line in _text(self._pressure / "cpu.pressure").splitlines():
            kind, _, rest = line.partition(" ")
            total = rest.rpartition("total=")[2]
            if kind == "some" and total.isdigit():
                return int(total) / 1e6
        return None

    def limit_cores(self) -> float | None:
        """Return the limit; None without one, and where the kernel does not report it."""
        if self._unified is not None:
            quota, _, period = _text(self._unified / "cpu.max").partition(" ")
        elif self._classic is not None:
            quota = _text(self._classic / "cpu.cfs_quota_us")
            period = _text(self._classic / "cpu.cfs_period_us")
        else:
            return None
        # "max" in version 2 and "-1" in version 1 stand for no limit.
        return int(quota) / int(period) if quota.isdigit() and period.isdigit() else None


def _folders(self_file: Path, root: Path) -> Iterator[Path]:
    """Yield where the group may be: in a container often at the root, whatever its path says."""
    for line in _text(self_file).splitlines():
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if controllers and "cpu" not in controllers.split(","):
            continue
        for mount in (root / controllers, root / "cpu") if controllers else (root,):
            yield mount / path.lstrip("/")
            yield mount


def _first(folders: list[Path], name: str) -> Path | None:
    return next((folder for folder in folders if (folder / name).is_file()), None)


def _numbers(file: Path) -> dict[str, int]:
    pairs = (line.split() for line in _text(file).splitlines())
    return {pair[0]: int(pair[1]) for pair in pairs if len(pair) == 2 and pair[1].isdigit()}


def _text(file: Path) -> str:
    try:
        return file.read_text("utf-8").strip()
    except OSError:
        # These files are not guaranteed; what cannot be read is reported as not measured.
        return ""


STAT = Path("/proc/stat")

_STEAL = 8
"""Place of steal in the line of all CPUs, after its name."""


def stolen_seconds(stat: Path = STAT) -> float | None:
    """Return the time since the node's start, as a mean over its CPUs; None where not reported.

    A container reads what its whole node shows.
    """
    lines = _text(stat).splitlines()
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

    def __init__(self, group: CpuGroup | None = None) -> None:
        self._group = group or CpuGroup()
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
        pressure = self._group.pressure_seconds()
        # Kernels without pressure of groups still count how long the sending thread has waited.
        return _run_queue_seconds() if pressure is None else pressure, stolen_seconds()

    def _end_slice(self, now: _ClockReading) -> None:
        begin, self._slice_started = self._slice_started, now
        if now.clock <= begin.clock:
            return
        usage_slice = UsageSlice(
            begin_seconds=begin.clock - self._started.clock,
            seconds=now.clock - begin.clock,
            cpu_seconds=now.process - begin.process,
            core_cpu_seconds=now.thread - begin.thread,
            core_waiting_seconds=_difference(begin.waiting, now.waiting),
        )
        # Only the worst of each kind is wanted, and a step may last a day.
        self._most_cpu = max(
            self._most_cpu or usage_slice,
            usage_slice,
            key=lambda each: each.cpu_seconds / each.seconds,
        )
        self._most_busy = max(
            self._most_busy or usage_slice,
            usage_slice,
            key=lambda each: each.core_busy_seconds / each.seconds,
        )


def _difference(before: float | None, after: float | None) -> float | None:
    return None if before is None or after is None else after - before


def _read(group: CpuGroup) -> _ClockReading:
    throttled, waiting = group.throttled_seconds(), _run_queue_seconds()
    clocks = time.process_time(), time.thread_time(), _clock()
    return _ClockReading(*clocks, waiting, throttled)


def _run_queue_seconds() -> float | None:
    """Return how long this thread has waited for a CPU, ever."""
    # Kernels may be built without it; it is reported as not measured.
    numbers = _text(SCHEDULED).split()
    return int(numbers[1]) / 1e9 if len(numbers) >= 2 else None
