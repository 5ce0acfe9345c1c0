"""A target that points of a sweep use one after another.

It is named after the point that it was made for and belongs to the sweep, so that it outlives
every one of its points, and nothing of it outlives the sweep.
"""

import re
from dataclasses import dataclass
from enum import StrEnum

from solrbench.api.identity import SWEEP_KIND
from solrbench.api.v1alpha1 import GROUP, SolrBenchmark
from solrbench.api.v1alpha1.benchmark import MAX_NAME, OwnerReference

ANNOTATION_TARGET = f"{GROUP}/target"
ANNOTATION_REUSES = f"{GROUP}/reuses"
ANNOTATION_PREVIOUS = f"{GROUP}/previous"


class Reuse(StrEnum):
    """What a point takes over from the one before."""

    CLUSTER = "Cluster"
    INDEX = "Index"


@dataclass(frozen=True)
class SharedTarget:
    """The target of a benchmark that is a point of a sweep.

    Attributes:
        name: of the benchmark that it was made for; its objects are named and labelled so
        owner: the sweep
        previous: name of the benchmark that used it last; None if there was none
        reuses: what is taken over from that one

    """

    name: str
    owner: OwnerReference
    previous: str | None = None
    reuses: Reuse | None = None


def shared_target(benchmark: SolrBenchmark) -> SharedTarget | None:
    """Return the target that a benchmark shares; None if it has its own.

    Only a sweep that controls the benchmark lends it a target, and only one of its own.
    """
    metadata = benchmark.metadata
    annotations = metadata.annotations
    name, owner = annotations.get(ANNOTATION_TARGET, ""), metadata.controller
    if owner is None or owner.kind != SWEEP_KIND or not _is_of(name, owner):
        return None
    reuses, previous = annotations.get(ANNOTATION_REUSES), annotations.get(ANNOTATION_PREVIOUS)
    if reuses not in list(Reuse) or previous is None:
        return SharedTarget(name, owner)
    return SharedTarget(name, owner, previous, Reuse(reuses))


def _is_of(name: str, owner: OwnerReference) -> bool:
    pattern = f"{re.escape(owner.name)}-[-a-z0-9]*[a-z0-9]"
    return len(name) <= MAX_NAME and re.fullmatch(pattern, name) is not None
