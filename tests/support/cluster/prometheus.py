"""A real Prometheus that scrapes the operator through a port-forward."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from urllib.request import urlopen

from bench.harness.processes import started
from bench.servers.running import free_port
from chart.programs import find_program
from hack.dashboards.panel_data import CHART_BOARDS, read_queries
from support.cluster import kube

CONFIG = """
global: {{scrape_interval: 1s}}
scrape_configs:
  - job_name: solrbench
    static_configs: [{{targets: ["127.0.0.1:{port}"]}}]
"""


class Prometheus:
    """Queries a running Prometheus."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}"

    def query(self, promql: str) -> list[dict[str, Any]]:
        with urlopen(f"{self.url}/api/v1/query?{urlencode({'query': promql})}") as response:
            found: list[dict[str, Any]] = json.load(response)["data"]["result"]
        return found

    def value(self, promql: str) -> float | None:
        """Return the one sample of a query, None if there is none."""
        found = self.query(promql)
        assert len(found) < 2, found
        return float(found[0]["value"][1]) if found else None

    def is_up(self) -> bool:
        """Return whether the operator was scraped."""
        try:
            return self.value("up") == 1
        except OSError:
            return False


@contextmanager
def prometheus_of(port: int, folder: Path) -> Iterator[Prometheus]:
    """Run Prometheus against metrics on a port of this machine."""
    web, config = free_port(), folder / "prometheus.yml"
    config.write_text(CONFIG.format(port=port), "utf-8")
    command = [
        find_program("prometheus"),
        f"--config.file={config}",
        f"--storage.tsdb.path={folder}/data",
        f"--web.listen-address=127.0.0.1:{web}",
    ]
    with started(command, folder / "prometheus.log"):
        yield Prometheus(web)


@contextmanager
def scraping(service: str, folder: Path) -> Iterator[Prometheus]:
    """Run Prometheus against the operator's metrics Service."""
    port = free_port()
    command = ["kubectl", "-n", kube.NAMESPACE, "port-forward", f"svc/{service}", f"{port}:9090"]
    with started(command, folder / "forward.log"), prometheus_of(port, folder) as found:
        kube.wait_for("scrape of the operator", found.is_up, 60)
        yield found


def queries(board: str, **chosen: str) -> dict[str, list[str]]:
    """Return the queries of each panel of a dashboard by its title, with variables put in.

    What is not chosen is as Grafana puts in all values.
    """
    found: dict[str, list[str]] = {}
    for query in read_queries(CHART_BOARDS[board], **chosen):
        found.setdefault(query.panel, []).append(query.expression)
    return found
