"""What a second worker adds, as CPU time: two cores cannot hold two workers and a server.

Two workers that run side by side get what the server leaves them of two cores. So the question
is put as capacity: requests per CPU-second of one worker, and of two that disturb each other.
"""

import time
from pathlib import Path
from statistics import median

from bench.peers import CONNECTIONS
from bench.processes import cpu_seconds, wait_until
from bench.product import product
from bench.servers.nginx import nginx
from bench.servers.running import Server
from bench.table import Row

_BAR = 1.8
_SETTLE_SECONDS = 1.0


def scaling(folder: Path, repeats: int, seconds: float) -> list[Row]:
    """Measure one worker and two in turn."""
    one, two = [], []
    with nginx(folder) as server:
        for _ in range(repeats):
            one.append(_per_cpu_second(server, folder, 1, seconds))
            two.append(_per_cpu_second(server, folder, 2, seconds))
    gain = 2 * median(two) / median(one)
    detail = f"{median(one):,.0f} and {median(two):,.0f} requests per CPU-second of the workers"
    return [Row("capacity of 2 workers / 1", f">= {_BAR} x", f"{gain:.2f} x", gain >= _BAR, detail)]


def _per_cpu_second(server: Server, folder: Path, workers: int, seconds: float) -> float:
    step = {"name": "full", "users": CONNECTIONS * workers, "durationSeconds": 60}
    before = server.answered()
    with product(server, folder, step, workers=workers) as running:
        wait_until(lambda: server.answered() > before + 2000 * workers, 30, "load")
        time.sleep(_SETTLE_SECONDS)
        requests, spent = server.answered(), sum(map(cpu_seconds, running.workers))
        time.sleep(seconds)
        requests = server.answered() - requests
        spent = sum(map(cpu_seconds, running.workers)) - spent
    return requests / spent
