"""The export after the end: its Job is made once, checked, and made again after a change."""

from datetime import timedelta
from typing import Any

import pytest

from solrbench.api.v1alpha1 import Status
from solrbench.controller.context import ReconcileContext
from solrbench.controller.stages.cleanup import delete_expired
from solrbench.decide.export import needs_export
from solrbench.decide.pauses import needs_reconcile
from solrbench.decide.queue import view_entry
from solrbench.kube.connection import UnreachableError
from solrbench.kube.results import BenchmarkResultStore
from solrbench.reasons.end import ApiServerReason
from support.controller.exported_benchmark import CLAIM, Course
from support.controller.runs import NOW, SETTINGS
from support.fakes.fake_cluster import FakeCluster, no_fault, refusal
from support.narrowing import not_none
from support.resources.bad.exports import BUCKET

TO_BUCKET = {"s3": BUCKET}
OUTCOME = {"files": 9, "bytes": 1000, "sha256": "5" * 64, "removed": 2}


def write(course: Course) -> None:
    """Let the Job of an export be made, or be looked at, and come to its end."""
    course.reconcile()
    assert course.condition[:2] == ("Unknown", "Exporting")
    course.end(OUTCOME, "Complete")
    course.reconcile()


def test_the_job_is_made_once_and_its_outcome_recorded() -> None:
    course = Course(CLAIM)
    course.reconcile()
    write(course)
    status, reason, message = course.condition
    assert (status, reason) == ("True", "Exported")
    place = "pvc://reports/solrbench/search/base/20260101T000000Z-0b5b/"
    assert f"9 files, 1000 bytes in {place}" in message
    kept = not_none(course.status.export)
    assert (kept.files, kept.bytes, kept.sha256, kept.removed) == (9, 1000, "5" * 64, 2)
    assert kept.time == NOW
    before = len(course.fake.applied)
    course.reconcile()
    assert len(course.fake.applied) == before


def test_a_failure_is_named_and_final() -> None:
    course = Course(TO_BUCKET)
    course.reconcile()
    course.end({"reason": "BucketNotFound", "message": "no bucket reports; create it"}, "Failed")
    course.reconcile()
    assert course.condition == ("False", "BucketNotFound", "no bucket reports; create it")
    assert not needs_export(course.benchmark.spec, course.status)


def test_a_job_that_says_nothing_is_named_by_kubernetes() -> None:
    course = Course(TO_BUCKET)
    course.reconcile()
    course.end({}, "Failed")
    course.reconcile()
    assert course.condition[:2] == ("False", "ExportJobFailed")
    assert "too late" in course.condition[2]


def test_it_ends_by_its_deadline_without_a_controller_of_jobs() -> None:
    course = Course(CLAIM)
    course.reconcile()
    course.now = NOW + timedelta(seconds=900 + 61)
    course.reconcile()
    assert course.condition[:2] == ("False", "ExportJobFailed")
    assert "deadlineSeconds" in course.condition[2]


def test_the_time_to_live_waits_for_an_export_however_late() -> None:
    course = Course(CLAIM, {"spec.ttlSecondsAfterFinished": 60})
    course.now = NOW + timedelta(hours=2)  # no operator was there until now
    course.reconcile()
    assert course.condition[:2] == ("Unknown", "Exporting")
    assert not is_deleted(course)
    course.end(OUTCOME, "Complete")
    course.reconcile()
    assert is_deleted(course)


def is_deleted(course: Course) -> bool:
    """Delete it if its time to live is over; return whether that is so."""
    metadata = course.benchmark.metadata.model_dump(include={"name", "namespace", "uid"})
    cluster = FakeCluster({"kind": "SolrBenchmark", "metadata": metadata})
    benchmark = course.benchmark.model_copy(update={"status": course.status})
    store = BenchmarkResultStore(cluster)
    delete_expired(ReconcileContext(cluster, store, SETTINGS, benchmark, {}, course.now))
    return cluster.names("SolrBenchmark") == set()


def test_a_changed_spec_is_exported_again() -> None:
    course = Course(TO_BUCKET)
    course.reconcile()
    course.end({"reason": "BucketForbidden", "message": "no"}, "Failed")
    course.reconcile()
    course.change(CLAIM)
    course.reconcile()  # the Job of before goes
    assert ("Job", "search", "base-export") not in course.fake.objects
    write(course)
    assert course.condition[:2] == ("True", "Exported")


def test_an_export_that_is_removed_from_the_spec_ends_and_gives_up_its_place() -> None:
    course = Course(TO_BUCKET)
    course.reconcile()
    assert holds_place(course)
    course.change(None)
    course.fake.fault = refusal(UnreachableError(ApiServerReason.API_UNREACHABLE, "no"))
    with pytest.raises(UnreachableError):
        course.reconcile()
    assert needs_export(course.benchmark.spec, course.status)
    course.fake.fault = no_fault
    course.reconcile()
    assert not needs_export(course.benchmark.spec, course.status)
    assert course.condition[:2] == ("False", "ExportRemoved")
    assert course.fake.names("Job") == set()
    assert not holds_place(course)
    course.change(CLAIM)
    write(course)
    course.change(None)
    course.reconcile()
    assert course.condition[:2] == ("True", "Exported")


def holds_place(course: Course) -> bool:
    """Return whether a benchmark that is cleaned up keeps others in the queue waiting."""
    conditions = {"Succeeded": ("True", "Succeeded"), "CleanedUp": ("True", "CleanedUp")}
    conditions["Exported"] = course.condition[:2]
    stored = [
        {"type": type_, "status": status, "reason": reason}
        for type_, (status, reason) in conditions.items()
    ]
    status = {"startTime": NOW.isoformat(), "conditions": stored}
    return view_entry({"metadata": {"name": "base"}, "status": status}).running


def test_a_host_that_is_not_allowed_gets_no_job() -> None:
    course = Course(TO_BUCKET)
    course.reconcile(export_hosts=("*.svc",))
    assert course.condition[:2] == ("False", "HostNotAllowed")
    assert "exports.allowedHosts" in course.condition[2]
    assert course.fake.applied == []


def test_a_benchmark_without_results_has_no_export() -> None:
    course = Course(CLAIM)
    course.status = Status(start_time=NOW, completion_time=NOW)
    course.reconcile()
    assert (course.fake.applied, course.status.export) == ([], None)


@pytest.mark.parametrize(
    ("export", "conditions", "needed"),
    [
        (CLAIM, [], True),
        (CLAIM, [{"type": "Exported", "status": "Unknown", "observedGeneration": 3}], True),
        (CLAIM, [{"type": "Exported", "status": "True", "observedGeneration": 2}], True),
        (CLAIM, [{"type": "Exported", "status": "False", "observedGeneration": 3}], False),
        (None, [{"type": "Exported", "status": "Unknown", "observedGeneration": 3}], True),
        (None, [{"type": "Exported", "status": "True", "observedGeneration": 2}], False),
    ],
)
def test_it_is_looked_at_until_it_speaks_of_the_present_spec(
    export: dict[str, Any] | None, conditions: list[dict[str, Any]], needed: bool
) -> None:
    over = [{"type": "CleanedUp", "status": "True"}]
    body = {
        "metadata": {"generation": 3},
        "spec": {"results": {"export": export}},
        "status": {"conditions": [*over, *conditions]},
    }
    assert needs_reconcile(body) == needed
