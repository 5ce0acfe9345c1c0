"""What a worker costs that sends 1,000 requests per second, beside others that do the same."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from pathlib import Path
from statistics import median
from typing import TypeAlias

from bench.harness.baseline import run_baseline
from bench.harness.measurement import measure_client
from bench.harness.peers import paced_k6
from bench.harness.processes import resident_megabytes
from bench.harness.product import product
from bench.harness.table import Row, skipped
from bench.servers.nginx import nginx
from bench.servers.running import Server

_RATE = 1000
_SETTLE_SECONDS = 2.0
_MAX_MEGABYTES = 100.0
_WORKER = "a worker"
_BARS = {"a bare loop in C": 2.0, "k6": 1 / 3}
"""What a request may cost, in that of another client."""

_Client: TypeAlias = Callable[[], AbstractContextManager[int]]


def cost(folder: Path, rounds: int, seconds: float) -> list[Row]:
    """Measure the CPU time of each client from outside, by turns, and a worker's memory."""
    lasts = int(seconds + 2 * _SETTLE_SECONDS) + 2
    megabytes: list[float] = []
    with nginx(folder) as server:
        clients: dict[str, _Client] = {
            _WORKER: partial(_worker, server, folder, lasts, megabytes),
            "a bare loop in C": partial(run_baseline, server, folder, _RATE, lasts),
            "k6": partial(paced_k6, server, folder, _RATE),
        }
        found = _by_turns(clients, server, rounds, seconds)
    most = max(megabytes)
    return [
        *(_ratio(found, other, bar) for other, bar in _BARS.items()),
        Row(
            "a worker's memory",
            f"<= {_MAX_MEGABYTES:g} MB",
            f"{most:.0f} MB",
            most <= _MAX_MEGABYTES,
            f"resident, at {_RATE:,} requests per second",
        ),
    ]


@contextmanager
def _worker(server: Server, folder: Path, lasts: int, megabytes: list[float]) -> Iterator[int]:
    """Run a worker; note its memory at the end."""
    step = {"name": "paced", "requestsPerSecond": _RATE, "durationSeconds": lasts}
    with product(server, folder, step) as running:
        running.wait_for_stage("Measuring")
        (pid,) = running.workers
        yield pid
        megabytes.append(resident_megabytes(pid))


def _by_turns(
    clients: Mapping[str, _Client], server: Server, rounds: int, seconds: float
) -> dict[str, float]:
    """Return the median CPU time of a request of each client, in µs; those that are missing not."""
    found: dict[str, list[float]] = {}
    for _ in range(rounds):
        for name, client in clients.items():
            with suppress(FileNotFoundError), client() as pid:
                weight = measure_client(server.served, [pid], seconds, _SETTLE_SECONDS)
                found.setdefault(name, []).append(weight.microseconds_each)
    return {name: median(each) for name, each in found.items()}


def _ratio(found: Mapping[str, float], other: str, bar: float) -> Row:
    what, most = f"CPU time of a request at 1,000/s / that of {other}", f"<= {bar:.2f} x"
    if other not in found:
        return skipped(what, most, f"{other}: it is not there")
    own, its = found[_WORKER], found[other]
    return Row(what, most, f"{own / its:.2f} x", own / its <= bar, f"{own:.0f} and {its:.0f} us")
