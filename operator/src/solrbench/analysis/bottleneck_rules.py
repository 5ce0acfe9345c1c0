"""The rules of bottlenecks: memory, collector, CPU, disk, threads, and what is outside of Solr.

A rule whose metrics are missing does not apply. Of the time that is spent in a proxy or in the
network, what writing the response took is taken away first, which comes after a handler ended.
"""

from solrbench.analysis.bottleneck_evidence import (
    MAX_CPU_PERCENT,
    MAX_MACHINE_PERCENT,
    MAX_THROTTLED_PERCENT,
    BottleneckInput,
    Symptom,
    above,
    find_outlier,
    found_by_verdict,
    is_cpu_busy,
)
from solrbench.stats.number_format import format_milliseconds, format_percent

# Limits and their sources: docs/method/causes.md, held against computed cases of each kind.
MAX_MEMORY_STALL_PERCENT = 5.0
MAX_MAJOR_FAULTS = 100.0
MIN_MEMORY_SOME_PERCENT = 1.0
MIN_MEMORY_USED_PERCENT = 90.0
MAX_GC_PERCENT = 5.0
"""From here on the 95th percentile holds a pause: so many requests meet one."""
MAX_HEAP_AFTER_GC_PERCENT = 85.0
MAX_PAUSE_PERCENT_OF_REQUEST = 10.0
MIN_GC_OF_LONG_PAUSES_PERCENT = 1.0
MIN_GC_OF_FULL_HEAP_PERCENT = 3.0
FULL_HEAP_PERCENT = 75.0


def find_memory(run: BottleneckInput) -> Symptom | None:
    """Apply if all tasks of a pod waited for memory, or if it read its own pages anew."""
    what = " waited for memory in {} of the time"
    pod, machine = f"a pod{what}", f"the machine{what}"
    limit = MAX_MEMORY_STALL_PERCENT
    stalled = above(run, "memory_full_percent", limit, pod)
    stalled = stalled or above(run, "machine_memory_full_percent", limit, machine)
    if stalled is not None:
        return stalled
    faults, disk = run.figure("major_faults_per_second"), run.figure("io_some_percent")
    # Faults that no thread waits for cost nothing.
    if faults is None or faults <= MAX_MAJOR_FAULTS or (disk is not None and disk < 1):
        return None
    # A file that is read for the first time faults, too: pages must have had to leave memory. The
    # kernel counts the wait for a page that it dropped before as a stall of memory; version 1 of
    # control groups knows no stalls, so there the pod must have filled its limit.
    some, used = run.figure("memory_some_percent"), run.figure("memory_used_max_percent")
    if some is not None and some < MIN_MEMORY_SOME_PERCENT:
        return None
    if some is None and used is not None and used < MIN_MEMORY_USED_PERCENT:
        return None
    text = f"{faults:.0f} page faults a second that read the disk (limit {MAX_MAJOR_FAULTS:.0f})"
    return Symptom(text, run.server("major_faults_per_second"))


def find_garbage_collection(run: BottleneckInput) -> Symptom | None:
    """Apply if the collector stopped a node too long, or had nearly nothing to collect."""
    live = "{} of the heap was in use after a collection"
    return (
        above(run, "gc_percent", MAX_GC_PERCENT, "the collector stopped Solr for {} of the time")
        or above(run, "heap_after_gc_max_percent", MAX_HEAP_AFTER_GC_PERCENT, live)
        or _find_full_heap(run)
        or _find_long_pauses(run)
    )


def _find_long_pauses(run: BottleneckInput) -> Symptom | None:
    """Apply if waits for pauses are much of the time of a request, though pauses are few."""
    spent, often = run.figure("gc_percent"), run.figure("gc_per_second")
    milliseconds = run.figure("solr_milliseconds")
    if not spent or not often or not milliseconds or spent < MIN_GC_OF_LONG_PAUSES_PERCENT:
        return None
    pause = 1000 * spent / 100 / often
    rate = run.figure("solr_requests_per_second")
    # Of a plan, all requests that are due in a pause are sent. The users of a closed loop wait for
    # their responses, so that a pause meets one request of each at most.
    waiting = min(1.0, run.users / (rate * pause / 1000)) if run.users is not None and rate else 1.0
    # An arrival meets a pause with the probability of the share of time in pauses, and then waits
    # for half of it on average: more if pauses differ, so this is a lower bound.
    share = spent * waiting * pause / 2 / milliseconds
    if share <= MAX_PAUSE_PERCENT_OF_REQUEST:
        return None
    return Symptom(
        f"requests spent {format_percent(min(share, 100.0))} of their time waiting in pauses of"
        f" {format_milliseconds(pause)} (limit {format_percent(MAX_PAUSE_PERCENT_OF_REQUEST)})",
        run.server("gc_percent"),
    )


def _find_full_heap(run: BottleneckInput) -> Symptom | None:
    """Apply if collections are many because little of the heap is free: either alone is usual."""
    live, spent = run.figure("heap_after_gc_max_percent"), run.figure("gc_percent")
    if live is None or spent is None:
        return None
    if live <= FULL_HEAP_PERCENT or spent <= MIN_GC_OF_FULL_HEAP_PERCENT:
        return None
    return Symptom(
        f"{format_percent(live)} of the heap was in use after a collection (limit"
        f" {format_percent(FULL_HEAP_PERCENT)}), with {format_percent(spent)} of the time in"
        f" garbage collection (limit {format_percent(MIN_GC_OF_FULL_HEAP_PERCENT)})",
        run.server("heap_after_gc_max_percent"),
    )


MAX_IO_STALL_PERCENT = 20.0
MAX_DISK_PERCENT_OF_REQUEST = 25.0
MIN_READS_PER_SECOND = 20.0
MAX_JETTY_PERCENT = 90.0
MAX_BLOCKED_THREADS = 4.0
MIN_BLOCKED_THREADS = 0.25
MAX_LOCK_PERCENT_OF_REQUEST = 25.0
MAX_CPU_WAIT_PERCENT_OF_REQUEST = 25.0
MIN_CPU_PRESSURE_PERCENT = 10.0
MIN_CPU_PERCENT = 40.0
"""Below it, threads that wait for a CPU wait for those of others."""


def find_throttling(run: BottleneckInput) -> Symptom | None:
    """Apply if the CPU limit stopped a pod of the target."""
    what = "the pod was throttled for {} of the time"
    return above(run, "throttled_percent", MAX_THROTTLED_PERCENT, what)


def find_cpu(run: BottleneckInput) -> Symptom | None:
    """Apply if the CPU of the nodes is used up, and not that of a single one of them."""
    # One busy node is a matter of its shards (OneNode): more nodes would not relieve it.
    if find_outlier(run, "cpu_percent") is not None:
        return None
    return above(
        run, "cpu_percent", MAX_CPU_PERCENT, "Solr used {} of its CPUs"
    ) or _find_waits_for_cpu(run)


def _find_waits_for_cpu(run: BottleneckInput) -> Symptom | None:
    """Apply if requests spend much of their time waiting for a CPU, though some are free at times.

    With `p` the share of time in which a thread waits and `u` that of CPUs in use, p / (1 - u)
    threads wait on average (M/M/c).
    """
    pressure, used = run.figure("cpu_some_percent"), run.figure("cpu_percent")
    if pressure is None or pressure < MIN_CPU_PRESSURE_PERCENT:
        return None
    if used is None or not MIN_CPU_PERCENT <= used < 100:
        return None
    waiting = pressure / (100 - used)
    return _by_littles_law(
        run, waiting, MAX_CPU_WAIT_PERCENT_OF_REQUEST, "waiting for a CPU", "cpu_some_percent"
    )


def _by_littles_law(
    run: BottleneckInput, waiting: float, limit: float, what: str, figure: str
) -> Symptom | None:
    """Return the symptom of so many waiting requests of a node, if they are many of all there.

    By Little's law, requests times their mean duration are the time that all of them spent.
    """
    rate, milliseconds = run.figure("solr_requests_per_second"), run.figure("solr_milliseconds")
    if not rate or not milliseconds:
        return None
    present = rate * milliseconds / 1000 / (run.figure("nodes") or 1.0)
    share = 100 * waiting / present
    if share <= limit:
        return None
    return Symptom(
        f"requests spent {format_percent(min(share, 100.0))} of their time {what}"
        f" (limit {format_percent(limit)})",
        run.server(figure),
    )


def find_disk(run: BottleneckInput) -> Symptom | None:
    """Apply if tasks of a pod waited for its disk."""
    what = " waited for the disk in {} of the time"
    pod, machine = f"a pod{what}", f"the machine{what}"
    if run.figure("io_some_percent") is None:
        # Version 1 of control groups knows no stall of a pod, only that of the machine.
        return above(run, "machine_io_some_percent", MAX_IO_STALL_PERCENT, machine)
    return above(run, "io_some_percent", MAX_IO_STALL_PERCENT, pod) or _find_slow_reads(run)


def _find_slow_reads(run: BottleneckInput) -> Symptom | None:
    """Apply if requests spend much of their time reading, at a rate that leaves the disk idle."""
    stalled, reads = run.figure("io_some_percent"), run.figure("reads_per_second")
    if not stalled or (reads or 0.0) < MIN_READS_PER_SECOND:
        return None
    # At least one request of the worst node waited for the disk in `io_some_percent` of the time.
    limit, what = MAX_DISK_PERCENT_OF_REQUEST, "waiting for the disk"
    return _by_littles_law(run, stalled / 100, limit, what, "io_some_percent")


def find_one_node(run: BottleneckInput) -> Symptom | None:
    """Apply if one node is apart from its peers: by its CPU near the limit, or by its times."""
    # A node that computes more than its peers holds nothing back while it has CPU left.
    symptom = find_outlier(run, "cpu_percent")
    if symptom is not None and is_cpu_busy(run):
        return symptom
    for figure in ("shard_request_milliseconds", "request_milliseconds"):
        if (symptom := find_outlier(run, figure)) is not None:
            return symptom
    return None


def find_threads(run: BottleneckInput) -> Symptom | None:
    """Apply if threads wait for locks, or Jetty has none left, while CPU is idle."""
    # Where the CPU is used up, threads pile up as a consequence of that.
    if is_cpu_busy(run):
        return None
    jetty = "{} of Jetty's threads were busy"
    if (busy := above(run, "jetty_busy_max_percent", MAX_JETTY_PERCENT, jetty)) is not None:
        return busy
    name = "threads_blocked"
    blocked = run.figure(name) or 0.0
    if blocked > MAX_BLOCKED_THREADS:
        text = f"{blocked:.3g} threads waited for locks (limit {MAX_BLOCKED_THREADS:g})"
        return Symptom(text, run.server(name))
    if blocked < MIN_BLOCKED_THREADS:
        return None
    # Few threads wait for locks, but these may be many of the requests that are there.
    limit, what = MAX_LOCK_PERCENT_OF_REQUEST, "waiting for locks"
    return _by_littles_law(run, blocked, limit, what, name)


IDLE_PERCENT = 60.0
"""Up to here a process that wants to run hardly ever waits for a CPU."""
MAX_STEAL_WHERE_IDLE_PERCENT = 5.0

WHERE_IDLE = 9.0, 2.0
"""Largest share in per cent, and the milliseconds below which nothing is said."""
WHERE_BUSY = 60.0, 5.0
"""The same where processes wait for a CPU, which looks alike."""
OF_NETWORK = 30.0, 3.0
"""Higher than for a proxy, which is known to be there."""
MAX_IDLE_PRESSURE_PERCENT = 10.0
"""Time in which a process waits for a CPU, up to which a machine counts as idle however busy."""
FEW_FREE_THREADS_PERCENT = 80.0
"""Jetty's threads busy, from which on requests may have waited for one before their handler."""

_WAITS_OF_LOAD = "CpuPressure", "CpuStolen", "ScheduleLag"
"""Checks that find load pods slow: what they saw may be their own doing."""


def find_proxy(run: BottleneckInput) -> Symptom | None:
    """Apply if a request takes most of its time before and behind Solr, behind a proxy."""
    client, solr = run.figure("client_milliseconds"), run.figure("solr_milliseconds")
    if not run.behind_proxy or not client or solr is None or is_cpu_busy(run):
        return None
    limit, least = WHERE_IDLE if _is_idle(run) else WHERE_BUSY
    outside = _outside_milliseconds(run, client, solr)
    share = 100 * outside / client
    if share <= limit or outside < least:
        return None
    text = (
        f"of {format_milliseconds(client)} that a request takes, {format_milliseconds(solr)} are in"
        f" Solr and {format_milliseconds(outside)} in the proxy or load balancer:"
        f" {format_percent(share)} (limit {format_percent(limit)})"
    )
    what = "throttled for {} of the time"
    throttled = above(run, "companion_throttled_percent", MAX_THROTTLED_PERCENT, what)
    if throttled is None:
        return Symptom(text)
    return Symptom(f"{text}, whose pod is {throttled.text}", throttled.server)


def find_network(run: BottleneckInput) -> Symptom | None:
    """Apply if requests spend much of their time on their way, to Solr or between its nodes."""
    client, solr = run.figure("client_milliseconds"), run.figure("solr_milliseconds")
    # Where processes wait for a CPU, their waits look the same.
    if not client or solr is None or not _is_idle(run) or is_cpu_busy(run):
        return None
    if found_by_verdict(run, *_WAITS_OF_LOAD) is not None:
        return None
    if (run.figure("jetty_busy_max_percent") or 0.0) > FEW_FREE_THREADS_PERCENT:
        return None
    limit, least = OF_NETWORK
    shards = run.figure("shard_milliseconds_per_request")
    cpu = run.figure("cpu_milliseconds_per_request")
    # At least: a request cannot have waited for its shards longer than all of them took together,
    # nor computed longer than all nodes together.
    between_nodes = solr - shards - cpu if shards and cpu is not None else 0.0
    ways = {"between Solr's nodes": between_nodes}
    # Behind a proxy it is the proxy's time, too, of which its own rule decides.
    if not run.behind_proxy:
        ways["between load and Solr"] = _outside_milliseconds(run, client, solr)
    for way, spent in ways.items():
        share = 100 * spent / client
        if share > limit and spent >= least:
            return Symptom(
                f"{format_percent(share)} of the {format_milliseconds(client)} that a request takes"
                f" lie {way}, in no handler, while CPUs are idle (limit {format_percent(limit)})"
            )
    return None


def _outside_milliseconds(run: BottleneckInput, client: float, solr: float) -> float:
    """Return how much longer a request takes than its handler and the writing of its response."""
    # Writing took the CPU time that is in no handler: a node that asks its shards mostly waits.
    cpu = run.figure("cpu_milliseconds_per_request") or 0.0
    shards = run.figure("shard_milliseconds_per_request") or 0.0
    return client - solr - max(cpu - max(solr, shards), 0.0)


def _is_idle(run: BottleneckInput) -> bool:
    """Return whether no process waits for a CPU, as far as is known."""
    # While the host has a CPU, a process that runs stands still, and no figure of use shows it.
    steal, pressure = run.figure("machine_steal_percent"), run.figure("machine_cpu_some_percent")
    shares = run.figure("machine_cpu_percent"), run.figure("system_cpu_percent")
    busy = max((share for share in shares if share is not None), default=None)
    if busy is None or (steal or 0.0) > MAX_STEAL_WHERE_IDLE_PERCENT:
        return False
    return busy <= IDLE_PERCENT or (pressure is not None and pressure <= MAX_IDLE_PRESSURE_PERCENT)


MAX_OUTSTANDING = 10.0
MAX_ZOOKEEPER_MILLISECONDS = 50.0
MIN_ZOOKEEPER_RATE = 1.0
MAX_STEAL_PERCENT = 10.0


def find_zookeeper(run: BottleneckInput) -> Symptom | None:
    """Apply if requests wait in ZooKeeper, or take long there, and there are enough to matter."""
    waiting = run.figure("zookeeper_outstanding_max")
    if waiting is not None and waiting > MAX_OUTSTANDING:
        text = f"{waiting:.0f} requests waited in ZooKeeper (limit {MAX_OUTSTANDING:.0f})"
        return Symptom(text, run.servers.servers.get("zookeeper_outstanding_max"))
    latency = run.figure("zookeeper_latency_milliseconds")
    rate = run.figure("zookeeper_requests_per_second") or 0.0
    if latency is None or latency <= MAX_ZOOKEEPER_MILLISECONDS or rate < MIN_ZOOKEEPER_RATE:
        return None
    limit = f" (limit {format_milliseconds(MAX_ZOOKEEPER_MILLISECONDS)})"
    return Symptom(f"ZooKeeper took {format_milliseconds(latency)} for each request{limit}")


def find_machine(run: BottleneckInput) -> Symptom | None:
    """Apply if the machine is busy, but not by Solr, or if its host takes its CPU time."""
    stolen = "the host took {} of the machine's CPU"
    used = "all processes together used {} of the machine's CPU"
    found = (
        above(run, "machine_steal_percent", MAX_STEAL_PERCENT, stolen)
        or above(run, "machine_cpu_percent", MAX_MACHINE_PERCENT, used)
        # The JVM sees the machine, or in a container what it may use of it.
        or above(run, "system_cpu_percent", MAX_MACHINE_PERCENT, used)
    )
    if found is None or (busiest := find_outlier(run, "cpu_percent")) is None:
        return found
    return Symptom(f"{found.text}; of Solr, {busiest.text}", found.server)
