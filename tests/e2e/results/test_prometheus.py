"""A run seen live by a real Prometheus and on Locust's page, and its numbers afterwards."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support.cluster import kube
from support.cluster.benchmarks import small
from support.cluster.prometheus import Prometheus, queries, scraping

USERS = {"name": "two-users", "users": 2, "durationSeconds": 24}
PLANNED = {"name": "planned", "requestsPerSecond": 100, "durationSeconds": 15}
"""Users for longer than the 15 s between two writes of live figures, the first of which may come
before any request; and more than the thousand requests of a cold start."""

NOT_MEASURED = {
    "Why steps are Invalid",
    "Goodput by step",
    "Trends by step",
    "Growth by step",
    "Trends beside the baseline",
    "Growth beside the baseline",
    "Pods by step",
    "Pods of companions and load by step",
    "Time until found",
}
"""Panels that are rightly empty after a good, short run of one repeat: no agents, no objectives, no
visibility."""


def test_prometheus_shows_the_run_and_its_results(run: Callable[..., str], tmp_path: Path) -> None:
    service = kube.items("services", "app.kubernetes.io/name=solr-benchmark-operator")[0]
    with scraping(service["metadata"]["name"], tmp_path) as prometheus:
        name = run(small("observed", load={"steps": [USERS, PLANNED]}))
        _check_web_page_of_locust(name)
        status = kube.wait_for_success(name)
        where = f'namespace="{kube.NAMESPACE}",benchmark="{name}"'
        under_way = f'{{benchmark="{name}",step="two-users"}}[10m]'
        assert prometheus.value(f"max_over_time(solrbench_live_users{under_way})") == 2
        live = prometheus.value(f"max_over_time(solrbench_live_requests_per_second{under_way})")
        assert (live or 0) > 0
        rate = "solrbench_live_planned_requests_per_second"
        of_plan = f'{{benchmark="{name}",step="planned"}}[10m]'
        assert prometheus.value(f"max_over_time({rate}{of_plan})") == 100

        def results() -> float | None:
            return prometheus.value(f'solrbench_step_requests{{{where},step="planned"}}')

        closed, planned = status["results"]
        assert kube.wait_for("results", results, 30) == planned["requests"]
        p95 = f'solrbench_step_service_time_seconds{{benchmark="{name}",quantile="0.95",step='
        for result in (closed, planned):
            found = prometheus.value(f'{p95}"{result["step"]}"}}')
            assert found == pytest.approx(result["p95Milliseconds"] / 1000)
        assert prometheus.value(f"solrbench_benchmark_documents{{{where}}}") == 2000
        _check_open_loop(prometheus, where, status)
        _check_cold_start(prometheus, where, status)
        _check_dashboard(prometheus, name)
    kube.kubectl("delete", "sbench", name)


def _check_open_loop(prometheus: Prometheus, where: str, status: dict[str, Any]) -> None:
    """Compare what only a planned rate has with the status; the closed loop has none of it."""
    planned = status["results"][1]
    (open_loop,) = status["openLoop"]
    assert open_loop["plannedArrivals"] == open_loop["sentArrivals"] + open_loop["droppedArrivals"]
    assert open_loop["plannedArrivals"] > 1000
    wanted = {
        'response_time_seconds{quantile="0.99",': planned["responseP99Milliseconds"] / 1000,
        "response_time_max_seconds{": planned["responseMaxMilliseconds"] / 1000,
        "late_requests{": planned["lateRequests"],
        "dropped_requests{": planned["droppedRequests"],
        "planned_arrivals{": open_loop["plannedArrivals"],
        "sent_arrivals{": open_loop["sentArrivals"],
        "late_arrivals{": open_loop["lateArrivals"],
        "dropped_arrivals{": open_loop["droppedArrivals"],
        'send_lag_seconds{quantile="0.99",': open_loop["lagP99Milliseconds"] / 1000,
        "send_lag_max_seconds{": open_loop["lagMaxMilliseconds"] / 1000,
    }
    for metric, number in wanted.items():
        found = prometheus.value(f'solrbench_step_{metric}{where},step="planned"}}')
        assert found == pytest.approx(number), metric
        assert prometheus.query(f'solrbench_step_{metric}{where},step="two-users"}}') == []
    for verdict in status["verdicts"]:
        valid = prometheus.value(f'solrbench_step_valid{{{where},step="{verdict["step"]}"}}')
        assert valid == {"Valid": 1, "Inconclusive": 0.5, "Invalid": 0}[verdict["verdict"]]


def _check_cold_start(prometheus: Prometheus, where: str, status: dict[str, Any]) -> None:
    """Compare the cold start with the status; a step that never was steady has no steady mean."""
    start = status["coldStart"]
    assert (start["step"], start["inWarmUp"]) == ("two-users", False)
    steady = start.get("steadyAverageMilliseconds")
    wanted = {
        "first_thousand_seconds": start["firstThousandSeconds"],
        "first_thousand_service_time_average_seconds": (
            start["firstThousandAverageMilliseconds"] / 1000
        ),
        "first_thousand_service_time_max_seconds": start["firstThousandMaxMilliseconds"] / 1000,
        "steady_service_time_average_seconds": None if steady is None else steady / 1000,
    }
    for metric, number in wanted.items():
        found = prometheus.value(f"solrbench_cold_start_{metric}{{{where}}}")
        assert found == (None if number is None else pytest.approx(number)), metric


def _check_dashboard(prometheus: Prometheus, name: str) -> None:
    """Ask every query of results; each panel of them finds something in one of its queries."""
    board = queries("solrbench", namespace=kube.NAMESPACE, benchmark=name)
    of_results = [
        panel
        for panel, asked in board.items()
        if any("solrbench_step_" in each or "_cold_start_" in each for each in asked)
    ]
    empty = {
        panel for panel in of_results if not any(prometheus.query(query) for query in board[panel])
    }
    assert empty <= NOT_MEASURED


def _check_web_page_of_locust(name: str) -> None:
    """Look at the page as a browser behind a port-forward would."""

    def stage() -> bool:
        return (kube.status(name).get("liveLoad") or {}).get("stage") == "Measuring"

    kube.wait_for("measuring", stage, 240)
    master = kube.pods(name, "load-master")[0]["metadata"]["name"]
    place = f"/api/v1/namespaces/{kube.NAMESPACE}/pods/{master}:8089/proxy"
    assert "<title>Locust" in kube.kubectl("get", "--raw", f"{place}/")

    def shows_load() -> bool:
        stats = json.loads(kube.kubectl("get", "--raw", f"{place}/stats/requests"))
        return bool(stats["user_count"] == 2 and stats["total_rps"] > 0)

    kube.wait_for("users and requests on the page", shows_load, 10)
