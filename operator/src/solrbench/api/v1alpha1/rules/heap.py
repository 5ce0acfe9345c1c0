"""Rules about the Java heap, for Solr and ZooKeeper alike."""

import re

from pydantic.alias_generators import to_snake

from solrbench.api.quantities import parse_bytes
from solrbench.api.rules import Rule
from solrbench.api.v1alpha1.pod.pods import Resources

HEAP_FLAGS = "-Xm[sx]|-XX:(Initial|Max)HeapSize"
"""JVM flags that say the same as `heap` does, in the syntax that RE2 and Python share."""


def no_heap_flags(field: str) -> Rule:
    """Return the rule that JVM flags do not contradict `heap`; the last flag would win."""
    return Rule(
        cel=f"!has(self.{field}) || !self.{field}.matches('{HEAP_FLAGS}')",
        message=f"{field} must not contain -Xms, -Xmx or another heap size, set heap instead",
        is_satisfied=lambda solr: (
            re.search(HEAP_FLAGS, getattr(solr, to_snake(field)) or "") is None
        ),
    )


def _limit_covers_heap(resources: Resources, heap: str) -> bool:
    limit = resources.limits.memory
    return limit is None or parse_bytes(limit) >= 1.25 * parse_bytes(heap)


HEAP_RULE = Rule(
    cel=(
        "!has(self.resources) || !has(self.resources.limits)"
        " || !has(self.resources.limits.memory)"
        " || !isQuantity(self.resources.limits.memory) || !isQuantity(self.heap)"
        " || quantity(self.resources.limits.memory).asApproximateFloat()"
        " >= 1.25 * quantity(self.heap).asApproximateFloat()"
    ),
    message="resources.limits.memory must be at least 1.25 times heap",
    is_satisfied=lambda owner: _limit_covers_heap(owner.resources, owner.heap),
)
"""For what has `heap` and `resources`.

The quarter above the heap is for threads, metaspace and direct buffers."""
