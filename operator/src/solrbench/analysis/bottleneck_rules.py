"""Where a request spends its time outside of Solr's handlers: in a proxy, or in the network.

What writing the response took is taken away first, which comes after a handler ended.
"""

from solrbench.results.bottleneck.evidence import Evidence, Symptom
from solrbench.results.bottleneck.rules.limits import (
    MAX_MACHINE_PERCENT,
    MAX_THROTTLED_PERCENT,
    above,
    found_by_verdict,
    is_cpu_busy,
)
from solrbench.results.stats.number_format import format_milliseconds, format_percent

IDLE_PERCENT = 60.0
"""Up to here a process that wants to run hardly ever waits for a CPU."""
MAX_STEAL_WHERE_IDLE_PERCENT = 5.0

WHERE_IDLE = 9.0, 2.0
"""Largest share in per cent, and the milliseconds below which nothing is said."""
BEFORE_BUSY = 40.0, 5.0
"""The same at `MAX_MACHINE_PERCENT`: the more CPU is used, the longer a process waits for it."""
WHERE_BUSY = 60.0, 5.0
OF_NETWORK = 30.0, 5.0
"""Higher than for a proxy, which is known to be there."""

_WAITS_OF_LOAD = "CpuPressure", "CpuStolen", "ScheduleLag"
"""Checks that find load pods slow: what they saw may be their own doing."""


def find_proxy(run: Evidence) -> Symptom | None:
    """Apply if a request takes most of its time before and behind Solr, behind a proxy."""
    client, solr = run.figure("client_milliseconds"), run.figure("solr_milliseconds")
    if not run.behind_proxy or not client or solr is None or is_cpu_busy(run):
        return None
    outside, (limit, least) = _outside_milliseconds(run, client, solr), _limits(run)
    share = 100 * outside / client
    if share <= limit or outside < least:
        return None
    text = (
        f"of {format_milliseconds(client)} that a request takes Solr spends"
        f" {format_milliseconds(solr)}: {format_percent(share)} lie in the proxy or load balancer"
        f" (limit {format_percent(limit)})"
    )
    throttled = above(run, "companion_throttled_percent", MAX_THROTTLED_PERCENT, "throttled")
    if throttled is None:
        return Symptom(text)
    return Symptom(f"{text}, whose pod is {throttled.text}", throttled.server)


def find_network(run: Evidence) -> Symptom | None:
    """Apply if requests spend much of their time on their way, to Solr or between its nodes.

    Only where processes hardly ever wait for a CPU: such waits look the same.
    """
    client, solr = run.figure("client_milliseconds"), run.figure("solr_milliseconds")
    if not client or solr is None or not _is_idle(run) or is_cpu_busy(run):
        return None
    if found_by_verdict(run, *_WAITS_OF_LOAD) is not None:
        return None
    limit, least = OF_NETWORK
    ways = {"between Solr's nodes": _between_nodes_milliseconds(run, solr)}
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


def _outside_milliseconds(run: Evidence, client: float, solr: float) -> float:
    """Return how much longer a request takes than its handler and the writing of its response.

    That took the CPU time that is in no handler: a node that asks its shards mostly waits.
    """
    cpu = run.figure("cpu_milliseconds_per_request") or 0.0
    shards = run.figure("shard_milliseconds_per_request") or 0.0
    return client - solr - max(cpu - max(solr, shards), 0.0)


def _between_nodes_milliseconds(run: Evidence, solr: float) -> float:
    """Return the least time that a request of several shards waited for no handler of a shard.

    It cannot have waited for its shards longer than all of them took together, nor computed longer
    than all nodes together.
    """
    shards = run.figure("shard_milliseconds_per_request")
    cpu = run.figure("cpu_milliseconds_per_request")
    return solr - shards - cpu if shards and cpu is not None else 0.0


def _is_idle(run: Evidence) -> bool:
    """Return whether no process waits for a CPU, as far as is known.

    While the host has a CPU, a process that runs stands still, and no figure of its use shows it.
    """
    steal, busy = run.figure("machine_steal_percent") or 0.0, _busy_percent(run)
    return busy is not None and busy <= IDLE_PERCENT and steal <= MAX_STEAL_WHERE_IDLE_PERCENT


def _busy_percent(run: Evidence) -> float | None:
    names = "machine_cpu_percent", "system_cpu_percent"
    return max((each for name in names if (each := run.figure(name)) is not None), default=None)


def _limits(run: Evidence) -> tuple[float, float]:
    """Return the most per cent outside of Solr, and the least milliseconds."""
    if _is_idle(run):
        return WHERE_IDLE
    busy = _busy_percent(run)
    if busy is None or busy <= IDLE_PERCENT:  # not known, or the host takes its CPUs
        return BEFORE_BUSY
    if busy > MAX_MACHINE_PERCENT:
        return WHERE_BUSY
    part = (busy - IDLE_PERCENT) / (MAX_MACHINE_PERCENT - IDLE_PERCENT)
    (low, short), (high, long) = WHERE_IDLE, BEFORE_BUSY
    return low + part * (high - low), short + part * (long - short)
