"""Whether pods fit on the nodes of a cluster, now or ever (pure)."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from solrbench.api.quantities import parse_quantity
from solrbench.stats.number_format import format_number
from solrbench.sweep.requirements import PodGroup, peak

_HARD = ("NoSchedule", "NoExecute")
_OVER = ("Succeeded", "Failed")


@dataclass
class FreeNode:
    """What a node has left."""

    name: str
    cores: float
    memory_bytes: float
    pods: int


def free_nodes(nodes: Iterable[dict[str, Any]], pods: Iterable[dict[str, Any]]) -> list[FreeNode]:
    """Return what each node that takes pods has left; tainted ones are left out."""
    by_node: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for pod in pods:
        if (pod.get("status") or {}).get("phase") not in _OVER:
            by_node[pod["spec"].get("nodeName", "")].append(pod)
    return [_free(node, by_node[node["metadata"]["name"]]) for node in nodes if _takes_pods(node)]


def _takes_pods(node: dict[str, Any]) -> bool:
    taints = node["spec"].get("taints") or []
    return not node["spec"].get("unschedulable") and not any(t["effect"] in _HARD for t in taints)


def _free(node: dict[str, Any], pods: Sequence[dict[str, Any]]) -> FreeNode:
    allocatable = node["status"]["allocatable"]
    used = [_requested(pod) for pod in pods]
    return FreeNode(
        node["metadata"]["name"],
        _number(allocatable["cpu"]) - sum(cores for cores, _ in used),
        _number(allocatable["memory"]) - sum(memory for _, memory in used),
        int(_number(allocatable.get("pods", "110"))) - len(pods),
    )


def _requested(pod: dict[str, Any]) -> tuple[float, float]:
    requests = [
        (each.get("resources") or {}).get("requests") or {} for each in pod["spec"]["containers"]
    ]
    cores = sum(_number(each.get("cpu", "0")) for each in requests)
    return cores, sum(_number(each.get("memory", "0")) for each in requests)


def _number(quantity: str) -> float:
    return float(parse_quantity(quantity) or 0)


def without_capacity(groups: Sequence[PodGroup], nodes: Sequence[FreeNode]) -> list[PodGroup]:
    """Return the groups some of whose pods find no node, placed one after another.

    The scheduler spreads pods, and knows selectors and affinity: this is what is possible at best.
    """
    left = [FreeNode(each.name, each.cores, each.memory_bytes, each.pods) for each in nodes]
    # The largest first, or small ones would take the room of large ones.
    largest_first = sorted(groups, key=lambda each: each.memory_bytes, reverse=True)
    return [
        group for group in largest_first if not all(_place(group, left) for _ in range(group.count))
    ]


def _place(group: PodGroup, nodes: Sequence[FreeNode]) -> bool:
    roomy = [
        node
        for node in nodes
        if node.cores >= group.cores and node.memory_bytes >= group.memory_bytes and node.pods >= 1
    ]
    if not roomy:
        return False
    chosen = max(roomy, key=lambda node: node.memory_bytes)
    chosen.cores -= group.cores
    chosen.memory_bytes -= group.memory_bytes
    chosen.pods -= 1
    return True


GIBIBYTE = 2**30


@dataclass(frozen=True)
class ClusterCapacity:
    """What the nodes that take pods could give if nothing else ran on them."""

    nodes: tuple[FreeNode, ...]

    @property
    def cores(self) -> float:
        """CPU of all nodes."""
        return sum(node.cores for node in self.nodes)

    @property
    def memory_bytes(self) -> int:
        """Memory of all nodes."""
        return int(sum(node.memory_bytes for node in self.nodes))

    def find_problem(self, groups: Sequence[PodGroup]) -> str | None:
        """Return which pods find no node even if nothing else runs; None if all do."""
        missing = without_capacity(peak(list(groups)), self.nodes)
        if not missing:
            return None
        wanted = "; ".join(f"{group.component} needs {format_pods(group)}" for group in missing)
        return f"{wanted}; {self._text()}"

    def _text(self) -> str:
        if not self.nodes:
            return "no node takes pods"
        largest = max(self.nodes, key=lambda node: node.memory_bytes)
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
    return ClusterCapacity(tuple(free_nodes([dict(node) for node in nodes], ())))


def format_pods(group: PodGroup) -> str:
    """Return how many pods a group has, and what each requests."""
    pods = "1 pod" if group.count == 1 else f"{group.count} pods"
    each = "" if group.count == 1 else " each"
    cores = f"{group.cores:.4g} cores" if group.cores else "no CPU requested"
    return f"{pods}, {cores}, {group.memory_bytes / GIBIBYTE:.4g} GiB{each}"
