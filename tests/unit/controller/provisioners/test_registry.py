"""Which provisioner a benchmark gets."""

import pytest

from solrbench.api.v1alpha1.target import Provisioner
from solrbench.controller.provisioners.provisioner import TargetProvisioner
from solrbench.controller.provisioners.registry import EXISTING, PROVISIONERS, provisioner_of
from support.controller.runs import reconcile_context
from support.resources.small_resource import SOLR, Changes, create, use
from support.solr.cloud import Cloud


@pytest.mark.parametrize(
    ("changes", "provisioner"),
    [
        (create(), EXISTING),
        (use(), EXISTING),
        ({f"{SOLR}.provisioner": "SolrOperator"}, PROVISIONERS[Provisioner.SOLR_OPERATOR]),
        ({f"{SOLR}.provisioner": "StatefulSet"}, PROVISIONERS[Provisioner.STATEFUL_SET]),
    ],
)
def test_spec_selects_the_provisioner(changes: Changes, provisioner: TargetProvisioner) -> None:
    assert provisioner_of(reconcile_context(Cloud(), changes)) is provisioner
