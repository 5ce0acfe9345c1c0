"""What is large leaves the cluster once an export has it, whatever the operator meets meanwhile."""

from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from functools import partial
from typing import Any

import pytest

from solrbench.analysis.baseline import benchmark_input, compare_candidate
from solrbench.analysis.samples import RunSamples
from solrbench.analysis.step_comparison import ComparisonSettings
from solrbench.analysis.verdict import evaluate_document
from solrbench.contract.server_document import DiagnosticFile
from solrbench.contract.step_document import StepRunResult, WholeDocument
from solrbench.contract.storage import to_chunks
from solrbench.controller.stages import export
from solrbench.decide.export import needs_export
from solrbench.errors import PermanentError
from solrbench.kube.result_documents import find_documents, list_chunks, sorted_documents
from solrbench.kube.results import BenchmarkResultStore
from solrbench.reasons.end import ApiServerReason
from support.controller.exported_benchmark import CLAIM, Course
from support.controller.runs import NOW
from support.fakes.fake_cluster import no_fault, refusal
from support.fakes.operator_driver import KilledError, kills_at
from support.narrowing import not_none
from support.results.reports import make_report

OUTCOME = {"files": 9, "bytes": 1000, "sha256": "5" * 64}
LOCATION = "pvc://reports/solrbench/search/base/20260101T000000Z-0b5b/"
WRITTEN = f"9 files, 1000 bytes in {LOCATION}"
WHOLE = WholeDocument(location=LOCATION, sha256="5" * 64)
FILE = DiagnosticFile.pack("threads-1-base-solr-0.txt", "a thread dump")
STEPS = [step.model_copy(update={"diagnostics": [FILE]}) for step in make_report().steps]
TRIMMED = [step.trim(WHOLE) for step in STEPS]
CLAIM_IN_FOLDER = {"persistentVolumeClaim": {"claimName": "reports", "path": "elsewhere"}}


@pytest.fixture(autouse=True)
def _small_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every benchmark be a large one, with documents of several chunks."""
    monkeypatch.setattr(export, "MAX_KEPT_BYTES", 0)
    monkeypatch.setattr("solrbench.kube.results.to_chunks", partial(to_chunks, max_bytes=2000))


def exported(outcome: dict[str, Any] = OUTCOME, steps: list[StepRunResult] = STEPS) -> Course:
    """Return a benchmark whose export Job has just ended."""
    course = Course(CLAIM)
    store(course, *steps)
    course.reconcile()
    course.end(outcome, "Complete")
    return course


def after_trimming() -> Course:
    """Return one whose results have left the cluster since."""
    course = exported()
    course.reconcile()
    course.reconcile()
    return course


def store(course: Course, *steps: StepRunResult) -> None:
    for step in steps:
        BenchmarkResultStore(course.fake).store(course.benchmark, step, 1)


def kept(course: Course) -> list[StepRunResult]:
    return sorted_documents(course.fake, course.benchmark)


def size(course: Course) -> int:
    return sum(chunk.size for chunk in list_chunks(course.fake, course.benchmark))


def test_series_and_files_go_after_the_status_has_the_export() -> None:
    course = exported()
    before = size(course)
    course.reconcile()
    assert course.condition[:2] == ("Unknown", "Exporting")
    stored = not_none(course.status.export)
    assert (stored.location, stored.sha256) == (LOCATION, "5" * 64)
    assert kept(course) == STEPS
    course.reconcile()
    only_there = f"{WRITTEN}; series over time and diagnostic files are only there"
    assert course.condition == ("True", "Exported", only_there)
    assert kept(course) == TRIMMED
    assert size(course) < before
    whole = [part for each in find_documents(course.fake, course.benchmark) for part in each.chunks]
    assert {each for each in course.fake.names("ConfigMap") if "-report-" in each} == set(whole)


def test_small_results_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    course = exported()
    monkeypatch.setattr(export, "MAX_KEPT_BYTES", size(course))
    course.reconcile()
    assert course.condition == ("True", "Exported", WRITTEN)
    assert kept(course) == STEPS


@pytest.mark.parametrize("outcome", [{}, {"files": 9}])
def test_results_stay_whose_digest_the_pod_did_not_say(outcome: dict[str, Any]) -> None:
    course = exported(outcome)
    course.reconcile()
    assert course.condition[0] == "True"
    assert kept(course) == STEPS


def test_a_result_that_the_export_has_not_read_stays() -> None:
    course = exported(steps=STEPS[:-1])
    store(course, STEPS[-1])
    course.reconcile()
    course.reconcile()
    assert course.condition[0] == "True"
    assert kept(course) == [*TRIMMED[:-1], STEPS[-1]]


@pytest.mark.parametrize("after", [False, True])
def test_a_kill_between_two_writes_loses_nothing(after: bool) -> None:
    reference = after_trimming()
    names, number, kills = reference.fake.names("ConfigMap"), 0, kills_at(set())
    while number <= kills.changes:
        number += 1
        course = exported()
        course.reconcile()
        kills = kills_at({number})
        kills.number = int(after)  # every second kill comes after the write
        course.fake.fault = kills
        with suppress(KilledError):
            course.reconcile()
        course.fake.fault = no_fault
        for there, whole, trimmed in zip(kept(course), STEPS, TRIMMED, strict=True):
            assert there in (whole, trimmed)
        course.reconcile()
        assert course.condition == reference.condition
        assert kept(course) == TRIMMED
        assert course.fake.names("ConfigMap") == names
    assert number > 2 * len(STEPS)


def test_many_results_are_trimmed_in_several_reconciles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export, "MAX_TRIMMED_AT_ONCE", len(STEPS) - 1)
    course = exported()
    course.reconcile()
    course.reconcile()
    assert course.condition[0] == "Unknown"
    assert "of 1 step runs leave" in course.condition[2]
    assert kept(course) == [*TRIMMED[:-1], STEPS[-1]]
    course.reconcile()
    assert course.condition[0] == "True"
    assert kept(course) == TRIMMED


def test_the_job_and_its_plan_are_needed_no_more_when_all_is_trimmed() -> None:
    course = after_trimming()
    for kind in ("Job", "ConfigMap"):
        del course.fake.objects[kind, "search", "base-export"]
    course.status = course.status.model_copy(update={"conditions": []})
    course.fake.requests.clear()
    course.reconcile()
    assert course.fake.asked == ["ConfigMap"]
    assert course.condition[0] == "True"
    assert kept(course) == TRIMMED
    assert ("Job", "search", "base-export") not in course.fake.objects


@pytest.mark.parametrize(
    ("changed", "expected"),
    [(CLAIM | {"keep": 3}, ("True", "Exported")), (CLAIM_IN_FOLDER, ("False", "ExportedBefore"))],
)
def test_an_export_that_alone_has_all_is_never_written_again(
    changed: dict[str, Any], expected: tuple[str, str]
) -> None:
    course = after_trimming()
    before = not_none(course.status.export)
    course.change(changed)
    course.reconcile(export_hosts=())
    assert course.condition[:2] == expected
    assert LOCATION in course.condition[2]
    after = not_none(course.status.export)
    assert after == before.model_copy(update={"spec_hash": after.spec_hash})
    assert not needs_export(course.benchmark.spec, course.status)
    course.change(CLAIM)
    course.reconcile()
    assert course.condition[:2] == ("True", "Exported")


def test_a_result_that_cannot_be_read_holds_no_place_for_long() -> None:
    course = exported()
    course.reconcile()
    (first, *_) = find_documents(course.fake, course.benchmark)
    body = course.fake.objects["ConfigMap", "search", first.chunks[0]]
    body["binaryData"] = {"document.json.gz": "eA=="}
    course.reconcile()
    assert course.condition[:2] == ("Unknown", "ReportDamaged")
    course.now = NOW + timedelta(minutes=5)
    course.reconcile()
    assert course.condition[:2] == ("True", "Exported")
    left = "the cluster keeps what could not be trimmed: ConfigMap base-report-"
    assert left in course.condition[2]


def test_a_refused_result_stays_and_the_export_is_one() -> None:
    course = exported()
    course.reconcile()
    error = PermanentError(ApiServerReason.MANIFEST_REJECTED, "too many ConfigMaps")
    course.fake.fault = refusal(error, ["apply"], ["ConfigMap"])
    course.reconcile()
    assert course.condition[:2] == ("True", "Exported")
    assert "too many ConfigMaps" in course.condition[2]
    assert not_none(course.status.export).sha256 == "5" * 64
    assert kept(course) == STEPS


def sample(step: StepRunResult) -> RunSamples:
    """Return what the operator compares of a step run, whose series it does not keep."""
    return evaluate_document(step, make_report().spec.load).samples


@pytest.mark.parametrize("read", [RunSamples, sample])
def test_trimmed_results_are_compared_as_whole_ones(
    read: Callable[[StepRunResult], RunSamples],
) -> None:
    benchmark = make_report().as_benchmark
    other = benchmark_input("other", benchmark, list(map(read, make_report().steps)))
    whole, trimmed = (
        benchmark_input("one", benchmark, list(map(read, e))) for e in (STEPS, TRIMMED)
    )
    settings = ComparisonSettings()
    found = compare_candidate(whole, other, settings)
    assert found.figures
    assert compare_candidate(trimmed, other, settings) == found
    assert compare_candidate(other, trimmed, settings) == compare_candidate(other, whole, settings)
