"""Requests per CPU-second of the client, side by side with peers.

Every client is measured alike and from outside: the server counts the requests, `/proc` the CPU
time of the client's process, both between two looks in the middle of the run. So neither
start-up nor what a client says of itself counts.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from statistics import median

from bench.processes import cpu_seconds, wait_until
from bench.servers.running import Server

Peer = Callable[[Server, Path], AbstractContextManager[int]]

_SETTLE_SECONDS = 1.0
_BUSY_REQUESTS = 2000
"""A client that has sent so many is past its start."""


def per_cpu_second(peer: Peer, server: Server, folder: Path, seconds: float) -> float:
    """Return the requests that a client sends per second of its own CPU time."""
    before = server.answered()
    with peer(server, folder) as pid:
        wait_until(lambda: server.answered() > before + _BUSY_REQUESTS, 30, "load")
        time.sleep(_SETTLE_SECONDS)
        requests, spent = server.answered(), cpu_seconds(pid)
        time.sleep(seconds)
        requests, spent = server.answered() - requests, cpu_seconds(pid) - spent
    return requests / spent


def compare(
    peers: Mapping[str, Peer], server: Server, folder: Path, repeats: int, seconds: float
) -> dict[str, float]:
    """Return the median of every peer; they take turns, so that all see the same machine."""
    found: dict[str, list[float]] = {name: [] for name in peers}
    for _ in range(repeats):
        for name, peer in peers.items():
            found[name].append(per_cpu_second(peer, server, folder, seconds))
    return {name: median(values) for name, values in found.items()}


def spread(values: Sequence[float]) -> float:
    """Return the widest distance from the median, as a share of it."""
    middle = median(values)
    return max(abs(value - middle) for value in values) / middle
