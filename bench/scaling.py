"""What a second worker adds, as CPU time: two cores cannot hold two workers and a server.

Two workers that run side by side get what the server leaves them of two cores. So the question
is put as capacity: requests per CPU-second of one worker, and of two that disturb each other.
"""

from pathlib import Path
from statistics import median

from bench.peers import CONNECTIONS
from bench.processes import wait_until
from bench.product import product
from bench.servers.nginx import nginx
from bench.servers.running import Server
from bench.table import Row
from bench.weighing import Weight, weigh

_BAR = 1.8
_SETTLE_SECONDS = 1.0


def scaling(folder: Path, repeats: int, seconds: float) -> list[Row]:
    """Measure one worker and two in turn."""
    one, two = [], []
    with nginx(folder) as server:
        for _ in range(repeats):
            one.append(_weigh(server, folder, 1, seconds))
            two.append(_weigh(server, folder, 2, seconds))
    single, double = (median(each.per_cpu_second for each in found) for found in (one, two))
    slow, fast = (median(each.per_second for each in found) for found in (one, two))
    gain = 2 * double / single
    detail = f"{single:,.0f} and {double:,.0f} requests per CPU-second of the workers"
    rates = f"{slow:,.0f} and {fast:,.0f} requests per second; the server runs on the same cores"
    return [
        Row("capacity of 2 workers / 1", f">= {_BAR} x", f"{gain:.2f} x", gain >= _BAR, detail),
        Row("throughput of 2 workers / 1", "", f"{fast / slow:.2f} x", None, rates),
    ]


def _weigh(server: Server, folder: Path, workers: int, seconds: float) -> Weight:
    step = {"name": "full", "users": CONNECTIONS * workers, "durationSeconds": 60}
    before = server.answered()
    with product(server, folder, step, workers=workers) as running:
        wait_until(lambda: server.answered() > before + 2000 * workers, 30, "load")
        return weigh(server, running.workers, seconds, _SETTLE_SECONDS)
