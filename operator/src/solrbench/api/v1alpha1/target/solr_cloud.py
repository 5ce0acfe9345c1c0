"""`spec.target.solrCloud`: the topology that is created for the benchmark."""

import re
from enum import StrEnum
from typing import Annotated, ClassVar

from pydantic import Field, StringConstraints

from solrbench.api.rules import Model, Rule
from solrbench.api.v1alpha1.fields import Heap, Int, Labels, ObjectReference
from solrbench.api.v1alpha1.images import SolrImage
from solrbench.api.v1alpha1.pod.pods import Resources, Storage, Toleration, TopologySpread
from solrbench.api.v1alpha1.rules.heap import HEAP_RULE, no_heap_flags
from solrbench.api.v1alpha1.target.zookeeper import ZooKeeper, ZooKeeperMode

SOLR_10 = "10([.-].*)?"
"""Tags of Solr 10, in the syntax that RE2 and Python share."""


class Provisioner(StrEnum):
    """Component that turns the topology into pods."""

    SOLR_OPERATOR = "SolrOperator"
    STATEFUL_SET = "StatefulSet"


class SolrCloud(Model):
    """The SolrCloud topology under test."""

    provisioner: Provisioner = Provisioner.SOLR_OPERATOR
    """`provisioner` controls what creates the pods. `SolrOperator` creates a SolrCloud resource of
    the Apache Solr Operator, which must be installed. `StatefulSet` needs nothing else in the
    cluster."""
    image: SolrImage = SolrImage()
    """`image` is the image of the Solr nodes."""
    image_pull_secrets: Annotated[list[ObjectReference], Field(max_length=8)] = []
    """`imagePullSecrets` name the Secrets with the credentials of the registries of Solr and
    ZooKeeper images."""
    nodes: Annotated[Int, Field(ge=1, le=100)] = 1
    """`nodes` is the number of Solr nodes, one pod each."""
    heap: Heap = "1Gi"
    """`heap` is the Java heap of each node, used for both -Xms and -Xmx."""
    gc_tune: Annotated[str, StringConstraints(max_length=2048)] | None = None
    """`gcTune` are the garbage-collector flags, in place of the image's (Solr's `GC_TUNE`)."""
    solr_opts: Annotated[str, StringConstraints(max_length=4096)] | None = None
    """`solrOpts` are further JVM flags such as `-Dname=value` (Solr's `SOLR_OPTS`)."""
    resources: Resources = Resources()
    """`resources` are the CPU and memory of each node."""
    storage: Storage = Storage()
    """`storage` is the storage of the index."""
    node_selector: Labels = {}
    """`nodeSelector` are the labels that a Kubernetes node must have to run Solr or ZooKeeper."""
    tolerations: Annotated[list[Toleration], Field(max_length=16)] = []
    """`tolerations` are the tolerations of the Solr and ZooKeeper pods."""
    topology_spread: TopologySpread = TopologySpread()
    """`topologySpread` controls how Solr pods, and ZooKeeper pods, are spread over the cluster."""
    zookeeper: ZooKeeper = ZooKeeper()
    """`zookeeper` is the ZooKeeper ensemble of this SolrCloud."""

    rules: ClassVar = (
        HEAP_RULE,
        no_heap_flags("gcTune"),
        no_heap_flags("solrOpts"),
        Rule(
            cel=f"!self.image.tag.matches('^(?:{SOLR_10})$')",
            message="image.tag must not be of Solr 10, which is not supported yet; use a 9.x tag",
            is_satisfied=lambda solr: re.fullmatch(SOLR_10, solr.image.tag) is None,
        ),
        Rule(
            cel="self.zookeeper.mode != 'Provided' || self.provisioner == 'SolrOperator'",
            message=(
                "zookeeper.mode must not be Provided with provisioner StatefulSet, only the Solr"
                " Operator provides one; use Ensemble or External"
            ),
            is_satisfied=lambda solr: (
                solr.zookeeper.mode is not ZooKeeperMode.PROVIDED
                or solr.provisioner is Provisioner.SOLR_OPERATOR
            ),
        ),
    )
