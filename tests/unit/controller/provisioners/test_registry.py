"""Which provisioner a benchmark gets, and whose nodes a new attempt replaces."""

import pytest

from solrbench.api.v1alpha1.target import Provisioner
from solrbench.controller.provisioners.provisioner import TargetProvisioner
from solrbench.controller.provisioners.registry import EXISTING, PROVISIONERS, provisioner_of
from support.controller.runs import reconcile_context
from support.resources.small_resource import SOLR, Changes, create, use
from support.solr.cloud import Cloud

SOLR_OPERATOR = PROVISIONERS[Provisioner.SOLR_OPERATOR]
STATEFUL_SET = PROVISIONERS[Provisioner.STATEFUL_SET]


@pytest.mark.parametrize(
    ("changes", "provisioner"),
    [
        (create(), EXISTING),
        (use(), EXISTING),
        ({f"{SOLR}.provisioner": "SolrOperator"}, SOLR_OPERATOR),
        ({f"{SOLR}.provisioner": "StatefulSet"}, STATEFUL_SET),
    ],
)
def test_spec_selects_the_provisioner(changes: Changes, provisioner: TargetProvisioner) -> None:
    assert provisioner_of(reconcile_context(Cloud(), changes)) is provisioner


def test_nodes_of_others_are_not_replaced() -> None:
    assert not EXISTING.fresh_nodes
    assert SOLR_OPERATOR.fresh_nodes
    assert STATEFUL_SET.fresh_nodes
