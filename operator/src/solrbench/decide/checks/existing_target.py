"""Whether the SolrCloud that `target.existing.solrCloudName` names can be measured."""

from dataclasses import dataclass
from typing import Any

from solrbench.decide.checks.outcome import Check, Outcome, wait
from solrbench.reasons.target import TargetReason

FIELD = "target.existing.solrCloudName"


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
