"""Two hundred workers in one load master: CPU of the master, whatever the rate of requests.

The master's pool and Locust's runner are the product's; the workers are sockets that repeat the
messages of a real worker with ten names each second: a heartbeat, Locust's statistics, progress.
"""

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from bench.harness.processes import cpu_seconds, end, started, wait_until
from bench.harness.table import Row
from bench.servers.running import free_port

_NAMES = 10
_BAR_PERCENT = 25.0
_START_SECONDS = 120.0
_RATES = (100, 10_000)
"""Requests per second of each worker."""


def wide(folder: Path, workers: int, seconds: int) -> list[Row]:
    """Return the row of each rate."""
    return [_row(folder, workers, rate, seconds) for rate in _RATES]


def _row(folder: Path, workers: int, rate: int, seconds: int) -> Row:
    port, ready = free_port(), folder / f"ready-{rate}"
    module = [sys.executable, "-m", "bench.load.many_workers"]
    log = folder / f"wide-{rate}.log"
    with started([*module, "master", str(port), str(workers), str(ready)], log) as master:
        fakes = subprocess.Popen([*module, "workers", str(port), str(workers), str(rate)])
        try:
            wait_until(ready.exists, _START_SECONDS, f"{workers} workers")
            time.sleep(3)
            before, began = cpu_seconds(master.pid), time.monotonic()
            time.sleep(seconds)
            spent = cpu_seconds(master.pid) - before
            percent = 100 * spent / (time.monotonic() - began)
        finally:
            end(fakes)
    what = f"master of {workers} workers, {workers * rate:,} requests/s"
    detail = f"{spent:.2f} CPU-seconds in {seconds} s"
    return Row(what, "<= 25 %", f"{percent:.0f} %", percent <= _BAR_PERCENT, detail)


def _run_master(port: int, workers: int, ready: Path) -> None:
    """Be a master whose pool has assigned a step run, and show its totals each second."""
    import gevent  # noqa: PLC0415 - patches the process
    from locust.env import Environment  # noqa: PLC0415

    from solrbench.load.locust_runtime import (  # noqa: PLC0415
        StepLoadShape,
        configure_locust,
        placeholder_user_class,
    )
    from solrbench.load.locust_scaling import limit_stats_forever  # noqa: PLC0415
    from solrbench.load.master.worker_pool import WorkerPool  # noqa: PLC0415
    from solrbench.load.schedule.messages import Assignment, Start  # noqa: PLC0415

    configure_locust()
    shape = StepLoadShape()
    environment = Environment(user_classes=[placeholder_user_class(lambda: None)])
    runner = environment.create_master_runner(master_bind_port=port)
    pool = WorkerPool(runner, shape, workers)
    pool.wait_for_workers()
    gevent.spawn(limit_stats_forever, environment.stats, gevent.sleep)
    everywhere = {"repeat": 1, "step": "wide", "worker": 0, "workers": workers, "users": workers}
    pool.assign(Assignment(key="wide", start=Start.IMMEDIATE, **everywhere))
    ready.touch()
    pool.wait(lambda: pool.reports.live_totals.requests < 0)


def _messages(rate: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what a worker says of itself and of a second."""
    from locust.stats import RequestStats  # noqa: PLC0415

    from solrbench.load.recording.request_stats import RequestTotals  # noqa: PLC0415
    from solrbench.load.worker.worker import add_to_locust_stats  # noqa: PLC0415

    stats = RequestStats(use_response_times_cache=False)
    for index in range(_NAMES):
        each = RequestTotals(requests=rate // _NAMES, sum_microseconds=10**6, min_microseconds=900)
        each.buckets.update({4000 + 3 * n: 1 for n in range(min(rate // _NAMES, 300))})
        add_to_locust_stats(stats, "wide", f"name-{index}", each, time.time())
    report = {
        "stats": stats.serialize_stats(),
        "stats_total": stats.total.serialize(),
        "errors": {},
        "user_classes_count": {},
        "user_count": 1,
    }
    return {"state": "running", "current_cpu_usage": 50, "current_memory_usage": 0}, report


def _run_workers(port: int, workers: int, rate: int) -> None:
    """Be workers, each second."""
    import gevent  # noqa: PLC0415
    from locust import __version__  # noqa: PLC0415
    from locust.rpc import Message, zmqrpc  # noqa: PLC0415

    from solrbench.load.schedule import messages  # noqa: PLC0415

    alive, report = _messages(rate)
    clients = {
        name: zmqrpc.Client("127.0.0.1", port, name)
        for name in (f"worker-{each}" for each in range(workers))
    }
    for name, client in clients.items():
        client.send(Message("client_ready", __version__, name))
        ready = {"worker": name, "classes": [["VirtualUser", 1]]}
        client.send(Message(messages.READY, ready, name))
        gevent.spawn(_read, client)
        gevent.sleep(0.005)
    second = 0
    while True:
        second += 1
        sums = {"users": 1, "requests": second * rate, "failures": 0, "sum_microseconds": second}
        began = time.monotonic()
        for place, (name, client) in enumerate(clients.items()):
            client.send(Message("heartbeat", alive, name))
            client.send(Message("stats", report, name))
            client.send(Message(messages.PROGRESS, {"key": "wide", **sums}, name))
            gevent.sleep(max(began + (place + 1) / workers - time.monotonic(), 0))


def _read(client: Any) -> None:
    while True:
        client.recv()


if __name__ == "__main__":
    role, at, count, last = sys.argv[1:]
    if role == "master":
        _run_master(int(at), int(count), Path(last))
    else:
        _run_workers(int(at), int(count), int(last))
