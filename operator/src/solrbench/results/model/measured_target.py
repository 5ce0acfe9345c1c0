"""What one step run was measured on: pods, nodes, images, and the state of the index."""

from datetime import datetime

from solrbench.api.rules import LenientModel
from solrbench.api.v1alpha1.load.repeats import RepeatStart


class MeasuredTarget(LenientModel):
    """The target of one step run, as it was when its result was stored."""

    attempt: int
    """Number of the target's attempt."""
    pods: dict[str, str] = {}
    """Uid of each pod of Solr and ZooKeeper; of an existing target the start time of each node's
    JVM."""
    nodes: dict[str, str] = {}
    """Node of Kubernetes that each of these pods ran on; empty for an existing target."""
    images: dict[str, str] = {}
    """Image of each component, with its digest where the kubelet reports one."""
    documents: int | None = None
    """Documents in the index, each shard counted once; None if unknown. Where the workload itself
    may change the index, these and the deleted ones are those at the end of indexing."""
    deleted_documents: int | None = None
    """Deleted documents that are still in the index, of each shard those of its worst replica."""
    indexed: datetime | None = None
    """When the benchmark had filled the index; None for a collection of the user's."""
    indexing_seconds: float | None = None
    """Seconds from the first batch to the last when the benchmark had filled it."""
    index_bytes: int | None = None
    """Size of the index over all replicas then."""
    filled: bool = True
    """Whether the benchmark indexed the documents; a collection of the user's is as it is."""


def find_changes(
    first: MeasuredTarget, other: MeasuredTarget, start_on: RepeatStart = RepeatStart.SAME_TARGET
) -> list[str]:
    """Return in what another target differs from the first one, a few words for each.

    What is unknown of either is not compared, nor are deleted documents: merges, which drop them,
    take their own time on each target.

    Args:
        first: what others are compared with
        other: one of them
        start_on: what was made anew between the two, as the spec says

    """
    fresh_pods = start_on is RepeatStart.FRESH_TARGET
    fresh_index = start_on is not RepeatStart.SAME_TARGET
    return [
        *([] if fresh_pods else _new_pods(first, other)),
        *([] if fresh_pods else _changed("node", first.nodes, other.nodes)),
        *_changed("image", first.images, other.images),
        *([] if fresh_index else _new_index(first.indexed, other.indexed)),
        *_other_documents(first.documents, other.documents),
    ]


def _new_pods(first: MeasuredTarget, other: MeasuredTarget) -> list[str]:
    names = sorted(first.pods.keys() | other.pods.keys())
    new = [name for name in names if first.pods.get(name) != other.pods.get(name)]
    if not new:
        return []
    return [f"{', '.join(new)} was replaced (attempts {first.attempt} and {other.attempt})"]


def _new_index(first: datetime | None, other: datetime | None) -> list[str]:
    if first is None or other is None or first == other:
        return []
    return [f"index filled at {first:%H:%M:%S}, then again at {other:%H:%M:%S} UTC"]


def _other_documents(first: int | None, other: int | None) -> list[str]:
    if first is None or other is None or first == other:
        return []
    return [f"documents: {first}, then {other}"]


def _changed(what: str, first: dict[str, str], other: dict[str, str]) -> list[str]:
    return [
        f"{what} of {name}: {first[name]}, then {other[name]}"
        for name in sorted(first.keys() & other.keys())
        if first[name] != other[name]
    ]
