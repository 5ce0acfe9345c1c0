"""The index Job and the progress of its pods, and the documents that Solr holds after it."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.dataset import Dataset
from solrbench.api.v1alpha1.status import CleanedStatus, DatasetStatus, IndexedFile, IndexPodsStatus
from solrbench.contract.pod_plans import IndexProgress
from solrbench.decide.indexing import (
    INDEX_RUN_CHECKS,
    IndexRun,
    aggregate_progress,
    all_reported,
    check_documents,
    check_expected_known,
    check_pods_work,
    count_deleted,
    count_documents,
    keep_known_progress,
    known_documents,
)
from solrbench.decide.outcome import first_outcome
from solrbench.decide.pods import PodProblem
from solrbench.decide.views import ContainerView, JobView, PodView, ReplicaSize
from solrbench.errors import PermanentError, SolrbenchError, TemporaryError
from solrbench.reasons.target import PodReason
from support.narrowing import not_none
from support.resources.outcomes import assert_outcome
from support.resources.pod_views import pod_view
from support.resources.small_resource import resource

NOW = datetime(2026, 1, 1, tzinfo=UTC)
JOB = JobView("one-index", succeeded=False, failed=False, failure="", created=NOW)
DONE, FAILED = replace(JOB, succeeded=True), replace(JOB, failed=True, failure="too many retries")
POD = pod_view("one-index-0", NOW, component="index")
LATE = replace(POD, phase="Pending", created=NOW - timedelta(seconds=601))
STUCK = replace(POD, phase="Pending", created=NOW - timedelta(minutes=5))


def run(job: JobView, *pods: PodView, progress: tuple[IndexProgress, ...] = ()) -> IndexRun:
    dataset = DatasetStatus(documents=7, documents_total=20)
    return IndexRun(pods, NOW, job, progress, dataset, 600)


def ended(reason: str) -> PodView:
    container = ContainerView("index", ended_reason=reason, exit_code=1, termination_message="why")
    return replace(POD, phase="Failed", containers=(container,))


def report(reason: str, pod: int = 0) -> IndexProgress:
    return IndexProgress(pod=pod, reason=reason, message=f"{reason} of pod {pod}")


@pytest.mark.parametrize(
    ("given", "reason", "error", "text"),
    [
        (run(JOB, POD), "Indexing", TemporaryError, "7 of 20 documents sent"),
        (run(JOB, STUCK), "PodNotStarting", TemporaryError, "300 s"),
        (
            run(JOB, LATE),
            "DeadlineExceeded",
            PermanentError,
            "limit 600 s (spec.deadlines.starting",
        ),
        (run(FAILED), "IndexJobFailed", PermanentError, "too many retries"),
        (run(FAILED, ended("Error")), "IndexPodFailed", PermanentError, "exit code 1; why"),
        (run(FAILED, ended("OOMKilled")), "OOMKilled", PermanentError, "one-index-0 ended"),
        (run(FAILED, ended("Completed")), "IndexJobFailed", PermanentError, ""),
        (
            run(
                FAILED,
                ended("Error"),
                progress=(report("Interrupted"), report("MalformedDocument", pod=1)),
            ),
            "MalformedDocument",
            PermanentError,
            "of pod 1",
        ),
        (run(FAILED, progress=(report("Interrupted"),)), "Interrupted", PermanentError, "of pod 0"),
        (run(FAILED, progress=(report("OfALaterVersion"),)), "IndexPodFailed", PermanentError, ""),
    ],
)
def test_state_of_the_index_job_decides_reason_and_action(
    given: IndexRun, reason: str, error: type[SolrbenchError], text: str
) -> None:
    assert_outcome(first_outcome(INDEX_RUN_CHECKS, given), reason, error, text)


def test_index_pods_that_may_not_be_created() -> None:
    refused = PodProblem(PodReason.FAILED_CREATE, "exceeded quota")
    outcome = first_outcome(INDEX_RUN_CHECKS, replace(run(JOB), creation=refused))
    assert_outcome(outcome, "FailedCreate", TemporaryError)
    assert first_outcome(INDEX_RUN_CHECKS, replace(run(DONE), creation=refused)) is None
    late = replace(run(replace(JOB, created=LATE.created)), creation=refused)
    for sent, error in ((None, PermanentError), (7, TemporaryError)):  # 7: a pod has run before
        outcome = check_pods_work(replace(late, dataset=DatasetStatus(documents=sent)))
        assert not_none(outcome).error is error


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
def test_followers_that_have_not_copied_everything_are_waited_for_by_name(
    followers: tuple[int, int],
) -> None:
    # The leader commits at once; TLOG and PULL replicas fetch later, each in its own time.
    found = [core("shard1", "leader", 3), core("shard2", "other", 5), core("shard2", "copy", 5)]
    found += [core("shard1", f"follower{i}", n) for i, n in enumerate(followers)]
    outcome = check_documents(tuple(found), 8, 8)
    words = "documents of shard1 by replica", f"'follower1': {followers[1]}"
    assert_outcome(outcome, "ReplicasDisagree", TemporaryError, *words)


@pytest.mark.parametrize("expected", [7, 9])
def test_number_of_documents(expected: int) -> None:
    found = (core("shard1", "a", 3), core("shard2", "b", 5), core("shard2", "c", 5))
    assert check_documents(found, 8, 8) is None
    outcome = check_documents(found, 8, expected)
    words = f"has 8 documents, expected are {expected} (8 were sent"
    assert_outcome(outcome, "DocumentCountMismatch", PermanentError, words)


def test_number_to_expect_must_be_known_and_files_without_any_document_are_named_as_such() -> None:
    assert check_expected_known(0) is None
    assert_outcome(check_expected_known(None), "DocumentsUnknown", PermanentError)
    assert_outcome(check_expected_known(None, is_empty=True), "EmptyDataset", PermanentError)


TWO_PODS = {"spec.dataset.indexing": {"pods": 2}}
FILES: dict[str, Any] = {
    "spec.dataset": {"configMap": {"name": "a", "keys": ["a.json"]}},
    "spec.workload.queries": {"configMap": {"name": "a"}},
}


def dataset_of(changes: dict[str, Any]) -> Dataset:
    return not_none(SolrBenchmark.parse(resource(changes)).spec.dataset)


DATASET = dataset_of(TWO_PODS)


def pod(number: int, documents: int, **fields: Any) -> IndexProgress:
    given = {"bytes": documents * 10, "started": 100.0} | fields
    return IndexProgress(pod=number, documents=documents, **given)


def test_nothing_is_known_before_the_first_batch() -> None:
    empty = DatasetStatus(documents_total=1000)
    assert aggregate_progress(DATASET, [], 200.0) == empty
    assert aggregate_progress(DATASET, [IndexProgress(pod=0)], 200.0) == empty


def test_pods_are_added_up_until_now_while_one_runs() -> None:
    pods = [pod(0, 300, finished=110.0), pod(1, 100, started=105.0)]
    assert aggregate_progress(DATASET, pods, 120.0) == DatasetStatus(
        documents=400,
        documents_total=1000,
        bytes=4000,
        seconds=20.0,
        documents_per_second=20.0,
        bytes_per_second=200.0,
    )


def test_usage_of_pods_is_added_when_all_have_ended() -> None:
    used = {"seconds": 10.0, "cpu_seconds": 5.0, "throttled_percent": 2.0}
    first = pod(0, 300, finished=110.0, usage=used)
    second = pod(1, 100, finished=110.0, usage=used | {"seconds": 5.0, "throttled_percent": 30.0})
    assert aggregate_progress(DATASET, [first], 120.0).pods is None
    found = aggregate_progress(DATASET, [first, second], 120.0).pods
    assert found == IndexPodsStatus(cpu_cores=1.5, throttled_percent=30.0)
    # What a pod took to start that found no document is no part of the rest.
    idle = pod(2, 0, finished=110.0, usage={"seconds": 1.0, "cpu_seconds": 0.9})
    three = dataset_of({"spec.dataset.indexing": {"pods": 3}})
    assert aggregate_progress(three, [first, second, idle], 120.0).pods == found
    silent = [pod(number, 100, finished=110.0) for number in (0, 1)]
    assert aggregate_progress(DATASET, silent, 120.0).pods is None


def test_pods_are_described_with_nodes_and_files_when_all_have_ended() -> None:
    files = [IndexedFile(name=f"{n}.jsonl", documents=9, bytes=90, seconds=9 - n) for n in (0, 1)]
    cleaned = CleanedStatus(documents=2, control_characters=3)
    first = pod(0, 300, finished=110.0, files=2, slowest_files=files, cleaned=cleaned)
    second = pod(1, 0, started=None, finished=110.0, cleaned=cleaned)
    assert aggregate_progress(DATASET, [first], 120.0, {0: "a"}).by_pod == []
    found = aggregate_progress(DATASET, [second, first], 120.0, {0: "a"})
    pods = [(e.pod, e.node, e.documents, e.seconds, e.files) for e in found.by_pod]
    assert pods == [(0, "a", 300, 10.0, 2), (1, None, 0, None, None)]
    assert found.by_pod[0].slowest_files == files
    assert found.cleaned == CleanedStatus(documents=4, control_characters=6)


def test_files_of_many_pods_are_bounded() -> None:
    many = dataset_of({"spec.dataset.indexing": {"pods": 64}})
    files = [IndexedFile(name=f"{n}", seconds=9) for n in range(16)]
    pods = [pod(n, 1, finished=110.0, files=16, slowest_files=files) for n in range(64)]
    found = aggregate_progress(many, pods, 120.0)
    assert [len(each.slowest_files) for each in found.by_pod] == [1] * 64
    assert len(found.model_dump_json()) < 20_000


def test_time_ends_with_the_last_pod_and_one_that_has_not_reported_yet_still_runs() -> None:
    first = pod(0, 300, finished=110.0)
    assert aggregate_progress(DATASET, [first], 130.0).seconds == 30.0
    found = aggregate_progress(DATASET, [first, pod(1, 700, finished=125.0)], 999.0)
    assert (found.seconds, found.documents_per_second) == (25.0, 40.0)
    # One that had no document of its own ends when it was scheduled at last.
    idle = pod(1, 0, started=None, finished=170.0)
    assert aggregate_progress(DATASET, [first, idle], 999.0).seconds == 10.0


@pytest.mark.parametrize(
    ("first", "second", "documents"),
    [
        (pod(0, 500, finished=110.0, reason="Broken"), pod(0, 200), 500),
        (pod(0, 500, finished=110.0, reason="Broken"), pod(0, 400, finished=120.0), 400),
        (pod(0, 200), pod(0, 500), 500),
    ],
)
def test_of_each_pod_the_report_that_is_furthest_counts(
    first: IndexProgress, second: IndexProgress, documents: int
) -> None:
    for reports in ([first, second], [second, first]):
        assert aggregate_progress(DATASET, reports, 200.0).documents == documents


def test_no_time_is_no_division_by_zero() -> None:
    found = aggregate_progress(DATASET, [pod(0, 1, finished=100.0)], 100.0)
    assert found.documents_per_second == 1000.0


@pytest.mark.parametrize(
    ("changes", "total"),
    [
        ({"spec.dataset.generator.documents": 7}, 7),
        (FILES, None),
        (FILES | {"spec.dataset.expectedDocuments": 9}, 9),
    ],
)
def test_total_is_what_the_spec_says(changes: dict[str, Any], total: int | None) -> None:
    assert aggregate_progress(dataset_of(changes), [pod(0, 1)], 200.0).documents_total == total


def test_progress_does_not_go_back_when_pods_are_gone() -> None:
    known, less = DatasetStatus(documents=9, seconds=1.0), DatasetStatus(documents=5)
    assert keep_known_progress(known, less) == known
    assert keep_known_progress(known, DatasetStatus()) == known
    assert keep_known_progress(less, known) == known


def test_every_pod_must_have_left_its_report() -> None:
    ended, failed = pod(0, 1, finished=1.0), pod(1, 1, finished=1.0, reason="Interrupted")
    assert not all_reported(DATASET, [ended, ended, failed, pod(1, 1)])
    assert all_reported(DATASET, [ended, failed, pod(1, 1, finished=2.0)])


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, 1000),
        ({"spec.dataset.firstDocuments": 300}, 300),
        (FILES, None),
        (FILES | {"spec.dataset.firstDocuments": 300}, 300),
        (FILES | {"spec.dataset.firstDocuments": 300, "spec.dataset.expectedDocuments": 290}, 290),
    ],
)
def test_first_documents_are_expected_in_the_index(
    changes: dict[str, Any], expected: int | None
) -> None:
    assert known_documents(dataset_of(changes)) == expected


def test_generated_requests_know_the_first_documents_only() -> None:
    generator = dataset_of({"spec.dataset.firstDocuments": 300}).indexed_generator
    assert not_none(generator).documents == 300
