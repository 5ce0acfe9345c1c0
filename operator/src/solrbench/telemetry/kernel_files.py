"""What the kernel reports of a process's control group, of its network, and of its machine.

Files of version 2 of control groups (admin-guide/cgroup-v2 in the kernel's documentation) and of
version 1 (admin-guide/cgroup-v1); pressure stall information (accounting/psi); `/proc` (proc(5)).
Only the standard library is used: an agent that runs beside Solr must be small.
"""

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from solrbench.stats.number_format import scaled

Numbers = dict[str, float]
_PROC = Path("/proc")
_TICKS = float(os.sysconf("SC_CLK_TCK"))
_NO_LIMIT = 1 << 60
"""Version 1 writes a limit of memory that is none as the largest multiple of the page size."""

RESOURCES = ("cpu", "memory", "io")


def find_java(proc: Path = _PROC) -> int | None:
    """Return the id of the Java process with the most memory that this user may read."""
    return _largest(each for each in _processes(proc) if file_text(each / "comm") == "java")


def find_server(proc: Path = _PROC) -> int | None:
    """Return the id of the process that a pod is there for: Java, else that with the most memory.

    Neither this process nor the first one, which holds the pod together, is meant.
    """
    return find_java(proc) or _largest(_others(proc))


def _largest(folders: Iterable[Path]) -> int | None:
    sizes = []
    for folder in folders:
        pages = file_text(folder / "statm").split()
        # The second field counts resident pages; a process that ended meanwhile has no file.
        sizes.append((float(pages[1]) if len(pages) > 1 else 0.0, int(folder.name)))
    return max(sizes)[1] if sizes else None


def _processes(proc: Path) -> Iterator[Path]:
    return (folder for folder in proc.iterdir() if folder.name.isdigit())


def _others(proc: Path) -> list[Path]:
    own = {"1", str(os.getpid())}
    return [process for process in _processes(proc) if process.name not in own]


def read_processes(proc: Path = _PROC) -> Numbers:
    """Return the CPU time and the page faults of all processes of a pod but this one.

    Every user may read these. A process that ends is counted by the one that waited for it.
    """
    # majflt, cmajflt, utime, stime, cutime, cstime are the 12th to the 17th field (proc(5)).
    known = [[float(word) for word in _stat(each)[9:15]] for each in _others(proc)]
    known = [each for each in known if len(each) == 6]
    if not known:
        return {}
    user = sum(each[2] + each[4] for each in known) / _TICKS
    system = sum(each[3] + each[5] for each in known) / _TICKS
    return {
        "cpu_seconds": user + system,
        "cpu_user_seconds": user,
        "cpu_system_seconds": system,
        "major_faults": sum(each[0] + each[1] for each in known),
    }


def _stat(folder: Path) -> list[str]:
    """Return the fields from the third on: the second is a name in parentheses, with blanks."""
    return file_text(folder / "stat").rpartition(")")[2].split()


def read_process_group(pid: int, proc: Path = _PROC) -> tuple[Numbers, Numbers, Numbers]:
    """Return counters, gauges and peaks of the control group of a process.

    The group is read through the root folder of the process: in a pod whose containers share
    their processes, that is the file system of the other container, for the same user.
    """
    folder = proc / str(pid)
    group = ControlGroup(folder / "root" / "sys" / "fs" / "cgroup", folder / "cgroup")
    # What the process alone did stands in for what its group does not report.
    io, fields = _table(file_text(folder / "io")), _stat(folder)
    of_process = present(
        read_bytes=io.get("read_bytes"),
        written_bytes=io.get("write_bytes"),
        major_faults=float(fields[9]) if len(fields) > 9 else None,
    )
    return of_process | group.counters(), group.gauges(), group.peaks()


def read_network(proc: Path = _PROC) -> Numbers:
    """Return the bytes of this network namespace, which is that of the pod, without loopback."""
    received = sent = 0.0
    for line in file_text(proc / "net" / "dev").splitlines():
        name, colon, rest = line.partition(":")
        columns = rest.split()
        if colon and name.strip() != "lo" and len(columns) > 8:
            received += float(columns[0])
            sent += float(columns[8])
    return {"network_received_bytes": received, "network_sent_bytes": sent}


def machine_id(proc: Path = _PROC) -> str:
    """Return the id of the running machine; empty where the kernel does not give it."""
    return file_text(proc / "sys" / "kernel" / "random" / "boot_id")


def read_machine(proc: Path = _PROC) -> tuple[str, Numbers, Numbers]:
    """Return the id of the running machine, its counters, and its gauges."""
    stat = file_text(proc / "stat").splitlines()
    counters: Numbers = {}
    if stat and stat[0].startswith("cpu "):
        ticks = [float(each) / _TICKS for each in stat[0].split()[1:]]
        user, nice, system, _, waiting, irq, softirq, steal, *_ = [*ticks, *[0.0] * 8]
        counters = {
            "cpu_busy_seconds": user + nice + system + irq + softirq,
            "steal_seconds": steal,
            "disk_waiting_seconds": waiting,
        }
    for resource in RESOURCES:
        counters |= _pressure(file_text(proc / "pressure" / resource), resource)
    kibibytes = _table(file_text(proc / "meminfo"))
    gauges = present(
        page_cache_bytes=scaled(kibibytes.get("Cached"), 1 / 1024),
        memory_available_bytes=scaled(kibibytes.get("MemAvailable"), 1 / 1024),
        # The line `cpu` is of all of them, `cpu0` of the first.
        cpus=float(sum(line.startswith("cpu") and line[3:4].isdigit() for line in stat)) or None,
    )
    return machine_id(proc), counters, gauges


def _first(*values: float | None) -> float | None:
    """Return the first number that is known, which may be 0."""
    return next((each for each in values if each is not None), None)


class ControlGroup:
    """The files of a control group below the folder of their mount; `self_file` names it."""

    def __init__(
        self, mount: Path = Path("/sys/fs/cgroup"), self_file: Path = _PROC / "self" / "cgroup"
    ) -> None:
        self._mount = mount
        self._paths: dict[str, str] = {}
        for line in file_text(self_file).splitlines():
            # 4:cpu,cpuacct:/path, and 0::/path in version 2 (cgroups(7)).
            _, controllers, path = line.split(":", 2)
            self._paths |= dict.fromkeys([controllers, *controllers.split(",")], path)

    def text(self, name: str, *controllers: str) -> str | None:
        """Return a file of the group: of version 2, or of a controller of version 1."""
        for controller in ("", *controllers):
            folder = self._mount / controller
            # A container with a namespace of its own sees its group as the root of the mount.
            for path in (folder / self._paths.get(controller, "").lstrip("/"), folder):
                # `is_file` raises where another user's folders may not be looked into.
                with suppress(OSError):
                    return (path / name).read_text("utf-8", "replace").strip()
        return None

    def number(self, name: str, *controllers: str) -> float | None:
        """Return the number that a file holds; None without one, such as for `max`."""
        text = self.text(name, *controllers) or ""
        return float(text) if text.lstrip("-").isdigit() else None

    def table(self, name: str, *controllers: str) -> Numbers:
        """Return a file of names and numbers."""
        return _table(self.text(name, *controllers) or "")

    def counters(self) -> Numbers:
        """Return what only grows while the group is there."""
        values = self._cpu() | self._disk()
        stat = self.table("memory.stat", "memory")
        values |= present(
            # Version 1 counts this group alone beside those below it: the latter count.
            major_faults=stat.get("total_pgmajfault", stat.get("pgmajfault")),
            refaults=stat.get("workingset_refault_file"),
        )
        for resource in RESOURCES:
            values |= self.pressure(resource)
        return values

    def _cpu(self) -> Numbers:
        stat = self._cpu_stat()
        ticks = self.table("cpuacct.stat", "cpuacct", "cpu,cpuacct")
        usage = self.number("cpuacct.usage", "cpuacct", "cpu,cpuacct")
        user, system = stat.get("user_usec"), stat.get("system_usec")
        return present(
            cpu_seconds=_first(scaled(stat.get("usage_usec"), 1e6), scaled(usage, 1e9)),
            cpu_user_seconds=_first(scaled(user, 1e6), scaled(ticks.get("user"), _TICKS)),
            cpu_system_seconds=_first(scaled(system, 1e6), scaled(ticks.get("system"), _TICKS)),
            periods=stat.get("nr_periods"),
            throttled_periods=stat.get("nr_throttled"),
            throttled_seconds=self.throttled_seconds(),
        )

    def _cpu_stat(self) -> Numbers:
        # Version 1 mounts both controllers alone, or as one folder with both names.
        return self.table("cpu.stat", "cpu", "cpu,cpuacct")

    def throttled_seconds(self) -> float | None:
        """Return how long the group was throttled in total; None where not reported."""
        stat = self._cpu_stat()
        # Version 2 counts microseconds, version 1 nanoseconds.
        in_version_1 = scaled(stat.get("throttled_time"), 1e9)
        return _first(scaled(stat.get("throttled_usec"), 1e6), in_version_1)

    def pressure(self, resource: str) -> Numbers:
        """Return the seconds in which some, or all, processes waited for a resource."""
        return _pressure(self.text(f"{resource}.pressure") or "", resource)

    def _disk(self) -> Numbers:
        text = self.text("io.stat")
        if text is not None:
            names = {"rbytes": "read_bytes", "wbytes": "written_bytes"}
            names |= {"rios": "reads", "wios": "writes"}
            # No line is there before the first access: nothing was read, which is known.
            disk_counters = dict.fromkeys(names.values(), 0.0)
            for word in text.split():
                key, _, number = word.partition("=")
                if key in names and number.isdigit():
                    disk_counters[names[key]] += float(number)
            return disk_counters
        disk_counters = {}
        for file, read, written in (
            ("blkio.throttle.io_service_bytes", "read_bytes", "written_bytes"),
            ("blkio.throttle.io_serviced", "reads", "writes"),
        ):
            for line in (self.text(file, "blkio") or "").splitlines():
                # DEVICE OPERATION NUMBER; a total over all devices has two words.
                words = line.split()
                figure = {"Read": read, "Write": written}.get(words[1] if len(words) == 3 else "")
                if figure is not None:
                    disk_counters[figure] = disk_counters.get(figure, 0.0) + float(words[2])
        return disk_counters

    def gauges(self) -> Numbers:
        """Return limits, and the page cache as of now."""
        stat = self.table("memory.stat", "memory")
        limit = self.number("memory.max") or self.number("memory.limit_in_bytes", "memory")
        return present(
            cpu_limit_cores=self.limit_cores(),
            memory_limit_bytes=None if limit is None or limit > _NO_LIMIT else limit,
            page_cache_bytes=stat.get("file", stat.get("total_cache")),
        )

    def limit_cores(self) -> float | None:
        """Return the CPU limit; None without one, and where the kernel does not report it."""
        limit = self.text("cpu.max")
        if limit is not None:
            quota, _, period = limit.partition(" ")
            return int(quota) / int(period) if quota.isdigit() and period.isdigit() else None
        quota_us = self.number("cpu.cfs_quota_us", "cpu", "cpu,cpuacct")
        period_us = self.number("cpu.cfs_period_us", "cpu", "cpu,cpuacct") or 100_000.0
        # -1 stands for no limit.
        return quota_us / period_us if quota_us is not None and quota_us > 0 else None

    def peaks(self) -> Numbers:
        """Return what memory is used now, of which the largest counts."""
        stat = self.table("memory.stat", "memory")
        used = self.number("memory.current") or self.number("memory.usage_in_bytes", "memory")
        inactive = stat.get("total_inactive_file", stat.get("inactive_file", 0.0))
        return present(
            memory_used_bytes=used,
            # As the kubelet counts it: what cannot be dropped at once.
            working_set_bytes=None if used is None else max(used - inactive, 0.0),
            resident_bytes=stat.get("anon", stat.get("total_rss")),
        )


def _pressure(text: str, resource: str) -> Numbers:
    pressure: Numbers = {}
    for line in text.splitlines():
        kind, *words = line.split()
        for word in words:
            # The averages of the last seconds say nothing of a step; the total is in microseconds.
            name, _, number = word.partition("=")
            if kind in ("some", "full") and name == "total" and number.isdigit():
                pressure[f"{resource}_{kind}_seconds"] = float(number) / 1e6
    return pressure


def _table(text: str) -> Numbers:
    """Return the numbers of lines such as `name 1`, `name: 1` and `name: 1 kB`."""
    words = (line.replace(":", " ").split() for line in text.splitlines())
    return {word[0]: float(word[1]) for word in words if len(word) > 1 and word[1].isdigit()}


def present(**numbers: float | None) -> Numbers:
    """Return the numbers that are known: a figure that was not measured is absent, never zero."""
    return {name: number for name, number in numbers.items() if number is not None}


def file_text(file: Path) -> str:
    """Return what a file of the kernel holds; empty if it cannot be read."""
    try:
        return file.read_text("utf-8", "replace").strip()
    except OSError:
        # None of these files is guaranteed; what cannot be read is missing.
        return ""
