"""Progress of the index pods added up."""

from typing import Any

import pytest

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.dataset import Dataset
from solrbench.api.v1alpha1.status.target import DatasetStatus, IndexPodsStatus
from solrbench.decide.index_progress import (
    aggregate_progress,
    all_reported,
    keep_known_progress,
    known_documents,
)
from solrbench.plan.index_plan import IndexProgress
from support.resources.small_resource import resource

TWO_PODS = {"spec.dataset.indexing": {"pods": 2}}
FILES: dict[str, Any] = {
    "spec.dataset": {"configMap": {"name": "a", "keys": ["a.json"]}},
    "spec.workload.queries": {"configMap": {"name": "a"}},
}


def dataset_of(changes: dict[str, Any]) -> Dataset:
    dataset = SolrBenchmark.parse(resource(changes)).spec.dataset
    assert dataset is not None
    return dataset


DATASET = dataset_of(TWO_PODS)


def pod(number: int, documents: int, **fields: Any) -> IndexProgress:
    given = {"bytes": documents * 10, "started": 100.0} | fields
    return IndexProgress(pod=number, documents=documents, **given)


def test_nothing_is_known_before_the_first_batch() -> None:
    empty = DatasetStatus(documents_total=1000)
    assert aggregate_progress(DATASET, [], 200.0) == empty
    assert aggregate_progress(DATASET, [IndexProgress(pod=0)], 200.0) == empty


def test_pods_are_added_up_until_now_while_one_runs() -> None:
    found = aggregate_progress(
        DATASET, [pod(0, 300, finished=110.0), pod(1, 100, started=105.0)], 120.0
    )
    assert found == DatasetStatus(
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
    silent = [pod(number, 100, finished=110.0) for number in (0, 1)]
    assert aggregate_progress(DATASET, silent, 120.0).pods is None


def test_a_pod_that_has_not_reported_yet_still_runs() -> None:
    found = aggregate_progress(DATASET, [pod(0, 300, finished=110.0)], 130.0)
    assert found.seconds == 30.0


def test_time_ends_with_the_last_pod() -> None:
    found = aggregate_progress(
        DATASET, [pod(0, 300, finished=110.0), pod(1, 700, finished=125.0)], 999.0
    )
    assert found.seconds == 25.0
    assert found.documents_per_second == 40.0


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
    assert generator is not None
    assert generator.documents == 300
