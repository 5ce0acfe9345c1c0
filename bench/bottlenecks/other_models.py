"""Bottlenecks for which no rule was made, or which look like another: none may be named wrongly."""

from collections.abc import Callable
from dataclasses import replace

from bench.bottlenecks.models import Case, Rng, draw_cluster

SILENT = frozenset({"None", "Unclear"})


def _calm(rng: Rng) -> Case:
    """Return healthy nodes that are busy up to 40 %."""
    cluster = draw_cluster(rng)
    return Case(replace(cluster, rate=cluster.rate * 0.6), effect=1.0)


def way_to_solr(rng: Rng) -> Case:
    """Return packets between load and Solr that are delayed or lost."""
    return replace(_calm(rng), outside=rng.uniform(5, 200))


def between_nodes(rng: Rng) -> Case:
    """Return packets between nodes that are delayed: in both phases, at the node that asks."""
    case = _calm(rng)
    several = replace(case.cluster, nodes=3, unevenness=case.cluster.unevenness[:1] * 3)
    return replace(case, cluster=several, figures={"between": 2 * rng.uniform(5, 200)})


def host_takes_cpus(rng: Rng) -> Case:
    """Return a host that takes CPU time: all that runs takes longer, inside of Solr and outside."""
    case, share = _calm(rng), rng.uniform(0.1, 0.5)
    longer = case.cluster.demand * share / (1 - share)
    behind = bool(rng.random() < 0.5)
    figures = {"steal_share": share}
    return replace(case, figures=figures, inside=longer, outside=longer, behind_proxy=behind)


def jetty_threads(rng: Rng) -> Case:
    """Return a pool of threads that is too small: requests wait for it outside of handlers."""
    behind = bool(rng.random() < 0.5)
    figures = {"jetty_busy_percent": 100.0}
    return replace(_calm(rng), figures=figures, outside=rng.uniform(5, 300), behind_proxy=behind)


def locks(rng: Rng) -> Case:
    """Return threads that wait for each other, which the JVM shows as blocked or only as parked."""
    figures = {"threads_blocked": rng.uniform(0, 40)}
    return replace(_calm(rng), figures=figures, inside=rng.uniform(5, 300))


def swapping(rng: Rng) -> Case:
    """Return a pod that reads its memory back from the disk."""
    share = rng.uniform(0.06, 0.6)
    figures = {"memory_full_share": share, "io_some_share": share, "major_faults": 5e5}
    return replace(_calm(rng), figures=figures, inside=rng.uniform(5, 300))


def long_responses(rng: Rng) -> Case:
    """Return responses that take long to write, with CPU time, maybe behind a proxy."""
    case, written = _calm(rng), rng.uniform(3, 30)
    cluster = replace(case.cluster, nodes=1, unevenness=case.cluster.unevenness[:1])
    rate = min(cluster.rate, 400 * cluster.cores / (cluster.demand + written))
    return replace(
        case,
        cluster=replace(cluster, rate=rate),
        figures={"writing": written},
        outside=written * rng.uniform(1, 1.05) + 0.5,
        behind_proxy=bool(rng.random() < 0.5),
    )


OTHER_MODELS: dict[str, tuple[frozenset[str], Callable[[Rng], Case]]] = {
    "way to Solr": (SILENT | {"Network"}, way_to_solr),
    "way between nodes": (SILENT | {"Network"}, between_nodes),
    "host takes CPUs": (SILENT | {"Machine"}, host_takes_cpus),
    "Jetty's threads": (SILENT | {"Threads"}, jetty_threads),
    "locks": (SILENT | {"Threads"}, locks),
    "swapping": (SILENT | {"Memory", "Disk"}, swapping),
    "long responses": (SILENT | {"Cpu"}, long_responses),
}
"""What may be named, and the model of it."""
