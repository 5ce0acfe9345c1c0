"""Markdown, CSV, JSON and JUnit of a sweep."""

import csv
import io
import json
import xml.etree.ElementTree as ET

import jsonschema
import pytest

from solrbench.report.json_schema import sweep_schema
from solrbench.report.model import ReportFormatError
from solrbench.report.sweep.csv import points_to_csv
from solrbench.report.sweep.junit import sweep_to_junit
from solrbench.report.sweep.markdown import sweep_to_markdown
from solrbench.report.sweep.model import SweepReport
from support.results.sweep_reports import PENDING, full_report, full_sweep


@pytest.fixture(scope="module")
def report() -> SweepReport:
    return full_report()


def test_markdown_begins_with_the_answers(report: SweepReport) -> None:
    text = sweep_to_markdown(report)
    titles = [line for line in text.splitlines() if line.startswith("#")]
    assert titles[:3] == ["# default/trial", "## Answers", "## Points"]
    assert "heap, p95 beside 512Mi: 1Gi Better (-20 %" in text
    assert "0 of 5 points meet all objectives" in text
    assert f"| PodsPending | {PENDING} |" in text


def test_csv_has_a_line_for_each_point_with_its_values(report: SweepReport) -> None:
    rows = list(csv.DictReader(io.StringIO(points_to_csv(report))))
    assert [(row["axis_heap"], row["axis_nodes"]) for row in rows[:3]] == [
        ("512Mi", "1/1"),
        ("512Mi", "2/2"),
        ("1Gi", "1/1"),
    ]
    assert [row["is_baseline"] for row in rows].count("true") == 1
    assert (rows[1]["state"], rows[1]["reason"], rows[1]["p95_milliseconds"]) == (
        "Failed",
        "PodsPending",
        "",
    )
    better = rows[2]
    assert (better["word"], better["difference_percent"]) == ("Better", "-20.0")
    assert (
        float(better["difference_lower_percent"]) < -20 < float(better["difference_upper_percent"])
    )


def test_json_is_read_again_and_fits_its_schema(report: SweepReport) -> None:
    text = report.to_json()
    jsonschema.validate(json.loads(text), sweep_schema())
    assert SweepReport.parse(text) == report


def test_report_of_a_benchmark_is_no_report_of_a_sweep() -> None:
    with pytest.raises(ReportFormatError, match="not a report of a sweep of version 1"):
        SweepReport.parse(b'{"benchmark": "a/b"}')


def test_junit_has_one_case_for_each_point(report: SweepReport) -> None:
    suite = ET.fromstring(sweep_to_junit(report)).find("testsuite")
    assert suite is not None
    counts = {name: suite.get(name) for name in ("tests", "failures", "errors", "skipped")}
    assert counts == {"tests": "6", "failures": "5", "errors": "1", "skipped": "0"}
    error = suite.find("testcase/error")
    assert error is not None
    assert PENDING in (error.get("message") or "")


def test_points_that_are_planned_are_skipped_cases() -> None:
    report = full_report()
    planned = report.points[0].result.model_copy(update={"state": "Planned"})
    point = report.points[0].model_copy(update={"result": planned})
    suite = ET.fromstring(sweep_to_junit(report.model_copy(update={"points": [point]})))
    assert suite.get("skipped", "0") == "1" or suite.find(".//skipped") is not None


def test_one_repeat_has_differences_without_intervals() -> None:
    found = full_report(repeats=1).points[2]
    assert found.difference_percent == -20
    assert found.difference_lower_percent is None


def test_sweep_before_its_first_point_has_a_report() -> None:
    sweep = full_sweep()
    empty = SweepReport(sweep=sweep.key, spec=sweep.spec, status=type(sweep.status)())
    assert "**Phase**: Pending" in sweep_to_markdown(empty)
    assert points_to_csv(empty).count("\n") == 1
