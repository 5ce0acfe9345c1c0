"""Files as kernels with either version of control groups write them."""

import os
from functools import partialmethod
from pathlib import Path
from typing import Any

import psutil
import pytest

from solrbench.telemetry.kernel_files import (
    find_java,
    find_server,
    read_machine,
    read_network,
    read_process_group,
    read_processes,
)

PRESSURE = (
    "some avg10=1.00 avg60=0.00 avg300=0.00 total={some}\n"
    "full avg10=0.00 avg60=0.00 avg300=0.00 total={full}\n"
)
VERSION_2 = {
    "cpu.stat": "usage_usec 9000000\nuser_usec 6000000\nsystem_usec 3000000\n"
    "nr_periods 100\nnr_throttled 40\nthrottled_usec 2500000\n",
    "cpu.max": "50000 100000\n",
    "memory.current": "1000\n",
    "memory.max": "max\n",
    "memory.stat": "anon 600\nfile 300\ninactive_file 250\npgmajfault 7\n",
    "io.stat": "8:0 rbytes=4096 wbytes=8192 rios=1 wios=2 dbytes=0 dios=0\n"
    "8:16 rbytes=1 wbytes=0 rios=1 wios=0 dbytes=0 dios=0\n",
    "cpu.pressure": PRESSURE.format(some=2_000_000, full=0),
    "memory.pressure": PRESSURE.format(some=500_000, full=400_000),
    "io.pressure": PRESSURE.format(some=1_000_000, full=900_000),
}
VERSION_1 = {
    "cpu/cpu.stat": "nr_periods 145\nnr_throttled 138\nthrottled_time 7283781119\n",
    "cpu/cpu.cfs_quota_us": "20000\n",
    "cpu/cpu.cfs_period_us": "100000\n",
    "cpuacct/cpuacct.usage": "2897264665\n",
    "cpuacct/cpuacct.stat": "user 280\nsystem 8\n",
    "memory/memory.limit_in_bytes": "67108864\n",
    "memory/memory.usage_in_bytes": "5000\n",
    # Numbers of the group alone, then those with the groups below it.
    "memory/memory.stat": "cache 100\nrss 4000\ninactive_file 20\npgmajfault 1\n"
    "total_cache 900\ntotal_rss 4000\n"
    "total_inactive_file 700\ntotal_pgmajfault 3\n",
    "blkio/blkio.throttle.io_service_bytes": "8:0 Read 4096\n8:0 Write 0\n8:0 Total 4096\n"
    "Total 4096\n",
    "blkio/blkio.throttle.io_serviced": "8:0 Read 1\n8:0 Write 0\n",
}


def process(folder: Path, files: dict[str, str], groups: str, pid: int = 7) -> Path:
    """Write `/proc` with one Java process whose root has these files of its group."""
    own = folder / str(pid)
    for name, text in files.items():
        file = own / "root/sys/fs/cgroup" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    own.mkdir(exist_ok=True)
    (own / "cgroup").write_text(groups)
    (own / "comm").write_text("java\n")
    (own / "statm").write_text("900 500 1 1 0 1 0\n")
    (own / "stat").write_text(f"{pid} (C2 (x) y) S 1 7 7 0 -1 4194560 1364 4904 55 0 3 0\n")
    (own / "io").write_text("rchar: 1\nread_bytes: 111\nwrite_bytes: 222\n")
    return folder


def test_a_group_of_version_2(tmp_path: Path) -> None:
    counters, gauges, peaks = read_process_group(7, process(tmp_path, VERSION_2, "0::/\n"))
    assert counters["cpu_seconds"] == 9
    assert (counters["cpu_user_seconds"], counters["cpu_system_seconds"]) == (6, 3)
    assert (counters["periods"], counters["throttled_periods"]) == (100, 40)
    assert counters["throttled_seconds"] == 2.5
    assert (counters["cpu_some_seconds"], counters["memory_full_seconds"]) == (2, 0.4)
    assert (counters["io_some_seconds"], counters["io_full_seconds"]) == (1, 0.9)
    assert (counters["read_bytes"], counters["written_bytes"]) == (4097, 8192)
    assert (counters["reads"], counters["writes"]) == (2, 2)
    assert counters["major_faults"] == 7
    assert gauges == {"cpu_limit_cores": 0.5, "page_cache_bytes": 300}
    assert peaks == {"memory_used_bytes": 1000, "working_set_bytes": 750, "resident_bytes": 600}


def test_a_group_of_version_1(tmp_path: Path) -> None:
    groups = "2:cpuacct:/kubepods/x\n1:cpu:/kubepods/x\n0::/\n"
    counters, gauges, peaks = read_process_group(7, process(tmp_path, VERSION_1, groups))
    assert counters["cpu_seconds"] == pytest.approx(2.897264665)
    assert counters["throttled_seconds"] == pytest.approx(7.283781119)
    assert (counters["read_bytes"], counters["reads"]) == (4096, 1)
    assert counters["major_faults"] == 3
    limits = {"cpu_limit_cores": 0.2, "memory_limit_bytes": 67108864}
    assert gauges == limits | {"page_cache_bytes": 900}
    assert peaks == {"memory_used_bytes": 5000, "working_set_bytes": 4300, "resident_bytes": 4000}
    # This kernel knows no stall of a group of version 1.
    assert not any("some" in name for name in counters)


@pytest.mark.parametrize("files", [{}, VERSION_2])
def test_what_the_group_lacks_comes_from_the_process(
    tmp_path: Path, files: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: Path, *_: object, call: Any, **further: Any) -> Any:
        """Refuse what is below `/proc/PID/root`, as the kernel does to another user."""
        if files and "root" in self.parts:
            raise PermissionError
        return call(self, *_, **further)

    proc = process(tmp_path, files, "0::/\n")
    for name in ("stat", "open"):
        call = getattr(Path, name)
        monkeypatch.setattr(Path, name, partialmethod(refuse, call=call))
    counters, gauges, peaks = read_process_group(7, proc)
    assert counters == {"read_bytes": 111, "written_bytes": 222, "major_faults": 55}
    assert (gauges, peaks) == ({}, {})


def test_the_java_process_with_the_most_memory_is_the_server(tmp_path: Path) -> None:
    for pid in (7, 70):
        process(tmp_path, {}, "", pid)
    (tmp_path / "70" / "statm").write_text("900 9000 1\n")
    (tmp_path / "8").mkdir()
    (tmp_path / "8" / "comm").write_text("pause\n")
    (tmp_path / "sys").mkdir()
    assert find_java(tmp_path) == 70


def test_network_without_loopback(tmp_path: Path) -> None:
    (tmp_path / "net").mkdir()
    (tmp_path / "net/dev").write_text(
        "Inter-|   Receive  |  Transmit\n face |bytes packets\n"
        "    lo:  900 1 0 0 0 0 0 0  900 1 0 0 0 0 0 0\n"
        "  eth0:  576 6 0 0 0 0 0 0  472 6 0 0 0 0 0 0\n"
    )
    assert read_network(tmp_path) == {"network_received_bytes": 576, "network_sent_bytes": 472}


def test_files_of_a_machine_become_its_reading(tmp_path: Path) -> None:
    for name, text in {
        "sys/kernel/random/boot_id": "6680c2fe\n",
        "stat": "cpu  100 0 50 800 20 0 10 30 0 0\ncpu0 1\ncpu1 2\nintr 5\n",
        "meminfo": "MemTotal:  100 kB\nMemAvailable:  60 kB\nCached:  40 kB\n",
        "pressure/cpu": PRESSURE.format(some=3_000_000, full=0),
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    identity, counters, gauges = read_machine(tmp_path)
    assert identity == "6680c2fe"
    ticks = 100
    assert counters == {
        "cpu_busy_seconds": 160 / ticks,
        "steal_seconds": 30 / ticks,
        "disk_waiting_seconds": 20 / ticks,
        "cpu_some_seconds": 3,
        "cpu_full_seconds": 0,
    }
    assert gauges == {"page_cache_bytes": 40960, "memory_available_bytes": 61440, "cpus": 2}


def test_figures_of_this_machine_are_those_that_the_kernel_has_at_the_moment() -> None:
    before, free_before = psutil.cpu_times(), psutil.virtual_memory()
    identity, counters, gauges = read_machine()
    assert identity
    after, free_after = psutil.cpu_times(), psutil.virtual_memory()
    assert _busy(before) <= counters["cpu_busy_seconds"] + 0.05 <= _busy(after) + 0.1
    assert before.steal <= counters["steal_seconds"] + 0.01 <= after.steal + 0.02
    assert gauges["cpus"] == psutil.cpu_count()
    # Others on the machine take and free memory meanwhile.
    free = sorted((free_before.available, free_after.available))
    assert free[0] - 2**28 <= gauges["memory_available_bytes"] <= free[1] + 2**28


def _busy(times: Any) -> float:
    return float(times.user + times.nice + times.system + times.irq + times.softirq)


def other(proc: Path, pid: int, pages: int, stat: str) -> None:
    folder = proc / str(pid)
    folder.mkdir(parents=True)
    (folder / "comm").write_text("nginx\n")
    (folder / "statm").write_text(f"900 {pages} 1 1 0 1 0\n")
    (folder / "stat").write_text(f"{pid} (nginx: w) S 1 7 7 0 -1 41 1 2 {stat} 20 0\n")


def test_without_java_the_largest_process_is_the_server(tmp_path: Path) -> None:
    other(tmp_path, 1, 9999, "0 0 0 0 0 0")
    other(tmp_path, os.getpid(), 8888, "0 0 0 0 0 0")
    assert find_server(tmp_path) is None
    other(tmp_path, 30, 10, "0 0 0 0 0 0")
    other(tmp_path, 31, 20, "0 0 0 0 0 0")
    assert find_server(tmp_path) == 31
    assert find_java(tmp_path) is None
    assert find_server(process(tmp_path, {}, "")) == 7


def test_processes_of_another_user_show_cpu_time_and_faults(tmp_path: Path) -> None:
    other(tmp_path, 1, 10, "9 9 900 900 900 900")
    other(tmp_path, os.getpid(), 10, "9 9 900 900 900 900")
    assert read_processes(tmp_path) == {}
    other(tmp_path, 30, 10, "3 1 100 200 10 20")
    other(tmp_path, 31, 20, "4 0 300 0 0 0")
    (tmp_path / "32").mkdir()  # it has ended meanwhile
    ticks = os.sysconf("SC_CLK_TCK")
    assert read_processes(tmp_path) == {
        "cpu_seconds": pytest.approx(630 / ticks),
        "cpu_user_seconds": pytest.approx(410 / ticks),
        "cpu_system_seconds": pytest.approx(220 / ticks),
        "major_faults": 8,
    }
