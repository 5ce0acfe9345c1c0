"""`spec.target.solrCloud.zookeeper`: the ZooKeeper ensemble of a SolrCloud."""

from enum import StrEnum
from typing import Annotated, ClassVar, Literal

from pydantic import StringConstraints

from solrbench.api.rules import Matches, Model, Rule
from solrbench.api.v1alpha1.fields import Heap
from solrbench.api.v1alpha1.images import ZooKeeperImage
from solrbench.api.v1alpha1.pod.pods import Resources
from solrbench.api.v1alpha1.rules.heap import HEAP_RULE


class ZooKeeperMode(StrEnum):
    """Component that runs ZooKeeper."""

    ENSEMBLE = "Ensemble"
    PROVIDED = "Provided"
    EXTERNAL = "External"


ConnectionString = Annotated[
    str,
    StringConstraints(min_length=3, max_length=2048),
    Matches(
        r"[A-Za-z0-9.-]+:[0-9]{1,5}(,[A-Za-z0-9.-]+:[0-9]{1,5})*",
        "must be host:port, more of them after commas and no path,"
        " such as zk-0.zk.search.svc:2181,zk-1.zk.search.svc:2181",
    ),
]
"""Addresses of the members of an ensemble."""

Chroot = Annotated[
    str,
    StringConstraints(min_length=2, max_length=128),
    Matches(
        r"(/[A-Za-z0-9_][A-Za-z0-9_.-]*)+",
        "must be a path that starts with '/' and does not end with it, such as /benchmarks",
    ),
]
"""Path in ZooKeeper."""


class ZooKeeper(Model):
    """The ZooKeeper ensemble of the benchmark."""

    mode: ZooKeeperMode = ZooKeeperMode.ENSEMBLE
    """`mode` controls what runs ZooKeeper: this operator (`Ensemble`), the Solr Operator through
    the ZooKeeper operator (`Provided`), or an existing ensemble (`External`), for which
    `replicas`, `heap`, `image` and `resources` have no meaning."""
    connection_string: ConnectionString | None = None
    """`connectionString` lists the members of the `External` ensemble, by names that resolve in
    every namespace."""
    chroot: Chroot | None = None
    """`chroot` is the path of Solr's state in ZooKeeper; in an `External` ensemble the parent of
    one path for each attempt."""
    replicas: Literal[1, 3, 5, 7] = 1
    """`replicas` is the number of members of the ensemble; odd, so that it can form a majority."""
    heap: Heap = "256Mi"
    """`heap` is the Java heap of each member."""
    image: ZooKeeperImage = ZooKeeperImage()
    """`image` is the image of the members. With `Provided` it is the ZooKeeper operator's own,
    unless a repository other than `zookeeper` is set, since that operator starts only its own
    builds."""
    resources: Resources = Resources()
    """`resources` are the CPU and memory of each member."""

    rules: ClassVar = (
        HEAP_RULE,
        Rule(
            cel="has(self.connectionString) == (self.mode == 'External')",
            message="must set connectionString when mode is External, and only then",
            is_satisfied=lambda zookeeper: (
                (zookeeper.connection_string is not None)
                == (zookeeper.mode is ZooKeeperMode.EXTERNAL)
            ),
        ),
    )
