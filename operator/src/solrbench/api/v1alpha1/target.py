"""`spec.target`: the SolrCloud that is made for the benchmark, and its ZooKeeper ensemble."""

import re
from enum import StrEnum
from typing import Annotated, ClassVar, Literal

from pydantic import Field, StringConstraints
from pydantic.alias_generators import to_snake

from solrbench.api.quantities import parse_bytes, parse_cores
from solrbench.api.rules import Model, Rule, at_most_one, exactly_one
from solrbench.api.v1alpha1.fields import (
    Cpu,
    Heap,
    ImageRepository,
    ImageTag,
    Int,
    Labels,
    Memory,
    ObjectName,
)


class Provisioner(StrEnum):
    """Who turns the topology into pods."""

    STATEFUL_SET = "StatefulSet"


class PullPolicy(StrEnum):
    """When the kubelet pulls an image."""

    ALWAYS = "Always"
    IF_NOT_PRESENT = "IfNotPresent"
    NEVER = "Never"


class Image(Model):
    """A container image by repository and tag."""

    repository: ImageRepository
    """Repository, with the registry's host where it is not the default one."""
    tag: ImageTag
    """Tag of the image; always given, so that a benchmark can be repeated."""
    pull_policy: PullPolicy = PullPolicy.IF_NOT_PRESENT
    """When the image is pulled."""
    pull_secret: ObjectName | None = None
    """Name of the Secret that holds the registry's credentials."""

    @property
    def reference(self) -> str:
        """The image as a pod names it."""
        return f"{self.repository}:{self.tag}"


class SolrImage(Image):
    """The Solr image."""

    repository: ImageRepository = "solr"
    """Repository of the official image or one with the same environment interface."""
    tag: ImageTag = "9.10.1"
    """Tag of the image: Solr 9.x."""


class ZooKeeperImage(Image):
    """The ZooKeeper image."""

    repository: ImageRepository = "zookeeper"
    """Repository of the official image or one with the same environment interface."""
    tag: ImageTag = "3.9.4"
    """Tag of the image."""


def _cel_within(amount: str) -> str:
    """Return the CEL condition that the request of `amount` is within its limit."""
    request, limit = f"self.requests.{amount}", f"self.limits.{amount}"
    return (
        f"!has({request}) || !has({limit})"
        f" || !isQuantity({request}) || !isQuantity({limit})"
        f" || quantity({request}).compareTo(quantity({limit})) <= 0"
    )


class ResourceAmounts(Model):
    """CPU and memory."""

    cpu: Cpu | None = None
    """Cores, such as `2` or `500m`."""
    memory: Memory | None = None
    """Bytes, such as `4Gi`."""


class Resources(Model):
    """Requests and limits of one container."""

    requests: ResourceAmounts = ResourceAmounts()
    """What the scheduler sets aside."""
    limits: ResourceAmounts = ResourceAmounts()
    """What the kernel enforces; a CPU limit throttles and so spoils measurements."""

    rules: ClassVar = (
        Rule(
            cel=_cel_within("cpu"),
            message="requests.cpu must not be greater than limits.cpu",
            holds=lambda r: (
                r.requests.cpu is None
                or r.limits.cpu is None
                or parse_cores(r.requests.cpu) <= parse_cores(r.limits.cpu)
            ),
        ),
        Rule(
            cel=_cel_within("memory"),
            message="requests.memory must not be greater than limits.memory",
            holds=lambda r: (
                r.requests.memory is None
                or r.limits.memory is None
                or parse_bytes(r.requests.memory) <= parse_bytes(r.limits.memory)
            ),
        ),
    )


class EphemeralStorage(Model):
    """Data on the node's disk, gone with the pod."""

    size_limit: Memory | None = None
    """The kubelet evicts a pod that writes more than this."""


class PersistentStorage(Model):
    """Data on a PersistentVolumeClaim per node, deleted with the benchmark."""

    size: Memory
    """Capacity that each claim asks for."""
    storage_class_name: ObjectName | None = None
    """StorageClass of the claims; the cluster's default when absent."""


class Storage(Model):
    """Where the index lives."""

    ephemeral: EphemeralStorage | None = None
    """An `emptyDir`; the choice when nothing is said."""
    persistent: PersistentStorage | None = None
    """A claim per node."""

    rules: ClassVar = (at_most_one("ephemeral", "persistent"),)


class Toleration(Model):
    """A taint that the pods put up with."""

    key: Annotated[str, StringConstraints(max_length=317)] | None = None
    """Key of the taint; any when absent (then `operator` must be `Exists`)."""
    operator: Literal["Exists", "Equal"] = "Equal"
    """How `value` is compared."""
    value: Annotated[str, StringConstraints(max_length=63)] | None = None
    """Value of the taint."""
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"] | None = None
    """Effect of the taint; any when absent."""

    rules: ClassVar = (
        Rule(
            cel="has(self.key) || self.operator == 'Exists'",
            message="must set key when operator is Equal",
            holds=lambda t: t.key is not None or t.operator == "Exists",
        ),
        Rule(
            cel="!has(self.value) || self.operator == 'Equal'",
            message="may not set value when operator is Exists, which takes any value",
            holds=lambda t: t.value is None or t.operator == "Equal",
        ),
    )


class Spread(Model):
    """How pods of one kind are spread over the cluster."""

    topology_key: Annotated[str, StringConstraints(min_length=1, max_length=317)] = (
        "kubernetes.io/hostname"
    )
    """Node label whose values are the places to spread over."""
    when_unsatisfiable: Literal["ScheduleAnyway", "DoNotSchedule"] = "ScheduleAnyway"
    """Whether an uneven spread is better than a pending pod."""


def _limit_covers_heap(resources: Resources, heap: str) -> bool:
    limit = resources.limits.memory
    return limit is None or parse_bytes(limit) >= 1.25 * parse_bytes(heap)


HEAP_FLAGS = "-Xm[sx]|-XX:(Initial|Max)HeapSize"
"""JVM flags that say the same as `heap` does, in the syntax that RE2 and Python share."""


def _leaves_heap_alone(field: str) -> Rule:
    """Return the rule that JVM flags do not contradict `heap`; the last flag would win."""
    return Rule(
        cel=f"!has(self.{field}) || !self.{field}.matches('{HEAP_FLAGS}')",
        message=f"{field} must not contain -Xms, -Xmx or another heap size, set heap instead",
        holds=lambda solr: re.search(HEAP_FLAGS, getattr(solr, to_snake(field)) or "") is None,
    )


LIMIT_COVERS_HEAP = (
    "!has(self.resources) || !has(self.resources.limits)"
    " || !has(self.resources.limits.memory)"
    " || !isQuantity(self.resources.limits.memory) || !isQuantity(self.heap)"
    " || quantity(self.resources.limits.memory).asApproximateFloat()"
    " >= 1.25 * quantity(self.heap).asApproximateFloat()"
)
"""The quarter above the heap is for threads, metaspace and direct buffers."""


class ZooKeeper(Model):
    """The ZooKeeper ensemble of the benchmark."""

    replicas: Literal[1, 3, 5, 7] = 1
    """Members of the ensemble; odd, so that it can form a majority."""
    heap: Heap = "256Mi"
    """Java heap of each member."""
    image: ZooKeeperImage = ZooKeeperImage()
    """Image of the members."""
    resources: Resources = Resources()
    """CPU and memory of each member."""

    rules: ClassVar = (
        Rule(
            cel=LIMIT_COVERS_HEAP,
            message="resources.limits.memory must be at least 1.25 times heap",
            holds=lambda zk: _limit_covers_heap(zk.resources, zk.heap),
        ),
    )


class SolrCloud(Model):
    """The topology under test."""

    provisioner: Provisioner = Provisioner.STATEFUL_SET
    """`StatefulSet`: made by this operator, needs nothing else in the cluster."""
    image: SolrImage = SolrImage()
    """Image of the Solr nodes."""
    nodes: Annotated[Int, Field(ge=1, le=100)] = 1
    """Solr nodes, one pod each."""
    heap: Heap = "1Gi"
    """Java heap of each node, used for both -Xms and -Xmx."""
    gc_tune: Annotated[str, StringConstraints(max_length=2048)] | None = None
    """Garbage-collector flags; they replace the image's whole set."""
    solr_opts: Annotated[str, StringConstraints(max_length=4096)] | None = None
    """Further JVM flags such as `-Dname=value`."""
    resources: Resources = Resources()
    """CPU and memory of each node."""
    storage: Storage = Storage()
    """Where the index lives."""
    node_selector: Labels = {}
    """Labels that a Kubernetes node must have to run Solr or ZooKeeper."""
    tolerations: Annotated[list[Toleration], Field(max_length=16)] = []
    """Taints that Solr and ZooKeeper pods put up with."""
    spread: Spread = Spread()
    """How Solr nodes, and ZooKeepers, are spread."""
    zookeeper: ZooKeeper = ZooKeeper()
    """The ensemble of this SolrCloud."""

    rules: ClassVar = (
        Rule(
            cel=LIMIT_COVERS_HEAP,
            message="resources.limits.memory must be at least 1.25 times heap",
            holds=lambda solr: _limit_covers_heap(solr.resources, solr.heap),
        ),
        _leaves_heap_alone("gcTune"),
        _leaves_heap_alone("solrOpts"),
    )


class Target(Model):
    """What is measured."""

    solr_cloud: SolrCloud | None = None
    """A SolrCloud made for this benchmark and deleted after it."""

    rules: ClassVar = (exactly_one("solrCloud"),)
