"""The index Job, and the documents that Solr holds after it."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from solrbench.api.v1alpha1.status.target import DatasetStatus
from solrbench.decide.checks.indexing import (
    DOCUMENT_CHECKS,
    INDEX_RUN_CHECKS,
    IndexedDocuments,
    IndexRun,
    check_expected_known,
    count_deleted,
    count_documents,
)
from solrbench.decide.checks.outcome import Action, first_outcome
from solrbench.decide.pods.problems import PodProblem
from solrbench.decide.solr_views import ReplicaSize
from solrbench.decide.views import ContainerView, JobView, PodView
from solrbench.plan.index_plan import IndexProgress
from solrbench.reasons.pod import PodReason
from support.resources.pod_views import pod_view

NOW = datetime(2026, 1, 1, tzinfo=UTC)
JOB = JobView("one-index", 1, succeeded=False, failed=False, failure="", deleting=False)
DONE, FAILED = replace(JOB, succeeded=True), replace(JOB, failed=True, failure="too many retries")
POD = pod_view("one-index-0", NOW, component="index")
STUCK = replace(POD, phase="Pending", created=NOW - timedelta(minutes=5))


def run(job: JobView, *pods: PodView, progress: tuple[IndexProgress, ...] = ()) -> IndexRun:
    dataset = DatasetStatus(documents=7, documents_total=20)
    return IndexRun(job, pods, progress, dataset, NOW)


def ended(reason: str) -> PodView:
    container = ContainerView("index", ended_reason=reason, exit_code=1, termination_message="why")
    return replace(POD, phase="Failed", containers=(container,))


def report(reason: str, pod: int = 0) -> IndexProgress:
    return IndexProgress(pod=pod, reason=reason, message=f"{reason} of pod {pod}")


@pytest.mark.parametrize(
    ("given", "reason", "action", "text"),
    [
        (run(JOB, POD), "Indexing", Action.WAIT, "7 of 20 documents sent"),
        (run(JOB, STUCK), "PodNotStarting", Action.WAIT, "300 s"),
        (run(FAILED), "IndexJobFailed", Action.FAIL, "too many retries"),
        (run(FAILED, ended("Error")), "IndexPodFailed", Action.FAIL, "exit code 1; why"),
        (run(FAILED, ended("OOMKilled")), "OOMKilled", Action.FAIL, "one-index-0 ended"),
        (run(FAILED, ended("Completed")), "IndexJobFailed", Action.FAIL, ""),
        (
            run(
                FAILED,
                ended("Error"),
                progress=(report("Interrupted"), report("MalformedDocument", pod=1)),
            ),
            "MalformedDocument",
            Action.FAIL,
            "of pod 1",
        ),
        (run(FAILED, progress=(report("Interrupted"),)), "Interrupted", Action.FAIL, "of pod 0"),
        (run(FAILED, progress=(report("OfALaterVersion"),)), "IndexPodFailed", Action.FAIL, ""),
    ],
)
def test_state_of_the_index_job_decides_reason_and_action(
    given: IndexRun, reason: str, action: Action, text: str
) -> None:
    outcome = first_outcome(INDEX_RUN_CHECKS, given)
    assert outcome is not None
    assert (outcome.reason, outcome.action) == (reason, action)
    assert text in outcome.message


def test_index_pods_that_may_not_be_created() -> None:
    refused = PodProblem(PodReason.FAILED_CREATE, "exceeded quota")
    outcome = first_outcome(INDEX_RUN_CHECKS, replace(run(JOB), creation=refused))
    assert outcome is not None
    assert (outcome.reason, outcome.action) == ("FailedCreate", Action.WAIT)
    assert first_outcome(INDEX_RUN_CHECKS, replace(run(DONE), creation=refused)) is None


def test_job_that_succeeded_is_done_whatever_its_pods_look_like() -> None:
    assert first_outcome(INDEX_RUN_CHECKS, run(DONE, STUCK, ended("Error"))) is None


def core(shard: str, name: str, documents: int, size: int = 10) -> ReplicaSize:
    return ReplicaSize(shard, name, documents, size)


def test_documents_of_a_shard_count_once() -> None:
    found = (core("shard1", "a", 3), core("shard1", "b", 3), core("shard2", "c", 0))
    assert count_documents(found) == {"shard1": 3, "shard2": 0}


def test_deleted_documents_are_those_of_the_worst_replica_of_each_shard() -> None:
    replicas = [("shard1", "a", 4), ("shard1", "b", 9), ("shard2", "c", 1)]
    found = tuple(ReplicaSize(shard, name, 3, 10, deleted) for shard, name, deleted in replicas)
    assert count_deleted(found) == 10
    assert count_deleted((*found, core("shard2", "d", 3))) is None


@pytest.mark.parametrize("followers", [(0, 0), (3, 0), (0, 3), (2, 2)])
def test_followers_that_have_not_copied_everything_are_waited_for(
    followers: tuple[int, int],
) -> None:
    # The leader commits at once; TLOG and PULL replicas fetch later, each in its own time.
    found = [core("shard1", "leader", 3), core("shard2", "other", 5), core("shard2", "copy", 5)]
    found += [core("shard1", f"follower{i}", n) for i, n in enumerate(followers)]
    outcome = first_outcome(DOCUMENT_CHECKS, IndexedDocuments(tuple(found), 8, 8))
    assert outcome is not None
    assert (outcome.reason, outcome.action) == ("ReplicasDisagree", Action.WAIT)


def test_replicas_that_disagree_are_named() -> None:
    found = (core("shard1", "a", 3), core("shard1", "b", 2))
    outcome = first_outcome(DOCUMENT_CHECKS, IndexedDocuments(found, 3, 3))
    assert outcome is not None
    assert "documents of shard1 by replica" in outcome.message
    assert "'b': 2" in outcome.message


@pytest.mark.parametrize(("expected", "action"), [(8, None), (7, Action.FAIL), (9, Action.FAIL)])
def test_number_of_documents(expected: int, action: Action | None) -> None:
    found = (core("shard1", "a", 3), core("shard2", "b", 5), core("shard2", "c", 5))
    outcome = first_outcome(DOCUMENT_CHECKS, IndexedDocuments(found, 8, expected))
    assert (None if outcome is None else outcome.action) is action
    if outcome is not None:
        assert outcome.reason == "DocumentCountMismatch"
        assert f"has 8 documents, expected {expected} (8 were sent" in outcome.message


def test_number_to_expect_must_be_known() -> None:
    assert check_expected_known(0) is None
    outcome = check_expected_known(None)
    assert outcome is not None
    assert (outcome.reason, outcome.action) == ("DocumentsUnknown", Action.FAIL)


def test_files_without_any_document_are_named_as_such() -> None:
    outcome = check_expected_known(None, is_empty=True)
    assert outcome is not None
    assert (outcome.reason, outcome.action) == ("EmptyDataset", Action.FAIL)
