"""What the kernel reports of a process's control group, of its network, and of its machine.

Files of version 2 of control groups (admin-guide/cgroup-v2 in the kernel's documentation) and of
version 1 (admin-guide/cgroup-v1); pressure stall information (accounting/psi); `/proc` (proc(5)).
Only the standard library is used: an agent that runs beside Solr must be small.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

Numbers = dict[str, float]

_PROC = Path("/proc")
_TICKS = float(os.sysconf("SC_CLK_TCK"))
_NO_LIMIT = 1 << 60
"""Version 1 writes a limit of memory that is none as the largest multiple of the page size."""

RESOURCES = ("cpu", "memory", "io")


def find_java(proc: Path = _PROC) -> int | None:
    """Return the id of the Java process with the most memory that this user may read."""
    return _largest(process for process in _processes(proc) if _text(process / "comm") == "java")


def find_server(proc: Path = _PROC) -> int | None:
    """Return the id of the process that a pod is there for: Java, else that with the most memory.

    Neither this process nor the first one, which holds the pod together, is meant.
    """
    return find_java(proc) or _largest(_others(proc))


def _largest(folders: Iterable[Path]) -> int | None:
    sizes = [(_resident_pages(folder), int(folder.name)) for folder in folders]
    return max(sizes)[1] if sizes else None


def _resident_pages(folder: Path) -> float:
    pages = _text(folder / "statm").split()
    return float(pages[1]) if len(pages) > 1 else 0.0


def _processes(proc: Path) -> Iterator[Path]:
    return (folder for folder in proc.iterdir() if folder.name.isdigit())


def _others(proc: Path) -> list[Path]:
    own = {"1", str(os.getpid())}
    return [process for process in _processes(proc) if process.name not in own]


def read_processes(proc: Path = _PROC) -> Numbers:
    """Return the CPU time and the page faults of all processes of a pod but this one.

    Every user may read these. A process that ends is counted by the one that waited for it.
    """
    fields = [_text(each / "stat").rpartition(")")[2].split() for each in _others(proc)]
    known = [[float(number) for number in each[9:15]] for each in fields if len(each) > 14]
    # majflt, cmajflt, utime, stime, cutime, cstime are the 12th to the 17th field (proc(5)).
    user = sum(each[2] + each[4] for each in known) / _TICKS
    system = sum(each[3] + each[5] for each in known) / _TICKS
    if not known:
        return {}
    return {
        "cpu_seconds": user + system,
        "cpu_user_seconds": user,
        "cpu_system_seconds": system,
        "major_faults": sum(each[0] + each[1] for each in known),
    }


def read_process_group(pid: int, proc: Path = _PROC) -> tuple[Numbers, Numbers, Numbers]:
    """Return counters, gauges and peaks of the control group of a process.

    The group is read through the root folder of the process: in a pod whose containers share
    their processes, that is the file system of the other container, for the same user.
    """
    folder = proc / str(pid)
    group = _Group(folder / "root" / "sys" / "fs" / "cgroup", folder / "cgroup")
    counters, gauges, peaks = group.counters(), group.gauges(), group.peaks()
    for name, number in _of_process(folder).items():
        counters.setdefault(name, number)
    return counters, gauges, peaks


def read_network(proc: Path = _PROC) -> Numbers:
    """Return the bytes of this network namespace, which is that of the pod, without loopback."""
    received = sent = 0.0
    for line in _text(proc / "net" / "dev").splitlines():
        name, colon, rest = line.partition(":")
        columns = rest.split()
        if colon and name.strip() != "lo" and len(columns) > 8:
            received += float(columns[0])
            sent += float(columns[8])
    return {"network_received_bytes": received, "network_sent_bytes": sent}


def machine_id(proc: Path = _PROC) -> str:
    """Return the id of the running machine; empty where the kernel does not give it."""
    return _text(proc / "sys" / "kernel" / "random" / "boot_id")


def read_machine(proc: Path = _PROC) -> tuple[str, Numbers, Numbers]:
    """Return the id of the running machine, its counters, and its gauges."""
    stat = _text(proc / "stat").splitlines()
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
        counters |= _pressure(proc / "pressure" / resource, resource)
    cpus = sum(line.startswith("cpu") and line[3:4].isdigit() for line in stat)
    memory = _kilobytes(_text(proc / "meminfo"))
    gauges = {
        name: memory[key]
        for name, key in (
            ("page_cache_bytes", "Cached"),
            ("memory_available_bytes", "MemAvailable"),
        )
        if key in memory
    }
    return machine_id(proc), counters, gauges | ({"cpus": float(cpus)} if cpus else {})


class _Group:
    """The files of a control group below the folder where they are mounted."""

    def __init__(self, mount: Path, self_file: Path) -> None:
        self._mount = mount
        self._paths = dict(_paths(_text(self_file)))

    def file(self, name: str, *controllers: str) -> Path | None:
        """Return a file of the group: of version 2, or of a controller of version 1."""
        for folder in (self._mount, *(self._mount / controller for controller in controllers)):
            key = "" if folder == self._mount else folder.name
            for path in (folder / self._paths.get(key, "").lstrip("/"), folder):
                if (path / name).is_file():
                    return path / name
        return None

    def number(self, name: str, *controllers: str) -> float | None:
        """Return the number that a file holds; None without one."""
        file = self.file(name, *controllers)
        text = "" if file is None else _text(file)
        return float(text) if text.lstrip("-").isdigit() else None

    def table(self, name: str, *controllers: str) -> Numbers:
        """Return a file of names and numbers."""
        file = self.file(name, *controllers)
        return {} if file is None else _pairs(_text(file))

    def counters(self) -> Numbers:
        values = self._cpu() | self._faults() | self._disk()
        for resource in RESOURCES:
            if (file := self.file(f"{resource}.pressure")) is not None:
                values |= _pressure(file, resource)
        return values

    def _cpu(self) -> Numbers:
        stat = self.table("cpu.stat", "cpu", "cpu,cpuacct")
        ticks = self.table("cpuacct.stat", "cpuacct", "cpu,cpuacct")
        usage = self.number("cpuacct.usage", "cpuacct", "cpu,cpuacct")
        return _present(
            cpu_seconds=_scaled(stat.get("usage_usec"), 1e6) or _scaled(usage, 1e9),
            cpu_user_seconds=_scaled(stat.get("user_usec"), 1e6)
            or _scaled(ticks.get("user"), _TICKS),
            cpu_system_seconds=_scaled(stat.get("system_usec"), 1e6)
            or _scaled(ticks.get("system"), _TICKS),
            periods=stat.get("nr_periods"),
            throttled_periods=stat.get("nr_throttled"),
            throttled_seconds=_scaled(stat["throttled_usec"], 1e6)
            if "throttled_usec" in stat
            else _scaled(stat.get("throttled_time"), 1e9),
        )

    def _faults(self) -> Numbers:
        stat = self.table("memory.stat", "memory")
        return _present(
            major_faults=stat.get("total_pgmajfault", stat.get("pgmajfault")),
            refaults=stat.get("workingset_refault_file"),
        )

    def _disk(self) -> Numbers:
        file = self.file("io.stat")
        if file is not None:
            return _disk_of_2(_text(file))
        disk_counters: Numbers = {}
        for name, read, written in (
            ("blkio.throttle.io_service_bytes", "read_bytes", "written_bytes"),
            ("blkio.throttle.io_serviced", "reads", "writes"),
        ):
            file = self.file(name, "blkio")
            for words in (line.split() for line in (_text(file) if file else "").splitlines()):
                key = {"Read": read, "Write": written}.get(words[1] if len(words) == 3 else "")
                if key is not None:
                    disk_counters[key] = disk_counters.get(key, 0.0) + float(words[2])
        return disk_counters

    def gauges(self) -> Numbers:
        stat = self.table("memory.stat", "memory")
        limit = self.number("memory.max") or self.number("memory.limit_in_bytes", "memory")
        return _present(
            cpu_limit_cores=self._cpu_limit(),
            memory_limit_bytes=None if limit is None or limit > _NO_LIMIT else limit,
            page_cache_bytes=stat.get("file", stat.get("total_cache")),
        )

    def _cpu_limit(self) -> float | None:
        file = self.file("cpu.max")
        if file is not None:
            quota, _, period = _text(file).partition(" ")
            return int(quota) / int(period) if quota.isdigit() and period.isdigit() else None
        cores = self.number("cpu.cfs_quota_us", "cpu", "cpu,cpuacct")
        period_us = self.number("cpu.cfs_period_us", "cpu", "cpu,cpuacct") or 100_000.0
        return cores / period_us if cores is not None and cores > 0 else None

    def peaks(self) -> Numbers:
        stat = self.table("memory.stat", "memory")
        used = self.number("memory.current") or self.number("memory.usage_in_bytes", "memory")
        inactive = stat.get("total_inactive_file", stat.get("inactive_file", 0.0))
        return _present(
            memory_used_bytes=used,
            # As the kubelet counts it: what cannot be dropped at once.
            working_set_bytes=None if used is None else max(used - inactive, 0.0),
            resident_bytes=stat.get("anon", stat.get("total_rss")),
        )


def _of_process(folder: Path) -> Numbers:
    """Return what the process alone did, for what its group does not report."""
    io = {name: float(n) for name, _, n in _colons(_text(folder / "io")) if n.isdigit()}
    # Fields after the name in parentheses, which may hold blanks; majflt is the 12th (proc(5)).
    fields = _text(folder / "stat").rpartition(")")[2].split()
    return _present(
        read_bytes=io.get("read_bytes"),
        written_bytes=io.get("write_bytes"),
        major_faults=float(fields[9]) if len(fields) > 9 else None,
    )


def _disk_of_2(text: str) -> Numbers:
    names = {"rbytes": "read_bytes", "wbytes": "written_bytes", "rios": "reads", "wios": "writes"}
    disk_counters = dict.fromkeys(names.values(), 0.0)
    for word in text.split():
        key, _, number = word.partition("=")
        if key in names and number.isdigit():
            disk_counters[names[key]] += float(number)
    return disk_counters


def _pressure(file: Path, resource: str) -> Numbers:
    """Return the seconds in which some, or all, tasks waited for a resource."""
    pressure: Numbers = {}
    for line in _text(file).splitlines():
        kind, *words = line.split()
        total = next((word for word in words if word.startswith("total=")), "")
        if kind in ("some", "full") and total:
            pressure[f"{resource}_{kind}_seconds"] = float(total.removeprefix("total=")) / 1e6
    return pressure


def _paths(text: str) -> Iterator[tuple[str, str]]:
    for line in text.splitlines():
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        yield controllers, path
        for each in controllers.split(","):
            yield each, path


def _pairs(text: str) -> Numbers:
    words = (line.split() for line in text.splitlines())
    return {word[0]: float(word[1]) for word in words if len(word) == 2 and word[1].isdigit()}


def _colons(text: str) -> Iterator[tuple[str, str, str]]:
    for line in text.splitlines():
        name, colon, rest = line.partition(":")
        yield name, colon, rest.strip()


def _kilobytes(text: str) -> Mapping[str, float]:
    return {
        name: float(rest.split()[0]) * 1024
        for name, _, rest in _colons(text)
        if rest and rest.split()[0].isdigit()
    }


def _scaled(number: float | None, per_second: float) -> float | None:
    return None if number is None else number / per_second


def _present(**numbers: float | None) -> Numbers:
    return {name: number for name, number in numbers.items() if number is not None}


def _text(file: Path) -> str:
    try:
        return file.read_text("utf-8", "replace").strip()
    except OSError:
        # None of these files is guaranteed; what cannot be read is missing.
        return ""
