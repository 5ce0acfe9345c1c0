"""One rule for each resource: measured value against limit.

The limits are those of docs/method.md, with their sources. A rule whose figures are missing does
not apply.
"""

from solrbench.api.v1alpha1.status.telemetry import Resource
from solrbench.results.bottleneck.evidence import Evidence, Symptom
from solrbench.results.bottleneck.outside import MAX_MACHINE_PERCENT, find_network, find_proxy
from solrbench.results.bottleneck.peers import find_apart
from solrbench.results.stats.number_format import format_milliseconds, format_percent
from solrbench.results.validity.checks.finding import Finding

MAX_THROTTLED_PERCENT = 5.0
MAX_MEMORY_STALL_PERCENT = 5.0
MAX_MAJOR_FAULTS = 100.0
LEAST_MEMORY_SOME_PERCENT = 1.0
LEAST_MEMORY_USED_PERCENT = 90.0
MAX_GC_PERCENT = 5.0
"""From here on the 95th percentile holds a pause: so many requests meet one."""
MAX_HEAP_AFTER_GC_PERCENT = 85.0
MAX_PAUSE_PERCENT_OF_REQUEST = 10.0
LEAST_GC_OF_LONG_PAUSES_PERCENT = 1.0
LEAST_GC_OF_FULL_HEAP_PERCENT = 3.0
FULL_HEAP_PERCENT = 75.0
MAX_CPU_PERCENT = 85.0
MAX_IO_STALL_PERCENT = 20.0
MAX_DISK_PERCENT_OF_REQUEST = 25.0
LEAST_READS_PER_SECOND = 20.0
MAX_OUTSTANDING = 10.0
MAX_ZOOKEEPER_MILLISECONDS = 50.0
LEAST_ZOOKEEPER_RATE = 1.0
MAX_JETTY_PERCENT = 95.0
MAX_BLOCKED_THREADS = 4.0
MAX_STEAL_PERCENT = 10.0

_OF_GENERATOR = ("PodThrottled", "WorkerSaturated", "DelayedByGenerator")
"""Not `ScheduleLag`, which says nothing of how much it matters beside the response times."""


def find_load_generator(run: Evidence) -> Symptom | None:
    """Apply if a check of the verdict found that the load pods delayed requests."""
    return _found_by_verdict(run, *_OF_GENERATOR)


def find_others(run: Evidence) -> Symptom | None:
    """Apply if a check of the verdict found processes of others that use a node's CPU.

    All else that such a node shows may be their doing, but not that a pod meets its own CPU limit.
    """
    return _found_by_verdict(run, "OthersUseCpu")


def _found_by_verdict(run: Evidence, *reasons: str) -> Symptom | None:
    for reason in reasons:
        found = run.findings.get(reason)
        if isinstance(found, Finding):
            return Symptom(f"{reason}: {found.text}")
    return None


def find_throttling(run: Evidence) -> Symptom | None:
    """Apply if the CPU limit stopped a pod of the target."""
    return _above(run, "throttled_percent", MAX_THROTTLED_PERCENT, "of the time throttled")


def find_memory(run: Evidence) -> Symptom | None:
    """Apply if all tasks of a pod waited for memory, or if it read its own pages anew."""
    what = "of the time stalled for memory"
    stalled = _above(run, "memory_full_percent", MAX_MEMORY_STALL_PERCENT, what) or _above(
        run, "machine_memory_full_percent", MAX_MEMORY_STALL_PERCENT, f"{what} (machine)"
    )
    if stalled is not None:
        return stalled
    faults, disk = run.figure("major_faults_per_second"), run.figure("io_some_percent")
    if faults is None or faults <= MAX_MAJOR_FAULTS or (disk is not None and disk < 1):
        return None
    if not _is_short_of_memory(run):
        return None
    text = f"{faults:.0f} page faults a second that read the disk (limit {MAX_MAJOR_FAULTS:.0f})"
    return Symptom(text, run.server("major_faults_per_second"))


def _is_short_of_memory(run: Evidence) -> bool:
    """Return whether pages had to leave memory: a file that is read for the first time faults, too.

    The kernel counts the wait for a page that it dropped before as a stall of memory. Version 1 of
    control groups knows no stalls: there the pod must have filled its limit.
    """
    stalled = run.figure("memory_some_percent")
    if stalled is not None:
        return stalled >= LEAST_MEMORY_SOME_PERCENT
    used = run.figure("memory_used_max_percent")
    return used is None or used >= LEAST_MEMORY_USED_PERCENT


def find_garbage_collection(run: Evidence) -> Symptom | None:
    """Apply if the collector stopped a node too long, or had nearly nothing to collect."""
    return (
        _above(run, "gc_percent", MAX_GC_PERCENT, "of the time in garbage collection")
        or _above(
            run,
            "heap_after_gc_max_percent",
            MAX_HEAP_AFTER_GC_PERCENT,
            "of the heap in use after a collection",
        )
        or _find_full_heap(run)
        or _find_long_pauses(run)
    )


def _find_long_pauses(run: Evidence) -> Symptom | None:
    """Apply if pauses are much of the time of a request, though they are few.

    A request meets a pause with the probability of the share of time in pauses, and then waits for
    half of it on average: more if pauses differ, so this is a lower bound.
    """
    spent, often = run.figure("gc_percent"), run.figure("gc_per_second")
    each = run.figure("solr_milliseconds")
    if not spent or not often or not each or spent < LEAST_GC_OF_LONG_PAUSES_PERCENT:
        return None
    pause = 1000 * spent / 100 / often
    share = spent * pause / 2 / each
    if share <= MAX_PAUSE_PERCENT_OF_REQUEST:
        return None
    return Symptom(
        f"{format_percent(min(share, 100.0))} of the time of requests spent waiting in pauses of"
        f" {format_milliseconds(pause)} (limit {format_percent(MAX_PAUSE_PERCENT_OF_REQUEST)})",
        run.server("gc_percent"),
    )


def _find_full_heap(run: Evidence) -> Symptom | None:
    """Apply if collections are many because little of the heap is free: either alone is usual."""
    live, spent = run.figure("heap_after_gc_max_percent"), run.figure("gc_percent")
    if live is None or spent is None:
        return None
    if live <= FULL_HEAP_PERCENT or spent <= LEAST_GC_OF_FULL_HEAP_PERCENT:
        return None
    return Symptom(
        f"{format_percent(live)} of the heap in use after a collection (limit"
        f" {format_percent(FULL_HEAP_PERCENT)}), with {format_percent(spent)} of the time in"
        f" garbage collection (limit {format_percent(LEAST_GC_OF_FULL_HEAP_PERCENT)})",
        run.server("heap_after_gc_max_percent"),
    )


def find_cpu(run: Evidence) -> Symptom | None:
    """Apply if the CPU of the nodes is used up, and not that of a single one of them."""
    if find_apart(run, "cpu_percent") is not None:
        return None
    return _above(run, "cpu_percent", MAX_CPU_PERCENT, "of its CPUs used by Solr")


def find_disk(run: Evidence) -> Symptom | None:
    """Apply if tasks of a pod waited for its disk."""
    what = "of the time waiting for the disk"
    if run.figure("io_some_percent") is None:
        # Version 1 of control groups knows no stall of a pod, only that of the machine.
        return _above(run, "machine_io_some_percent", MAX_IO_STALL_PERCENT, f"{what} (machine)")
    return _above(run, "io_some_percent", MAX_IO_STALL_PERCENT, what) or _find_slow_reads(run)


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


def find_zookeeper(run: Evidence) -> Symptom | None:
    """Apply if requests wait in ZooKeeper, or take long there, and there are enough to matter."""
    waiting = run.figure("zookeeper_outstanding_max")
    if waiting is not None and waiting > MAX_OUTSTANDING:
        text = f"{waiting:.0f} requests waited in ZooKeeper (limit {MAX_OUTSTANDING:.0f})"
        return Symptom(text, run.servers.servers.get("zookeeper"))
    latency = run.figure("zookeeper_latency_milliseconds")
    rate = run.figure("zookeeper_requests_per_second") or 0.0
    if latency is None or latency <= MAX_ZOOKEEPER_MILLISECONDS or rate < LEAST_ZOOKEEPER_RATE:
        return None
    limit = format_milliseconds(MAX_ZOOKEEPER_MILLISECONDS)
    text = f"ZooKeeper took {format_milliseconds(latency)} for each request (limit {limit})"
    return Symptom(text)


def find_one_node(run: Evidence) -> Symptom | None:
    """Apply if one node is apart from its peers: by its CPU near the limit, or by its times."""
    found = find_apart(run, "cpu_percent")
    if found is not None and (run.figure("cpu_percent") or 0.0) > MAX_CPU_PERCENT:
        return found
    for figure in ("shard_request_milliseconds", "request_milliseconds"):
        if (found := find_apart(run, figure)) is not None:
            return found
    return None


def find_threads(run: Evidence) -> Symptom | None:
    """Apply if threads wait for locks, or Jetty has none left, while CPU is idle."""
    if (run.figure("cpu_percent") or 0.0) > MAX_CPU_PERCENT:
        return None
    return _above(
        run, "jetty_busy_max_percent", MAX_JETTY_PERCENT, "of Jetty's threads busy"
    ) or _above_count(run, "threads_blocked", MAX_BLOCKED_THREADS, "threads waited for locks")


def find_machine(run: Evidence) -> Symptom | None:
    """Apply if the machine is busy, but not by Solr, or if its host takes its CPU time."""
    stolen = _above(
        run, "machine_steal_percent", MAX_STEAL_PERCENT, "of the machine's CPU taken by its host"
    )
    if stolen is not None:
        return stolen
    what = "of the machine's CPU used by all processes"
    # The JVM sees the machine, or in a container what it may use of it.
    return _above(run, "machine_cpu_percent", MAX_MACHINE_PERCENT, what) or _above(
        run, "system_cpu_percent", MAX_MACHINE_PERCENT, what
    )


def _above(run: Evidence, name: str, limit: float, what: str) -> Symptom | None:
    value = run.figure(name)
    if value is None or value <= limit:
        return None
    return Symptom(
        f"{format_percent(value)} {what} (limit {format_percent(limit)})", run.server(name)
    )


def _above_count(run: Evidence, name: str, limit: float, what: str) -> Symptom | None:
    value = run.figure(name)
    if value is None or value <= limit:
        return None
    return Symptom(f"{value:.3g} {what} (limit {limit:g})", run.server(name))


RULES = (
    (Resource.LOAD_GENERATOR, find_load_generator),
    (Resource.THROTTLING, find_throttling),
    (Resource.MACHINE, find_others),
    (Resource.MEMORY, find_memory),
    (Resource.GARBAGE_COLLECTION, find_garbage_collection),
    (Resource.CPU, find_cpu),
    (Resource.DISK, find_disk),
    (Resource.ZOOKEEPER, find_zookeeper),
    (Resource.ONE_NODE, find_one_node),
    # Before what lies outside of Solr: requests wait there for one of Jetty's threads.
    (Resource.THREADS, find_threads),
    (Resource.PROXY, find_proxy),
    (Resource.NETWORK, find_network),
    (Resource.MACHINE, find_machine),
)
"""The rules in their order; the first that applies names the resource."""

FIELDS = {
    Resource.LOAD_GENERATOR: "load.workers",
    Resource.THROTTLING: "target.solrCloud.resources.limits.cpu",
    Resource.MEMORY: "target.solrCloud.resources.limits.memory",
    Resource.GARBAGE_COLLECTION: "target.solrCloud.heap",
    Resource.CPU: "target.solrCloud.nodes",
    Resource.DISK: "target.solrCloud.resources.limits.memory",
    Resource.ZOOKEEPER: "target.solrCloud.zookeeper.replicas",
    Resource.ONE_NODE: "collection.shards",
    Resource.PROXY: "target.variants",
    Resource.NETWORK: "collection.shards",
    Resource.THREADS: "target.solrCloud.nodes",
    Resource.MACHINE: "target.solrCloud.nodes",
    Resource.NONE: "load.steps",
}
"""What to vary next, by resource. A disk is helped by memory: the page cache saves reads."""
