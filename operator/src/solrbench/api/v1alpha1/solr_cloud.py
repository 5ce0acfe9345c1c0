"""`spec.target.solrCloud`: the topology that is made for the benchmark."""

from enum import StrEnum
from typing import Annotated, ClassVar, Literal

from pydantic import Field, StringConstraints

from solrbench.api.rules import Model
from solrbench.api.v1alpha1.fields import Heap, Int, Labels
from solrbench.api.v1alpha1.heap import HEAP_RULE, leaves_heap_alone
from solrbench.api.v1alpha1.images import SolrImage, ZooKeeperImage
from solrbench.api.v1alpha1.pods import Resources, Spread, Storage, Toleration


class Provisioner(StrEnum):
    """Who turns the topology into pods."""

    STATEFUL_SET = "StatefulSet"


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

    rules: ClassVar = (HEAP_RULE,)


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
        HEAP_RULE,
        leaves_heap_alone("gcTune"),
        leaves_heap_alone("solrOpts"),
    )
