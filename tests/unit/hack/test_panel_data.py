"""The check of dashboards against Grafana's API, by a server that answers as Grafana does."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import pytest

from hack.dashboards import panel_data
from hack.dashboards.panel_data import CHART_BOARDS, NEED_MORE, GrafanaSource, main
from hack.dashboards.panels import ColumnsPanel, SeriesPanel
from hack.dashboards.render import BOARDS
from support.servers.in_thread import QuietHandler, served_by

SOURCES = [
    {"uid": "logs", "type": "loki", "isDefault": False},
    {"uid": "metrics", "type": "prometheus", "isDefault": True},
]
FRAME: dict[str, Any] = {"schema": {"fields": []}, "data": {"values": [[1], [2.0]]}}
EMPTY_FRAME: dict[str, Any] = {"schema": {"fields": []}, "data": {"values": []}}


class Grafana:
    """What a Grafana has loaded, and the metrics that have data."""

    def __init__(self, boards: list[str], empty: str = "(?!)") -> None:
        self.boards = boards
        self.empty = re.compile(empty)
        self.asked: list[dict[str, Any]] = []
        self.users: set[str] = set()

    def answer(self, path: str, body: dict[str, Any] | None) -> object:
        if path == "/api/datasources":
            return SOURCES
        if path == "/api/search":
            return [{"uid": each} for each in self.boards]
        if body is None:
            return {"dashboard": CHART_BOARDS[path.rpartition("/")[2]]}
        (query,) = body["queries"]
        self.asked.append(query)
        if query["expr"] == "wrong":
            return {"results": {"A": {"error": "parse error"}}}
        frame = EMPTY_FRAME if self.empty.search(query["expr"]) else FRAME
        return {"results": {"A": {"frames": [frame]}}}


@contextmanager
def serving(grafana: Grafana) -> Iterator[str]:
    class Handler(QuietHandler):
        def do_GET(self) -> None:  # noqa: N802 - its name in the base class
            length = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(length)) if length else None
            grafana.users.add(str(self.headers["Authorization"]))
            text = json.dumps(grafana.answer(urlsplit(self.path).path, body)).encode()
            self.send(text)

        do_POST = do_GET  # noqa: N815 - its name there

    with served_by(Handler) as url:
        yield url


@pytest.fixture(autouse=True)
def _password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAFANA_PASSWORD", "word")


def test_every_query_of_the_loaded_boards_is_asked_as_its_panel_does(
    capsys: pytest.CaptureFixture[str],
) -> None:
    grafana = Grafana([*CHART_BOARDS])
    with serving(grafana) as url:
        assert main(["--grafana", url]) == 0
    panels = {panel["title"] for each in CHART_BOARDS.values() for panel in each["panels"]}
    assert panels >= NEED_MORE.keys()
    assert grafana.users == {"Basic YWRtaW46d29yZA=="}
    assert {each["datasource"]["uid"] for each in grafana.asked} == {"metrics"}
    assert {each.get("instant") for each in grafana.asked} == {True, False}
    variables = {name for each in grafana.asked for name in re.findall(r"\$\w+", each["expr"])}
    assert variables == {"$__rate_interval"}
    assert re.fullmatch(r"(\d+) of \1 panels have data\n", capsys.readouterr().out)


def test_panel_without_data_is_named_and_fails(capsys: pytest.CaptureFixture[str]) -> None:
    with serving(Grafana([*CHART_BOARDS], empty="live_users|objective_met")) as url:
        assert main(["--grafana", url]) == 1
    lines = capsys.readouterr().out.splitlines()[:-1]
    assert sorted(lines) == [
        "solrbench-live: no data in 'Users': should have data",
        "solrbench: no data in 'Objectives': needs an objective",
    ]


def test_panel_that_needs_more_than_a_quickstart_may_be_empty() -> None:
    with serving(Grafana([*CHART_BOARDS], empty="objective_met")) as url:
        assert main(["--grafana", url]) == 0


def test_board_that_is_not_loaded_is_named() -> None:
    with (
        serving(Grafana(["solrbench", "solrbench-live", "solrbench-fleet"])) as url,
        pytest.raises(TimeoutError, match="not loaded after 0 s: solrbench-sweeps"),
    ):
        main(["--grafana", url, "--wait", "0"])


def test_error_of_a_query_is_raised() -> None:
    query = panel_data.BoardQuery("board", "Panel", "wrong", 3600, {})
    with serving(Grafana([])) as url, pytest.raises(RuntimeError, match="Panel: parse error"):
        GrafanaSource(url, "admin", "word").has_data(query)


def test_each_figure_has_the_unit_and_the_table_of_what_it_is() -> None:
    panels = [panel for board in BOARDS for row in board.rows for panel in row.panels]
    shown = [
        (panel.title, column.expression, column.unit)
        for panel in panels
        if isinstance(panel, ColumnsPanel)
        for column in panel.columns
    ] + [
        (panel.title, query.expression, panel.unit)
        for panel in panels
        if isinstance(panel, SeriesPanel)
        for query in panel.queries
    ]
    assert {unit for _, query, unit in shown if "bytes_per_second" in query} == {"Bps"}
    tables = [title for title, query, _ in shown if "step_machine_page_cache" in query]
    assert tables == ["ZooKeeper and machines by step"]
