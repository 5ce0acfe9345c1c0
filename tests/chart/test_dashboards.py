"""Every query of every dashboard, against a real Prometheus that has scraped our metrics."""

import json
import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.cog.plugins import register_default_plugins
from grafana_foundation_sdk.models.dashboard import Dashboard

from bench.harness.processes import wait_until
from hack.dashboards.panel_data import (
    CHART_BOARDS,
    NEED_MORE,
    PrometheusSource,
    find_empty_panels,
    main,
    read_queries,
)
from hack.dashboards.pictures import draw_board
from hack.dashboards.render import render_dashboards
from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.conditions import result_fields
from solrbench.api.v1alpha1.findings import StepVerdict
from solrbench.metrics.operator import serve
from support.cluster.prometheus import Prometheus, prometheus_of, queries
from support.results.full_benchmark import full_benchmark, metrics_of


@pytest.fixture(scope="module")
def prometheus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Prometheus]:
    """Run Prometheus against the metrics of a benchmark and a sweep with every figure."""
    with _scraping(full_benchmark(), tmp_path_factory.mktemp("prometheus")) as found:
        yield found


@contextmanager
def _scraping(benchmark: SolrBenchmark, folder: Path) -> Iterator[Prometheus]:
    with (
        closing(serve(metrics_of(benchmark).registry, 0, "127.0.0.1")) as metrics,
        prometheus_of(metrics.port, folder) as found,
    ):
        # Rates need two samples.
        wait_until(
            lambda: found.is_up() and (found.value("count_over_time(up[1m])") or 0) >= 2,
            60,
            "two scrapes of the metrics",
            0.1,
        )
        yield found


@pytest.mark.parametrize("board", CHART_BOARDS)
def test_every_query_finds_the_data_of_a_full_benchmark(prometheus: Prometheus, board: str) -> None:
    source = PrometheusSource(prometheus.url)
    empty = [
        (query.panel, query.expression)
        for query in read_queries(CHART_BOARDS[board])
        if not source.has_data(query) and query.panel not in NOT_OF_A_GOOD_RUN
    ]
    assert empty == []


@pytest.mark.parametrize("board", CHART_BOARDS)
def test_picture_of_a_board_shows_the_data_of_each_panel(
    prometheus: Prometheus, board: str
) -> None:
    page = draw_board(CHART_BOARDS[board], PrometheusSource(prometheus.url))
    panels = re.findall(r"<h2>(.*?)</h2>(.*?)</section>", page, re.DOTALL)
    assert {unescape(title) for title, _ in panels} == {
        panel["title"] for panel in CHART_BOARDS[board]["panels"] if panel["type"] != "row"
    }
    empty = {title for title, drawing in panels if "No data" in drawing or not drawing}
    # The metrics are those of one moment: no reconcile took any time meanwhile.
    assert empty <= {*NOT_OF_A_GOOD_RUN, "Duration of a reconcile"}


NOT_OF_A_GOOD_RUN = {"Failed", "Pods lost"}
"""Panels that are rightly empty where nothing went wrong."""


def test_panels_that_need_more_than_a_quickstart_are_those_without_its_data(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with _scraping(_quickstart(), tmp_path) as prometheus:
        source = PrometheusSource(prometheus.url)
        empty = {panel for _, panel in find_empty_panels(source, source.read_queries())}
        assert empty == NEED_MORE.keys()
        assert main(["--prometheus", prometheus.url]) == 0
    assert "no data in 'Objectives': needs an objective" in capsys.readouterr().out


def test_panel_that_lost_its_data_fails_the_check(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cold = {"cold_start": None}
    benchmark = _quickstart()
    status = benchmark.status.model_copy(update=cold)
    with _scraping(benchmark.model_copy(update={"status": status}), tmp_path) as prometheus:
        assert main(["--prometheus", prometheus.url]) == 1
    assert "solrbench: no data in 'Cold start': should have data" in capsys.readouterr().out


def _quickstart() -> SolrBenchmark:
    """Return the full benchmark without what a quickstart does not ask for."""
    full = full_benchmark()
    (result,), (telemetry,) = full.status.results, full.status.telemetry
    of_plan = {
        name: None
        for name in type(result).model_fields
        if name.startswith(("response", "late", "dropped", "goodput"))
    }
    metrics = {each.name: each.shown.metric for each in result_fields(type(telemetry))}
    of_pods = [name for name, metric in metrics.items() if metric and "_pod_" in metric.name]
    less = {
        "queue": None,
        "results": [result.model_copy(update=of_plan)],
        "totals": [result.model_copy(update=of_plan)],
        "telemetry": [telemetry.model_copy(update=dict.fromkeys(of_pods))],
        "open_loop": [],
        "trends": [],
        "visibility": [],
        "answer_comparisons": [],
        "comparison": None,
        "objectives": None,
        "capacity": [],
        "verdicts": [StepVerdict(step="five", verdict="Valid")],
    }
    return full.model_copy(update={"status": full.status.model_copy(update=less)})


@pytest.mark.parametrize("board", CHART_BOARDS)
def test_choosing_another_value_of_a_variable_finds_nothing(
    prometheus: Prometheus, board: str
) -> None:
    for panel, asked in queries(board, cluster="another").items():
        assert [each for query in asked for each in prometheus.query(query)] == [], panel


@pytest.mark.parametrize("path", render_dashboards())
def test_fields_are_those_of_grafanas_schema(path: str) -> None:
    """Read a dashboard by the models made from Grafana's schema: what they do not know is lost."""
    shown = json.loads(render_dashboards()[path])
    assert _lost(shown, _read(shown)) == []


def _read(shown: dict[str, Any]) -> Any:
    register_default_plugins()  # the options of each kind of panel
    return json.loads(JSONEncoder().encode(Dashboard.from_json(shown)))


def _lost(shown: Any, known: Any, place: str = "") -> list[str]:
    if isinstance(shown, dict) and isinstance(known, dict):
        return [
            text
            for name, value in shown.items()
            for text in (
                _lost(value, known[name], f"{place}.{name}")
                if name in known
                else [f"{place}.{name}"]
            )
        ]
    if isinstance(shown, list) and isinstance(known, list):
        pairs = zip(shown, known, strict=True)
        return [
            text
            for index, (value, other) in enumerate(pairs)
            for text in _lost(value, other, f"{place}[{index}]")
        ]
    return [] if shown == known else [place]


def test_a_misspelt_field_is_noticed() -> None:
    shown = json.loads(render_dashboards()[next(iter(render_dashboards()))])
    panel = next(each for each in shown["panels"] if each["type"] == "table")
    panel["options"]["showHeadr"] = True
    known = _read(shown)
    assert [each.rpartition(".")[2] for each in _lost(shown, known)] == ["showHeadr"]
