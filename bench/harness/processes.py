"""Processes: start one, weigh one, limit one, end exactly that one."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import psutil

_FAREWELL_SECONDS = 5.0
_LOOK_SECONDS = 0.02
_PRIORITY = os.sched_param(10)


class DidNotHappenError(RuntimeError):
    """What the bench waited for did not come."""


@contextmanager
def started(
    command: Sequence[str], log: Path, environment: Mapping[str, str] | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """Run a command with its output in `log`; end it on the way out."""
    with log.open("ab") as output:
        process = subprocess.Popen(
            command,
            env=dict(os.environ) | dict(environment or {}),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
        )
    try:
        yield process
    finally:
        end(process)


def end(process: subprocess.Popen[bytes]) -> None:
    """End a process, by force if it does not go."""
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(_FAREWELL_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
    process.wait()


def wait_until(
    holds: Callable[[], bool], seconds: float, what: str, look_seconds: float = _LOOK_SECONDS
) -> None:
    """Wait for a condition; `DidNotHappenError` names it if it does not hold in time."""
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            raise DidNotHappenError(f"{what}: not within {seconds:g} s")
        time.sleep(look_seconds)


def cpu_seconds(pid: int) -> float:
    """Return the CPU time of a process with all its threads."""
    times = psutil.Process(pid).cpu_times()
    return times.user + times.system


def stolen_seconds() -> float:
    """Return the CPU time that the host kept from this virtual machine (proc(5), `steal`)."""
    return psutil.cpu_times().steal


def resident_megabytes(pid: int) -> float:
    """Return the memory of a process that is in RAM, in 10^6 bytes."""
    return psutil.Process(pid).memory_info().rss / 1e6


def pin(pid: int, core: int) -> None:
    """Let all threads of a process run on one core only."""
    for thread in _threads(pid):
        os.sched_setaffinity(thread, {core})


def is_connected_to(pid: int, port: int) -> bool:
    """Say whether a process has a connection to a port."""
    connections = psutil.Process(pid).net_connections("tcp")
    return any(each.raddr and each.raddr.port == port for each in connections)


def prefer(pids: Iterable[int]) -> None:
    """Let processes run before everything else, if this user may (root).

    Only for processes that are idle most of the time: without it, whatever else the machine does
    would count as theirs.
    """
    for pid in pids:
        for thread in _threads(pid):
            with suppress(PermissionError, ProcessLookupError):
                os.sched_setscheduler(thread, os.SCHED_FIFO, _PRIORITY)


def _threads(pid: int) -> list[int]:
    return [each.id for each in psutil.Process(pid).threads()]


class ClientCost(NamedTuple):
    """What some processes did together for a while."""

    requests: int
    cpu_seconds: float
    seconds: float

    @property
    def per_cpu_second(self) -> float:
        """Requests per second of CPU time."""
        return self.requests / self.cpu_seconds

    @property
    def per_second(self) -> float:
        """Requests per second by the clock."""
        return self.requests / self.seconds


def measure_client(
    served: Callable[[], int], pids: Sequence[int], seconds: float, settle_seconds: float
) -> ClientCost:
    """Let a client settle, then weigh its processes for so long.

    `served` returns how many requests the server has served.
    """
    time.sleep(settle_seconds)
    began, requests, elapsed = time.monotonic(), served(), _spent(pids)
    time.sleep(seconds)
    passed = time.monotonic() - began
    return ClientCost(served() - requests, _spent(pids) - elapsed, passed)


def _spent(pids: Sequence[int]) -> float:
    return sum(map(cpu_seconds, pids))


_CPU_GROUPS = Path("/sys/fs/cgroup/cpu")
_PERIOD_MICROSECONDS = 100_000


class CpuQuota:
    """A control group below that of the whole machine."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def add(self, pid: int) -> None:
        """Move a process with all its threads in."""
        (self._folder / "cgroup.procs").write_text(str(pid))

    def limit(self, cores: float) -> None:
        """Let all processes in it use so many cores together."""
        quota = max(round(cores * _PERIOD_MICROSECONDS), 1000)
        (self._folder / "cpu.cfs_quota_us").write_text(str(quota))


@contextmanager
def cpu_quota() -> Iterator[CpuQuota]:
    """Make a group, and remove it when its processes have ended."""
    folder = _CPU_GROUPS / f"solrbench-bench-{os.getpid()}"
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise DidNotHappenError(f"no control group of version 1: {error}") from error
    try:
        yield CpuQuota(folder)
    finally:
        folder.rmdir()
