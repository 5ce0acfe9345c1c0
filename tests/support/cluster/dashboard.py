"""The queries of the Grafana dashboards, as Grafana sends them."""

import json
from pathlib import Path

FOLDER = Path(__file__).parents[3] / "charts/solr-benchmark-operator/dashboards"
BOARDS = tuple(sorted(each.stem for each in FOLDER.glob("*.json")))


def queries(board: str, **chosen: str) -> dict[str, list[str]]:
    """Return the queries of each panel of a dashboard by its title, with variables put in.

    What is not chosen is as Grafana puts in all values.
    """
    found: dict[str, list[str]] = {}
    shown = json.loads((FOLDER / f"{board}.json").read_text("utf-8"))
    names = [each["name"] for each in shown["templating"]["list"] if each["type"] == "query"]
    values = {"__rate_interval": "1m"} | dict.fromkeys(names, ".*") | chosen
    for panel in shown["panels"]:
        for target in panel.get("targets", []):
            query = target["expr"]
            for name, value in values.items():
                query = query.replace(f"${name}", value)
            found.setdefault(panel["title"], []).append(query)
    return found
