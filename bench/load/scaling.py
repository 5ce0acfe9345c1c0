"""What a second worker adds on a second core.

Two cores cannot hold two workers and a server that is not the bottleneck: whatever the server takes
of them, the second worker lacks. So the server grows along: each worker shares a core with an nginx
of its own, and one such core is compared with two side by side.
"""

import os
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from functools import partial
from pathlib import Path
from statistics import median

from bench.harness.measurement import ClientCost, measure_client
from bench.harness.peers import CONNECTIONS
from bench.harness.processes import is_connected_to, pin
from bench.harness.product import product
from bench.harness.table import Row, skipped
from bench.servers.nginx import nginx
from bench.servers.running import Server

_BAR = 1.8
_SETTLE_SECONDS = 1.0
_WHAT = "throughput of 2 workers / 1"


def scaling(folder: Path, repeats: int, seconds: float) -> list[Row]:
    """Measure one worker and two in turn."""
    cores = sorted(os.sched_getaffinity(0))[:2]
    if len(cores) < 2:
        return [skipped(_WHAT, f">= {_BAR} x", "needs two cores")]
    one, two = [], []
    with ExitStack() as stack:
        servers = {engine: stack.enter_context(_nginx(folder, engine)) for engine in cores}
        for _ in range(repeats):
            one.append(_measure_workers({cores[0]: servers[cores[0]]}, folder, seconds))
            two.append(_measure_workers(servers, folder, seconds))
    return _rows(one, two)


def _rows(one: Sequence[ClientCost], two: Sequence[ClientCost]) -> list[Row]:
    slow, fast = (median(each.per_second for each in found) for found in (one, two))
    single, double = (median(each.per_cpu_second for each in found) for found in (one, two))
    rates = f"{slow:,.0f} and {fast:,.0f} requests per second, each worker beside its own server"
    detail = f"{single:,.0f} and {double:,.0f} requests per CPU-second of the workers"
    return [
        Row(_WHAT, f">= {_BAR} x", f"{fast / slow:.2f} x", fast / slow >= _BAR, rates),
        Row("capacity of 2 workers / 1", "", f"{2 * double / single:.2f} x", None, detail),
    ]


def _nginx(folder: Path, engine: int) -> AbstractContextManager[Server]:
    own = folder / f"core-{engine}"
    own.mkdir()
    return nginx(own, engine)


def _measure_workers(servers: Mapping[int, Server], folder: Path, seconds: float) -> ClientCost:
    """Run a worker on each core; users go round the servers, so each worker sends to only one."""
    step = {"name": "full", "users": CONNECTIONS * len(servers), "durationSeconds": 60}
    urls = [server.url for server in servers.values()]
    first = next(iter(servers.values()))
    with product(first, folder, step, workers=len(servers), solrUrls=urls) as running:
        running.wait_for_stage("Measuring")
        for engine, server in servers.items():
            (worker,) = (pid for pid in running.workers if is_connected_to(pid, server.port))
            pin(worker, engine)
        return measure_client(partial(_served, servers), running.workers, seconds, _SETTLE_SECONDS)


def _served(servers: Mapping[int, Server]) -> int:
    return sum(server.served() for server in servers.values())
