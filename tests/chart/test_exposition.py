"""The operator's metrics, checked by Prometheus' own tool."""

from prometheus_client import generate_latest

from chart.programs import promtool
from solrbench.metrics.operator import PrometheusMetrics, ReconcileResult
from support.results.full_benchmark import full_benchmark


def test_promtool_accepts_every_metric() -> None:
    telemetry = PrometheusMetrics("1")
    telemetry.benchmarks.update(full_benchmark())
    telemetry.operator.count_reconcile(ReconcileResult.SUCCESS, 0.1)
    text = generate_latest(telemetry.registry).decode()
    check = promtool("check", "metrics", text=text)
    assert (check.returncode, check.stdout, check.stderr) == (0, "", "")
