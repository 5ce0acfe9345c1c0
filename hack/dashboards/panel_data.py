"""Check that each panel of the dashboards has data, as Grafana or Prometheus answers its queries.

    python -m hack.dashboards.panel_data --grafana http://127.0.0.1:3000
    python -m hack.dashboards.panel_data --prometheus http://127.0.0.1:9090

Grafana is asked for the boards that it has loaded, as the user of GRAFANA_USER and
GRAFANA_PASSWORD; with Prometheus, the boards are those of the chart. Prints a line for each panel
without data, and exits with 1 if there is one that should have some after a quickstart of each
provisioner and a sweep.
"""

import argparse
import base64
import json
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from urllib.request import Request, urlopen

from hack.dashboards.boards import TAG
from hack.dashboards.render import FOLDER

CHART_BOARDS: dict[str, dict[str, Any]] = {
    path.stem: json.loads(path.read_text("utf-8"))
    for path in sorted((Path(__file__).parents[2] / FOLDER).glob("*.json"))
}
"""The boards of the chart by their uid, which is the name of their file."""

NEED_MORE = {
    "Capacity": "a search for the capacity",
    "Conclusions of the comparison": "a comparison",
    "Delay of the load itself": "a planned rate",
    "Differences from the baseline": "a comparison",
    "Failed": "a benchmark that failed",
    "Goodput by step": "an objective",
    "Growth beside the baseline": "a comparison of long steps",
    "Growth by step": "steps of five minutes",
    "Invalid steps by reason": "an Invalid step",
    "Late and dropped share of the plan": "a planned rate",
    "Objectives": "an objective",
    "Planned and sent": "a planned rate",
    "Pods by step": "telemetry of pods",
    "Pods lost": "a pod that was lost",
    "Pods of companions and load by step": "telemetry of pods",
    "Queries with other answers": "a comparison of answers",
    "Response times": "a planned rate",
    "Service time and response time": "a planned rate",
    "Time until found": "load.visibility",
    "Trends beside the baseline": "a comparison of long steps",
    "Trends by step": "steps of five minutes",
    "Waiting now": "a queue at this moment",
    "Why steps are Invalid": "an Invalid step",
}
"""What panels need that neither a quickstart nor the sweep has; all others must have data."""

_STEP_SECONDS = 15
_UNITS = {"m": 60, "h": 3600, "d": 86400}


@dataclass(frozen=True)
class BoardQuery:
    """A query of a panel in PromQL, with the variables of its board put in.

    It has the uid of the board, and how far back that looks; `target` is the query as it stands
    there.
    """

    board: str
    panel: str
    expression: str
    seconds: int
    target: dict[str, Any]


def read_queries(board: dict[str, Any], **chosen: str) -> Iterator[BoardQuery]:
    """Yield the queries of a board; a variable that is not chosen has all values."""
    names = [each["name"] for each in board["templating"]["list"] if each["type"] == "query"]
    values = {"__rate_interval": "1m"} | dict.fromkeys(names, ".*") | chosen
    since = board["time"]["from"].removeprefix("now-")
    for panel in board["panels"]:
        for target in panel.get("targets", []):
            expression = target["expr"]
            for name, value in values.items():
                expression = expression.replace(f"${name}", value)
            seconds = int(since[:-1]) * _UNITS[since[-1]]
            yield BoardQuery(board["uid"], panel["title"], expression, seconds, target)


def _ask(url: str, body: object = None, headers: dict[str, str] | None = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    sent = {"Content-Type": "application/json", **(headers or {})}
    with urlopen(Request(url, data, sent), timeout=60) as response:
        return json.load(response)


@dataclass(frozen=True)
class PrometheusSource:
    """Prometheus, with the boards of the chart."""

    url: str

    def read_queries(self) -> list[BoardQuery]:
        """Return the queries of the chart's boards."""
        return [query for board in CHART_BOARDS.values() for query in read_queries(board)]

    def has_data(self, query: BoardQuery) -> bool:
        """Return whether the answer has a series."""
        return bool(self.ask(query))

    def ask(self, query: BoardQuery) -> list[dict[str, Any]]:
        """Return the series, by the endpoint that Grafana asks; a range ends now."""
        asked = {"query": query.expression}
        if query.target.get("instant"):
            path = "query"
        else:
            path, end = "query_range", time.time()
            start = end - query.seconds // _STEP_SECONDS * _STEP_SECONDS
            asked |= {"start": f"{start:.3f}", "end": f"{end:.3f}", "step": str(_STEP_SECONDS)}
        series: list[dict[str, Any]] = _ask(f"{self.url}/api/v1/{path}?{urlencode(asked)}")["data"][
            "result"
        ]
        return series


@dataclass
class GrafanaSource:
    """Grafana, with the boards that it has loaded and its data source for Prometheus."""

    url: str
    user: str
    password: str
    _uid: str = field(default="", init=False)

    def _ask(self, path: str, body: object = None) -> Any:
        word = base64.b64encode(f"{self.user}:{self.password}".encode()).decode()
        return _ask(f"{self.url}/api/{path}", body, {"Authorization": f"Basic {word}"})

    def read_queries(self) -> list[BoardQuery]:
        """Return the queries of the boards that have our tag, as Grafana returns them."""
        (self._uid,) = (
            each["uid"]
            for each in self._ask("datasources")
            if each["type"] == "prometheus" and each["isDefault"]
        )
        boards = [
            self._ask(f"dashboards/uid/{each['uid']}")["dashboard"]
            for each in self._ask(f"search?tag={TAG}&type=dash-db")
        ]
        # Grafana puts in the interval itself.
        interval = {"__rate_interval": "$__rate_interval"}
        return [query for board in boards for query in read_queries(board, **interval)]

    def has_data(self, query: BoardQuery) -> bool:
        """Ask as a panel does."""
        now = int(time.time() * 1000)
        asked = {
            **query.target,
            "refId": "A",
            "datasource": {"type": "prometheus", "uid": self._uid},
            "expr": query.expression,
            "intervalMs": _STEP_SECONDS * 1000,
            "maxDataPoints": query.seconds // _STEP_SECONDS,
        }
        body = {"queries": [asked], "from": str(now - query.seconds * 1000), "to": str(now)}
        (result,) = self._ask("ds/query", body)["results"].values()
        if "error" in result:
            raise RuntimeError(f"{query.board}, {query.panel}: {result['error']}")
        return any(any(frame["data"]["values"]) for frame in result.get("frames", []))


PanelSource = PrometheusSource | GrafanaSource
"""What loads boards, and says whether there is a sample for a query as its panel asks."""


def wait_for_boards(source: PanelSource, seconds: float) -> list[BoardQuery]:
    """Return all queries once every board of the chart is there; a sidecar takes its time.

    It raises `TimeoutError` if one is missing after so many seconds.
    """
    end = time.monotonic() + seconds
    while True:
        found = source.read_queries()
        missing = CHART_BOARDS.keys() - {each.board for each in found}
        if not missing:
            return found
        if time.monotonic() >= end:
            raise TimeoutError(f"not loaded after {seconds:g} s: {', '.join(sorted(missing))}")
        time.sleep(1)


def find_empty_panels(source: PanelSource, queries: list[BoardQuery]) -> list[tuple[str, str]]:
    """Return board and title of each panel none of whose queries has data."""
    panels: dict[tuple[str, str], bool] = {}
    for each in queries:
        panel = (each.board, each.panel)
        panels[panel] = panels.get(panel, False) or source.has_data(each)
    return [panel for panel, has_data in panels.items() if not has_data]


def main(arguments: list[str]) -> int:
    """Print what is empty, and return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--grafana", metavar="URL")
    where.add_argument("--prometheus", metavar="URL")
    parser.add_argument("--wait", metavar="SECONDS", type=float, default=120.0)
    chosen = parser.parse_args(arguments)
    source: PanelSource = PrometheusSource(chosen.prometheus)
    if chosen.grafana:
        user = os.environ.get("GRAFANA_USER", "admin")
        source = GrafanaSource(chosen.grafana, user, os.environ["GRAFANA_PASSWORD"])
    queries = wait_for_boards(source, chosen.wait)
    empty = find_empty_panels(source, queries)
    for board, panel in empty:
        needed = f"needs {NEED_MORE[panel]}" if panel in NEED_MORE else "should have data"
        print(f"{board}: no data in {panel!r}: {needed}")
    panels = {(each.board, each.panel) for each in queries}
    print(f"{len(panels) - len(empty)} of {len(panels)} panels have data")
    return int(any(panel not in NEED_MORE for _, panel in empty))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
