"""Whether a SolrCloud is ready, by its status and its StatefulSet together."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from solrbench.decide.pods import PodProblem
from solrbench.decide.solr_cloud import (
    LOCK,
    QUEUE,
    SolrCloudState,
    check_cloud_ready,
    check_reconciled,
    unmet_conditions,
)
from solrbench.errors import TemporaryError
from solrbench.reasons.target import PodReason
from support.resources.outcomes import assert_outcome
from support.resources.small_resource import change
from support.resources.solr_clouds import CREATED, ready_cloud, ready_stateful_set

NOW = datetime.fromisoformat(CREATED).astimezone(UTC)


def test_pods_that_may_not_be_created() -> None:
    refused = PodProblem(PodReason.FAILED_CREATE, "exceeded quota")
    cloud = ready_cloud()
    cloud["status"]["readyReplicas"] = 0
    state = SolrCloudState((), NOW, cloud, ready_stateful_set(), creation=refused)
    assert_outcome(check_cloud_ready(state), "FailedCreate", TemporaryError)


def test_a_ready_cloud_misses_nothing_and_an_empty_retry_queue_is_no_work() -> None:
    stateful_set = ready_stateful_set()
    assert unmet_conditions(ready_cloud(), stateful_set) == []
    stateful_set["metadata"]["annotations"][QUEUE] = "[]"
    assert unmet_conditions(ready_cloud(), stateful_set) == []


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("spec.replicas", 3, "2 of 3 Solr nodes exist"),
        ("status.replicas", 1, "1 of 2 Solr nodes exist"),
        ("status.readyReplicas", 1, "1 of 2 Solr nodes are ready"),
        ("status.upToDateNodes", 0, "0 of 2 Solr nodes are up to date"),
        ("status.targetVersion", "9.11", "version 9.11 is being rolled out"),
        ("status.solrNodes", [], "the status lists 0 of 2 Solr nodes"),
        ("status.solrNodes.1.ready", False, "base-solrcloud-1 is not ready"),
        ("status.solrNodes.0.specUpToDate", False, "base-solrcloud-0 runs an earlier spec"),
        ("status.solrNodes.0.scheduledForDeletion", True, "base-solrcloud-0 is about to be"),
        ("spec.solrImage.tag", "9.11", "has image solr:9.10.1, not solr:9.11"),
        ("spec.solrJavaMem", "-Xmx1g", "has heap -Xms512m -Xmx512m, not -Xmx1g"),
    ],
)
def test_what_the_cloud_lacks_is_said(path: str, value: Any, words: str) -> None:
    cloud = ready_cloud()
    change(cloud, path, value)
    assert any(words in each for each in unmet_conditions(cloud, ready_stateful_set()))


def test_status_older_than_the_stateful_set_is_not_ready() -> None:
    stateful_set = ready_stateful_set()
    stateful_set["metadata"]["generation"] = 2
    problems = unmet_conditions(ready_cloud(), stateful_set)
    assert problems == ["its StatefulSet has just been changed"]


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        (LOCK, '{"operation":"BalanceReplicas"}', "has locked it"),
        (QUEUE, '[{"operation":"BalanceReplicas"}]', "has queued a retry"),
        (QUEUE, "[{", "has queued a retry: [{"),
    ],
)
def test_work_of_the_solr_operator_under_way(key: str, value: str, words: str) -> None:
    stateful_set = ready_stateful_set()
    stateful_set["metadata"]["annotations"][key] = value
    (found,) = unmet_conditions(ready_cloud(), stateful_set)
    assert words in found


def test_a_stateful_set_without_the_container_of_solr() -> None:
    stateful_set = ready_stateful_set()
    change(stateful_set, "spec.template.spec.containers.0.name", "renamed")
    problems = unmet_conditions(ready_cloud(), stateful_set)
    assert problems == ["its StatefulSet has no container solrcloud-node"]


def test_a_cloud_without_status_and_one_without_a_stateful_set() -> None:
    cloud = ready_cloud()
    del cloud["status"]
    assert "0 of 2 Solr nodes are ready" in unmet_conditions(cloud, ready_stateful_set())
    assert unmet_conditions(ready_cloud(), None) == ["its StatefulSet is not created yet"]


@pytest.mark.parametrize(("seconds", "ignored"), [(59, False), (61, True)])
def test_cloud_without_status_is_unreconciled(seconds: int, ignored: bool) -> None:
    cloud = ready_cloud()
    del cloud["status"]
    now = NOW + timedelta(seconds=seconds)
    outcome = check_reconciled(SolrCloudState((), now, cloud, None))
    assert (outcome is not None) is ignored
    assert check_reconciled(SolrCloudState((), now, cloud, ready_stateful_set())) is None
    assert check_reconciled(SolrCloudState((), now, ready_cloud(), None)) is None
