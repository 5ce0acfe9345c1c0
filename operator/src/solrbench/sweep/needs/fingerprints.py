"""Which points can use one target after another: those whose target and data are made alike.

What a fingerprint leaves out must not shape what it stands for. So it has the whole spec but what
is known to be about the load or the course alone: a field that is added later belongs to the target
until it is left out here.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from solrbench.api.v1alpha1 import Spec
from solrbench.api.v1alpha1.collection import Collection
from solrbench.api.v1alpha1.load.repeats import RepeatStart
from solrbench.api.v1alpha1.target.zookeeper import ZooKeeperMode
from solrbench.plan.shared_target import Reuse

OF_THE_LOAD = frozenset(
    {
        "load",
        "workload",
        "warm_up",
        "objectives",
        "companions",
        "comparison",
        "backoff_limit",
        "deadlines",
        "cleanup",
        "suspend",
        "ttl_seconds_after_finished",
        "seed",
    }
)
"""Fields of a benchmark that neither its target nor its data depends on; seeds of the data are in
the dataset by then."""
OF_THE_INDEX = frozenset({"collection", "dataset"})
SETTABLE = frozenset(Collection.model_fields) - {
    "shards",
    "replicas",
    "router",
    "config_set",
    "auto_commit",
    "auto_soft_commit",
}
"""Fields of a collection that are set while it is there, and shaped nothing of its index."""


@dataclass(frozen=True)
class Fingerprints:
    """What a point needs, as hashes.

    Attributes:
        cluster: the same for points that can use one SolrCloud; None for one that needs its own
        index: the same for those that can use one index in it; None for one that needs its own

    """

    cluster: str | None = None
    index: str | None = None


def take_fingerprints(spec: Spec) -> Fingerprints:
    """Return the fingerprints of a benchmark."""
    start = spec.load.repeats.start_on
    solr_cloud = spec.target.solr_cloud
    if solr_cloud is None or start is RepeatStart.FRESH_TARGET:
        return Fingerprints()
    if solr_cloud.zookeeper.mode is ZooKeeperMode.EXTERNAL:  # its path is that of one benchmark
        return Fingerprints()
    whole = spec.model_dump(mode="json", exclude=set(OF_THE_LOAD | OF_THE_INDEX))
    cluster = _hash([whole, spec.load.telemetry.model_dump(mode="json")])
    if spec.workload.may_change_index or start is RepeatStart.FRESH_DATA:
        return Fingerprints(cluster)
    return Fingerprints(cluster, _hash([cluster, _index(spec)]))


def _index(spec: Spec) -> list[Any]:
    """Return what the index is made of; with a config set of the user's all settings.

    Otherwise those that a point before has set could not be distinguished from its own.
    """
    config_set = spec.collection.config_set
    left_out = SETTABLE if config_set.config_map is None else frozenset[str]()
    collection = spec.collection.model_dump(mode="json", exclude=set(left_out))
    dataset = None if spec.dataset is None else spec.dataset.model_dump(mode="json")
    return [collection, dataset]


def common_parts(before: Fingerprints, after: Fingerprints) -> Reuse | None:
    """Return what a point can take over from another."""
    if after.cluster is None or before.cluster != after.cluster:
        return None
    is_same_index = after.index is not None and before.index == after.index
    return Reuse.INDEX if is_same_index else Reuse.CLUSTER


def order_for_reuse(prints: Sequence[Fingerprints]) -> list[int]:
    """Return the places of points in the order that rebuilds least.

    Points that can use one SolrCloud come one after another, among them those that can use one
    index; whatever comes first decides the place of all, else the order stays as it is.
    """
    clusters: dict[str, int] = {}
    indexes: dict[str, int] = {}
    ranks = []
    for place, each in enumerate(prints):
        cluster = clusters.setdefault(each.cluster or f"#{place}", place)
        index = indexes.setdefault(each.index or f"#{place}", place)
        ranks.append((cluster, index, place))
    return [place for *_, place in sorted(ranks)]


def _hash(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:16]
