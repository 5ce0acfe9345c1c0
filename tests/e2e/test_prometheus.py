"""A run seen live by a real Prometheus and on Locust's page, and its numbers afterwards."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from support import kube
from support.benchmarks import small
from support.prometheus import scraping


def test_prometheus_shows_the_run_and_its_results(run: Callable[..., str], tmp_path: Path) -> None:
    service = kube.items("services", "app.kubernetes.io/name=solr-benchmark-operator")[0]
    with scraping(service["metadata"]["name"], tmp_path) as prometheus:
        step = {"name": "two-users", "users": 2, "durationSeconds": 12}
        name = run(small("observed", load={"steps": [step]}))
        _check_web_page_of_locust(name)
        status = kube.wait_for_success(name)
        where = f'{{namespace="{kube.NAMESPACE}",benchmark="{name}"}}'
        under_way = f'{{benchmark="{name}",step="two-users"}}[5m]'
        assert prometheus.value(f"max_over_time(solrbench_live_users{under_way})") == 2
        live = prometheus.value(f"max_over_time(solrbench_live_requests_per_second{under_way})")
        assert live
        assert live > 0

        def results() -> float | None:
            return prometheus.value(f"solrbench_step_requests{where}")

        result = status["results"][0]
        assert kube.wait_for("results", results, 30) == result["requests"]
        p95 = f'solrbench_step_service_time_seconds{{benchmark="{name}",quantile="0.95"}}'
        assert prometheus.value(p95) == pytest.approx(result["p95Milliseconds"] / 1000)
        assert prometheus.value(f"solrbench_benchmark_documents{where}") == 2000
    kube.kubectl("delete", "sbench", name)


def _check_web_page_of_locust(name: str) -> None:
    """Look at the page as a browser behind a port-forward would."""

    def stage() -> bool:
        return (kube.status(name).get("load") or {}).get("stage") == "Measuring"

    kube.wait_for("measuring", stage, 240)
    master = kube.pods(name, "load-master")[0]["metadata"]["name"]
    place = f"/api/v1/namespaces/{kube.NAMESPACE}/pods/{master}:8089/proxy"
    assert "<title>Locust" in kube.kubectl("get", "--raw", f"{place}/")

    def shows_load() -> bool:
        stats = json.loads(kube.kubectl("get", "--raw", f"{place}/stats/requests"))
        return bool(stats["user_count"] == 2 and stats["total_rps"] > 0)

    kube.wait_for("users and requests on the page", shows_load, 10)
