"""What a worker costs that sends 1,000 requests per second."""

from contextlib import AbstractContextManager
from pathlib import Path

from bench.baseline import run_baseline
from bench.measurement import measure_client
from bench.peers import paced_k6
from bench.processes import resident_megabytes
from bench.product import product
from bench.servers.nginx import nginx
from bench.servers.running import Server
from bench.table import Row, skipped

_RATE = 1000
_SETTLE_SECONDS = 2.0
_MOST_CPU_PERCENT = 5.0
_MOST_MEGABYTES = 100.0


def cost(folder: Path, seconds: float) -> list[Row]:
    """Measure CPU time and memory of the worker's process from outside."""
    lasts = int(seconds + 2 * _SETTLE_SECONDS) + 2
    step = {"name": "paced", "requestsPerSecond": _RATE, "durationSeconds": lasts}
    with nginx(folder) as server:
        with product(server, folder, step) as running:
            running.wait_for_stage("Measuring")
            (pid,) = running.workers
            own = measure_client(server.served, [pid], seconds, _SETTLE_SECONDS)
            megabytes = resident_megabytes(pid)
        others = [
            _beside(
                "a bare loop in C", run_baseline(server, folder, _RATE, lasts), server, seconds
            ),
            _beside("k6", paced_k6(server, folder, _RATE), server, seconds),
        ]
    at = f"at {own.per_second:,.0f} requests per second"
    return [
        Row(
            "a worker's CPU at 1,000/s",
            "<= 5 % of a core",
            f"{own.cpu_percent:.1f} %",
            own.cpu_percent <= _MOST_CPU_PERCENT,
            f"{at}, {own.microseconds_each:.0f} us each",
        ),
        *others,
        Row(
            "a worker's memory",
            "<= 100 MB",
            f"{megabytes:.0f} MB",
            megabytes <= _MOST_MEGABYTES,
            f"resident, {at}",
        ),
    ]


def _beside(who: str, client: AbstractContextManager[int], server: Server, seconds: float) -> Row:
    what = f"CPU of {who} at 1,000/s"
    try:
        with client as pid:
            weight = measure_client(server.served, [pid], seconds, _SETTLE_SECONDS)
    except FileNotFoundError as error:
        return skipped(what, "", error)
    return Row(
        what, "", f"{weight.cpu_percent:.1f} %", None, f"{weight.microseconds_each:.0f} us each"
    )
