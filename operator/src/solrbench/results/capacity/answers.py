"""What the search for the capacity and the ladders of users say, one sentence for each variant."""

from collections.abc import Iterator

from solrbench.api.v1alpha1 import Spec, Status
from solrbench.api.v1alpha1.status.capacity import CapacityWord


def answer_capacity(spec: Spec, status: Status) -> Iterator[str]:
    """Yield `holds 7.1 requests/s (95 %: 6.6 to 7.5) at p95 ≤ 200 ms`, or why that is unclear."""
    del spec
    for each in status.capacity:
        if each.word is not CapacityWord.SEARCHING:
            yield f"{each.variant}: {each.message}" if each.variant else each.message


def answer_scalability(spec: Spec, status: Status) -> Iterator[str]:
    """Yield how throughput grows with users, where a knee was seen."""
    del spec
    for each in status.scalability:
        if each.knee_users is not None:
            yield f"{each.variant}: {each.message}" if each.variant else each.message
