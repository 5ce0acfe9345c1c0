"""The SolrCloud of a benchmark; its way to readiness is in the tests of its provisioner."""

from datetime import UTC, datetime

from solrbench.decide.checks.outcome import Action, first_outcome
from solrbench.decide.checks.targets.solr_operator import (
    OWNERSHIP_CHECKS,
    SolrCloudState,
    check_cloud_ready,
    check_reconciled,
)
from solrbench.decide.pods.problems import PodProblem
from solrbench.reasons.pod import PodReason
from support.resources.pod_views import pod_view
from support.resources.solr_clouds import CREATED, ready_cloud, ready_stateful_set

NOW = datetime.fromisoformat(CREATED).astimezone(UTC)
POD = pod_view("one-solr-0", NOW, phase="Pending", ready=False)


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


def test_pods_that_may_not_be_created() -> None:
    refused = PodProblem(PodReason.FAILED_CREATE, "exceeded quota")
    cloud = ready_cloud()
    cloud["status"]["readyReplicas"] = 0
    operated = check_cloud_ready(
        SolrCloudState(cloud, ready_stateful_set(), (), owner(), NOW, refused)
    )
    assert operated is not None
    assert operated.reason == "FailedCreate"
