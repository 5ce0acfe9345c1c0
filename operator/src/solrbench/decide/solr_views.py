"""Nodes and replicas of Solr reduced to what decisions need."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Replica:
    """One replica of one shard.

    Attributes:
        shard: name of the shard
        core: name of the core
        node: Solr's name of the node, `host:8983_solr`
        base_url: the node's address, `http://host:8983/solr`
        type: NRT, TLOG or PULL
        state: active, recovering, down …
        leader: whether it leads its shard

    """

    shard: str
    core: str
    node: str
    base_url: str
    type: str
    state: str
    leader: bool


@dataclass(frozen=True)
class ReplicaSize:
    """The index of one core as its current searcher sees it.

    Attributes:
        shard: name of the shard
        core: name of the core
        documents: that a search can find
        bytes: on disk
        deleted_documents: that are still in the segments, replaced or deleted but not merged away;
            `None` if Solr does not report them

    """

    shard: str
    core: str
    documents: int
    bytes: int
    deleted_documents: int | None = None


@dataclass(frozen=True)
class NodeIdentity:
    """One node as it describes itself.

    Attributes:
        solr_version: such as 9.10.1
        heap_max_bytes: maximum heap of its JVM
        started: when that JVM was started, as it writes it; changes with a restart

    """

    solr_version: str
    heap_max_bytes: int
    started: str
