"""The operator's metrics, checked by Prometheus' own tool."""

from prometheus_client import generate_latest

from chart.programs import promtool
from support.results.full_benchmark import full_benchmark, metrics_of


def test_promtool_accepts_every_metric() -> None:
    text = generate_latest(metrics_of(full_benchmark()).registry).decode()
    check = promtool("check", "metrics", text=text)
    assert (check.returncode, check.stdout, check.stderr) == (0, "", "")
