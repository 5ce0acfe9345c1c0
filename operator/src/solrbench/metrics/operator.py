"""Prometheus metrics of the operator itself, and the server that shows them.

Nothing is registered at import.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from wsgiref.simple_server import WSGIServer

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    start_http_server,
)

from solrbench.metrics.benchmarks import BenchmarkStore
from solrbench.metrics.family import RESULT_SECONDS
from solrbench.metrics.sweeps import SweepStore
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


@dataclass
class ReconcileTimer:
    """How one reconcile ended, which the block that is timed may change."""

    result: ReconcileResult = ReconcileResult.SUCCESS


class OperatorMetrics:
    """Metrics of the operator process."""

    def __init__(self, registry: CollectorRegistry, version: str) -> None:
        self._reconciles = Counter(
            "solrbench_reconcile", "Reconciles by result.", ["result"], registry=registry
        )
        # Each result is there from the first scrape on: a rate needs a first value to rise from.
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

    @contextmanager
    def time_reconcile(self, clock: Callable[[], float]) -> Iterator[ReconcileTimer]:
        """Time and count one reconcile; an exception that leaves the block counts as an error.

        `clock` returns seconds that only go forward, as `time.monotonic` does. The block sets
        `result` of what it gets where the reconcile is to be made again.
        """
        timer, begin = ReconcileTimer(), clock()
        try:
            yield timer
        except BaseException:
            # Also when the operator ends: a reconcile that was cut off is not a success.
            timer.result = ReconcileResult.ERROR
            raise
        finally:
            self._reconciles.labels(timer.result.value).inc()
            self._seconds.observe(clock() - begin)


class PrometheusMetrics:
    """All metrics of one operator process; `registry` is what `serve` shows."""

    def __init__(self, version: str, result_seconds: float = RESULT_SECONDS) -> None:
        self.registry = CollectorRegistry()
        self.benchmarks = BenchmarkStore(result_seconds)
        self.sweeps = SweepStore(result_seconds)
        self.operator = OperatorMetrics(self.registry, version)
        self.registry.register(self.benchmarks)
        self.registry.register(self.sweeps)
        ProcessCollector(registry=self.registry)


@dataclass(frozen=True)
class MetricsServer:
    """A running server of `/metrics`, which is to be closed."""

    server: WSGIServer
    thread: threading.Thread

    @property
    def port(self) -> int:
        """The port it listens on."""
        return self.server.server_port

    def close(self) -> None:
        """Stop serving, free the port and wait until the thread has ended."""
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


def serve(registry: CollectorRegistry, port: int, address: str | None = None) -> MetricsServer:
    """Show `registry` on `http://address:port/metrics` from a thread of its own.

    Without an address it listens on all, of both families. Port 0 takes any free one; it raises
    `OSError` if the port is taken.
    """
    # The client library's own default, 0.0.0.0, leaves out clusters that have only IPv6.
    address = address or wildcard_address()
    return MetricsServer(*start_http_server(port, addr=address, registry=registry))
