"""Whether pods fit on the nodes of a cluster, now or ever (pure)."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from solrbench.api.quantities import parse_quantity
from solrbench.api.v1alpha1.pods import Toleration
from solrbench.stats.number_format import GIBIBYTE, count_noun, format_bytes, format_cores
from solrbench.sweep.requirements import PodGroup, stages

_HARD = ("NoSchedule", "NoExecute")
_OVER = ("Succeeded", "Failed")


@dataclass
class FreeNode:
    """What pods on a node have not requested yet, how many more it may take, and what keeps out."""

    name: str
    cores: float
    memory_bytes: float
    pods: int
    taints: Sequence[Mapping[str, str]] = ()

    def takes(self, group: PodGroup) -> bool:
        """Return whether the pods of a group tolerate all taints."""
        return all(
            any(_tolerates(each, taint) for each in group.tolerations) for taint in self.taints
        )


def _tolerates(toleration: Toleration, taint: Mapping[str, str]) -> bool:
    same_value = (toleration.value or "") == taint.get("value", "")
    return (
        toleration.effect in (None, taint["effect"])
        and (not toleration.key or toleration.key == taint["key"])
        and (toleration.operator == "Exists" or same_value)
    )


def free_nodes(
    nodes: Iterable[Mapping[str, Any]], pods: Iterable[Mapping[str, Any]]
) -> list[FreeNode]:
    """Return what each node has left; those that are closed to all new pods are left out."""
    by_node: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for pod in pods:
        # Pods that are over stay in the list, but the scheduler counts them no more.
        if (pod.get("status") or {}).get("phase") not in _OVER:
            by_node[pod["spec"].get("nodeName", "")].append(pod["spec"])
    found = []
    for node in nodes:
        name, taints = node["metadata"]["name"], node["spec"].get("taints") or []
        if node["spec"].get("unschedulable"):
            continue
        allocatable = node["status"]["allocatable"]
        cores, memory = (
            _number(allocatable[what]) - sum(_requested(each, what) for each in by_node[name])
            for what in ("cpu", "memory")
        )
        # 110 is what the kubelet takes if nothing is set.
        pods_left = int(_number(allocatable.get("pods", "110"))) - len(by_node[name])
        hard = [each for each in taints if each["effect"] in _HARD]
        found.append(FreeNode(name, cores, memory, pods_left, hard))
    return found


def _requested(spec: dict[str, Any], what: str) -> float:
    """Return what the scheduler counts for a pod: of its start and its run what takes more."""

    def request(container: dict[str, Any]) -> float:
        return _number(((container.get("resources") or {}).get("requests") or {}).get(what, "0"))

    sidecars = starting = 0.0
    for container in spec.get("initContainers") or []:
        # A sidecar goes on beside all that come after it.
        is_sidecar = container.get("restartPolicy") == "Always"
        starting = max(starting, sidecars + request(container))
        sidecars += request(container) if is_sidecar else 0.0
    running = sidecars + sum(map(request, spec["containers"]))
    return max(starting, running) + _number((spec.get("overhead") or {}).get(what, "0"))


def _number(quantity: str) -> float:
    return float(parse_quantity(quantity) or 0)


def without_capacity(groups: Sequence[PodGroup], nodes: Sequence[FreeNode]) -> list[PodGroup]:
    """Return the groups some of whose pods find no node even at best, with those of their time."""
    missing = [each for stage in stages(groups) for each in _not_placed(stage, nodes)]
    return [each for each in groups if each in missing]


def _not_placed(groups: Sequence[PodGroup], nodes: Sequence[FreeNode]) -> list[PodGroup]:
    # The scheduler also spreads pods, and knows selectors and affinity.
    left = [replace(node) for node in nodes]
    # The largest first, or small ones would take the room of large ones.
    largest_first = sorted(groups, key=lambda each: each.of_each.memory_bytes, reverse=True)
    return [
        group for group in largest_first if not all(_place(group, left) for _ in range(group.count))
    ]


def _place(group: PodGroup, nodes: Sequence[FreeNode]) -> bool:
    wanted = group.of_each
    roomy = [
        node
        for node in nodes
        if node.cores >= wanted.cores
        and node.memory_bytes >= wanted.memory_bytes
        and node.pods >= 1
        and node.takes(group)
    ]
    if not roomy:
        return False
    # Nodes that others may not use are taken first.
    chosen = max(roomy, key=lambda node: (len(node.taints), node.memory_bytes))
    chosen.cores -= wanted.cores
    chosen.memory_bytes -= wanted.memory_bytes
    chosen.pods -= 1
    return True


@dataclass(frozen=True)
class ClusterCapacity:
    """What the nodes that take pods could give if nothing else ran on them."""

    nodes: tuple[FreeNode, ...]

    def for_pods(self, groups: Iterable[PodGroup]) -> "ClusterCapacity":
        """Return that of the nodes that take any of these pods."""
        pods = list(groups)
        return ClusterCapacity(tuple(node for node in self.nodes if any(map(node.takes, pods))))

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
        missing = without_capacity(groups, self.nodes)
        if not missing:
            return None
        wanted = "; ".join(f"{group.component} needs {format_pods(group)}" for group in missing)
        able = self.for_pods(missing)
        if not able.nodes:
            return f"{wanted}; no node takes pods"
        largest = max(able.nodes, key=lambda node: node.memory_bytes)
        most, together = (
            f"{format_cores(each.cores)} and {format_bytes(each.memory_bytes)}"
            for each in (largest, able)
        )
        number = len(able.nodes)
        if number == 1:
            return f"{wanted}; the node that takes pods can give {most}"
        return (
            f"{wanted}; the {number} nodes that take pods can give {together}, the largest {most}"
        )


def capacity_of_nodes(nodes: Iterable[Mapping[str, Any]]) -> ClusterCapacity:
    """Return what nodes can give, as the API server describes them."""
    return ClusterCapacity(tuple(free_nodes(nodes, ())))


def format_pods(group: PodGroup) -> str:
    """Return how many pods a group has, and what each requests."""
    pods, each = count_noun(group.count, "pod"), "" if group.count == 1 else " each"
    wanted = group.of_each
    cores = format_cores(wanted.cores) if wanted.cores else "no CPU requested"
    return f"{pods}, {cores}, {wanted.memory_bytes / GIBIBYTE:.4g} GiB{each}"
