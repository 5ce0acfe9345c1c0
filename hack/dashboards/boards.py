"""Variables, rows and places of a dashboard."""

import json
from dataclasses import dataclass
from typing import Any

from grafana_foundation_sdk.builders import dashboard as builders
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models import dashboard as model

from hack.dashboards.panel_builders import SOURCE, build_panel
from hack.dashboards.panels import Panel
from hack.dashboards.queries import OPERATORS

_COLUMNS = 24
TAG = "solrbench"


@dataclass(frozen=True)
class Variable:
    """What can be chosen on a dashboard: values of a label of a metric, which is a selector.

    Where `multi`, several can be chosen, and all are at first.
    """

    label: str
    metric: str
    multi: bool = True


CLUSTER = Variable("cluster", "solrbench_build_info")
NAMESPACE = Variable("namespace", OPERATORS.select("benchmark_info"))


@dataclass(frozen=True)
class Row:
    """A heading and the panels below it."""

    title: str
    panels: tuple[Panel, ...]


@dataclass(frozen=True)
class Board:
    """A dashboard, with the time at which its range begins.

    `file` is the name of its JSON file without the ending, and its uid.
    """

    file: str
    title: str
    text: str
    since: str
    variables: tuple[Variable, ...]
    rows: tuple[Row, ...]


def render_board(board: Board) -> str:
    """Return the JSON of a dashboard, as Grafana loads it."""
    built = builders.Dashboard(board.title).uid(board.file).description(board.text)
    built.tags(["solr", "benchmark", TAG]).timezone("browser").refresh("10s").editable()
    built.time(board.since, "now").tooltip(model.DashboardCursorSync.CROSSHAIR).link(_link())
    built.with_variable(
        builders.DatasourceVariable("datasource").label("Data source").type("prometheus")
    )
    for variable in board.variables:
        built.with_variable(_variable(variable))
    shown: dict[str, Any] = json.loads(JSONEncoder().encode(built.build()))
    shown["panels"] = _place(board.rows)
    return json.dumps(shown, indent=1, sort_keys=True) + "\n"


def _link() -> builders.DashboardLink:
    """Return the links to our other dashboards."""
    link = builders.DashboardLink("Solr benchmarks").tags([TAG]).as_dropdown(True)
    return link.type(model.DashboardLinkType.DASHBOARDS).include_vars(True).keep_time(True)


def _variable(variable: Variable) -> builders.QueryVariable:
    query = f"label_values({variable.metric}, {variable.label})"
    built = builders.QueryVariable(variable.label).label(variable.label.capitalize())
    built.datasource(SOURCE).query({"query": query, "refId": variable.label})
    built.refresh(model.VariableRefresh.ON_TIME_RANGE_CHANGED)
    built.sort(model.VariableSort.ALPHABETICAL_ASC)
    if not variable.multi:
        return built
    chosen = model.VariableOption(text=["All"], value=["$__all"])
    return built.multi(True).include_all(True).all_value(".*").current(chosen)


def _place(rows: tuple[Row, ...]) -> list[dict[str, Any]]:
    """Return the panels, each row below the one before, its panels from left to right."""
    placed: list[Any] = []
    y = 0
    for row in rows:
        placed.append(builders.Row(row.title).id(len(placed) + 1).grid_pos(_at(0, y, _COLUMNS, 1)))
        x, y, deepest = 0, y + 1, 0
        for panel in row.panels:
            if x + panel.width > _COLUMNS:
                x, y, deepest = 0, y + deepest, 0
            figure = build_panel(panel).id(len(placed) + 1)
            placed.append(figure.grid_pos(_at(x, y, panel.width, panel.height)))
            x, deepest = x + panel.width, max(deepest, panel.height)
        y += deepest
    panels: list[dict[str, Any]] = json.loads(
        JSONEncoder().encode([each.build() for each in placed])
    )
    return panels


def _at(x: int, y: int, width: int, height: int) -> model.GridPos:
    return model.GridPos(x=x, y=y, w=width, h=height)
