"""JSON with its schema, JUnit XML, CSV."""

import csv
import json
import xml.etree.ElementTree as ET
from pathlib import Path

import jsonschema
import pytest

from solrbench.api.v1alpha1 import Status
from solrbench.api.v1alpha1.findings import (
    InvalidReason,
    ObjectiveConclusion,
    ObjectiveResult,
    ObjectivesStatus,
    StepVerdict,
)
from solrbench.present.csv import windows_to_csv
from solrbench.present.files import histogram_log
from solrbench.present.junit import to_junit
from solrbench.present.report import Report, ReportFormatError
from support.results.reports import HOSTILE, SECONDS, make_report, with_status

SCHEMA = json.loads((Path(__file__).parents[3] / "docs/schemas/report-1.json").read_text("utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


@pytest.mark.slow
def test_published_schema_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("text", ["", HOSTILE])
def test_json_validates_and_is_read_back(text: str) -> None:
    report = make_report(text=text, variants=2)
    body = json.loads(report.to_json())
    assert list(VALIDATOR.iter_errors(body)) == []
    assert body["schemaVersion"] == 1
    assert Report.parse(report.to_json()) == report


def test_fields_of_later_versions_validate_and_are_ignored() -> None:
    body = json.loads(make_report().to_json())
    body |= {"new": 1}
    body["steps"][0]["new"] = {"a": 1}
    assert list(VALIDATOR.iter_errors(body)) == []
    assert Report.parse(json.dumps(body).encode()).benchmark == "team/one"


@pytest.mark.parametrize(
    "change", [{"schemaVersion": 2}, {"benchmark": 1}, {"steps": [{"id": "r1"}]}]
)
def test_what_is_no_report_is_refused_by_schema_and_reader(change: dict[str, object]) -> None:
    body = json.loads(make_report().to_json()) | change
    assert list(VALIDATOR.iter_errors(body)) != []
    with pytest.raises(ReportFormatError, match="not a report of version 1"):
        Report.parse(json.dumps(body).encode())


def cases(report: Report) -> dict[str, ET.Element]:
    root = ET.fromstring(to_junit(report.as_benchmark))
    (suite,) = root.findall("testsuite")
    found = {each.attrib["name"]: each for each in suite.findall("testcase")}
    failed = [each for each in found.values() if each.find("failure") is not None]
    assert suite.attrib["tests"] == root.attrib["tests"] == str(len(found))
    assert suite.attrib["failures"] == str(len(failed))
    return found


def test_junit_has_a_case_for_the_end_and_for_each_verdict() -> None:
    found = cases(make_report())
    assert list(found) == ["benchmark succeeds", "step-1 is Valid", "step-2 is Valid"]
    assert found["benchmark succeeds"].attrib == {
        "name": "benchmark succeeds",
        "classname": "team/one",
        "time": "540.0",
    }


def test_junit_fails_an_invalid_step_with_all_its_reasons() -> None:
    text = f"restarted \x00\x1b {HOSTILE}"
    reasons = [InvalidReason(reason=name, message=text) for name in ("PodRestarted", "ScheduleLag")]
    verdict = StepVerdict(step="step-1", variant="raw", verdict="Invalid", reasons=reasons)
    case = cases(with_status(make_report(), verdicts=[verdict]))["step-1 (raw) is Valid"]
    (failure,) = case.findall("failure")
    clean = f"restarted \ufffd\ufffd {HOSTILE}"
    assert failure.attrib == {"message": clean, "type": "PodRestarted"}
    assert failure.text == f"PodRestarted: {clean}\nScheduleLag: {clean}"


def test_junit_has_a_case_for_each_objective() -> None:
    results = [
        ObjectiveResult(
            name=name, step="step-1", conclusion=word, limit=200, unit="ms", message=text
        )
        for name, word, text in (
            ("fast", ObjectiveConclusion.MET, "p95 is 150 ms"),
            ("faster", ObjectiveConclusion.MISSED, "p95 is 300 ms"),
            ("perhaps", ObjectiveConclusion.INCONCLUSIVE, "p95 is 199 ms"),
        )
    ]
    objectives = ObjectivesStatus(conclusion=ObjectiveConclusion.MISSED, results=results)
    found = cases(with_status(make_report(), objectives=objectives))
    assert list(found["fast (step-1) is met"]) == []
    (failure,) = found["faster (step-1) is met"]
    assert (failure.tag, failure.attrib["message"]) == ("failure", "p95 is 300 ms")
    (skipped,) = found["perhaps (step-1) is met"]
    assert (skipped.tag, skipped.attrib["message"]) == ("skipped", "p95 is 199 ms")


@pytest.mark.parametrize(("phase", "child"), [("Failed", "error"), ("Measuring", "skipped")])
def test_junit_of_a_benchmark_without_success(phase: str, child: str) -> None:
    report = make_report().model_copy(update={"status": Status(phase=phase)})
    (case,) = cases(report).values()
    assert [each.tag for each in case] == [child]


def test_log_of_histograms_has_the_maximum_of_each_kind_of_times() -> None:
    step_run = make_report().steps[0]
    request = step_run.requests[0]
    planned = {
        "max_microseconds": 900,
        "response_time_histogram": request.service_time_histogram,
        "response_max_microseconds": 1700,
    }
    requests = [request.model_copy(update=planned)]
    log = histogram_log(step_run.model_copy(update={"requests": requests}))
    lines = [each.split(",") for each in log.splitlines() if each.startswith("Tag=")]
    tag = f"Tag={request.request}"
    assert [(each[0], each[3]) for each in lines] == [(tag, "900"), (f"{tag}-response", "1700")]


def test_csv_of_windows_has_every_second() -> None:
    report = make_report(variants=2)
    lines = list(csv.DictReader(windows_to_csv(report.steps).splitlines()))
    assert list(lines[0])[:6] == ["step", "variant", "repeat", "request", "second", "seconds"]
    assert list(lines[0])[6:] == ["requests", "failures", "mean_microseconds", "max_microseconds"]
    assert len(lines) == len(report.steps) * 2 * SECONDS
    assert {line["variant"] for line in lines} == {"v0", "v1"}
    requests = sum(int(line["requests"]) for line in lines)
    assert requests == sum(r.requests for each in report.steps for r in each.requests)
