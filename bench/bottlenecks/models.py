"""What telemetry shows of a planted bottleneck, computed from how it works.

Each model draws a cluster, its load and a strength, and returns the figures of its servers beside
the effect on the mean response time. Waits follow from counts by Little's law: where N threads wait
for a disk on average, at least one waits in 1 - exp(-N) of the time.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from solrbench.analysis.checks import ValidityFinding

Rng = np.random.Generator
SECONDS = 60.0
_PERIOD = 0.1
_MIB = 2**20


@dataclass(frozen=True)
class Cluster:
    """Nodes and load, as they are drawn.

    Attributes:
        nodes: Solr nodes, each with a shard
        cores: CPUs of a node
        demand: CPU milliseconds of a query on each node
        rate: queries per second
        limit: CPU limit of a pod in cores; 0 without one
        unevenness: the demand of each node, of `demand`: shards are never quite alike
    """

    nodes: int
    cores: int
    demand: float
    rate: float
    limit: float = 0.0
    unevenness: tuple[float, ...] = ()

    @property
    def use(self) -> float:
        """Share of the CPUs of a node that is used."""
        return self.rate * self.demand / 1000 / self.cores


@dataclass(frozen=True)
class Case:
    """A bottleneck that is planted.

    Attributes:
        cluster: nodes and load
        figures: what telemetry shows of each node, beside what a healthy one shows
        outside: milliseconds of a request outside of Solr
        effect: how much longer a mean response takes, 0.1 for 10 %
        inside: milliseconds that the bottleneck adds in Solr
        apart: the node that differs from its peers, and by which factor of its demand
        findings: what the checks of the verdict find
        behind_proxy: whether requests go through something
    """

    cluster: Cluster
    figures: Mapping[str, float] = field(default_factory=dict)
    outside: float = 0.5
    effect: float = 0.0
    inside: float = 0.0
    apart: tuple[int, float] | None = None
    findings: Mapping[str, ValidityFinding] = field(default_factory=dict)
    behind_proxy: bool = False


def draw_cluster(rng: Rng) -> Cluster:
    """Return nodes that are busy between a tenth and two thirds."""
    cores, demand = int(rng.choice([1, 2, 4])), rng.uniform(3, 25)
    rate = rng.uniform(0.1, 0.65) * cores / demand * 1000
    nodes = int(rng.choice([1, 2, 3, 5]))
    return replace(Cluster(nodes, cores, demand, rate), unevenness=_unevenness(nodes, rng))


def _unevenness(nodes: int, rng: Rng) -> tuple[float, ...]:
    return tuple(rng.lognormal(0, 0.08, nodes).tolist())


def healthy(rng: Rng) -> Case:
    """Return a cluster with a CPU limit well above its use, or none, maybe behind a proxy.

    What its proxy and its pauses add is an effect, too: if it is much, it is no healthy one.
    """
    cluster = draw_cluster(rng)
    behind = bool(rng.random() < 0.3)
    outside = rng.uniform(0.3, 2.5 if behind else 1.0)
    gc, pause = rng.uniform(0.002, 0.03), rng.uniform(5, 20)
    figures = {"gc_share": gc, "pause_milliseconds": pause}
    added = (max(outside - 1.0, 0.0) + gc * pause / 2) / cluster.demand
    if rng.random() < 0.5:
        return Case(cluster, figures, outside, added, behind_proxy=behind)
    limit = cluster.use * cluster.cores * rng.uniform(2, 5)
    throttled, wait = _quota(cluster, limit, rng)
    return Case(
        replace(cluster, limit=limit),
        {"throttled_share": throttled, **figures},
        outside,
        wait / cluster.demand + added,
        wait,
        behind_proxy=behind,
    )


def cpu_limit(rng: Rng) -> Case:
    """Return a quota that is nearly or wholly used: a queue of CPU time over periods of 100 ms."""
    cluster = draw_cluster(rng)
    limit = cluster.use * cluster.cores * rng.uniform(1.0, 1.8)
    throttled, wait = _quota(cluster, limit, rng)
    limited = replace(cluster, limit=limit)
    return Case(limited, {"throttled_share": throttled}, 0.5, wait / cluster.demand, inside=wait)


def _quota(cluster: Cluster, limit: float, rng: Rng) -> tuple[float, float]:
    """Return the share of throttled periods, and the mean wait in milliseconds."""
    counts = rng.poisson(cluster.rate * _PERIOD, round(SECONDS / _PERIOD))
    quota, left, throttled, busy, waits = limit * 1000 * _PERIOD, 0.0, 0, 0, 0.0
    for count in counts:
        wanted = left + rng.gamma(count, cluster.demand) if count else left
        busy += wanted > 0
        throttled += wanted > quota
        left = max(wanted - quota, 0.0)
        waits += left / limit
    return throttled / max(busy, 1), waits / len(counts)


def disk_limit(rng: Rng) -> Case:
    """Return a slow disk: queries read one page after another, at a disk that others use, too."""
    cluster = draw_cluster(rng)
    reads = math.exp(rng.uniform(0, 3.4))
    busy = rng.uniform(0.2, 0.95)
    service = busy / (cluster.rate * reads) * 1000
    wait = reads * service * (1 + busy / (2 * (1 - busy)))
    waiting = cluster.rate * wait / 1000
    return Case(
        cluster,
        {
            "io_some_share": 1 - math.exp(-waiting),
            "reads": cluster.rate * reads * SECONDS,
            # Files are mapped, so nearly every read is a page fault.
            "major_faults": cluster.rate * reads * SECONDS * rng.uniform(0.5, 1),
            "memory_used_max_share": rng.uniform(0.3, 0.85),
        },
        0.5,
        wait / cluster.demand,
        wait,
    )


def small_heap(rng: Rng) -> Case:
    """Return a heap not much above what is live: the time of collections grows with 1 / free."""
    cluster = draw_cluster(rng)
    ratio, cost = rng.uniform(1.03, 1.6), rng.uniform(0.01, 0.04)
    share = min(cost / (ratio - 1), 0.7)
    pause = rng.uniform(20, 300)
    effect = share * pause / 2 / cluster.demand + share / (1 - share)
    return Case(
        cluster,
        {"gc_share": share, "pause_milliseconds": pause, "live_share": 1 / ratio},
        0.5,
        effect,
        inside=effect * cluster.demand,
    )


def hot_shard(rng: Rng) -> Case:
    """Return a shard that takes longer than the others; a query waits for its slowest shard.

    So only what it takes longer than the slowest one without it matters.
    """
    nodes = int(rng.choice([2, 3, 5]))
    cluster = replace(draw_cluster(rng), nodes=nodes, unevenness=_unevenness(nodes, rng))
    factor = rng.uniform(1.1, 6)
    use, place = min(cluster.use * factor, 0.97), int(rng.integers(nodes))
    slowest = max(cluster.unevenness)
    longer = max(cluster.unevenness[place] * factor - slowest, 0.0) / slowest
    return Case(cluster, {}, 0.5, longer / (1 - max(use - 0.5, 0)), apart=(place, factor))


def load_pod(rng: Rng) -> Case:
    """Return a load pod whose own quota is used up, as the check of the verdict sees it."""
    cluster = draw_cluster(rng)
    share = rng.uniform(0.02, 0.6)
    wait = share * rng.uniform(5, 60)
    text = f"worker w-0 was CPU-throttled for {share:.0%} of the time"
    return Case(
        cluster,
        {},
        0.5 + wait,
        wait / cluster.demand,
        findings={"PodThrottled": ValidityFinding(1, text)},
    )


def slow_proxy(rng: Rng) -> Case:
    """Return a proxy that holds each request for a while."""
    cluster = draw_cluster(rng)
    wait = math.exp(rng.uniform(math.log(2), math.log(200)))
    return Case(cluster, {}, 0.5 + wait, wait / cluster.demand, behind_proxy=True)


MODELS: dict[str, tuple[str, Callable[[Rng], Case]]] = {
    "healthy": ("None", healthy),
    "CPU limit": ("Throttling", cpu_limit),
    "I/O limit": ("Disk", disk_limit),
    "small heap": ("GarbageCollection", small_heap),
    "hot shard": ("OneNode", hot_shard),
    "throttled load pod": ("LoadGenerator", load_pod),
    "slow proxy": ("Proxy", slow_proxy),
}
"""What must be named, and the model of it."""
