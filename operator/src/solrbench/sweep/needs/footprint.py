"""What a benchmark makes and takes. Pure: a spec in, pods and numbers out."""

from collections.abc import Iterator
from dataclasses import dataclass

from solrbench.api.quantities import parse_bytes, parse_cores
from solrbench.api.v1alpha1 import Spec
from solrbench.api.v1alpha1.pod.pods import Resources
from solrbench.api.v1alpha1.target.zookeeper import ZooKeeperMode
from solrbench.plan import names

HEAP_FACTOR = 1.25
"""A Java process takes at least so much of its heap: the rule on limits of memory, too."""


@dataclass(frozen=True)
class PodGroup:
    """Pods of one component.

    Attributes:
        component: as in their label
        count: how many of them
        cores: that each requests; 0 without a request
        memory_bytes: that each requests, or will take at least
        storage_bytes: of the claim of each; 0 without one
        stage: `target`, `data` or `load`; those of data and load do not run together

    """

    component: str
    count: int
    cores: float
    memory_bytes: int
    storage_bytes: int
    stage: str


def pod_groups(spec: Spec) -> list[PodGroup]:
    """Return the pods of a benchmark, in the order in which they are made."""
    return list(_groups(spec))


def _groups(spec: Spec) -> Iterator[PodGroup]:
    solr = spec.target.solr_cloud
    if solr is not None:
        zookeeper, storage = solr.zookeeper, solr.storage.persistent
        if zookeeper.mode is not ZooKeeperMode.EXTERNAL:
            yield _group(
                names.ZOOKEEPER, zookeeper.replicas, zookeeper.resources, "target", zookeeper.heap
            )
        size = parse_bytes(storage.size) if storage is not None else 0
        yield _group(names.SOLR, solr.nodes, solr.resources, "target", solr.heap, size)
    load = spec.load
    if spec.dataset is not None:
        indexing = spec.dataset.indexing
        yield _group(names.INDEX, indexing.pods, indexing.resources, "data")
    yield _group(names.LOAD_MASTER, 1, load.master.resources, "load")
    yield _group(names.LOAD_WORKER, load.workers, load.resources, "load")


def _group(  # noqa: PLR0913, PLR0917 - what a pod has
    component: str,
    count: int,
    resources: Resources,
    stage: str,
    heap: str | None = None,
    storage_bytes: int = 0,
) -> PodGroup:
    requests, limits = resources.requests, resources.limits
    cpu, memory = requests.cpu or limits.cpu, requests.memory or limits.memory
    least = 0 if heap is None else int(HEAP_FACTOR * parse_bytes(heap))
    return PodGroup(
        component,
        count,
        parse_cores(cpu) if cpu else 0.0,
        parse_bytes(memory) if memory else least,
        storage_bytes,
        stage,
    )


def peak(groups: list[PodGroup]) -> list[PodGroup]:
    """Return the pods that run together when the most memory is taken."""
    together = [
        [each for each in groups if each.stage in ("target", stage)] for stage in ("data", "load")
    ]
    return max(together, key=lambda part: sum(each.count * each.memory_bytes for each in part))
