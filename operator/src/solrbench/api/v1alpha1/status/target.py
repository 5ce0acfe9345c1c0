"""What is observed of the target, its data and the load under way."""

from datetime import datetime
from typing import Annotated

from pydantic import Field

from solrbench.api.v1alpha1.fields import Count, Measure, Text
from solrbench.api.v1alpha1.status.conditions import StatusModel


class TargetStatus(StatusModel):
    """The target as Solr and ZooKeeper report it."""

    live_nodes: Count | None = None
    """Solr nodes in ZooKeeper's view."""
    zookeepers: Count | None = None
    """Members of the ensemble as ZooKeeper reports them."""
    solr_version: Text | None = None
    """Version that Solr reports."""
    heap_bytes: Count | None = None
    """Smallest maximum heap of all nodes as their JVMs report it."""
    url: Text | None = None
    """Address of the collection inside the cluster."""
    pods: Annotated[dict[Text, Text], Field(max_length=128)] = {}
    """Uid and restarts of each pod when the target became ready; where they differ, data may be
    lost."""
    nodes: Annotated[dict[Text, Text], Field(max_length=512)] = {}
    """Solr nodes of an existing target, and when the JVM of each was started; where that changes,
    data may be lost."""
    check_time: datetime | None = None
    """When the nodes of an existing target were last seen to be the same."""


class DatasetStatus(StatusModel):
    """Indexing as measured."""

    documents: Count | None = None
    """Documents accepted by Solr; after indexing, those counted on every shard."""
    documents_total: Count | None = None
    """Documents to be indexed, where that is known beforehand."""
    bytes: Count | None = None
    """Bytes of update requests sent."""
    seconds: Measure | None = None
    """From the first batch to the last, over all pods."""
    documents_per_second: Measure | None = None
    """Documents divided by seconds."""
    bytes_per_second: Measure | None = None
    """Bytes divided by seconds."""
    index_bytes: Count | None = None
    """Size of the index over all replicas as Solr reports it, read again after the last step,
    when merges are over."""


class LiveLoad(StatusModel):
    """What the load master reports while it runs."""

    stage: Text
    """WaitingForWorkers, WarmingUp, Ramping, Measuring, Storing or Finished."""
    repeat: Count | None = None
    """Repeat under way, from 1."""
    variant: Text | None = None
    """Variant under way, if the target has variants."""
    step: Text | None = None
    """Step under way."""
    users: Count | None = None
    """Users running; absent while a planned rate is sent."""
    planned_requests_per_second: Measure | None = None
    """Rate that the step under way plans; absent with users."""
    requests_per_second: Measure | None = None
    """Rate over the last seconds."""
    requests: Count | None = None
    """Requests of the step under way so far."""
