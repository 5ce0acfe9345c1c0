"""What a provisioner does: bring a target up, watch it, leave nothing of it."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from solrbench.api.v1alpha1.collection import Collection
from solrbench.controller.context import ReconcileContext
from solrbench.decide.collection import REPLICA_CHECKS, CollectionReplicas
from solrbench.decide.conditions import ACCEPTED
from solrbench.decide.outcome import apply_outcome, first_outcome
from solrbench.decide.target import describe_acceptance
from solrbench.decide.version_fields import check_version_fields
from solrbench.decide.views import PodView, Replica, ReplicaSize
from solrbench.solr.client import SolrClient


class TargetProvisioner(ABC):
    """One way to a target.

    The host names, URLs and ZooKeeper path of nodes that are made are in `contract.endpoints`,
    where the builders of manifests find them too.
    """

    ready_message: str
    """What is true when the target is ready."""

    @abstractmethod
    def ensure_ready(self, context: ReconcileContext) -> None:
        """Bring nodes and collection up, and check them.

        Raises:
            TemporaryError: until they are ready.
            PermanentError: if they can never be, or may not be addressed.
        """

    def pods(self, context: ReconcileContext) -> list[PodView]:
        """Return the pods of the target, as far as they belong to the benchmark."""
        del context
        return []

    @abstractmethod
    def check_unchanged(self, context: ReconcileContext, pods: list[PodView]) -> None:
        """Check that a target that was ready is the one it was; `pods` are those of now.

        Raises:
            TargetLostError: if it is not.
            PermanentError: if a pod lacked memory.
        """

    def check_before_storing(self, context: ReconcileContext) -> None:
        """Check the same before a result is stored, where the pods do not show it later.

        Raises:
            TemporaryError: if Solr did not respond.
            TargetLostError: if a node is not the one it was.
        """
        del context

    @abstractmethod
    def node_count(self, context: ReconcileContext) -> int:
        """Return the number of Solr nodes that the collection may be on."""

    def leader_urls(self, context: ReconcileContext) -> dict[str, str] | None:
        """Return the nodes that index pods may address directly, or `None` for every node.

        A URL as Solr names the node leads to the one to use.
        """
        del context
        return None

    @abstractmethod
    def find_replicas(self, context: ReconcileContext, solr: SolrClient) -> list[Replica]:
        """Return the replicas of the benchmark's collection."""

    @abstractmethod
    def replica_sizes(self, solr: SolrClient, found: list[Replica]) -> list[ReplicaSize]:
        """Return the index of each of these replicas, asked in the way that the target allows."""

    def remove_collection(self, context: ReconcileContext, *, at_once: bool = False) -> None:
        """Delete the collection where the nodes stay; it may be called again.

        With `at_once`, nodes that are away are not waited for.
        """
        del context, at_once


def accept_versions(context: ReconcileContext, versions: Sequence[str]) -> None:
    """Check that these versions, of nodes or of a tag, know all that is set; accept the benchmark.

    It raises `PermanentError` with `FieldNotInVersion` if one does not know a field.
    """
    apply_outcome(check_version_fields(context.benchmark.spec, versions))
    context.conditions.set(ACCEPTED, "True", *describe_acceptance(versions))


def check_created(wanted: Collection, found: Sequence[Replica], nodes: int) -> None:
    """Check the replicas of a collection that was created a moment ago, on so many nodes."""
    # What would be an error later is waited for here: Solr may still be creating replicas for an
    # operator that is gone.
    outcome = first_outcome(REPLICA_CHECKS, CollectionReplicas(wanted, found, nodes))
    apply_outcome(None if outcome is None else outcome.waiting())
