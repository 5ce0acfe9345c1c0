"""Whether the pods of a benchmark find room on the nodes, in words."""

from solrbench.cluster.client import Cluster, ForbiddenError
from solrbench.sweep.needs.cluster_capacity import GIBIBYTE, format_pods
from solrbench.sweep.needs.footprint import PodGroup, peak
from solrbench.sweep.needs.node_capacity import free_nodes, without_room


def room_problem(groups: list[PodGroup], cluster: Cluster) -> str | None:
    """Return which pods find no node, that nodes may not be read, or nothing."""
    try:
        nodes = cluster.list("v1", "Node", None, {})
        pods = cluster.list("v1", "Pod", None, {})
    except ForbiddenError:
        return "unknown: nodes, or pods of all namespaces, may not be listed by this user"
    free = free_nodes(nodes, pods)
    missing = without_room(peak(groups), free)
    if not missing:
        return None
    wanted = ", ".join(f"{each.component} ({format_pods(each)})" for each in missing)
    rooms = ", ".join(
        f"{each.name} has {each.cores:.3g} cores and {each.memory_bytes / GIBIBYTE:.3g} GiB left"
        for each in free[:5]
    )
    return f"there is no room for {wanted}: {rooms or 'no node takes pods'}"
