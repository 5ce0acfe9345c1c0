"""The provisioners by what selects them."""

from collections.abc import Mapping

from solrbench.api.v1alpha1.target import Provisioner
from solrbench.controller.context import ReconcileContext
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
