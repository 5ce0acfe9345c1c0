"""Whether a collection has the shards, replicas and settings of the spec."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from solrbench.api.v1alpha1.collection import Collection
from solrbench.decide.outcome import Check, Outcome, fail, wait
from solrbench.decide.views import Replica
from solrbench.reasons.target import TargetReason


@dataclass(frozen=True)
class CollectionReplicas:
    """The replicas of a collection beside what the spec requires."""

    wanted: Collection
    replicas: Sequence[Replica]
    nodes: int
    """Number of nodes that the collection may be on."""


def check_active(replicas: Sequence[Replica]) -> Outcome | None:
    """Wait until every replica is active."""
    waiting = [f"{each.core} is {each.state}" for each in replicas if each.state != "active"]
    return wait(TargetReason.REPLICAS_NOT_ACTIVE, ", ".join(waiting)) if waiting else None


def check_replica_types(found: CollectionReplicas) -> Outcome | None:
    """Fail unless there are all shards, each with the replicas of each type."""
    wanted = found.wanted.replicas
    expected = {"NRT": wanted.nrt, "TLOG": wanted.tlog, "PULL": wanted.pull}
    shards = {replica.shard for replica in found.replicas}
    if len(shards) != found.wanted.shards:
        message = f"{len(shards)} shards instead of {found.wanted.shards}"
        return fail(TargetReason.WRONG_REPLICAS, message)
    for shard in sorted(shards):
        types = Counter(replica.type for replica in found.replicas if replica.shard == shard)
        if any(types[kind] != number for kind, number in expected.items()):
            message = f"{shard} has {dict(types)} instead of {expected}"
            return fail(TargetReason.WRONG_REPLICAS, message)
    return None


def check_apart(found: CollectionReplicas) -> Outcome | None:
    """Fail if the loss of a node would take two replicas of one shard."""
    together = Counter((replica.shard, replica.node) for replica in found.replicas)
    twice = [f"{shard} on {node}" for (shard, node), n in together.items() if n > 1]
    if not twice:
        return None
    return fail(
        TargetReason.UNEVEN_PLACEMENT,
        f"replicas of one shard share a node: {', '.join(twice)}; remove placement rules of that"
        " Solr",
    )


def check_even(found: CollectionReplicas) -> Outcome | None:
    """Fail if the replicas, and with them the load, are not spread evenly over the nodes."""
    per_node = Counter(replica.node for replica in found.replicas)
    # A node without a replica is not in the count.
    least = min(per_node.values()) if len(per_node) == found.nodes else 0
    if max(per_node.values()) - least <= 1:
        return None
    return fail(
        TargetReason.UNEVEN_PLACEMENT,
        f"replicas by node: {dict(sorted(per_node.items()))}, expected numbers that differ by at"
        f" most 1 on {found.nodes} nodes; remove placement rules of that Solr",
    )


REPLICA_CHECKS: tuple[Check[CollectionReplicas], ...] = (
    lambda found: check_active(found.replicas),
    check_replica_types,
    check_apart,
    check_even,
)


def check_settings(different: Mapping[str, tuple[object, object]]) -> Outcome | None:
    """Fail if Solr shows settings other than those that were set: by name, wanted and found."""
    if not different:
        return None
    text = ", ".join(f"{key} is {actual}, not {want}" for key, (want, actual) in different.items())
    return fail(
        TargetReason.SETTING_NOT_APPLIED,
        f"{text}; solrconfig.xml must declare a cache before its settings can be changed",
    )
