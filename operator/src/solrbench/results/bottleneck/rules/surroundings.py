"""What is not Solr's own doing: the load pods, the machine, ZooKeeper, a proxy.

The limits are those of docs/method.md, with their sources. A rule whose figures are missing does
not apply.
"""

from solrbench.results.bottleneck.evidence import Evidence, Symptom
from solrbench.results.bottleneck.rules.limits import MAX_CPU_PERCENT, MAX_MACHINE_PERCENT, above
from solrbench.results.stats.number_format import format_milliseconds, format_percent
from solrbench.results.validity.checks.finding import Finding

MAX_OUTSTANDING = 10.0
MAX_ZOOKEEPER_MILLISECONDS = 50.0
LEAST_ZOOKEEPER_RATE = 1.0
MAX_OUTSIDE_PERCENT_WHERE_IDLE = 15.0
LEAST_OUTSIDE_MILLISECONDS_WHERE_IDLE = 2.0
MAX_IDLE_PERCENT = 60.0
"""Up to here a process that wants to run hardly ever waits for a CPU."""
MAX_OUTSIDE_PERCENT = 40.0
MAX_OUTSIDE_PERCENT_WHERE_BUSY = 60.0
"""On a busy machine a process waits for a CPU outside of Solr, too."""
LEAST_OUTSIDE_MILLISECONDS = 5.0
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


def find_proxy(run: Evidence) -> Symptom | None:
    """Apply if a request takes most of its time before and behind Solr, behind a proxy.

    Without a proxy such time says nothing: it may lie in the network, in queues of the kernel, or
    in processes that waited for a CPU.
    """
    client, solr = run.figure("client_milliseconds"), run.figure("solr_milliseconds")
    cpu = run.figure("cpu_percent") or 0.0
    if not run.behind_proxy or not client or solr is None or cpu > MAX_CPU_PERCENT:
        return None
    outside = client - solr
    share = 100 * outside / client
    limit, least = _outside_limits(run)
    if share <= limit or outside < least:
        return None
    return Symptom(
        f"of {format_milliseconds(client)} that a request takes Solr spends"
        f" {format_milliseconds(solr)}: {format_percent(share)} lie in the proxy or load balancer"
        f" (limit {format_percent(limit)})"
    )


def _outside_limits(run: Evidence) -> tuple[float, float]:
    """Return the most per cent, and the milliseconds below which nothing is said."""
    names = "machine_cpu_percent", "system_cpu_percent"
    known = [each for name in names if (each := run.figure(name)) is not None]
    if known and max(known) <= MAX_IDLE_PERCENT:
        return MAX_OUTSIDE_PERCENT_WHERE_IDLE, LEAST_OUTSIDE_MILLISECONDS_WHERE_IDLE
    if known and max(known) > MAX_MACHINE_PERCENT:
        return MAX_OUTSIDE_PERCENT_WHERE_BUSY, LEAST_OUTSIDE_MILLISECONDS
    return MAX_OUTSIDE_PERCENT, LEAST_OUTSIDE_MILLISECONDS


def find_machine(run: Evidence) -> Symptom | None:
    """Apply if the machine is busy, but not by Solr."""
    what = "of the machine's CPU used by all processes"
    # The JVM sees the machine, or in a container what it may use of it.
    return above(run, "machine_cpu_percent", MAX_MACHINE_PERCENT, what) or above(
        run, "system_cpu_percent", MAX_MACHINE_PERCENT, what
    )
