"""The HTML report: whole, self-contained, and safe with hostile text; figures as SVG."""

import base64
import gzip
import hashlib
import json
import re
import sys
import xml.etree.ElementTree as ET
from collections import Counter
from html.parser import HTMLParser

import pytest

from solrbench.api.v1alpha1.findings import Bottleneck, InvalidReason, StepVerdict
from solrbench.api.v1alpha1.server_metrics import StepTelemetry
from solrbench.present import html
from solrbench.present.figure import base, bottom_axis, grid, intervals, line, value_axis
from solrbench.present.html import _ALLOWED, Drawer, DrawingError, _clean, library, render_html
from solrbench.present.page import build_page, distribution_of_steps
from solrbench.present.report import Report
from support.narrowing import not_none
from support.results.reports import HOSTILE, make_report, with_status
from support.results.statuses import full_status

pytestmark = pytest.mark.timeout(120)

MAX_BYTES = 3_000_000
VOID = {"meta", "link", "img", "br", "hr", "input"}
LOADING = {"src", "srcset", "poster", "action", "formaction", "background", "ping", "xlink:href"}


class Outline(HTMLParser):
    """What a browser would make of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.attributes: list[tuple[str, str, str]] = []
        self.texts: list[str] = []
        self.scripts: list[tuple[str, str]] = []
        self.unclosed: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag == "script":
            self.scripts.append((dict(attrs).get("type") or "", ""))
        if tag not in VOID:
            self.unclosed.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.unclosed, tag
        assert self.unclosed.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.unclosed and self.unclosed[-1] == "script":
            kind, text = self.scripts[-1]
            self.scripts[-1] = (kind, text + data)
        else:
            self.texts.append(data)

    @property
    def main(self) -> str:
        """What stands below the links to the sections."""
        return self.text.partition(" Spec ")[2]

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())


@pytest.fixture(scope="module")
def report() -> Report:
    return make_report()


@pytest.fixture(scope="module")
def page(report: Report) -> Outline:
    return Outline(render_html(report))


@pytest.fixture(scope="module")
def hostile() -> Outline:
    return Outline(render_html(make_report(text=HOSTILE, variants=2)))


@pytest.fixture
def _undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the figures to the browser: what is asked is beside them."""
    monkeypatch.setitem(sys.modules, "quickjs", None)


def test_valid_steps_through_variants_are_counted_as_results() -> None:
    verdicts = [StepVerdict(step="a", variant=name, verdict="Valid") for name in ("raw", "proxy")]
    page = build_page(with_status(make_report(), verdicts=verdicts))
    assert page["verdict_text"] == "All 2 results are Valid"


@pytest.mark.parametrize(
    ("phase", "verdict", "word", "look"),
    [
        ("Succeeded", "Valid", "Valid", "good"),
        ("Failed", "Valid", "Failed", "bad"),
        ("Failed", "Inconclusive", "Failed", "bad"),
        ("Failed", "Invalid", "Invalid", "bad"),
        ("Succeeded", "Inconclusive", "Inconclusive", ""),
        ("Pending", None, "Pending", ""),
    ],
)
def test_a_benchmark_that_failed_is_not_shown_as_valid(
    phase: str, verdict: str | None, word: str, look: str
) -> None:
    verdicts = [] if verdict is None else [StepVerdict(step="a", verdict=verdict)]
    page = build_page(with_status(make_report(), phase=phase, verdicts=verdicts))
    assert (page["word"], page["look"]) == (word, look)


def test_every_element_is_closed(page: Outline, hostile: Outline) -> None:
    assert page.unclosed == hostile.unclosed == []


def test_sections_begin_with_verdict_and_answers(page: Outline) -> None:
    order = [
        "2 of 2 steps are Inconclusive: step-1, step-2",
        "p95 is Same",
        "Steps at a glance",
        "Throughput against users",
        "Latency distribution of all steps",
        "all requests",
        "Over time",
        "Cold start",
        "no live servers",
        "Slowest requests",
        "m6i.2xlarge",
        "apiVersion: solrbench.io/v1alpha1",
    ]
    text = page.main
    places = [text.find(each) for each in order]
    assert -1 not in places, order[places.index(-1)]
    assert places == sorted(places)


@pytest.mark.usefixtures("_undrawn")
def test_reasons_of_invalid_steps_are_in_the_verdict(report: Report) -> None:
    reason = InvalidReason(reason="PodRestarted", message="pod one-solr-0 restarted once")
    verdict = StepVerdict(step="step-1", verdict="Invalid", reasons=[reason])
    text = Outline(render_html(with_status(report, verdicts=[verdict]))).text
    assert "1 of 1 steps is Invalid: step-1" in text
    assert "step-1: Invalid (PodRestarted). pod one-solr-0 restarted once" in text


@pytest.mark.usefixtures("_undrawn")
def test_objectives_and_limits_stand_before_the_results() -> None:
    full = full_status()
    names = ("objectives", "not_run", "capacity", "scalability")
    limits = {name: getattr(full, name) for name in names}
    text = Outline(render_html(with_status(make_report(), **limits))).main
    assert full.objectives is not None
    first = full.objectives.results[0]
    places = [text.find(each) for each in ("Objectives", first.name, "Not run", "Steps at a gl")]
    assert -1 not in places
    assert places == sorted(places)
    assert full.capacity[0].message in text


@pytest.mark.usefixtures("_undrawn")
def test_servers_stand_beside_the_latency_of_their_step() -> None:
    report = make_report(steps=1)
    step = report.status.totals[0].step
    read = StepTelemetry(
        step=step,
        cpu_cores=1.75,
        load_cpu_cores=0.25,
        throttled_percent=40,
        missing=["no metrics of ZooKeeper"],
    )
    held = Bottleneck(step=step, resource="Throttling", server="base-solr-1", message="40 %")
    measured = with_status(report, telemetry=[read], bottlenecks=[held])
    text = Outline(render_html(measured)).main
    overview, _, each_step = text.partition("Each step")
    for words in ("Bottleneck", "Throttling", "base-solr-1", "1.75"):
        assert words in overview
    for words in (f"Servers in step {step}", f"Pods in step {step}", "40 %", "0.25"):
        assert words in each_step
    assert f"not measured in {step}: no metrics of ZooKeeper" in each_step
    plain = Outline(render_html(report)).main
    assert "Bottleneck" not in plain
    assert "Pods in step" not in plain


@pytest.mark.usefixtures("_undrawn")
def test_steps_without_results_of_single_names_have_their_totals(report: Report) -> None:
    each_step = Outline(render_html(with_status(report, results=[]))).main.partition("Each step")[2]
    assert "Requests of step step-1" in each_step
    assert "all requests" in each_step.partition("Over time")[0]


@pytest.mark.usefixtures("_undrawn")
def test_page_of_a_search_for_the_capacity_has_measured_requests(report: Report) -> None:
    good: dict[str, object] = {"failures": 0, "failure_kinds": []}
    (trial, *_) = report.steps
    requests = [each.model_copy(update=good) for each in trial.requests]
    search = with_status(report, results=[], totals=[], verdicts=[]).model_copy(
        update={"steps": [trial.model_copy(update={"trial": 1, "requests": requests})]}
    )
    assert "No measured request failed." in Outline(render_html(search)).main
    before = search.model_copy(update={"steps": []})
    assert "No request was measured." in Outline(render_html(before)).main


def test_trials_are_not_drawn_as_steps(report: Report) -> None:
    first, *others = report.steps
    trial = first.model_copy(update={"trial": 1, "step": "capacity-trial-1"})
    figure = not_none(distribution_of_steps([trial, *others]))
    assert {each.name for each in figure.legend} == {"step-1", "step-2"}
    assert distribution_of_steps([trial]) is None


def test_nothing_is_loaded(page: Outline) -> None:
    assert {name for _, name, _ in page.attributes} & LOADING == set()
    links = {(tag, value) for tag, name, value in page.attributes if name == "href"}
    assert {value for tag, value in links if tag != "a"} == {"data:,"}
    assert all(value.startswith("#") for tag, value in links if tag == "a")


def test_only_the_two_scripts_of_the_page_may_run(hostile: Outline) -> None:
    (policy,) = [v for t, n, v in hostile.attributes if n == "content" and "default-src" in v]
    allowed = set(re.findall(r"'sha256-([^']+)'", policy))
    library = gzip.decompress(html.library())
    (own,) = [text.encode() for kind, text in hostile.scripts if not kind]
    found = {base64.b64encode(hashlib.sha256(each).digest()).decode() for each in (own, library)}
    assert allowed == found
    assert "default-src 'none'" in policy
    assert "unsafe-inline'; img-src data:; script-src 'sha256" in policy


def test_hostile_text_stays_text(page: Outline, hostile: Outline) -> None:
    assert hostile.tags["img"] == 0
    assert [name for _, name, _ in hostile.attributes if name.startswith("on")] == []
    kinds = Counter(kind for kind, _ in hostile.scripts)
    assert kinds == {"": 1, "application/gzip": 1, "application/json": hostile.tags["figure"]}
    # Once more for each place that it was put into.
    assert hostile.text.count("<img src=x onerror=alert(1)>{{ 7*7 }}") > 20
    assert page.tags["figure"] > 0


def test_data_of_figures_is_json_of_the_series(page: Outline) -> None:
    options = [json.loads(text) for kind, text in page.scripts if kind == "application/json"]
    assert len(options) == page.tags["figure"] == 8
    assert all(each["series"] for each in options)
    assert sum(len(series["data"]) for each in options for series in each["series"]) > 100


def test_each_figure_has_words_and_numbers_beside_its_drawings(page: Outline) -> None:
    images = [(t, n, v) for t, n, v in page.attributes if n == "role" and v == "img"]
    assert len(images) == 2 * page.tags["figure"]
    if html.Drawer().draw({}, 10, 10) is not None:
        assert page.tags["svg"] == len(images)
    labels = [v for t, n, v in page.attributes if n == "aria-label"]
    assert all(labels)
    assert page.tags["details"] >= page.tags["figure"]


def test_tables_have_captions_and_scopes(page: Outline) -> None:
    heads = [dict_ for dict_ in page.attributes if dict_[0] == "th" and dict_[1] == "scope"]
    assert len(heads) == page.tags["th"]
    assert page.tags["caption"] + page.tags["figure"] == page.tags["table"]


@pytest.mark.usefixtures("_undrawn")
def test_a_benchmark_without_results_has_a_page() -> None:
    report = make_report()
    empty = report.model_copy(
        update={"steps": [], "environment": None, "status": type(report.status)(phase="Pending")}
    )
    page = Outline(render_html(empty))
    assert "Pending" in page.text
    assert page.tags["figure"] == 0


@pytest.mark.slow
def test_ladder_of_eight_steps_is_small_enough() -> None:
    text = render_html(make_report(steps=8, repeats=3, seconds=900))
    assert len(text.encode()) < MAX_BYTES


@pytest.mark.usefixtures("_undrawn")
def test_page_is_whole_where_figures_cannot_be_drawn(report: Report) -> None:
    page = Outline(render_html(report))
    assert page.tags["svg"] == 0
    assert page.tags["figure"] == 8
    assert page.unclosed == []


@pytest.mark.slow
def test_pages_of_equal_reports_are_equal(report: Report) -> None:
    assert render_html(report) == render_html(report)


ECHARTS_SHA256 = "b66b25aeb4df84e33199dc21694014d336d222cbd9deb0e5a7c14bd6aa0d0fd0"
"""Of `dist/echarts.min.js` in the package echarts 6.1.0 of the npm registry."""


def drawn(name: str = "P50") -> str:
    option = base(
        grid=grid(),
        xAxis=bottom_axis(name),
        yAxis=value_axis("Service time", "@milliseconds"),
        series=[line(name, 0, [(1, 20.0), (2, 1800.0)]), intervals(0, [(1, 10.0, 30.0)])],
    )
    found = Drawer().draw(option, 900, 300)
    if found is None:
        pytest.skip("there is no engine for this machine")
    return found


def test_library_is_the_published_one() -> None:
    assert hashlib.sha256(gzip.decompress(library())).hexdigest() == ECHARTS_SHA256


def test_drawing_has_axes_and_a_line_in_colours_of_the_page() -> None:
    text = drawn()
    assert 'viewBox="0 0 900 300"' in text
    # The line, and three strokes of its interval in one element.
    assert text.count("var(--series-0)") == 2
    assert re.search(r'd="(?:M[^"M]+L[^"M]+){3}" fill="none" stroke="var\(--series-0\)"', text)
    assert ">1.5 s<" in text
    assert ">900 ms<" in text
    assert "<style" not in text


def test_names_are_escaped() -> None:
    root = ET.fromstring(drawn(HOSTILE))
    texts = [each.text for each in root.iter("{http://www.w3.org/2000/svg}text")]
    assert HOSTILE in texts
    assert {each.tag.split("}")[1] for each in root.iter()} <= _ALLOWED


@pytest.mark.parametrize(
    "given",
    [
        "<svg><script>alert(1)</script></svg>",
        "<svg><foreignObject></foreignObject></svg>",
        '<svg><image href="http://example.com/"/></svg>',
        '<svg><rect fill="url(http://example.com/#a)"/></svg>',
        '<svg><rect onclick="alert(1)"/></svg>',
        "<svg><style></style><set/></svg>",
    ],
)
def test_what_does_not_draw_is_refused(given: str) -> None:
    with pytest.raises(DrawingError):
        _clean(given)
