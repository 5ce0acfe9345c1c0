"""The HTML page of a sweep."""

import re

import pytest

from solrbench.api.v1alpha1.status.bottleneck import Bottleneck
from solrbench.report.figures.sweep.axis_lines import MOST_LINES, axis_figures
from solrbench.report.figures.sweep.differences import MOST_DRAWN, difference_figure
from solrbench.report.figures.sweep.heat_map import heat_maps
from solrbench.report.html import render_sweep_html
from solrbench.report.page.sweep_page import build_sweep_page
from solrbench.report.sweep.markdown import sweep_to_markdown
from solrbench.report.sweep.model import SweepReport
from solrbench.report.sweep.tables import bottlenecks_table
from support.results.reports import HOSTILE
from support.results.sweep_reports import full_report


@pytest.fixture(scope="module")
def report() -> SweepReport:
    return full_report()


@pytest.fixture(scope="module")
def text(report: SweepReport) -> str:
    return render_sweep_html(report)


def test_answers_stand_before_figures_and_points(text: str) -> None:
    places = [text.index(f'<section id="{name}"') for name in ("answers", "figures", "points")]
    assert places == sorted(places)
    assert text.index("heap, p95 beside 512Mi") < places[1]


def test_page_loads_nothing_and_has_no_other_script(text: str) -> None:
    without_data = re.sub(r"<script.*?</script>", "", text, flags=re.DOTALL)
    assert not re.findall(r"""(?:src|href)=["'](?!#|data:,)""", without_data)
    assert "default-src &#39;none&#39;" in text or "default-src 'none'" in text


def test_every_link_of_the_navigation_has_its_section(text: str) -> None:
    for anchor in re.findall(r'<a href="#([a-z-]+)"', text):
        assert f'id="{anchor}"' in text


def test_what_held_points_back_has_a_row_for_each_step(report: SweepReport) -> None:
    held = Bottleneck(
        step="eight", resource="Throttling", server="solr-1", message="40 %", field="limits.cpu"
    )
    points = [
        each.model_copy(update={"bottlenecks": [held] if number == 0 else []})
        for number, each in enumerate(report.points)
    ]
    with_one = report.model_copy(update={"points": points})
    table = bottlenecks_table(with_one)
    assert table.head == ("Point", "Step", "Held back by", "Server", "Evidence", "Vary next")
    row = (points[0].name, "eight", "Throttling", "solr-1", "40 %", "limits.cpu")
    assert table.rows == [row]
    for text in (render_sweep_html(with_one), sweep_to_markdown(with_one)):
        assert all(each in text for each in row)
    unread = report.model_copy(
        update={"points": [each.model_copy(update={"bottlenecks": []}) for each in points]}
    )
    assert bottlenecks_table(unread).rows == []
    assert "What held it back" not in render_sweep_html(unread)


def test_page_has_lines_per_axis_a_heat_map_and_differences(report: SweepReport) -> None:
    names = [each.name for each in build_sweep_page(report).figures]
    assert names == ["differences", "axis-0", "axis-1", "heat-0-1"]


def test_each_figure_is_drawn_with_its_numbers_as_a_table(text: str) -> None:
    assert text.count("<svg") == 2 * 4
    assert text.count('role="img"') == 2 * 4
    assert "39.2" not in text
    assert text.count(">40 ms<") >= 2


def test_hostile_names_are_escaped(report: SweepReport) -> None:
    points = [
        each.model_copy(update={"values": {"heap": HOSTILE, "nodes": HOSTILE}, "outcome": HOSTILE})
        for each in report.points
    ]
    page = render_sweep_html(report.model_copy(update={"points": points}))
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
    assert [row[1] for row in heap.table.rows] == ["512Mi", "1Gi", "2Gi", "1Gi", "2Gi"]
    assert [each.name for each in nodes.legend] == ["heap 1Gi", "heap 2Gi"]
    assert len(nodes.legend) <= MOST_LINES


def test_only_the_furthest_points_are_drawn(report: SweepReport) -> None:
    point = report.points[2]
    many = [point.model_copy(update={"name": f"p{i}", "difference_percent": i}) for i in range(60)]
    figure = difference_figure(report.model_copy(update={"points": [*report.points[:1], *many]}))
    assert figure is not None
    assert len(figure.table.rows) == MOST_DRAWN
    assert f"The {MOST_DRAWN} of 60 points that are furthest." in figure.description


def test_sweep_without_a_measured_baseline_has_no_differences(report: SweepReport) -> None:
    others = [each for each in report.points if not each.is_baseline]
    assert difference_figure(report.model_copy(update={"points": others})) is None
