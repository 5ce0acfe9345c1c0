"""The provisioners by the value of `provisioner` that selects them."""

from collections.abc import Mapping
from typing import Protocol

from solrbench.api.v1alpha1.target.solr_cloud import Provisioner
from solrbench.controller.context import ReconcileContext
from solrbench.controller.provisioners import solr_operator, stateful_set


class TargetProvisioner(Protocol):
    """One way to pods of Solr and ZooKeeper.

    Addresses and state path are in `plan.solr_addresses`, the kinds of the objects, for their
    deletion, in `controller.children`.
    """

    def ensure_ready(self, context: ReconcileContext) -> None:
        """Make ZooKeeper and the Solr nodes, and wait until all of them are ready.

        Raises:
            TemporaryError: until then.
            PermanentError: if they can never be.

        """


PROVISIONERS: Mapping[Provisioner, TargetProvisioner] = {
    Provisioner.SOLR_OPERATOR: solr_operator,
    Provisioner.STATEFUL_SET: stateful_set,
}
