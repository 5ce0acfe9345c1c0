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
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from statistics import median

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


def compare(
    peers: Mapping[str, Peer], server: Server, folder: Path, rounds: int, seconds: float
) -> dict[str, float]:
    """Return the median requests per CPU-second of each peer whose program is there.

    They take turns, so that all see the same machine.
    """
    found: dict[str, list[float]] = {}
    for _ in range(rounds):
        for name, peer in peers.items():
            with suppress(FileNotFoundError), peer(server, folder) as pid:
                found.setdefault(name, []).append(_per_cpu_second(server, pid, seconds))
    return {name: median(values) for name, values in found.items()}


def _per_cpu_second(server: Server, pid: int, seconds: float) -> float:
    past_start = server.served() + _BUSY_REQUESTS
    wait_until(lambda: server.served() > past_start, 30, "load")
    return measure_client(server.served, [pid], seconds, _SETTLE_SECONDS).per_cpu_second


def small_responses(folder: Path, repeats: int, seconds: float) -> list[Row]:
    """Measure 550 bytes from nginx against Locust's fastest user, aiolocust and wrk."""
    peers = {"FastHttpUser": fast_http_user, "ours": ours, "wrk": wrk, "aiolocust": aiolocust}
    with nginx(folder) as server:
        found = compare(peers, server, folder, repeats, seconds)
    return _ratios("550 B responses", found, {"FastHttpUser": 10, "wrk": 0.6, "aiolocust": 3})


def solr_responses(folder: Path, repeats: int, seconds: float) -> list[Row]:
    """Measure responses of ten documents against Locust's fastest user and k6."""
    peers: dict[str, Peer] = {"FastHttpUser": fast_http_user, "ours": ours, "k6": k6}
    with python_server("canned", folder) as server:
        found = compare(peers, server, folder, repeats, seconds)
    return _ratios("4 KB responses", found, {"FastHttpUser": 6, "k6": 5})


def _ratios(what: str, found: Mapping[str, float], bars: Mapping[str, float]) -> list[Row]:
    return [
        ratio_row(what, found["ours"], found[name], bar, name)
        if name in found
        else skipped(f"{what} / {name}", f">= {bar:g} x", f"{name} is not there")
        for name, bar in bars.items()
    ]


_PACED_RATE = 1000
_MAX_MEGABYTES = 100.0
_WORKER = "a worker"
_COST_BARS = {"a bare loop in C": 2.0, "k6": 1 / 3}
"""What a request may cost, in that of another client."""


def cost(folder: Path, rounds: int, seconds: float) -> list[Row]:
    """Measure the CPU time of each client from outside, by turns, and a worker's memory."""
    start_seconds = _SETTLE_SECONDS + _BUSY_REQUESTS / _PACED_RATE
    lasts = int(seconds + start_seconds) + 3
    megabytes: list[float] = []
    clients: dict[str, Peer] = {
        _WORKER: partial(_worker, lasts=lasts, megabytes=megabytes),
        "a bare loop in C": partial(run_baseline, rate=_PACED_RATE, seconds=lasts),
        "k6": partial(paced_k6, rate=_PACED_RATE),
    }
    with nginx(folder) as server:
        found = compare(clients, server, folder, rounds, seconds)
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


def _cost_ratio(found: Mapping[str, float], other: str, bar: float) -> Row:
    what, most = f"CPU time of a request at 1,000/s / that of {other}", f"<= {bar:.2f} x"
    if other not in found:
        return skipped(what, most, f"{other} is not there")
    own, its = 1e6 / found[_WORKER], 1e6 / found[other]
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
        servers = {core: stack.enter_context(nginx(folder, core)) for core in cores}
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
