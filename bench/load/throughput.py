"""Requests per CPU-second of the client, side by side with peers.

Every client is measured alike and from outside: the server counts the requests, `/proc` the CPU
time of the client's process, both between two looks in the middle of the run. So neither
start-up nor what a client says of itself counts.
"""

import shutil
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from statistics import median

from bench.harness.measurement import measure_client
from bench.harness.peers import aiolocust, fast_http_user, k6, ours, wrk
from bench.harness.processes import wait_until
from bench.harness.table import Row, ratio_row, skipped
from bench.servers.nginx import nginx
from bench.servers.running import Server, python_server

Peer = Callable[[Server, Path], AbstractContextManager[int]]

_SETTLE_SECONDS = 1.0
_BUSY_REQUESTS = 2000
"""A client that has sent so many is past its start."""


def per_cpu_second(peer: Peer, server: Server, folder: Path, seconds: float) -> float:
    """Return the requests that a client sends per second of its own CPU time."""
    before = server.served()
    with peer(server, folder) as pid:
        wait_until(lambda: server.served() > before + _BUSY_REQUESTS, 30, "load")
        return measure_client(server.served, [pid], seconds, _SETTLE_SECONDS).per_cpu_second


def compare(
    peers: Mapping[str, Peer], server: Server, folder: Path, repeats: int, seconds: float
) -> dict[str, float]:
    """Return the median of every peer; they take turns, so that all see the same machine."""
    found: dict[str, list[float]] = {name: [] for name in peers}
    for _ in range(repeats):
        for name, peer in peers.items():
            found[name].append(per_cpu_second(peer, server, folder, seconds))
    return {name: median(values) for name, values in found.items()}


def small_responses(folder: Path, repeats: int, seconds: float) -> list[Row]:
    """Measure 550 bytes from nginx against Locust's fastest user, aiolocust and wrk."""
    peers = {"FastHttpUser": fast_http_user, "ours": ours, "wrk": wrk}
    bars = {"FastHttpUser": 10, "wrk": 0.6, "aiolocust": 3}
    reason = "it is not on the PATH; it needs a free-threading Python 3.14"
    with nginx(folder) as server:
        found = compare(_with("aiolocust", aiolocust, peers), server, folder, repeats, seconds)
    return _ratios("550 B responses", found, bars, {"aiolocust": reason})


def solr_responses(folder: Path, repeats: int, seconds: float) -> list[Row]:
    """Measure responses of ten documents against Locust's fastest user and k6."""
    peers: dict[str, Peer] = {"FastHttpUser": fast_http_user, "ours": ours}
    bars = {"FastHttpUser": 6, "k6": 5}
    with python_server("canned", folder) as server:
        found = compare(_with("k6", k6, peers), server, folder, repeats, seconds)
    return _ratios("4 KB responses", found, bars, {"k6": "k6 could not be built"})


def _with(name: str, peer: Peer, peers: Mapping[str, Peer]) -> dict[str, Peer]:
    """Return the peers and one more, if its program is there."""
    return {**peers, **({name: peer} if shutil.which(name) is not None else {})}


def _ratios(
    what: str, found: Mapping[str, float], bars: Mapping[str, float], missing: Mapping[str, str]
) -> list[Row]:
    return [
        ratio_row(what, found["ours"], found[name], bar, name)
        if name in found
        else skipped(f"{what} / {name}", f">= {bar:g} x", missing[name])
        for name, bar in bars.items()
    ]
