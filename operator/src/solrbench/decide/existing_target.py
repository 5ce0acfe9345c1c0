"""Whether an existing target can be measured, and still is what it was."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from solrbench.api.v1alpha1.collection import Collection
from solrbench.decide.collection import check_active
from solrbench.decide.outcome import Outcome, fail, restart_target, wait
from solrbench.decide.views import NodeIdentity, Replica
from solrbench.errors import SolrbenchError
from solrbench.reasons.target import TargetReason

FIELD = "target.existing.solrCloudName"

PATIENCE = timedelta(seconds=60)
"""How long an existing target may not respond; a saturated one responds late."""


@dataclass(frozen=True)
class ExistingSolrCloud:
    """A SolrCloud resource of another owner."""

    name: str
    namespace: str
    served: bool
    body: dict[str, Any] | None
    """The resource, or `None` if there is none of this name."""
    was_ready: bool = False
    """Whether all of its nodes were ready before."""

    @property
    def nodes(self) -> list[dict[str, Any]]:
        """Its nodes, from the status that the Solr Operator writes."""
        status = (self.body or {}).get("status") or {}
        return list(status.get("solrNodes") or [])

    @property
    def node_urls(self) -> list[str]:
        """Base URL of every node whose pod has a place."""
        # The name of one that was added since, and cannot be scheduled, does not resolve.
        placed = (node for node in self.nodes if node.get("ready") or node.get("nodeName"))
        return [f"{node['internalAddress']}/solr" for node in placed]


def check_existing_cloud(cloud: ExistingSolrCloud) -> Outcome | None:
    """Wait until the cluster serves SolrClouds, this one exists and all of its nodes are ready."""
    if not cloud.served:
        return wait(
            TargetReason.SOLR_OPERATOR_MISSING,
            f"{FIELD}: the cluster does not serve SolrClouds; install the Solr Operator, or set"
            " urls",
        )
    if cloud.body is None:
        return wait(
            TargetReason.SOLR_CLOUD_NOT_FOUND,
            f"{FIELD}: there is no SolrCloud {cloud.name} in namespace {cloud.namespace};"
            " create it",
        )
    ready = sum(bool(node.get("ready")) for node in cloud.nodes)
    # One that was just applied has no status yet, and no node in it. A node under load may be too
    # busy for its probes; whether it is still the one that it was, is checked otherwise.
    if cloud.node_urls and (cloud.was_ready or ready == len(cloud.nodes)):
        return None
    return wait(
        TargetReason.SOLR_CLOUD_NOT_READY,
        f"{FIELD}: {ready} of {len(cloud.nodes)} nodes of {cloud.name} are ready",
    )


def check_user_collection(name: str, replicas: Sequence[Replica]) -> Outcome | None:
    """Wait until a collection of the user's exists and every replica is active."""
    if replicas:
        return check_active(replicas)
    return wait(
        TargetReason.COLLECTION_NOT_FOUND,
        f"target.existing.collectionName: there is no collection {name}; create it",
    )


def check_own_collection(name: str, config_set: str | None, prefix: str) -> Outcome | None:
    """Fail if the collection that uses a config set was not created by the benchmark.

    The config sets of all its attempts begin with `prefix`.
    """
    if config_set is None or config_set.startswith(prefix):
        return None
    return fail(
        TargetReason.COLLECTION_EXISTS,
        f"target.existing has a collection {name} that this benchmark did not create; it"
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
    """The nodes of an existing target that was ready."""

    started: Mapping[str, str]
    """Start of each node's JVM at that time, by name."""
    found: Mapping[str, NodeIdentity] | SolrbenchError
    """What the nodes report now, or why they could not be read."""
    unanswered: timedelta
    """Time since the first request without a response."""
    required: bool = False
    """Whether the response is needed now, as before a result is stored."""


def check_existing_nodes(nodes: ExistingNodes) -> Outcome | None:
    """Restart the target after a long silence, or after a node left or was restarted."""
    if isinstance(nodes.found, SolrbenchError):
        if nodes.unanswered > PATIENCE:
            message = (
                f"no response for {nodes.unanswered.total_seconds():.0f} s, limit"
                f" {PATIENCE.total_seconds():.0f} s: {nodes.found.message}"
            )
            return restart_target(TargetReason.TARGET_UNREACHABLE, message)
        # A saturated Solr responds late: that is no loss, but no proof either.
        return wait(nodes.found.reason, nodes.found.message) if nodes.required else None
    # Nodes that joined since do not matter.
    for name, started in nodes.started.items():
        if name not in nodes.found:
            message = f"node {name} is no longer live"
            return restart_target(TargetReason.TARGET_NODE_LOST, message)
        if nodes.found[name].started != started:
            return restart_target(TargetReason.TARGET_NODE_LOST, f"node {name} was restarted")
    return None
