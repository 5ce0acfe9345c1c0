"""Ten thousand finished benchmarks: what the operator keeps of them, and how long lists take."""

import asyncio
import gc
import time
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx2 as httpx
import orjson
import pytest

from bench.operator.stored_objects import benchmark, finished_status
from solrbench.api.identity import BENCHMARKS
from solrbench.controller.handlers import Handlers
from solrbench.controller.queue import BenchmarkQueue
from solrbench.kube.reader import METADATA_AT_ONCE
from solrbench.metrics.operator import PrometheusMetrics
from support.controller.runs import access_to
from support.fakes.fake_cluster import FakeCluster
from support.fakes.operator_driver import settings_for
from support.servers.api_stub import cluster_of, resources
from support.servers.hostile_documents import resident
from support.solr.cloud import Cloud

pytestmark = [pytest.mark.soak, pytest.mark.timeout(1800)]

COUNT = 10_000
MAX_GROWTH = 60.0
"""MiB."""
MAX_LIST_SECONDS = 1.0
NAMESPACE = "search"
NOW = datetime.now(UTC).replace(microsecond=0)
STATUS = {"observedGeneration": 1, **finished_status(NOW, 0)}
STORED = orjson.dumps(benchmark("any"))


def metadata_of(number: int) -> dict[str, Any]:
    return {
        "name": f"done-{number:05}",
        "namespace": NAMESPACE,
        "uid": f"00000000-0000-4000-8000-{number:012}",
        "resourceVersion": str(number + 1),
        "generation": 1,
        "creationTimestamp": "2026-01-01T00:00:00Z",
    }


def body_of(number: int) -> dict[str, Any]:
    """Return a finished benchmark as the watch shows it; they ended five minutes apart."""
    ended = {"completionTime": (NOW - number * timedelta(minutes=5)).isoformat()}
    status = orjson.loads(orjson.dumps(STATUS | ended))
    found: dict[str, Any] = orjson.loads(STORED)
    return found | {"metadata": metadata_of(number), "status": status}


def test_memory_hardly_grows_with_finished_benchmarks() -> None:
    telemetry = PrometheusMetrics("test")
    access = access_to(Cloud(documents=0))
    handlers = Handlers(FakeCluster(), settings_for(NAMESPACE), telemetry, access)

    async def show(numbers: Iterable[int]) -> None:
        for number in numbers:
            await handlers.on_event(event={"type": None}, body=body_of(number))

    asyncio.run(show(range(COUNT, COUNT + 500)))  # what is loaded and pooled once is no growth
    gc.collect()
    before = resident("VmRSS")
    asyncio.run(show(range(COUNT)))
    gc.collect()
    growth = resident("VmRSS") - before
    print(f"{growth:.1f} MiB more with {COUNT:,} finished benchmarks")
    assert growth <= MAX_GROWTH


def test_lists_of_ten_thousand_take_less_than_a_second() -> None:
    items = [{"metadata": metadata_of(number)} for number in range(COUNT)]
    starts = range(0, COUNT, METADATA_AT_ONCE)
    parts = {}
    for start in starts:
        end = start + METADATA_AT_ONCE
        more = {"continue": str(end) if end < COUNT else ""}
        parts[str(start)] = orjson.dumps({"metadata": more, "items": items[start:end]})

    def respond(request: httpx.Request) -> httpx.Response:
        if not request.url.path.endswith("/solrbenchmarks"):
            return resources("SolrBenchmark")
        return httpx.Response(200, content=parts[request.url.params.get("continue", "0")])

    cluster = cluster_of(respond)
    began = time.process_time()
    assert sum(1 for _ in cluster.list_metadata(*BENCHMARKS, NAMESPACE)) == COUNT
    seconds = time.process_time() - began
    queue = BenchmarkQueue()
    for number in range(COUNT):
        queue.observe(body_of(0) | {"metadata": metadata_of(number)}, NOW)
    began = time.process_time()
    queue.verify(cluster, [NAMESPACE], NOW)
    verified = time.process_time() - began
    print(f"{seconds:.2f} s for a list of {COUNT:,}, {verified:.2f} s to compare the queue with it")
    assert max(seconds, verified) <= MAX_LIST_SECONDS
