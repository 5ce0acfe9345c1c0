"""What the kernel's control group says of this process: its CPU limit, and when it was held back.

A container's CPU limit is a quota of its group for each period of 100 ms. A group that has used it
up stands still until the next period, and a worker in it stamps every response late. See
"cpu.stat" and "cpu.max" in the kernel's documentation of control groups (admin-guide/cgroup-v2),
and "CFS Bandwidth Control" (scheduler/sched-bwc) for version 1.
"""

from collections.abc import Iterator
from pathlib import Path

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
        if self._unified is not None:
            return _scaled(_numbers(self._unified / "cpu.stat").get("throttled_usec"), 1e6)
        if self._classic is not None:
            return _scaled(_numbers(self._classic / "cpu.stat").get("throttled_time"), 1e9)
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
    """Return the lines of a file of names and whole numbers."""
    pairs = (line.split() for line in _text(file).splitlines())
    return {pair[0]: int(pair[1]) for pair in pairs if len(pair) == 2 and pair[1].isdigit()}


def _scaled(number: int | None, per_second: float) -> float | None:
    return None if number is None else number / per_second


def _text(file: Path) -> str:
    try:
        return file.read_text("utf-8").strip()
    except OSError:
        # These files are not guaranteed; what cannot be read is reported as not measured.
        return ""
