"""Prometheus metrics of the operator itself, and the server that shows them.

Nothing is registered at import: the caller owns the registry.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import Protocol, Self
from wsgiref.simple_server import WSGIServer

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    start_http_server,
)

from solrbench.metrics.benchmarks import RESULT_SECONDS, BenchmarkCollector, BenchmarkStore
from solrbench.metrics.sweeps import SweepCollector, SweepStore
from solrbench.net.deadline import wildcard_address

_RECONCILE_BUCKETS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
"""A reconcile reads a handful of objects; one that takes a minute is stuck on a deadline."""


class ReconcileResult(StrEnum):
    """How a reconcile ended."""

    SUCCESS = "success"
    RETRY = "retry"
    """Something is not there yet; the reconcile is made again."""
    ERROR = "error"
    """The reconcile ended with an unexpected error."""


class Clock(Protocol):
    """Seconds that only go forward, such as `time.monotonic`."""

    def __call__(self) -> float:
        """Return the seconds since a fixed but unknown moment."""


class ReconcileTimer:
    """Notes how one reconcile ended."""

    def __init__(self) -> None:
        self.result = ReconcileResult.SUCCESS


class OperatorMetrics:
    """Metrics of the operator process."""

    def __init__(self, registry: CollectorRegistry, version: str) -> None:
        self._reconciles = Counter(
            "solrbench_reconcile",
            "Reconciles by result.",
            ["result"],
            registry=registry,
        )
        for result in ReconcileResult:
            self._reconciles.labels(result.value)
        self._seconds = Histogram(
            "solrbench_reconcile_seconds",
            "Duration of one reconcile.",
            buckets=_RECONCILE_BUCKETS,
            registry=registry,
        )
        build = Gauge(
            "solrbench_build_info",
            "Always 1; the version of the operator is in the label.",
            ["version"],
            registry=registry,
        )
        build.labels(version).set(1)

    def count_reconcile(self, result: ReconcileResult, seconds: float) -> None:
        """Count one reconcile that ended with `result` after `seconds`."""
        self._reconciles.labels(result.value).inc()
        self._seconds.observe(seconds)

    @contextmanager
    def time_reconcile(self, clock: Clock) -> Iterator[ReconcileTimer]:
        """Time and count one reconcile; an exception that leaves the block counts as an error.

        The block sets `result` of what it gets where the reconcile is to be made again.
        """
        timer, begin = ReconcileTimer(), clock()
        try:
            yield timer
        except BaseException:
            timer.result = ReconcileResult.ERROR
            raise
        finally:
            self.count_reconcile(timer.result, clock() - begin)


class PrometheusMetrics:
    """All metrics of one operator process.

    Attributes:
        registry: what `serve` shows
        benchmarks: the latest status of every benchmark
        sweeps: the latest status of every sweep
        operator: metrics of the operator process
    """

    def __init__(
        self, registry: CollectorRegistry, version: str, result_seconds: float = RESULT_SECONDS
    ) -> None:
        self.registry = registry
        self.benchmarks = BenchmarkStore(result_seconds)
        self.sweeps = SweepStore(result_seconds)
        self.operator = OperatorMetrics(registry, version)
        registry.register(BenchmarkCollector(self.benchmarks))
        registry.register(SweepCollector(self.sweeps))
        ProcessCollector(registry=registry)


class MetricsServer:
    """A running server of `/metrics`; close it, or use it as a context manager."""

    def __init__(self, server: WSGIServer, thread: threading.Thread) -> None:
        self._server = server
        self._thread = thread

    @property
    def port(self) -> int:
        """The port it listens on."""
        return self._server.server_port

    def close(self) -> None:
        """Stop serving, free the port and wait until the thread has ended."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def serve(registry: CollectorRegistry, port: int, address: str | None = None) -> MetricsServer:
    """Show `registry` on `http://address:port/metrics` from a thread of its own.

    Without an address it listens on all, of both families. Port 0 takes any free one.

    Raises:
        OSError: if the port is taken.
    """
    server, thread = start_http_server(port, addr=address or wildcard_address(), registry=registry)
    return MetricsServer(server, thread)
