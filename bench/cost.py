"""What a worker costs that sends 1,000 requests per second."""

from pathlib import Path

from bench.floor import floor
from bench.processes import resident_megabytes
from bench.product import product
from bench.servers.nginx import nginx
from bench.table import Row
from bench.weighing import weigh

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
            own = weigh(server, [pid], seconds, _SETTLE_SECONDS)
            megabytes = resident_megabytes(pid)
        with floor(server, folder, _RATE, lasts) as pid:
            least = weigh(server, [pid], seconds, _SETTLE_SECONDS)
    at = f"at {own.per_second:,.0f} requests per second"
    return [
        Row(
            "a worker's CPU at 1,000/s",
            "<= 5 % of a core",
            f"{own.cpu_percent:.1f} %",
            own.cpu_percent <= _MOST_CPU_PERCENT,
            f"{at}, {own.microseconds_each:.0f} us each",
        ),
        Row(
            "CPU of a bare loop at 1,000/s",
            "",
            f"{least.cpu_percent:.1f} %",
            None,
            f"only waits, writes and reads: {least.microseconds_each:.0f} us each",
        ),
        Row(
            "a worker's memory",
            "<= 100 MB",
            f"{megabytes:.0f} MB",
            megabytes <= _MOST_MEGABYTES,
            f"resident, {at}",
        ),
    ]
