"""A real Prometheus that scrapes the operator through a port-forward."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from urllib.request import urlopen

from bench.servers.running import free_port
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
        """Return the samples of an instant query."""
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
def _process(*command: str) -> Iterator[None]:
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            yield
        finally:
            process.terminate()


@contextmanager
def scraping(service: str, folder: Path) -> Iterator[Prometheus]:
    """Run Prometheus against the operator's metrics Service."""
    program = shutil.which("prometheus")
    assert program, "prometheus is not on the PATH; `make test` brings it (hack/tools test)"
    metrics, web = free_port(), free_port()
    config = folder / "prometheus.yml"
    config.write_text(CONFIG.format(port=metrics), "utf-8")
    with ExitStack() as stack:
        stack.enter_context(
            _process(
                "kubectl", "-n", kube.NAMESPACE, "port-forward", f"svc/{service}", f"{metrics}:9090"
            )
        )
        stack.enter_context(
            _process(
                program,
                f"--config.file={config}",
                f"--storage.tsdb.path={folder}/data",
                f"--web.listen-address=127.0.0.1:{web}",
            )
        )
        prometheus = Prometheus(web)
        kube.wait_for("scrape of the operator", prometheus.is_up, 60)
        yield prometheus


def queries(board: str, **chosen: str) -> dict[str, list[str]]:
    """Return the queries of each panel of a dashboard by its title, with variables put in.

    What is not chosen is as Grafana puts in all values.
    """
    found: dict[str, list[str]] = {}
    for query in read_queries(CHART_BOARDS[board], **chosen):
        found.setdefault(query.panel, []).append(query.expression)
    return found
