"""`spec.target`: the SolrCloud that is made for the benchmark, and its ZooKeeper ensemble."""

from enum import StrEnum
from typing import Annotated, ClassVar, Literal

from pydantic import Field, StringConstraints

from solrbench.api.quantities import parse_bytes
from solrbench.api.rules import Model, Rule, at_most_one, exactly_one
from solrbench.api.v1alpha1.fields import Cpu, Heap, Labels, Memory, ObjectName


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

    repository: Annotated[str, StringConstraints(min_length=1, max_length=255)]
    """Repository, with the registry's host where it is not the default one."""
    tag: Annotated[
        str,
        StringConstraints(min_length=1, max_length=128, pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.-]*$"),
    ]
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

    repository: Annotated[str, StringConstraints(min_length=1, max_length=255)] = "solr"
    """Repository of the official image or one with the same environment interface."""
    tag: Annotated[
        str,
        StringConstraints(min_length=1, max_length=128, pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.-]*$"),
    ] = "9.10.1"
    """Tag of the image: Solr 9.x."""


class ZooKeeperImage(Image):
    """The ZooKeeper image."""

    repository: Annotated[str, StringConstraints(min_length=1, max_length=255)] = "zookeeper"
    """Repository of the official image or one with the same environment interface."""
    tag: Annotated[
        str,
        StringConstraints(min_length=1, max_length=128, pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.-]*$"),
    ] = "3.9.4"
    """Tag of the image."""


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
            cel=(
                "!has(self.resources) || !has(self.resources.limits)"
                " || !has(self.resources.limits.memory)"
                " || quantity(self.resources.limits.memory).asApproximateFloat()"
                " >= 1.25 * quantity(self.heap).asApproximateFloat()"
            ),
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
    nodes: Annotated[int, Field(ge=1, le=100)] = 1
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
            cel=(
                "!has(self.resources) || !has(self.resources.limits)"
                " || !has(self.resources.limits.memory)"
                " || quantity(self.resources.limits.memory).asApproximateFloat()"
                " >= 1.25 * quantity(self.heap).asApproximateFloat()"
            ),
            message="resources.limits.memory must be at least 1.25 times heap",
            holds=lambda solr: _limit_covers_heap(solr.resources, solr.heap),
        ),
    )


class Target(Model):
    """What is measured."""

    solr_cloud: SolrCloud | None = None
    """A SolrCloud made for this benchmark and deleted after it."""

    rules: ClassVar = (exactly_one("solrCloud"),)
