"""`spec.target.solrCloud`: the topology that is made for the benchmark."""

import re
from enum import StrEnum
from typing import Annotated, ClassVar

from pydantic import Field, StringConstraints

from solrbench.api.rules import Model, Rule
from solrbench.api.v1alpha1.fields import Heap, Int, Labels
from solrbench.api.v1alpha1.images import SolrImage
from solrbench.api.v1alpha1.pods import Resources, Spread, Storage, Toleration
from solrbench.api.v1alpha1.rules.heap import HEAP_RULE, no_heap_flags
from solrbench.api.v1alpha1.target.zookeeper import ZooKeeper, ZooKeeperMode

SOLR_10 = "10([.-].*)?"
"""Tags of Solr 10, in the syntax that RE2 and Python share."""


class Provisioner(StrEnum):
    """Who turns the topology into pods."""

    SOLR_OPERATOR = "SolrOperator"
    STATEFUL_SET = "StatefulSet"


class SolrCloud(Model):
    """The topology under test."""

    provisioner: Provisioner = Provisioner.SOLR_OPERATOR
    """`SolrOperator`: a SolrCloud resource of the Apache Solr Operator, which must be installed.
    `StatefulSet`: made by this operator, needs nothing else in the cluster."""
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
    """The ZooKeeper that this SolrCloud keeps its state in."""

    rules: ClassVar = (
        HEAP_RULE,
        no_heap_flags("gcTune"),
        no_heap_flags("solrOpts"),
        Rule(
            cel=(
                f"self.provisioner != 'SolrOperator' || !self.image.tag.matches('^(?:{SOLR_10})$')"
            ),
            message=(
                "image.tag must not be of Solr 10 with provisioner SolrOperator: Solr 10 does not"
                " start under the Solr Operator; use a 9.x tag"
            ),
            is_satisfied=lambda solr: (
                solr.provisioner is not Provisioner.SOLR_OPERATOR
                or re.fullmatch(SOLR_10, solr.image.tag) is None
            ),
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
