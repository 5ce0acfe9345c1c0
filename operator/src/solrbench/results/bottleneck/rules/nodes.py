"""CPU, disk and threads of the nodes, and one node apart from its peers.

The limits are those of docs/method.md, with their sources. A rule whose figures are missing does
not apply.
"""

from solrbench.results.bottleneck.evidence import Evidence, Symptom
from solrbench.results.bottleneck.peers import find_apart
from solrbench.results.bottleneck.rules.limits import (
    MAX_CPU_PERCENT,
    MAX_THROTTLED_PERCENT,
    above,
    above_count,
    is_cpu_busy,
)
from solrbench.results.stats.number_format import format_percent

MAX_IO_STALL_PERCENT = 20.0
MAX_DISK_PERCENT_OF_REQUEST = 25.0
LEAST_READS_PER_SECOND = 20.0
MAX_JETTY_PERCENT = 95.0
MAX_BLOCKED_THREADS = 4.0


def find_throttling(run: Evidence) -> Symptom | None:
    """Apply if the CPU limit stopped a pod of the target."""
    return above(run, "throttled_percent", MAX_THROTTLED_PERCENT, "of the time throttled")


def find_cpu(run: Evidence) -> Symptom | None:
    """Apply if the CPU of the nodes is used up, and not that of a single one of them."""
    if find_apart(run, "cpu_percent") is not None:
        return None
    return above(run, "cpu_percent", MAX_CPU_PERCENT, "of its CPUs used by Solr")


def find_disk(run: Evidence) -> Symptom | None:
    """Apply if tasks of a pod waited for its disk."""
    what = "of the time waiting for the disk"
    if run.figure("io_some_percent") is None:
        # Version 1 of control groups knows no stall of a pod, only that of the machine.
        return above(run, "machine_io_some_percent", MAX_IO_STALL_PERCENT, f"{what} (machine)")
    return above(run, "io_some_percent", MAX_IO_STALL_PERCENT, what) or _find_slow_reads(run)


def _find_slow_reads(run: Evidence) -> Symptom | None:
    """Apply if requests spend much of their time reading, at a rate that leaves the disk idle.

    By Little's law, requests times their mean duration are the time that all of them spent; at
    least one of them waited for the disk in `io_some_percent` of the time.
    """
    stalled, reads = run.figure("io_some_percent"), run.figure("reads_per_second")
    rate, each = run.figure("solr_requests_per_second"), run.figure("solr_milliseconds")
    if not stalled or not rate or not each or (reads or 0.0) < LEAST_READS_PER_SECOND:
        return None
    share = stalled / (rate * each / 1000)
    if share <= MAX_DISK_PERCENT_OF_REQUEST:
        return None
    return Symptom(
        f"{format_percent(min(share, 100.0))} of the time of requests spent waiting for the disk"
        f" (limit {format_percent(MAX_DISK_PERCENT_OF_REQUEST)})",
        run.server("io_some_percent"),
    )


def find_one_node(run: Evidence) -> Symptom | None:
    """Apply if one node is apart from its peers: by its CPU near the limit, or by its times."""
    found = find_apart(run, "cpu_percent")
    if found is not None and is_cpu_busy(run):
        return found
    for figure in ("shard_request_milliseconds", "request_milliseconds"):
        if (found := find_apart(run, figure)) is not None:
            return found
    return None


def find_threads(run: Evidence) -> Symptom | None:
    """Apply if threads wait for locks, or Jetty has none left, while CPU is idle."""
    if is_cpu_busy(run):
        return None
    return above(
        run, "jetty_busy_max_percent", MAX_JETTY_PERCENT, "of Jetty's threads busy"
    ) or above_count(run, "threads_blocked", MAX_BLOCKED_THREADS, "threads waited for locks")
