"""Commands that take sweeps as well as benchmarks."""

import io
import json
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from solrbench.api.identity import BENCHMARKS, SWEEPS
from solrbench.api.rules import plain
from solrbench.api.v1alpha1.sweep import SolrBenchmarkSweep
from solrbench.cli import sweep_report
from solrbench.cli.errors import CommandError
from solrbench.cli.resources import parse_reference
from solrbench.cli.result_tables import print_sweep
from solrbench.present.sweeps.report import SweepReport
from solrbench.present.sweeps.results import build_sweep_report
from solrbench.sweep.plan import make_plan
from solrbench.sweep.validation import build_child
from support.cluster.benchmarks import small
from support.resources.small_sweep import small_sweep
from support.results.sweep_reports import full_sweep
from support.servers.api_stub import ApiStub, status
from unit.cli.conftest import assert_one_line, call, exported, seen, terminal, written

PATH = "/apis/solrbench.io/v1alpha1/namespaces/default/solrbenchmarksweeps/trial"


@pytest.fixture
def sweep(api: ApiStub) -> dict[str, Any]:
    """Return a finished sweep of the cluster, whose points have benchmarks."""
    found = full_sweep()
    body = plain(found)
    body["metadata"] |= {"uid": "u-1", "creationTimestamp": "2026-11-20T09:00:00Z"}
    for planned in make_plan(found).points:
        api.put(build_child(found, planned.point))
    return api.put(body)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("one", (None, "one")),
        ("ssweep/one", (SWEEPS, "one")),
        ("solrbenchmarksweep.solrbench.io/one", (SWEEPS, "one")),
        ("sbench/one", (BENCHMARKS, "one")),
        ("SolrBenchmarks/one", (BENCHMARKS, "one")),
    ],
)
def test_names_may_have_their_kind_before_them(text: str, expected: object) -> None:
    assert parse_reference(text) == expected


@pytest.mark.parametrize("text", ["pod/one", "ssweep/"])
def test_other_kinds_are_refused(text: str) -> None:
    with pytest.raises(CommandError, match="must be NAME, sbench/NAME or ssweep/NAME"):
        parse_reference(text)


def test_the_answers_of_a_baseline_are_read_once(
    api: ApiStub, sweep: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    report = build_sweep_report(SolrBenchmarkSweep.parse(sweep), {}, None)
    assert report.baseline is not None
    base = report.baseline.benchmark
    label, *others = report.labels
    compared = [{"candidate": each, "baseline": label} for each in others]
    api.put(sweep | {"status": sweep["status"] | {"answerComparisons": compared}})
    asked: list[str] = []

    def read(_cluster: object, namespace: str, name: str) -> None:
        assert namespace == "default"
        asked.append(name)

    monkeypatch.setattr(sweep_report, "read_answers", read)
    shown = json.loads(call("report", "ssweep/trial", "-o", "json", code=0).stdout)
    assert [each["candidate"] for each in shown["answers"]] == others
    assert {each["baseline"] for each in shown["answers"]} == {label}
    assert len(others) > 1
    assert asked[0] == report.labels[label] == base
    assert asked[1:] == [report.labels[each] for each in others]


@pytest.mark.usefixtures("sweep")
def test_list_shows_sweeps_below_benchmarks(api: ApiStub) -> None:
    lines = call("list").stdout.splitlines()
    head = lines.index("") + 1
    assert lines[head].split()[:3] == ["SWEEP", "PHASE", "POINTS"]
    assert lines[head + 1].split()[:5] == ["trial", "Failed", "6/6", "1", "1"]
    names = call("list", "--kind", "sweep", "-o", "name").stdout
    assert names == "solrbenchmarksweep.solrbench.io/trial\n"


def test_list_aligns_wide_characters_and_prints_no_others(
    api: ApiStub, sweep: dict[str, Any]
) -> None:
    for name, values in (("wide", "heap \N{CJK UNIFIED IDEOGRAPH-5927}"), ("sly", "\x1b[2Jx\n")):
        best = sweep["status"]["best"][0] | {"values": values}
        metadata = sweep["metadata"] | {"name": name}
        api.put(sweep | {"metadata": metadata, "status": sweep["status"] | {"best": [best]}})
    head, *lines = call("list", "--kind", "sweep").stdout.splitlines()
    assert len(lines) == 3
    assert not any("\x1b" in line for line in lines)
    ends = {cell_len(line[: line.index("/s")]) for line in lines}
    assert len(ends) == 1, head


def test_list_without_the_kind_of_sweeps_shows_benchmarks(api: ApiStub) -> None:
    api.put(small("one"))
    api.groups["/apis/solrbench.io/v1alpha1"] = ("SolrBenchmark",)
    assert call("list").stdout.splitlines()[1].startswith("one")


def test_role_without_sweeps_still_lists_benchmarks(api: ApiStub) -> None:
    api.put(small("one"))
    api.responses[PATH.removesuffix("/trial")] = status(403, "sweeps are forbidden")
    assert call("list").stdout.splitlines()[1].startswith("one")
    assert call("stop", "one").exit_code == 0
    result = call("list", "--kind", "sweep")
    assert "not allowed: listing SolrBenchmarkSweep: sweeps are forbidden" in result.stderr


@pytest.mark.usefixtures("sweep")
@pytest.mark.parametrize(
    ("form", "begins"),
    [
        ("table", "\ndefault/trial: Failed"),
        ("markdown", "# default/trial"),
        ("csv", "point,benchmark,axis_heap,axis_nodes"),
        ("html", "<!doctype html>"),
        ("junit", "<testsuites"),
    ],
)
def test_report_of_a_sweep_has_each_form(form: str, begins: str) -> None:
    result = call("report", "ssweep/trial", "-o", form, code=0)
    assert result.stdout.startswith(begins)


@pytest.mark.usefixtures("sweep")
def test_summary_of_a_sweep_fits_a_terminal_and_details_have_the_rest() -> None:
    short = call("report", "ssweep/trial").stdout.splitlines()
    assert short[1:3] == [
        "default/trial: Failed. 4 of 6 points are Valid.",
        "Best point: heap 1Gi, nodes 2/2.",
    ]
    row = next(line.split() for line in short if line.split()[:3] == ["1Gi", "1/1", "Valid"])
    assert "ms" in row  # the p95, which is the objective
    assert "512mi-2-2-qme3rbp: PodsPending" in short
    in_full = call("report", "ssweep/trial", "--details").stdout.splitlines()
    assert len(in_full) > len(short)
    assert any(line.startswith("  design: Full") for line in in_full)


def test_summary_of_a_sweep_has_at_most_25_lines() -> None:
    sweep = full_sweep()
    followed = SweepReport(sweep=sweep.key, spec=sweep.spec, status=sweep.status)
    for report in (build_sweep_report(sweep, {}), followed):
        console = terminal(100)
        print_sweep(console, report, in_full=False)
        assert isinstance(console.file, io.StringIO)
        lines = console.file.getvalue().splitlines()
        assert len(lines) <= 25
        # The name of the program is that of the tests here.
        assert all(len(line) <= 100 for line in lines if " report -n " not in line)


@pytest.mark.parametrize("in_full", [True, False])
def test_report_of_a_sweep_that_was_refused_says_why(in_full: bool) -> None:
    template = {"spec.comparison": {"smallestEffectPercent": "much"}}
    text = "every point: spec.comparison.smallestEffectPercent: must be a number"
    end = {"type": "Succeeded", "status": "Unknown", "reason": "InvalidPoints", "message": text}
    condition = end | {"lastTransitionTime": "2026-11-20T09:00:00Z"}
    body = small_sweep(template=template) | {"status": {"conditions": [condition]}}
    console = terminal(100)
    report = build_sweep_report(SolrBenchmarkSweep.parse(body), {})
    print_sweep(console, report, in_full=in_full)
    assert text in " ".join(seen(console))


def test_each_part_of_a_narrow_table_says_which_point_a_row_is_of() -> None:
    sweep = full_sweep()
    console = terminal(60)
    print_sweep(console, build_sweep_report(sweep, {}), in_full=False)
    lines = seen(console)
    heads = [n for n, line in enumerate(lines) if line.startswith("heap ")]
    assert len(heads) > 1
    rows = [line.split()[:2] for n in heads for line in lines[n + 2 : n + 8]]
    assert {tuple(row) for row in rows[:6]} == {tuple(row) for row in rows[6:12]}


@pytest.mark.usefixtures("sweep")
def test_report_of_a_sweep_is_read_from_its_file(tmp_path: Path) -> None:
    file = tmp_path / "trial.json"
    assert call("report", "trial", "-o", "json", "--output-file", str(file)).exit_code == 0
    of_file, of_cluster = (call("report", each, "-o", "csv") for each in (str(file), "trial"))
    assert of_file.stdout == of_cluster.stdout
    text = file.read_text("utf-8").replace('"default/trial"', r'"default/a\u001bb"')
    file.write_text(text, "utf-8")
    assert call("report", str(file)).stdout.endswith("--output-file 'a b.html'\n")
    ET.fromstring(call("report", str(file), "-o", "junit").stdout)


@pytest.mark.usefixtures("sweep")
def test_forms_that_a_sweep_lacks_are_named() -> None:
    assert_one_line(call("report", "trial", "-o", "evidence"), 1, "a sweep has no evidence")


@pytest.mark.usefixtures("sweep")
def test_watch_of_a_failed_sweep_prints_answers_and_fails() -> None:
    result = call("watch", "ssweep/trial", code=1)
    assert "heap 1Gi: the p95 is 20 % lower than with 512Mi" in result.stdout
    assert "Best point: heap 1Gi, nodes 2/2." in result.stdout


def test_watch_of_a_sweep_that_runs_ends_with_the_time(api: ApiStub) -> None:
    status = {"counts": {"text": "1/4"}, "estimate": {"remainingSeconds": 540}}
    api.put(small_sweep() | {"status": {"phase": "Running", **status}})
    result = call("watch", "trial", "--timeout", "300ms", "--cancel-on-timeout", code=3)
    assert "1/4 points, at least 9 min left" in result.stdout
    assert "solrbench resume -n default ssweep/trial" in result.stderr
    assert api.objects[PATH]["spec"]["suspend"] is True


@pytest.mark.usefixtures("sweep")
def test_logs_of_a_sweep_that_is_over_name_where_its_benchmarks_are() -> None:
    words = "`solrbench list -n default -l solrbench.io/sweep=trial`, `report NAME -o evidence`"
    assert_one_line(call("logs", "trial"), 1, words)


@pytest.mark.usefixtures("sweep")
def test_stop_resume_and_delete_take_sweeps(api: ApiStub) -> None:
    assert call("stop", "ssweep/trial").exit_code == 0
    assert api.objects[PATH]["spec"]["suspend"] is True
    assert call("resume", "trial").exit_code == 0
    assert api.objects[PATH]["spec"]["suspend"] is False
    assert "trial deleted" in call("delete", "--yes", "ssweep/trial").stdout
    assert PATH not in api.objects


def test_absent_sweep_is_named_as_such(api: ApiStub) -> None:
    named = "there is no SolrBenchmarkSweep gone in namespace default"
    assert_one_line(call("stop", "ssweep/gone"), 1, named)
    bare = "there is no SolrBenchmark or SolrBenchmarkSweep gone"
    assert_one_line(call("report", "gone"), 1, bare)


@pytest.mark.usefixtures("sweep")
def test_export_has_the_sweep_and_its_points(tmp_path: Path) -> None:
    names = exported("ssweep/trial", tmp_path).keys()
    assert {"trial/report.json", "trial/report.md", "trial/points.csv"} <= names
    assert sum(name.endswith("/again.yaml") for name in names) == 1 + 6


def test_plan_and_preflight_take_the_largest_point(api: ApiStub, tmp_path: Path) -> None:
    file = written(tmp_path, small_sweep())
    result = call("plan", "-f", file, "--offline")
    assert "trial: 4 points" in result.stdout
    assert "the largest requests 0.35 cores and 3.31 GiB" in result.stdout
    found = json.loads(call("preflight", "-f", file, "-o", "json").stdout)
    assert any("room" in each["message"] for each in found)


def test_run_names_all_faults_of_sweeps_and_benchmarks(api: ApiStub, tmp_path: Path) -> None:
    sweep = small_sweep({"spec.axes[0].values": ["a lot"]})
    result = call("run", "-f", written(tmp_path, sweep, small("one", load__step=[])), code=1)
    for name in ("SolrBenchmarkSweep trial", "SolrBenchmark one"):
        assert f"{name} is not valid" in result.stderr
    assert PATH not in api.objects
