"""The collection that is made for a benchmark, as every provisioner checks it."""

from collections.abc import Sequence

from solrbench.api.v1alpha1.collection import Collection
from solrbench.controller.outcomes import apply_outcome
from solrbench.decide.checks.collection import REPLICA_CHECKS, CollectionReplicas
from solrbench.decide.checks.outcome import first_outcome
from solrbench.decide.solr_views import Replica


def check_created(wanted: Collection, found: Sequence[Replica], nodes: int) -> None:
    """Check the replicas of a collection that was created a moment ago, on so many nodes.

    Raises:
        TemporaryError: if they are not those of the spec; Solr may still be creating them for an
            operator that is gone.

    """
    outcome = first_outcome(REPLICA_CHECKS, CollectionReplicas(wanted, tuple(found), nodes))
    apply_outcome(None if outcome is None else outcome.waiting())
