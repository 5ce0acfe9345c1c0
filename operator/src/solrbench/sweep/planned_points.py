"""The points of a plan: which of them can use one target after another, and their order.

A fingerprint says what a point can share. What it leaves out must not shape what it stands for, so
it has the whole spec but what is known to be about the load or the course alone: a field that is
added later belongs to the target until it is left out here.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from solrbench.api.v1alpha1 import Spec
from solrbench.api.v1alpha1.collection import Collection
from solrbench.api.v1alpha1.pod_options import PodComponent
from solrbench.api.v1alpha1.repeats import RepeatStart
from solrbench.api.v1alpha1.target import ZooKeeperMode
from solrbench.contract.step_runs import Reuse
from solrbench.sweep.points import DesignPoint
from solrbench.sweep.requirements import PointRequests

OF_THE_LOAD = frozenset(
    {
        "load",
        "workload",
        "warm_up",
        "objectives",
        "companions",
        "pod_options",
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
the dataset by then, and options of the pods are looked at by component. Companions belong to the
benchmark of a point, so that they come and go while the target stays."""
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
    """Hashes that are the same for points that can use one SolrCloud, or one index in it.

    They are None for a point that needs its own.
    """

    cluster: str | None = None
    index: str | None = None


def take_fingerprints(spec: Spec) -> Fingerprints:
    """Return the fingerprints of a benchmark."""
    start = spec.load.repeats.start_on
    solr_cloud = spec.target.solr_cloud
    if solr_cloud is None or start is RepeatStart.FRESH_TARGET:
        return Fingerprints()
    # The path in an outside ZooKeeper is that of one benchmark.
    if solr_cloud.zookeeper.mode is ZooKeeperMode.EXTERNAL:
        return Fingerprints()
    # Agents of the telemetry run in the pods of the target, which mount the claim of a backup, too.
    whole = spec.model_dump(
        mode="json",
        # Endpoints lead to the nodes in one way or another and shape nothing of them.
        exclude={"target": {"variants"}} | dict.fromkeys(OF_THE_LOAD | OF_THE_INDEX, True),
    )
    options = _options_of(spec, PodComponent.SOLR, PodComponent.ZOOKEEPER)
    telemetry = spec.load.telemetry.model_dump(mode="json")
    # Left out where there is none: the order of points is drawn by the hash.
    claims = [] if spec.backup_claim is None else [spec.backup_claim]
    cluster = hash_json([whole, options, telemetry, *claims])
    # A point must not find what the requests of another have changed.
    if spec.may_change_index or start is RepeatStart.FRESH_DATA:
        return Fingerprints(cluster)
    # With a config set of the user's, all settings count: those that a point before has set could
    # not be distinguished from its own.
    left_out = SETTABLE if spec.collection.config_set.config_map is None else frozenset[str]()
    collection = spec.collection.model_dump(mode="json", exclude=set(left_out))
    dataset = None if spec.dataset is None else spec.dataset.model_dump(mode="json")
    options = _options_of(spec, PodComponent.INDEX)
    return Fingerprints(cluster, hash_json([cluster, [collection, dataset, options]]))


def hash_json(value: Any) -> str:
    """Return a short hash of what JSON can hold."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:16]


def _options_of(spec: Spec, *components: PodComponent) -> list[Any]:
    """Return the entries of `podOptions` for some components, as if they were for these alone."""
    return [
        entry.model_dump(mode="json") | {"components": own}
        for entry in spec.pod_options
        if (own := [each for each in components if each in entry.components])
    ]


def common_parts(before: Fingerprints, after: Fingerprints) -> Reuse | None:
    """Return what a point can take over from another."""
    if after.cluster is None or before.cluster != after.cluster:
        return None
    is_same_index = after.index is not None and before.index == after.index
    return Reuse.INDEX if is_same_index else Reuse.CLUSTER


@dataclass(frozen=True)
class PlannedPoint:
    """A point and what it needs.

    Attributes:
        price: of Solr and ZooKeeper by the hour; None where the sweep has no prices
        load: what it is to hold where the cost is minimised, in words
        reuses: what it takes over from the point before it, if all go well one after another
        target: what stands for the one target of all its repeats; points with the same use it
            together. Empty where each repeat, or each round, has a target of its own
    """

    point: DesignPoint
    demand: PointRequests
    fingerprints: Fingerprints
    reuses: Reuse | None = None
    target: str = ""
    price: float | None = None
    load: str = ""

    @property
    def shared(self) -> tuple[str, str, str]:
        """Its SolrCloud, the index in it and itself: the same text for points that can share it."""
        name, prints = self.point.name, self.fingerprints
        return prints.cluster or name, prints.index or name, name


def order_for_reuse(points: Sequence[PlannedPoint]) -> list[PlannedPoint]:
    """Return the points in the order that rebuilds least.

    Points that can use one SolrCloud come one after another, among them those that can use one
    index; whatever comes first decides the place of all, else the order stays as it is.
    """
    first: dict[str, int] = {}
    for place, planned in enumerate(points):
        for text in planned.shared:
            first.setdefault(text, place)
    return sorted(points, key=lambda planned: [first[text] for text in planned.shared])


def draw_order(points: Sequence[PlannedPoint], seed: int, round_: int) -> list[PlannedPoint]:
    """Return the points in the random order of a round, by hashes of seed, round and names.

    It is drawn of SolrClouds, then of the indexes in each, then of the points of each index, so
    that it rebuilds no more than the listed order does. Points that are added later do not change
    the order of the others. Every second round turns that of the one before round: of two points
    that share a target, the later one finds it warmer, and so each is the later one as often.
    """
    if round_ % 2 == 0:
        return draw_order(points, seed, round_ - 1)[::-1]

    def rank(planned: PlannedPoint) -> list[bytes]:
        texts = (f"{seed}/{round_}/{text}" for text in planned.shared)
        return [hashlib.sha256(text.encode()).digest() for text in texts]

    return sorted(points, key=rank)
