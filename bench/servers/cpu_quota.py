"""A CPU limit for processes of the bench: a control group of version 1, as root.

It is what a CPU limit of a pod is to the kernel. Processes come in without a limit, so that they
start as fast as ever; `limit` sets it.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.harness.processes import DidNotHappenError

_ROOT = Path("/sys/fs/cgroup/cpu")
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
    """Make a group, and remove it when its processes have ended.

    Raises:
        DidNotHappenError: if none can be made on this machine.
    """
    folder = _ROOT / f"solrbench-bench-{os.getpid()}"
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise DidNotHappenError(f"no control group of version 1: {error}") from error
    try:
        yield CpuQuota(folder)
    finally:
        folder.rmdir()
