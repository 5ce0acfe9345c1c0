"""What is not Solr's own doing: the load pods, the machine, ZooKeeper.

The limits are those of docs/method.md, with their sources. A rule whose figures are missing does
not apply.
"""

from solrbench.results.bottleneck.evidence import Evidence, Symptom
from solrbench.results.bottleneck.rules.limits import MAX_MACHINE_PERCENT, above, found_by_verdict
from solrbench.results.stats.number_format import format_milliseconds

MAX_OUTSTANDING = 10.0
MAX_ZOOKEEPER_MILLISECONDS = 50.0
LEAST_ZOOKEEPER_RATE = 1.0
MAX_STEAL_PERCENT = 10.0

_OF_GENERATOR = ("PodThrottled", "WorkerSaturated", "DelayedByGenerator")
"""Not `ScheduleLag`, which says nothing of how much it matters beside the response times."""


def find_load_generator(run: Evidence) -> Symptom | None:
    """Apply if a check of the verdict found that the load pods delayed requests."""
    return found_by_verdict(run, *_OF_GENERATOR)


def find_others(run: Evidence) -> Symptom | None:
    """Apply if a check of the verdict found processes of others that use a node's CPU.

    All else that such a node shows may be their doing, but not that a pod meets its own CPU limit.
    """
    return found_by_verdict(run, "OthersUseCpu")


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


def find_machine(run: Evidence) -> Symptom | None:
    """Apply if the machine is busy, but not by Solr, or if its host takes its CPU time."""
    stolen = "of the machine's CPU taken by its host"
    used = "of the machine's CPU used by all processes"
    return (
        above(run, "machine_steal_percent", MAX_STEAL_PERCENT, stolen)
        or above(run, "machine_cpu_percent", MAX_MACHINE_PERCENT, used)
        # The JVM sees the machine, or in a container what it may use of it.
        or above(run, "system_cpu_percent", MAX_MACHINE_PERCENT, used)
    )
