"""What a point needs: time of its load, CPU and memory of its pods."""

from collections.abc import Iterable
from dataclasses import dataclass

from solrbench.api.v1alpha1 import Spec
from solrbench.sweep.needs.footprint import PodGroup, pod_groups
from solrbench.sweep.needs.load_duration import LoadDuration, load_duration


@dataclass(frozen=True)
class Amounts:
    """CPU and memory.

    Attributes:
        cores: CPU requests
        memory_bytes: memory requests

    """

    cores: float = 0.0
    memory_bytes: int = 0

    def __add__(self, other: "Amounts") -> "Amounts":
        """Return the sum."""
        return Amounts(self.cores + other.cores, self.memory_bytes + other.memory_bytes)


@dataclass(frozen=True)
class Demand:
    """What a point needs.

    Attributes:
        duration: of its load
        target: of Solr and ZooKeeper
        load: of the load's pods
        pods: all of them

    """

    duration: LoadDuration
    target: Amounts
    load: Amounts
    pods: tuple[PodGroup, ...]

    @property
    def total(self) -> Amounts:
        """All pods that are there at a time while the load runs."""
        return self.target + self.load


def measure_demand(spec: Spec) -> Demand:
    """Return what a benchmark needs."""
    pods = tuple(pod_groups(spec))
    target, load = (
        _sum(each for each in pods if each.stage == part) for part in ("target", "load")
    )
    return Demand(load_duration(spec), target, load, pods)


def _sum(groups: Iterable[PodGroup]) -> Amounts:
    found = list(groups)
    return Amounts(
        sum(each.count * each.cores for each in found),
        sum(each.count * each.memory_bytes for each in found),
    )
