"""`solrbench report`: what was kept of failures, every form, the terminal at every width."""

import gzip
import io
import json
import re
from functools import partial
from pathlib import Path

import pytest
from rich.console import Console

from solrbench.api.rules import plain
from solrbench.cli import report
from solrbench.cli.result_tables import MIN_POINTS, POINTS, print_details, time_table
from solrbench.contract.step_document import WholeDocument
from solrbench.kube.facts import store_diagnostics
from support.fakes.fake_cluster import FakeCluster
from support.resources.objects import stored
from support.results.reports import HOSTILE, make_report
from unit.cli.conftest import assert_one_line, call, seen, terminal


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> FakeCluster:
    body = plain(stored())
    del body["metadata"]["resourceVersion"]
    fake = FakeCluster(body)
    monkeypatch.setattr(report, "open_cluster", lambda *_: (fake, "search"))
    return fake


run = partial(call, "report")


def printed() -> str:
    return run("base", "-o", "evidence", code=0).output


def test_entries_are_printed_in_the_order_of_time(cluster: FakeCluster) -> None:
    for key, text in (("b.txt", "2026-01-01 first\n"), ("a.txt", "2026-01-02 second\n")):
        store_diagnostics(cluster, stored(), key, text)
    assert printed() == "=== b.txt\n2026-01-01 first\n\n=== a.txt\n2026-01-02 second\n"


def test_benchmark_without_failure_has_none(cluster: FakeCluster) -> None:
    assert "nothing was kept" in printed()


def test_evidence_of_a_deleted_benchmark_of_the_same_name_is_not_printed(
    cluster: FakeCluster,
) -> None:
    store_diagnostics(cluster, stored(), "a.txt", "2026-01-01 first\n")
    found = cluster.objects["ConfigMap", "search", "base-report-evidence"]
    found["metadata"]["ownerReferences"][0]["uid"] = "another"
    assert "nothing was kept" in printed()


STARTS = {
    "table": "\nteam/one: Succeeded",
    "html": "<!doctype html>",
    "markdown": "# team/one",
    "csv": "step,request,",
    "csv-windows": "step,variant,repeat,",
    "json": "{",
    "junit": "<testsuites",
    "evidence": "team/one: no pod was lost",
}


@pytest.fixture
def stored_report(tmp_path: Path) -> Path:
    path = tmp_path / "one.json"
    path.write_bytes(make_report().to_json())
    return path


@pytest.mark.slow
def test_every_form_is_written_from_a_file(stored_report: Path) -> None:
    assert set(STARTS) == set(report.FORMS)
    for form, start in STARTS.items():
        full = ("--details",) if form == "table" else ()  # a file has all of it
        found = run(str(stored_report), "-o", form, *full, code=0)
        assert found.output.lstrip("\n").startswith(start.lstrip("\n")), form
        path = stored_report.with_suffix(f".{form}")
        assert run(str(stored_report), "-o", form, "--output-file", str(path)).exit_code == 0
        assert path.read_text("utf-8") == found.output


def test_details_are_of_the_table_alone(stored_report: Path) -> None:
    for form in set(report.FORMS) - {"table"}:
        found = run(str(stored_report), "-o", form, "--details")
        assert (found.exit_code, "--details is for -o table" in found.output) == (2, True), form


def test_json_of_a_file_is_that_file(stored_report: Path) -> None:
    assert json.loads(run(str(stored_report), "-o", "json").output) == json.loads(
        stored_report.read_bytes()
    )


def test_a_report_that_newer_rules_would_refuse_is_read(stored_report: Path) -> None:
    body = json.loads(stored_report.read_bytes())
    body["spec"]["comparison"]["smallestEffectPercent"] = 0.05
    body["spec"]["collection"]["replicas"]["nrt"] = 100  # a rule of the whole spec
    stored_report.write_text(json.dumps(body))
    assert run(str(stored_report)).exit_code == 0


def test_next_commands_of_a_file_need_no_cluster(stored_report: Path) -> None:
    file = stored_report.rename(stored_report.with_name("one more.json"))
    *_, details, page = run(str(file)).output.splitlines()
    assert f"report '{file}' --details" in details
    assert page.endswith(f"report '{file}' -o html --output-file one.html")


def test_the_folder_of_an_export_is_read(
    stored_report: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed = stored_report.with_name("report.json.gz")
    packed.write_bytes(gzip.compress(stored_report.read_bytes()))
    assert run(str(packed), "-o", "csv").output.startswith(STARTS["csv"])
    stored_report.rename(stored_report.with_name("report.json"))
    monkeypatch.chdir(stored_report.parent)
    for folder in (f"{stored_report.parent}/", "."):
        assert run(folder, "-o", "csv").output.startswith(STARTS["csv"])
    packed.write_bytes(packed.read_bytes()[:-9])
    assert_one_line(run(str(packed)), 1, "end-of-stream marker")


def test_a_file_that_is_no_report_ends_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "other.json"
    path.write_text("{}")
    assert_one_line(run(str(path)), 1, "not a report of version 1: benchmark: ")


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_details_are_not_cut_at_any_width(width: int) -> None:
    steps = make_report(variants=2).steps
    console = terminal(width)
    print_details(console, steps)
    shown = "\n".join(seen(console))
    time = time_table(steps, MIN_POINTS if width < 60 else POINTS)
    cells = [cell for row in time.texts for cell in row[3:]]
    for text in ("0.833 %", "988 ms", "12 ms", " 3.5", *cells):
        assert text in shown
    assert "HTTP503" in shown
    assert "…" not in shown.replace(" … ", "")


def test_details_have_failures_time_and_slow_requests() -> None:
    out = io.StringIO()
    print_details(Console(file=out, width=120), make_report().steps)
    text = out.getvalue()
    assert "Failed requests by kind" in text
    assert text.count("no live servers") == 1
    assert re.search(r"step-1 +1 +[▁▂▃▄▅▆▇█]{12} +1\.88 ms", text), text
    assert "Slowest requests" in text


def test_hostile_text_is_no_markup_of_the_terminal() -> None:
    out = io.StringIO()
    print_details(Console(file=out, width=200), make_report(text="[bold]x[/bold]").steps)
    assert "HTTP503[bold]x[/bold]" in out.getvalue()
    assert HOSTILE not in out.getvalue()


@pytest.mark.parametrize("form", ["table", "html", "markdown", "csv-windows"])
def test_the_export_is_named_that_alone_has_series(tmp_path: Path, form: str) -> None:
    full, whole = make_report(), WholeDocument(location="s3://reports/one/", sha256="5" * 64)
    steps = [step.trim(whole) for step in full.steps]
    path = tmp_path / "one.json"
    path.write_bytes(full.model_copy(update={"steps": steps}).to_json())
    details = ("--details",) if form == "table" else ()
    found = run(str(path), "-o", form, *details)
    assert found.exit_code == (1 if form == "csv-windows" else 0), found.output
    assert "only in the export s3://reports/one/" in found.output
    assert "5" * 64 in found.output
