"""The queries of the Grafana dashboard, as Grafana sends them."""

import json
from pathlib import Path

_BOARD = Path(__file__).parents[3] / "charts/solr-benchmark-operator/dashboards/solrbench.json"


def queries(**variables: str) -> dict[str, list[str]]:
    """Return the queries of each panel by its title, with `variables` put in."""
    values = {"__rate_interval": "1m"} | variables
    found: dict[str, list[str]] = {}
    for panel in json.loads(_BOARD.read_text("utf-8"))["panels"]:
        for target in panel.get("targets", []):
            query = target["expr"]
            for name, value in values.items():
                query = query.replace(f"${name}", value)
            found.setdefault(panel["title"], []).append(query)
    return found
