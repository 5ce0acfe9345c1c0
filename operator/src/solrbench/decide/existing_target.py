"""Whether an existing target can be measured, and still is what it was."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from solrbench.api.v1alpha1.collection import Collection
from solrbench.decide.checks.collection import check_active
from solrbench.decide.checks.outcome import Check, Outcome, fail, restart_target, wait
from solrbench.decide.solr_views import NodeIdentity, Replica
from solrbench.errors import SolrbenchError
from solrbench.reasons.target import TargetReason

FIELD = "target.existing.solrCloudName"

PATIENCE = timedelta(seconds=60)
"""How long an existing target may not respond; a saturated one responds late."""


@dataclass(frozen=True)
class ExistingSolrCloud:
    """A SolrCloud resource of another owner.

    Attributes:
        name: in the spec
        namespace: of the benchmark
        served: whether the cluster serves SolrClouds
        body: the resource, or `None` if there is none of this name

    """

    name: str
    namespace: str
    served: bool
    body: dict[str, Any] | None

    @property
    def nodes(self) -> list[dict[str, Any]]:
        """Its nodes, from the status that the Solr Operator writes."""
        status = (self.body or {}).get("status") or {}
        return list(status.get("solrNodes") or [])

    @property
    def node_urls(self) -> list[str]:
        """Base URL of every node."""
        return [f"{node['internalAddress']}/solr" for node in self.nodes]


def check_served(cloud: ExistingSolrCloud) -> Outcome | None:
    """Wait until the cluster serves SolrClouds."""
    if cloud.served:
        return None
    return wait(
        TargetReason.SOLR_OPERATOR_MISSING,
        f"{FIELD}: the cluster does not serve SolrClouds; install the Solr Operator, or set urls",
    )


def check_present(cloud: ExistingSolrCloud) -> Outcome | None:
    """Wait until the SolrCloud exists."""
    if cloud.body is not None:
        return None
    return wait(
        TargetReason.SOLR_CLOUD_NOT_FOUND,
        f"{FIELD}: there is no SolrCloud {cloud.name} in namespace {cloud.namespace}; create it",
    )


def check_nodes_ready(cloud: ExistingSolrCloud) -> Outcome | None:
    """Wait until it has nodes and all of them are ready."""
    ready = sum(bool(node.get("ready")) for node in cloud.nodes)
    if cloud.nodes and ready == len(cloud.nodes):
        return None
    return wait(
        TargetReason.SOLR_CLOUD_NOT_READY,
        f"{FIELD}: {ready} of {len(cloud.nodes)} nodes of {cloud.name} are ready",
    )


EXISTING_CLOUD_CHECKS: tuple[Check[ExistingSolrCloud], ...] = (
    check_served,
    check_present,
    check_nodes_ready,
)


@dataclass(frozen=True)
class UserCollection:
    """A collection of the user's.

    Attributes:
        name: in the spec
        replicas: none if there is no such collection

    """

    name: str
    replicas: tuple[Replica, ...]


def check_found(collection: UserCollection) -> Outcome | None:
    """Wait until the collection exists."""
    if collection.replicas:
        return None
    return wait(
        TargetReason.COLLECTION_NOT_FOUND,
        f"target.existing.collectionName: there is no collection {collection.name}; create it",
    )


def check_found_active(collection: UserCollection) -> Outcome | None:
    """Wait until every replica is active."""
    return check_active(collection.replicas)


USER_COLLECTION_CHECKS: tuple[Check[UserCollection], ...] = (check_found, check_found_active)


@dataclass(frozen=True)
class CollectionOwner:
    """Whose the collection is that has the name of a benchmark's.

    Attributes:
        name: of the collection
        config_set: that it uses, or `None` if there is no such collection
        prefix: of the config sets of every attempt of the benchmark

    """

    name: str
    config_set: str | None
    prefix: str


def check_own_collection(collection: CollectionOwner) -> Outcome | None:
    """Fail if the collection was not created by the benchmark."""
    if collection.config_set is None or collection.config_set.startswith(collection.prefix):
        return None
    return fail(
        TargetReason.COLLECTION_EXISTS,
        f"target.existing has a collection {collection.name} that this benchmark did not create; it"
        " is left alone, give the benchmark another name",
    )


def check_enough_nodes(wanted: Collection, live: int) -> Outcome | None:
    """Fail if an existing target has fewer nodes than a shard has replicas."""
    if wanted.replicas.total <= live:
        return None
    return fail(
        TargetReason.TOO_FEW_NODES,
        f"collection.replicas adds up to {wanted.replicas.total}, but target.existing has {live}"
        " live nodes; lower the replicas or add nodes, as replicas of one shard on the same node"
        " add no redundancy",
    )


@dataclass(frozen=True)
class ExistingNodes:
    """The nodes of an existing target that was ready.

    Attributes:
        started: start of each node's JVM at that time, by name
        found: what the nodes report now, or why they could not be read
        unanswered: time since the first request without a response
        required: whether the response is needed now, as before a result is stored

    """

    started: Mapping[str, str]
    found: Mapping[str, NodeIdentity] | SolrbenchError
    unanswered: timedelta
    required: bool = False


def check_responding(nodes: ExistingNodes) -> Outcome | None:
    """Restart the target after a long silence; wait before that only if a response is required."""
    if not isinstance(nodes.found, SolrbenchError):
        return None
    if nodes.unanswered > PATIENCE:
        message = (
            f"no response for {nodes.unanswered.total_seconds():.0f} s, limit"
            f" {PATIENCE.total_seconds():.0f} s: {nodes.found.message}"
        )
        return restart_target(TargetReason.TARGET_UNREACHABLE, message)
    return wait(nodes.found.reason, nodes.found.message) if nodes.required else None


def check_not_restarted(nodes: ExistingNodes) -> Outcome | None:
    """Restart the target after a node left or was restarted; further nodes do not matter."""
    if isinstance(nodes.found, SolrbenchError):
        return None
    for name, started in nodes.started.items():
        if name not in nodes.found:
            message = f"node {name} is no longer live"
            return restart_target(TargetReason.TARGET_NODE_LOST, message)
        if nodes.found[name].started != started:
            return restart_target(TargetReason.TARGET_NODE_LOST, f"node {name} was restarted")
    return None


EXISTING_CHECKS: tuple[Check[ExistingNodes], ...] = (check_responding, check_not_restarted)
