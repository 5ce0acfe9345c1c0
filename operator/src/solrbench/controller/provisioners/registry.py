"""The provisioners by what selects them, and the kinds that they own together."""

from collections.abc import Mapping

from solrbench.api.v1alpha1.target import Provisioner
from solrbench.controller.context import ReconcileContext
from solrbench.controller.owned_objects import OwnedKind
from solrbench.controller.provisioners.existing import ExistingTarget
from solrbench.controller.provisioners.provisioner import TargetProvisioner
from solrbench.controller.provisioners.solr_operator import SolrOperatorTarget, StatefulSetTarget

PROVISIONERS: Mapping[Provisioner, TargetProvisioner] = {
    Provisioner.SOLR_OPERATOR: SolrOperatorTarget(),
    Provisioner.STATEFUL_SET: StatefulSetTarget(),
}
"""Those of `spec.target.solrCloud`, by the value of `provisioner`."""

EXISTING: TargetProvisioner = ExistingTarget()
"""That of `spec.target.existing`."""


def provisioner_of(context: ReconcileContext) -> TargetProvisioner:
    """Return the provisioner that the spec selects."""
    if context.existing is not None:
        return EXISTING
    return PROVISIONERS[context.solr_cloud.provisioner]


def target_kinds() -> tuple[OwnedKind, ...]:
    """Return the kinds that any target may own, those of other operators first.

    A deleted benchmark is known by its name alone, not by its provisioner.
    """
    every = (EXISTING, *PROVISIONERS.values())
    kinds = dict.fromkeys(kind for provisioner in every for kind in provisioner.owned_kinds)
    return tuple(sorted(kinds, key=lambda kind: kind.not_removed is None))
