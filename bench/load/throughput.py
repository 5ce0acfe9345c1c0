"""What a request costs the client, side by side with peers.

Every client is measured alike and from outside: the server counts the requests, `/proc` the CPU
time of the client's process, both between two looks in the middle of the run. So neither start-up
nor what a client says of itself counts.

For a second worker, two cores cannot hold two workers and a server that is not the bottleneck:
whatever the server takes of them, the second worker lacks. So the server grows along: each worker
shares a core with an nginx of its own, and one such core is compared with two side by side.

For telemetry, sides take turns, A B B A, against one server that looks like Solr and has its
metrics; each side is a run of its own. Telemetry of servers and of the load's own pods is read each
5 s, twice as often as by default. The interval is that of the mean of the pairs' log ratios
(Student).
"""

import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from statistics import median
from typing import TypeAlias

from bench.harness.pairs import log_ratios, ratio_interval
from bench.harness.peers import (
    CONNECTIONS,
    aiolocust,
    fast_http_user,
    k6,
    ours,
    paced_k6,
    run_baseline,
    wrk,
)
from bench.harness.processes import (
    ClientCost,
    is_connected_to,
    measure_client,
    pin,
    resident_megabytes,
    wait_until,
)
from bench.harness.product import product
from bench.harness.table import Row, at_least, at_most, ratio_row, skipped
from bench.servers.running import Server, nginx, python_server
from solrbench.stats import histograms

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
    return _peer_ratios("550 B responses", found, bars, {"aiolocust": reason})


def solr_responses(folder: Path, repeats: int, seconds: float) -> list[Row]:
    """Measure responses of ten documents against Locust's fastest user and k6."""
    peers: dict[str, Peer] = {"FastHttpUser": fast_http_user, "ours": ours}
    bars = {"FastHttpUser": 6, "k6": 5}
    with python_server("canned", folder) as server:
        found = compare(_with("k6", k6, peers), server, folder, repeats, seconds)
    return _peer_ratios("4 KB responses", found, bars, {"k6": "k6 could not be built"})


def _with(name: str, peer: Peer, peers: Mapping[str, Peer]) -> dict[str, Peer]:
    """Return the peers and one more, if its program is there."""
    return {**peers, **({name: peer} if shutil.which(name) is not None else {})}


def _peer_ratios(
    what: str, found: Mapping[str, float], bars: Mapping[str, float], missing: Mapping[str, str]
) -> list[Row]:
    return [
        ratio_row(what, found["ours"], found[name], bar, name)
        if name in found
        else skipped(f"{what} / {name}", f">= {bar:g} x", missing[name])
        for name, bar in bars.items()
    ]


_PACED_RATE = 1000
_PACED_SETTLE_SECONDS = 2.0
_MAX_MEGABYTES = 100.0
_WORKER = "a worker"
_COST_BARS = {"a bare loop in C": 2.0, "k6": 1 / 3}
"""What a request may cost, in that of another client."""

_Client: TypeAlias = Callable[[], AbstractContextManager[int]]


def cost(folder: Path, rounds: int, seconds: float) -> list[Row]:
    """Measure the CPU time of each client from outside, by turns, and a worker's memory."""
    lasts = int(seconds + 2 * _PACED_SETTLE_SECONDS) + 2
    megabytes: list[float] = []
    with nginx(folder) as server:
        clients: dict[str, _Client] = {
            _WORKER: partial(_worker, server, folder, lasts, megabytes),
            "a bare loop in C": partial(run_baseline, server, folder, _PACED_RATE, lasts),
            "k6": partial(paced_k6, server, folder, _PACED_RATE),
        }
        found = _by_turns(clients, server, rounds, seconds)
    resident = f"resident, at {_PACED_RATE:,} requests per second"
    return [
        *(_cost_ratio(found, other, bar) for other, bar in _COST_BARS.items()),
        at_most("a worker's memory", max(megabytes), _MAX_MEGABYTES, "{:.0f} MB", resident),
    ]


@contextmanager
def _worker(server: Server, folder: Path, lasts: int, megabytes: list[float]) -> Iterator[int]:
    """Run a worker; note its memory at the end."""
    step = {"name": "paced", "requestsPerSecond": _PACED_RATE, "durationSeconds": lasts}
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
                weight = measure_client(server.served, [pid], seconds, _PACED_SETTLE_SECONDS)
                found.setdefault(name, []).append(weight.microseconds_each)
    return {name: median(each) for name, each in found.items()}


def _cost_ratio(found: Mapping[str, float], other: str, bar: float) -> Row:
    what, most = f"CPU time of a request at 1,000/s / that of {other}", f"<= {bar:.2f} x"
    if other not in found:
        return skipped(what, most, f"{other}: it is not there")
    own, its = found[_WORKER], found[other]
    return Row(what, most, f"{own / its:.2f} x", own / its <= bar, f"{own:.0f} and {its:.0f} us")


_SCALING_BAR = 1.8
_SCALING_WHAT = "throughput of 2 workers / 1"


def scaling(folder: Path, repeats: int, seconds: float) -> list[Row]:
    """Measure one worker and two in turn."""
    cores = sorted(os.sched_getaffinity(0))[:2]
    if len(cores) < 2:
        return [skipped(_SCALING_WHAT, f">= {_SCALING_BAR} x", "needs two cores")]
    one, two = [], []
    with ExitStack() as stack:
        servers = {core: stack.enter_context(_nginx(folder, core)) for core in cores}
        for _ in range(repeats):
            one.append(_measure_workers({cores[0]: servers[cores[0]]}, folder, seconds))
            two.append(_measure_workers(servers, folder, seconds))
    return _scaling_rows(one, two)


def _scaling_rows(one: Sequence[ClientCost], two: Sequence[ClientCost]) -> list[Row]:
    slow, fast = (median(each.per_second for each in found) for found in (one, two))
    single, double = (median(each.per_cpu_second for each in found) for found in (one, two))
    rates = f"{slow:,.0f} and {fast:,.0f} requests per second, each worker beside its own server"
    detail = f"{single:,.0f} and {double:,.0f} requests per CPU-second of the workers"
    return [
        at_least(_SCALING_WHAT, fast / slow, _SCALING_BAR, "{:.2f} x", rates),
        Row("capacity of 2 workers / 1", "", f"{2 * double / single:.2f} x", None, detail),
    ]


def _nginx(folder: Path, core: int) -> AbstractContextManager[Server]:
    own = folder / f"core-{core}"
    own.mkdir()
    return nginx(own, core)


def _measure_workers(servers: Mapping[int, Server], folder: Path, seconds: float) -> ClientCost:
    """Run a worker on each core; users go round the servers, so each worker sends to only one."""
    step = {"name": "full", "users": CONNECTIONS * len(servers), "durationSeconds": 60}
    urls = [server.url for server in servers.values()]
    first = next(iter(servers.values()))
    with product(first, folder, step, workers=len(servers), solrUrls=urls) as running:
        running.wait_for_stage("Measuring")
        for core, server in servers.items():
            (worker,) = (pid for pid in running.workers if is_connected_to(pid, server.port))
            pin(worker, core)
        return measure_client(
            lambda: sum(server.served() for server in servers.values()),
            running.workers,
            seconds,
            _SETTLE_SECONDS,
        )


_MAX_LOST_PERCENT = 1.0
_WIDEST_PERCENT = 4.0
"""An interval that is wider says nothing: the machine was too busy."""
_TELEMETRY_USERS = 4
_TELEMETRY_SERVER = '{"cpu_milliseconds": 0.2, "wait_milliseconds": 4}'


def telemetry_cost(folder: Path, pairs: int, seconds: int) -> list[Row]:
    """Measure so many pairs of runs of `seconds` each, which start in about 5 s."""
    with python_server("solr_double", folder, [_TELEMETRY_SERVER]) as server:
        _measure_telemetry(server, folder, seconds, reads=False)
        rates, tails = log_ratios(
            lambda reads: _measure_telemetry(server, folder, seconds, reads=reads), pairs
        )
    return [_telemetry_row("throughput", [-each for each in rates]), _telemetry_row("p99", tails)]


def _measure_telemetry(
    server: Server, folder: Path, seconds: int, *, reads: bool
) -> tuple[float, float]:
    """Return responses per second and the 99th percentile in microseconds."""
    step = {"name": "pair", "users": _TELEMETRY_USERS, "durationSeconds": seconds}
    telemetry = {"collect": "ServersAndPods" if reads else "None", "intervalSeconds": 5}
    with product(server, folder, step, telemetry=telemetry) as running:
        (document,) = running.documents(seconds + 30)
    if (document.telemetry is not None) != reads:
        raise RuntimeError("telemetry is not as it was wanted")
    (result,) = document.requests
    tail = histograms.decode(result.service_time_histogram).percentile(99)
    return result.requests / seconds, float(tail or 1)


def _telemetry_row(what: str, ratios: list[float]) -> Row:
    """Return what is lost, in per cent; positive is worse with telemetry."""
    low, middle, high = ratio_interval(ratios)
    return Row(
        f"telemetry: {what} lost",
        f"<= {_MAX_LOST_PERCENT:g} %",
        f"{middle:.2f} %",
        None if high - low > _WIDEST_PERCENT else middle <= _MAX_LOST_PERCENT,
        f"95 %: {low:.2f} to {high:.2f} %, {len(ratios)} pairs",
    )
