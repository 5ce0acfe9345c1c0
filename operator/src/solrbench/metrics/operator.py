"""Prometheus metrics of the operator itself, and the server that shows them.

Nothing is registered at import.
"""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import StrEnum
from socketserver import ThreadingMixIn
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    make_wsgi_app,
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


MAX_CONNECTIONS = 64
"""At once, a thread for each. Any pod may open connections, and each thread takes memory."""
CONNECTION_SECONDS = 10.0
"""For which one that sends nothing, or takes nothing, holds its thread."""


class _LimitedServer(ThreadingMixIn, WSGIServer):
    daemon_threads = True

    def __init__(self, registry: CollectorRegistry, port: int, address: str) -> None:
        self.address_family = socket.AF_INET6 if ":" in address else socket.AF_INET
        self._free = threading.BoundedSemaphore(MAX_CONNECTIONS)
        super().__init__((address, port), _ScrapeHandler)
        self.set_app(make_wsgi_app(registry))

    def process_request(self, request: Any, client_address: Any) -> None:
        if not self._free.acquire(blocking=False):
            self.shutdown_request(request)
            return
        try:
            super().process_request(request, client_address)
        except RuntimeError:  # no thread could be started
            self._free.release()
            raise

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()


class _ScrapeHandler(WSGIRequestHandler):
    timeout = CONNECTION_SECONDS

    def handle(self) -> None:
        with suppress(OSError):  # the other side is silent, or gone
            super().handle()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name in the library
        """Say nothing of each scrape."""


def serve(registry: CollectorRegistry, port: int, address: str | None = None) -> MetricsServer:
    """Show `registry` on `http://address:port/metrics` from a thread of its own.

    Without an address it listens on all, of both families. Port 0 takes any free one; it raises
    `OSError` if the port is taken. The server of the client library has no limits.
    """
    # 0.0.0.0 leaves out clusters that have only IPv6.
    server = _LimitedServer(registry, port, address or wildcard_address())
    thread = threading.Thread(target=server.serve_forever, name="metrics", daemon=True)
    thread.start()
    return MetricsServer(server, thread)
