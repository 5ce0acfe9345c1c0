"""The export pod with a volume: a folder that is mounted."""

import gzip
import json
import os
from pathlib import Path

import obstore
import pytest

from solrbench.api.rules import Rule
from solrbench.api.v1alpha1.results import Export
from solrbench.contract.pod_plans import RESOURCE_KEY
from solrbench.export import command
from solrbench.present.files import report_files
from solrbench.present.report import Report
from support.resources.exports import FOLDER, ExportPod, export_pod, volume


@pytest.fixture
def pod(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ExportPod:
    def files(report: Report) -> list[tuple[str, bytes]]:
        return [("report.json", report.to_json()), ("SHA256SUMS", b"sums")]

    monkeypatch.setattr(command, "report_files", files)
    return export_pod(tmp_path, "user", "secret")


def test_files_are_in_the_folder_of_the_benchmark(pod: ExportPod) -> None:
    outcome = pod.run(volume())
    folder = pod.volume / "kept/nightly/team/one" / FOLDER
    assert sorted(each.name for each in folder.iterdir()) == ["SHA256SUMS", "report.json"]
    assert Report.parse((folder / "report.json").read_bytes()) == pod.report
    assert (outcome.files, outcome.reason) == (2, None)


def test_older_exports_go_with_their_folders(pod: ExportPod) -> None:
    names = [f"2026050{day}T120000Z-aaaaaaaa" for day in (1, 2, 3)]
    for name in names:
        pod.run(volume(), folder=name)
    parent = pod.volume / "kept/nightly/team/one"
    (parent / "notes").mkdir()
    (parent / "notes/mine.txt").write_text("kept")
    assert pod.run(volume(keep=2)).removed == 2
    assert sorted(each.name for each in parent.iterdir()) == [names[2], FOLDER, "notes"]


@pytest.mark.parametrize(
    ("number", "reason", "code"),
    [(28, "VolumeFull", "3"), (30, "VolumeForbidden", "3"), (5, "ExportRefused", "1")],
)
def test_errors_of_the_volume_are_named(
    pod: ExportPod, monkeypatch: pytest.MonkeyPatch, number: int, reason: str, code: str
) -> None:
    def put(*_: object) -> None:
        raise OSError(f"Generic LocalFileSystem error: {os.strerror(number)} (os error {number})")

    monkeypatch.setattr(obstore, "put", put)
    outcome = pod.run(volume())
    assert (outcome.reason, pod.code.read_text()) == (reason, code)
    assert "claim reports" in str(outcome.message)


def test_a_file_that_changed_is_noticed(pod: ExportPod, monkeypatch: pytest.MonkeyPatch) -> None:
    put = obstore.put

    def damage(store: obstore.store.LocalStore, path: str, content: bytes) -> None:
        put(store, path, content[:-1])

    monkeypatch.setattr(obstore, "put", damage)
    assert pod.run(volume()).reason == "ExportDamaged"


@pytest.mark.parametrize("damage", ["missing", "changed"])
def test_results_that_cannot_be_read_are_said(pod: ExportPod, damage: str) -> None:
    file = next((pod.root / "results/steps").iterdir())
    file.unlink() if damage == "missing" else file.write_bytes(b"no gzip")
    assert pod.run(volume()).reason == "ExportPlanInvalid"


def test_a_benchmark_that_newer_rules_would_refuse_is_exported(
    pod: ExportPod, monkeypatch: pytest.MonkeyPatch
) -> None:
    export = volume()
    monkeypatch.setattr(Export, "rules", (Rule(cel="has(self.s3)", message="a newer rule"),))
    file = pod.root / "plan" / RESOURCE_KEY
    body = json.loads(gzip.decompress(file.read_bytes()))
    body["spec"]["collection"]["replicas"]["nrt"] = 100
    file.write_bytes(gzip.compress(json.dumps(body).encode()))
    assert pod.run(export).reason is None


def test_forms_of_a_report_and_their_sums(pod: ExportPod) -> None:
    files = dict(report_files(pod.report))
    assert {"report.html", "report.json", "report.md", "junit.xml", "results.csv"} < files.keys()
    sums = files.pop("SHA256SUMS").decode()
    assert [line.split("  ")[1] for line in sums.splitlines()] == list(files)
    log = files[f"histograms/{pod.report.steps[0].id}.hlog"].decode()
    assert "#[Histogram log format version 1.3]" in log
    request = pod.report.steps[0].requests[0]
    assert f",{request.service_time_histogram}\n" in log
