"""Markdown, CSV, JSON, JUnit and the HTML page of a sweep."""

import csv
import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from typing import Any

import jsonschema
import pytest

from hack.generate.json_schema import report_schema
from solrbench.api.v1alpha1.findings import (
    Bottleneck,
    InvalidReason,
    ObjectiveConclusion,
    ObjectiveResult,
    StepVerdict,
)
from solrbench.api.v1alpha1.sweep_objective import Metric
from solrbench.present.csv import points_to_csv
from solrbench.present.html import render_sweep_html
from solrbench.present.junit import sweep_to_junit
from solrbench.present.markdown import sweep_to_markdown
from solrbench.present.page import build_sweep_page
from solrbench.present.report import ReportFormatError
from solrbench.present.sweeps.difference_figures import MAX_DRAWN_POINTS, difference_figure
from solrbench.present.sweeps.figures import axis_figures, heat_maps, repeat_interval
from solrbench.present.sweeps.report import RoundReport, SweepReport
from solrbench.present.sweeps.results import build_sweep_report
from solrbench.present.sweeps.tables import bottlenecks_table, objectives_sentence, sweep_facts
from solrbench.sweep.objective_figure import figure_of
from support.narrowing import not_none
from support.results.reports import HOSTILE
from support.results.sweep_reports import (
    PENDING,
    full_report,
    full_sweep,
    large_report,
    with_points,
)

MAX_BYTES = 2_000_000


@pytest.fixture(scope="module")
def report() -> SweepReport:
    return full_report()


def test_markdown_begins_with_the_answers(report: SweepReport) -> None:
    text = sweep_to_markdown(report)
    titles = [line for line in text.splitlines() if line.startswith("#")]
    assert titles[:3] == ["# default/trial", "## Answers", "## Points"]
    assert "heap 1Gi: the p95 is 20 % lower than with 512Mi" in text
    assert "0 of 5 points meet all objectives; 5 missed one." in text
    assert f"| PodsPending | {PENDING} |" in text


def test_objectives_that_are_not_decided_are_counted(report: SweepReport) -> None:
    words = [ObjectiveConclusion.MET, ObjectiveConclusion.INCONCLUSIVE, ObjectiveConclusion.MISSED]
    found = next(each.objectives for each in report.points if each.objectives)
    points = []
    for word, point in zip(words, report.points, strict=False):
        decided = [each.model_copy(update={"conclusion": word}) for each in found]
        points.append(point.model_copy(update={"rounds": [], "objectives": decided}))
    said = objectives_sentence(report.model_copy(update={"points": points}))
    assert said == "1 of 3 points meets all objectives; 1 missed one; 1 not decided."


def test_csv_has_a_line_for_each_point_with_its_values(report: SweepReport) -> None:
    rows = list(csv.DictReader(points_to_csv(report).splitlines()))
    values = [(row["axis_heap"], row["axis_nodes"]) for row in rows[:3]]
    assert values == [("512Mi", "1/1"), ("512Mi", "2/2"), ("1Gi", "1/1")]
    assert [row["is_baseline"] for row in rows].count("true") == 1
    failed = rows[1]["state"], rows[1]["reason"], rows[1]["p95_milliseconds"]
    assert failed == ("Failed", "PodsPending", "")
    better = rows[2]
    assert (better["conclusion"], better["difference_percent"]) == ("Better", "-20.0")
    lower, upper = (float(better[f"difference_{each}_percent"]) for each in ("lower", "upper"))
    assert lower < -20 < upper


def test_json_is_read_again_and_fits_its_schema(report: SweepReport) -> None:
    text = report.to_json()
    jsonschema.validate(json.loads(text), report_schema(SweepReport))
    assert SweepReport.parse(text) == report


def test_report_of_a_benchmark_is_no_report_of_a_sweep() -> None:
    with pytest.raises(ReportFormatError, match="not a report of a sweep of version 1"):
        SweepReport.parse(b'{"benchmark": "a/b"}')


def changed_axis(change: Callable[[list[Any]], list[Any]]) -> SweepReport:
    """Return the report of a sweep whose first axis has other values than when it was measured."""
    sweep = full_sweep()
    first, *others = sweep.spec.axes
    axes = [first.model_copy(update={"values": change(first.values)}), *others]
    spec = sweep.spec.model_copy(update={"axes": axes})
    return build_sweep_report(sweep.model_copy(update={"spec": spec}), {})


def test_points_that_the_axes_have_no_more_are_not_shown_as_others() -> None:
    before = {each.name: each.values for each in full_report().points}
    moved = changed_axis(lambda values: ["256Mi", *values])
    assert [each.values for each in moved.points] == [{}] * 6
    fewer = changed_axis(lambda values: values[:-1])
    shown = {each.name: each.values for each in fewer.points}
    assert sorted(map(bool, shown.values())) == [False] * 2 + [True] * 4
    assert all(before[name] == values for name, values in shown.items() if values)
    for each in (moved, fewer):
        assert full_report().points[0].name in render_sweep_html(each)


def test_junit_has_one_case_for_each_point(report: SweepReport) -> None:
    suite = not_none(ET.fromstring(sweep_to_junit(report)).find("testsuite"))
    counts = {name: suite.get(name) for name in ("tests", "failures", "errors", "skipped")}
    assert counts == {"tests": "6", "failures": "5", "errors": "1", "skipped": "0"}
    error = not_none(suite.find("testcase/error"))
    assert PENDING in (error.get("message") or "")


def fast(conclusion: str) -> ObjectiveResult:
    given = {"name": "fast", "limit": 200, "unit": "ms", "message": "p95 is 199 ms"}
    return ObjectiveResult.model_validate(given | {"conclusion": conclusion})


STOLEN = InvalidReason(reason="CpuStolen", message="others had 9 % of the CPUs")
INVALID = StepVerdict(step="two-users", verdict="Invalid", reasons=[STOLEN])


def junit_of(report: SweepReport, state: str, **changes: object) -> ET.Element:
    """Return the XML of a sweep of one point, in this state and with more that is changed."""
    first = report.points[0]
    result = first.result.model_copy(update={"state": state})
    points = [first.model_copy(update={"result": result, **changes})]
    return ET.fromstring(sweep_to_junit(report.model_copy(update={"points": points})))


@pytest.mark.parametrize(
    ("state", "conclusion", "message"),
    [
        ("Valid", "Met", None),
        ("Valid", "Inconclusive", "p95 is 199 ms"),
        ("Inconclusive", "Met", "the point is Inconclusive"),
        ("Planned", "Met", "the point is Planned"),
    ],
)
def test_a_point_that_is_not_decided_is_a_skipped_case(
    report: SweepReport, state: str, conclusion: str, message: str | None
) -> None:
    xml = junit_of(report, state, verdicts=[], objectives=[fast(conclusion)])
    skipped = xml.find(".//skipped")
    assert (None if skipped is None else skipped.get("message")) == message
    assert xml.find(".//failure") is None


def test_a_round_that_is_left_out_of_a_valid_point_is_no_failure(report: SweepReport) -> None:
    for state, count in (("Valid", 0), ("Invalid", 1)):
        xml = junit_of(report, state, verdicts=[INVALID], objectives=[])
        assert len(xml.findall(".//failure")) == count


def test_what_an_invalid_round_says_is_not_called_undecided(report: SweepReport) -> None:
    short = InvalidReason(reason="StepTooShort", message="40 requests")
    undecided = StepVerdict(step="two-users", verdict="Inconclusive", unchecked=[short])
    near = fast("Inconclusive")
    rounds = [
        RoundReport(round=1, benchmark="a", verdicts=[undecided]),
        RoundReport(round=2, benchmark="b", verdicts=[INVALID], objectives=[near]),
    ]
    said = not_none(junit_of(report, "Inconclusive", rounds=rounds).find(".//system-out")).text
    assert not_none(said).splitlines() == [
        "the point is Inconclusive",
        "Not decided (StepTooShort): 40 requests",
        "Rounds that are Invalid:",
        "CpuStolen: others had 9 % of the CPUs",
    ]
    assert junit_of(report, "Valid", rounds=rounds[1:]).find(".//skipped") is None


def test_a_point_whose_time_of_indexing_is_invalid_is_a_failed_case(report: SweepReport) -> None:
    verdicts = [StepVerdict(step="two-users", verdict="Valid")]
    xml = junit_of(report, "Invalid", verdicts=verdicts, objectives=[])
    said = "a step, or the time of indexing, is Invalid"
    assert not_none(xml.find(".//failure")).get("message") == said


def test_one_repeat_has_differences_without_intervals() -> None:
    found = full_report(repeats=1).points[2]
    assert found.difference_percent == -20
    assert found.difference_lower_percent is None


def test_figures_of_one_repeat_say_nothing_of_intervals(report: SweepReport) -> None:
    for shown, has_intervals in ((report, True), (full_report(repeats=1), False)):
        figures = [not_none(difference_figure(shown)), *axis_figures(shown)]
        said = ["with 95 % intervals" in each.description for each in figures]
        assert said == [has_intervals] * 3


def test_sweep_before_its_first_point_has_a_report() -> None:
    sweep = full_sweep()
    empty = SweepReport(sweep=sweep.key, spec=sweep.spec, status=type(sweep.status)())
    assert "**Phase**: Pending" in sweep_to_markdown(empty)
    assert points_to_csv(empty).count("\n") == 1
    assert "No failures" not in render_sweep_html(empty)


@pytest.fixture(scope="module")
def text(report: SweepReport) -> str:
    return render_sweep_html(report)


def test_answers_stand_before_figures_and_points(text: str) -> None:
    places = [text.index(f'<section id="{name}"') for name in ("answers", "figures", "points")]
    assert places == sorted(places)
    assert text.index("heap 1Gi: the p95 is 20 % lower") < places[1]


@pytest.mark.slow
@pytest.mark.timeout(120)
def test_page_of_500_points_is_small() -> None:
    report = large_report()
    assert len(report.points) == 500
    assert len(render_sweep_html(report).encode()) <= MAX_BYTES


def test_page_loads_nothing_and_has_no_other_script(text: str) -> None:
    without_data = re.sub(r"<script.*?</script>", "", text, flags=re.DOTALL)
    assert not re.findall(r"""(?:src|href)=["'](?!#|data:,)""", without_data)
    assert not re.findall(r"""url\((?!["']?(?:data:|#))|@import""", without_data)
    assert "default-src &#39;none&#39;" in text or "default-src 'none'" in text


def test_every_link_of_the_navigation_has_its_section(text: str) -> None:
    for anchor in re.findall(r'<a href="#([a-z-]+)"', text):
        assert f'id="{anchor}"' in text


def test_what_held_points_back_has_a_row_for_each_step(report: SweepReport) -> None:
    held = Bottleneck(
        step="eight", resource="Throttling", server="solr-1", message="40 %", field="limits.cpu"
    )
    unread = with_points(report, bottlenecks=[])
    first = report.points[0].model_copy(update={"bottlenecks": [held]})
    with_one = unread.model_copy(update={"points": [first, *unread.points[1:]]})
    table = bottlenecks_table(with_one)
    assert table.head == ("Point", "Step", "Held back by", "Server", "Evidence", "Change next")
    row = (first.name, "eight", "Throttling", "solr-1", "40 %", "limits.cpu")
    assert table.texts == [row]
    for text in (render_sweep_html(with_one), sweep_to_markdown(with_one)):
        assert all(each in text for each in row)
    assert bottlenecks_table(unread).rows == []
    assert 'id="bottlenecks"' not in render_sweep_html(unread)


def test_page_has_lines_per_axis_a_heat_map_and_differences(report: SweepReport) -> None:
    names = [each.name for each in build_sweep_page(report)["figures"]]
    assert names == ["differences", "axis-0", "axis-1", "heat-0-1"]


def test_each_figure_is_drawn_with_its_numbers_as_a_table(text: str) -> None:
    assert text.count("<svg") == 2 * 4
    assert text.count('role="img"') == 2 * 4
    assert "39.2" not in text
    assert text.count(">40 ms<") >= 2


def test_hostile_names_are_escaped(report: SweepReport) -> None:
    values = {"heap": HOSTILE, "nodes": HOSTILE}
    page = render_sweep_html(with_points(report, values=values, outcome=HOSTILE))
    assert HOSTILE not in page


def test_cells_of_the_heat_map_say_their_numbers(report: SweepReport) -> None:
    (figure,) = heat_maps(report)
    labels = [each["label"]["formatter"] for each in figure.option["series"][0]["data"]]  # type: ignore[index]
    assert labels[0] == "40 ms"
    assert labels[-1].endswith("\nInvalid")
    assert len(labels) == 5


def test_lines_of_an_axis_leave_out_what_was_not_measured(report: SweepReport) -> None:
    heap, nodes = axis_figures(report)
    assert [each.name for each in heap.legend] == ["nodes 1/1", "nodes 2/2"]
    assert [row[1] for row in heap.table.texts] == ["512Mi", "1Gi", "2Gi", "1Gi", "2Gi"]
    assert [each.name for each in nodes.legend] == ["heap 1Gi", "heap 2Gi"]


def test_interval_of_a_point_is_that_of_its_rounds_not_of_their_repeats(
    report: SweepReport,
) -> None:
    def bounds(**changes: Any) -> tuple[float, float] | None:
        point = report.points[0]
        result = point.result.model_copy(update={"deviation_percent": 2.0, **changes})
        return repeat_interval(point.model_copy(update={"result": result}), figure_of(report.spec))

    assert bounds(repeats=15, repeat_rounds=[1, 2, 3, 4, 5]) == bounds(repeats=5) is not None


def test_only_the_furthest_points_are_drawn(report: SweepReport) -> None:
    point = report.points[2]
    many = [point.model_copy(update={"name": f"p{i}", "difference_percent": i}) for i in range(60)]
    figure = difference_figure(report.model_copy(update={"points": [*report.points[:1], *many]}))
    assert figure is not None
    assert len(figure.table.rows) == MAX_DRAWN_POINTS
    assert f"The {MAX_DRAWN_POINTS} of 60 points that are furthest." in figure.description


def test_shares_differ_by_percentage_points(report: SweepReport) -> None:
    assert sweep_facts(report)["Smallest effect"] == "5 %"
    objective = report.spec.objective.model_copy(update={"metric": Metric.FAILED_PERCENT})
    spec = report.spec.model_copy(update={"objective": objective})
    shares = report.model_copy(update={"spec": spec})
    assert sweep_facts(shares)["Smallest effect"] == "1 percentage point"
    option = json.dumps(not_none(difference_figure(shares)).option)
    assert "Difference from the baseline, percentage points" in option
    assert "@percent" not in option


def test_sweep_without_a_measured_baseline_has_no_differences(report: SweepReport) -> None:
    others = [each for each in report.points if not each.is_baseline]
    assert difference_figure(report.model_copy(update={"points": others})) is None
