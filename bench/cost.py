"""What a worker costs that sends 1,000 requests per second."""

import time
from pathlib import Path
from typing import Any, NamedTuple

from bench.floor import floor
from bench.processes import cpu_seconds, resident_megabytes
from bench.product import product
from bench.servers.nginx import nginx
from bench.servers.running import Server
from bench.table import Row
from solrbench.api.v1alpha1.load import Step

_RATE = 1000
_SETTLE_SECONDS = 2.0
_MOST_CPU_PERCENT = 5.0
_MOST_MEGABYTES = 100.0


def paced_step(name: str, rate: int, seconds: int) -> dict[str, Any]:
    """Return a step of so many requests per second: planned, if steps know planned rates."""
    if "requests_per_second" in Step.model_fields:
        return {"name": name, "requestsPerSecond": rate, "durationSeconds": seconds}
    think = {"exponentialMeanMilliseconds": 20}
    users = rate * 20 // 1000
    return {"name": name, "users": users, "thinkTime": think, "durationSeconds": seconds}


def cost(folder: Path, seconds: float) -> list[Row]:
    """Measure CPU time and memory of the worker's process from outside."""
    lasts = int(seconds + 2 * _SETTLE_SECONDS) + 2
    step = paced_step("paced", _RATE, lasts)
    with nginx(folder) as server:
        with product(server, folder, step) as running:
            running.wait_for_stage("Measuring")
            (pid,) = running.workers
            own = _weigh(pid, server, seconds)
            megabytes = resident_megabytes(pid)
        with floor(server, folder, _RATE, lasts) as pid:
            least = _weigh(pid, server, seconds)
    at = f"at {own.rate:,.0f} requests per second"
    return [
        Row(
            "a worker's CPU at 1,000/s",
            "<= 5 % of a core",
            f"{own.percent:.1f} %",
            own.percent <= _MOST_CPU_PERCENT,
            f"{at}, {own.microseconds:.0f} us each",
        ),
        Row(
            "CPU of a bare loop at 1,000/s",
            "",
            f"{least.percent:.1f} %",
            None,
            f"only waits, writes and reads: {least.microseconds:.0f} us each",
        ),
        Row(
            "a worker's memory",
            "<= 100 MB",
            f"{megabytes:.0f} MB",
            megabytes <= _MOST_MEGABYTES,
            f"resident, {at}",
        ),
    ]


class _Weight(NamedTuple):
    """What a client costs."""

    rate: float
    """Requests per second."""
    percent: float
    """Of a core."""
    microseconds: float
    """Of CPU time for each request."""


def _weigh(pid: int, server: Server, seconds: float) -> _Weight:
    time.sleep(_SETTLE_SECONDS)
    began, requests, spent = time.monotonic(), server.answered(), cpu_seconds(pid)
    time.sleep(seconds)
    passed = time.monotonic() - began
    requests, spent = server.answered() - requests, cpu_seconds(pid) - spent
    return _Weight(requests / passed, 100 * spent / passed, 1e6 * spent / requests)
