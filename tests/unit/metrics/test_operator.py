import socket
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import ExitStack, closing

import pytest
from prometheus_client import CollectorRegistry

from solrbench.metrics import operator
from solrbench.metrics.operator import OperatorMetrics, PrometheusMetrics, ReconcileResult, serve
from solrbench.net.deadline import wildcard_address
from support.results.full_benchmark import full_benchmark

TOTAL = "solrbench_reconcile_total"


def _reconciles(registry: CollectorRegistry) -> dict[str, float | None]:
    return {
        each.value: registry.get_sample_value(TOTAL, {"result": each}) for each in ReconcileResult
    }


def _clock(*moments: float) -> Callable[[], float]:
    remaining = list(moments)
    return lambda: remaining.pop(0)


def test_every_result_counts_from_zero() -> None:
    registry = CollectorRegistry()
    OperatorMetrics(registry, "1.2.3")
    assert _reconciles(registry) == {"success": 0, "retry": 0, "error": 0}
    assert registry.get_sample_value("solrbench_build_info", {"version": "1.2.3"}) == 1


def test_reconcile_is_timed_by_the_given_clock() -> None:
    registry = CollectorRegistry()
    metrics = OperatorMetrics(registry, "1")
    with metrics.time_reconcile(_clock(10.0, 12.5)) as timer:
        timer.result = ReconcileResult.RETRY
    assert _reconciles(registry) == {"success": 0, "retry": 1, "error": 0}
    assert registry.get_sample_value("solrbench_reconcile_seconds_sum") == 2.5


def test_an_exception_counts_as_error_and_is_passed_on() -> None:
    registry = CollectorRegistry()
    metrics = OperatorMetrics(registry, "1")
    with pytest.raises(RuntimeError, match="boom"), metrics.time_reconcile(_clock(0.0, 1.0)):
        raise RuntimeError("boom")
    assert _reconciles(registry)["error"] == 1
    assert registry.get_sample_value("solrbench_reconcile_seconds_count") == 1


def test_two_registries_do_not_share_numbers() -> None:
    one, two = PrometheusMetrics("1"), PrometheusMetrics("1")
    with one.operator.time_reconcile(_clock(0.0, 0.1)):
        pass
    assert two.registry.get_sample_value(TOTAL, {"result": "success"}) == 0


def test_the_server_shows_the_registry_until_closed() -> None:
    telemetry = PrometheusMetrics("1")
    telemetry.benchmarks.update(full_benchmark())
    with closing(serve(telemetry.registry, 0, "127.0.0.1")) as server:
        url = f"http://127.0.0.1:{server.port}/metrics"
        with urllib.request.urlopen(url, timeout=5) as answer:
            text = answer.read().decode()
    assert 'solrbench_benchmark_info{benchmark="b",namespace="team",phase="Measuring"} 1.0' in text
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(url, timeout=5)


def test_silent_connections_are_few_and_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(operator, "MAX_CONNECTIONS", 3)
    monkeypatch.setattr(operator._ScrapeHandler, "timeout", 0.5)
    with closing(serve(CollectorRegistry(), 0, "127.0.0.1")) as server, ExitStack() as stack:
        place = "127.0.0.1", server.port
        silent = [stack.enter_context(socket.create_connection(place)) for _ in range(10)]
        for each in silent:
            each.settimeout(10)
        # Those beyond the limit are closed at once, the others a little later.
        assert [each.recv(1) for each in silent] == [b""] * 10
        url = f"http://127.0.0.1:{server.port}/metrics"
        with urllib.request.urlopen(url, timeout=5) as answer:
            assert answer.status == 200


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]"])
def test_the_server_listens_on_both_families(host: str) -> None:
    if host == "[::1]" and wildcard_address() != "::":
        pytest.skip("there is no IPv6 here")
    with (
        closing(serve(CollectorRegistry(), 0)) as server,
        urllib.request.urlopen(f"http://{host}:{server.port}/metrics", timeout=5) as answer,
    ):
        assert answer.status == 200


def test_a_taken_port_is_an_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(OSError, match="in use"):
        serve(CollectorRegistry(), taken.getsockname()[1], "127.0.0.1")
