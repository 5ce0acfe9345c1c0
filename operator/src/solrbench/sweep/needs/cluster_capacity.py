"""Whether the nodes of a cluster could ever take the pods of a point."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from solrbench.results.stats.number_format import format_number
from solrbench.sweep.needs.footprint import PodGroup, peak
from solrbench.sweep.needs.node_capacity import FreeNode, free_nodes, without_room

GIBIBYTE = 2**30


@dataclass(frozen=True)
class ClusterCapacity:
    """What the nodes that take pods could give if nothing else ran on them.

    Attributes:
        nodes: each of them

    """

    nodes: tuple[FreeNode, ...]

    @property
    def cores(self) -> float:
        """CPU of all nodes."""
        return sum(each.cores for each in self.nodes)

    @property
    def memory_bytes(self) -> int:
        """Memory of all nodes."""
        return int(sum(each.memory_bytes for each in self.nodes))

    def find_problem(self, groups: Sequence[PodGroup]) -> str | None:
        """Return which pods find no node even if nothing else runs; None if all do.

        Args:
            groups: all pods of a benchmark

        """
        missing = without_room(peak(list(groups)), self.nodes)
        if not missing:
            return None
        wanted = "; ".join(f"{each.component} needs {format_pods(each)}" for each in missing)
        return f"{wanted}; {self._text()}"

    def _text(self) -> str:
        if not self.nodes:
            return "no node takes pods"
        largest = max(self.nodes, key=lambda each: each.memory_bytes)
        most = _amounts(largest.cores, largest.memory_bytes)
        if len(self.nodes) == 1:
            return f"the node that takes pods can give {most}"
        together = _amounts(self.cores, self.memory_bytes)
        number = len(self.nodes)
        return f"the {number} nodes that take pods can give {together}, the largest {most}"


def _amounts(cores: float, memory_bytes: float) -> str:
    return f"{cores:.4g} cores and {format_number(memory_bytes / GIBIBYTE)} GiB"


def capacity_of_nodes(nodes: Iterable[Mapping[str, Any]]) -> ClusterCapacity:
    """Return what nodes can give, as the API server describes them."""
    return ClusterCapacity(tuple(free_nodes([dict(each) for each in nodes], ())))


def format_pods(group: PodGroup) -> str:
    """Return how many pods a group has, and what each requests."""
    pods = "1 pod" if group.count == 1 else f"{group.count} pods"
    each = "" if group.count == 1 else " each"
    cores = f"{group.cores:.4g} cores" if group.cores else "no CPU requested"
    return f"{pods}, {cores}, {group.memory_bytes / GIBIBYTE:.4g} GiB{each}"
