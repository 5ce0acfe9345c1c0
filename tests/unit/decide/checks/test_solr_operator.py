"""The SolrCloud of a benchmark; its way to readiness is in the tests of its provisioner."""

from solrbench.decide.checks.outcome import Action, first_outcome
from solrbench.decide.checks.solr_operator import (
    OWNERSHIP_CHECKS,
    SolrCloudState,
    check_cloud_ready,
    check_reconciled,
)
from support.resources.solr_clouds import ready_cloud, ready_stateful_set
from unit.decide.checks.test_provisioning import NOW, POD


def owner() -> str:
    return str(ready_cloud()["metadata"]["ownerReferences"][0]["uid"])


def test_cloud_of_the_benchmark_that_is_ready() -> None:
    state = SolrCloudState(ready_cloud(), ready_stateful_set(), (POD,), owner(), NOW)
    assert first_outcome(OWNERSHIP_CHECKS, state) is None
    assert first_outcome((check_reconciled, check_cloud_ready), state) is None


def test_cloud_of_another_owner_ends_the_benchmark() -> None:
    state = SolrCloudState(ready_cloud(), None, (), "another", NOW)
    outcome = first_outcome(OWNERSHIP_CHECKS, state)
    assert outcome is not None
    assert (outcome.reason, outcome.action) == ("SolrCloudNameTaken", Action.FAIL)
