"""The metrics of all servers as they are stored: the worst few one by one, dispersion over all.

ZooKeeper is read by `mntr`, one line for each number, name and value with a tab between them ("The
Four Letter Words" in its Administrator's Guide). Latencies of reads and updates are sums and counts
since the start (3.6 and later), so their differences are those of a step run; `zk_avg_latency` is
of all requests ever. Pods of the load and the index read their own control group.
"""

import os
import socket
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from statistics import median

from solrbench.contract.names import COMPANION, LOAD_MASTER, SOLR, ZOOKEEPER
from solrbench.contract.server_document import (
    CACHES,
    MAX_HANDLERS,
    MAX_MISSING_TEXTS,
    MAX_SERVERS,
    HandlerFigures,
    ServerFigures,
    Spread,
    Telemetry,
)
from solrbench.stats.series import robust_deviation
from solrbench.telemetry.kernel_files import machine_id, read_network, read_process_group
from solrbench.telemetry.readings import ServerReading, add_up, series_of, summarise_readings

_DIGITS = 6
_GROWING = ("_seconds", "_count", "_lookups", "_hits", "_inserts", "_evictions")
_COUNTED = {
    *("requests", "reads", "updates", "merges", "writes", "major_faults"),
    *("commits", "soft_auto_commits"),
    *("read_bytes", "written_bytes", "network_received_bytes", "network_sent_bytes"),
}

_OF_CACHE = ("lookups", "hits", "inserts", "evictions", "entries")
CACHE_METRICS = tuple(f"{cache}_{what}" for cache in CACHES.values() for what in _OF_CACHE)

POD_METRICS = (
    *("cpu_seconds", "cpu_user_seconds", "cpu_system_seconds"),
    *("cpu_limit_percent", "throttled_percent"),
    *("cpu_some_percent", "memory_some_percent", "memory_full_percent"),
    *("io_some_percent", "io_full_percent"),
    *("read_bytes", "written_bytes", "reads", "writes", "major_faults"),
    *("working_set_max_bytes", "working_set_max_percent", "memory_used_max_percent"),
    "page_cache_bytes",
    *("network_received_bytes", "network_sent_bytes"),
)

DISPERSION_METRICS: Mapping[str, Sequence[str]] = {
    "solr": (
        *("cpu_seconds", "cpu_percent", "system_cpu_mean_percent", "gc_percent", "gc_count"),
        *("requests", "request_milliseconds", "shard_request_milliseconds"),
        "shard_request_seconds",
        *("threads_blocked_mean", "threads_runnable_mean", "cpus"),
        *("heap_used_max_percent", "heap_after_gc_max_percent", "heap_after_gc_max_bytes"),
        *("jetty_busy_max_percent", "jetty_queue_max"),
        *("index_bytes", "segments", "documents", "deleted_documents", "merges"),
        *("updates", "commits", "soft_auto_commits", "pending_documents_max"),
        *CACHE_METRICS,
    ),
    "solr-threads": (
        *("merge_threads_mean", "update_threads_mean"),
        *("merge_stalled_mean_percent", "flush_stalled_mean_percent"),
    ),
    "solr-pods": POD_METRICS,
    "zookeeper-pods": POD_METRICS,
    "companion-pods": POD_METRICS,
    "load-pods": POD_METRICS,
    "machines": (
        *("cpu_busy_percent", "steal_percent", "cpu_some_percent", "io_some_percent"),
        *("memory_full_percent", "page_cache_bytes"),
    ),
    "zookeeper": (
        *("requests", "read_seconds", "reads", "update_seconds", "updates"),
        *("outstanding_requests_max", "watches", "connections"),
    ),
}
"""Figures of which a spread over all servers of a kind is kept."""

_SHARES = {
    "heap_used_max_percent": ("heap_used_max_bytes", "heap_limit_bytes"),
    "heap_after_gc_max_percent": ("heap_after_gc_max_bytes", "heap_limit_bytes"),
    "memory_used_max_percent": ("memory_used_max_bytes", "memory_limit_bytes"),
    "working_set_max_percent": ("working_set_max_bytes", "memory_limit_bytes"),
}
_OF_TIME = ("gc", "cpu_some", "memory_full", "memory_some", "io_some", "io_full")
_OF_CPUS = {
    "cpu_percent": ("cpu_seconds", "cpus"),
    "cpu_limit_percent": ("cpu_seconds", "cpu_limit_cores"),
    "cpu_busy_percent": ("cpu_busy_seconds", "cpus"),
    "steal_percent": ("steal_seconds", "cpus"),
}


_CPU_TIMES = ("cpu_seconds", "cpu_busy_seconds")
"""Of a server or pod, and of a machine."""


def worst_servers(servers: Iterable[ServerFigures]) -> list[ServerFigures]:
    """Return the servers with the most CPU time, without the figures of single handlers."""
    ordered = sorted(
        servers, key=lambda server: -sum(server.figures.get(name, 0.0) for name in _CPU_TIMES)
    )
    worst = []
    for server in ordered[:MAX_SERVERS]:
        kept = {name: number for name, number in server.figures.items() if ":" not in name}
        worst.append(server.model_copy(update={"figures": kept}))
    return worst


def with_shares(server: ServerFigures) -> ServerFigures:
    """Return a server with its shares in per cent: of its heap, its CPUs, and of the time."""
    figures, seconds = server.figures, server.seconds
    shares = {
        name: 100 * figures[part] / figures[whole]
        for name, (part, whole) in _SHARES.items()
        if part in figures and figures.get(whole)
    }
    for kind in ("request", "shard_request"):
        if figures.get(f"{kind}s") and f"{kind}_seconds" in figures:
            spent = 1000 * figures[f"{kind}_seconds"]
            shares[f"{kind}_milliseconds"] = spent / figures[f"{kind}s"]
    if seconds > 0:
        shares |= {
            name: 100 * figures[spent] / seconds / figures[cpus]
            for name, (spent, cpus) in _OF_CPUS.items()
            if spent in figures and figures.get(cpus)
        }
        shares |= {
            f"{name}_percent": 100 * figures[f"{name}_seconds"] / seconds
            for name in _OF_TIME
            if f"{name}_seconds" in figures
        }
    if figures.get("periods"):
        # Of the periods in which the group wanted to run, those in which its quota ended: idle
        # ones would hide a throttle that hits whenever there is work.
        shares["throttled_percent"] = 100 * figures.get("throttled_periods", 0) / figures["periods"]
    rounded = {name: round(number, _DIGITS) for name, number in shares.items()}
    return server.model_copy(update={"figures": figures | rounded})


_POD_SPREADS = {
    SOLR: "solr-pods",
    ZOOKEEPER: "zookeeper-pods",
    COMPANION: "companion-pods",
    LOAD_MASTER: "load-pods",
}
"""Names of the figures over all pods of a component; those of workers are added to the last."""


def summarise_servers(
    readings: Mapping[str, Mapping[str, Sequence[ServerReading]]], missing: Iterable[str]
) -> Telemetry:
    """Return what readings show, by kind and server; `missing` says what sources lacked."""
    servers = {
        kind: [with_shares(summarise_readings(each)) for each in known.values() if each]
        for kind, known in readings.items()
    }
    solr, pods = servers.get("solr", []), servers.get("pods", [])
    spread = {kind: known for kind, known in servers.items() if kind != "pods"}
    for component, name in _POD_SPREADS.items():
        spread[name] = [each for each in pods if each.component == component]
    kept = worst_servers(pods)
    # Spreads over the pods of the load are made of it and of the workers, who read themselves.
    kept += [each for each in pods if each.component == LOAD_MASTER and each not in kept]
    # The load master keeps what it measures, so that it grows.
    others = [each for each in pods if each.component != LOAD_MASTER]
    shown = {each.server for kind in (solr, others) for each in worst_servers(kind)}
    texts = list(missing)
    for kind, found in servers.items():
        if alone := [server.server for server in found if server.readings < 2]:
            texts.append(f"only one reading of {kind} {', '.join(alone[:3])}, so no differences")
    return Telemetry(
        solr=worst_servers(solr),
        handlers=handlers_of(solr),
        zookeeper=worst_servers(servers.get("zookeeper", [])),
        pods=kept,
        machines=worst_servers(servers.get("machines", [])),
        spreads={kind: spreads_of(kind, known) for kind, known in spread.items() if known},
        series=[
            series
            for kind, known in readings.items()
            for server, own in known.items()
            if server in shown
            for series in series_of(kind, own)
        ],
        missing=texts[:MAX_MISSING_TEXTS],
    )


def spreads_of(kind: str, servers: Sequence[ServerFigures]) -> list[Spread]:
    """Return how the figures are spread over the servers; those that grow per second."""
    spreads = []
    for figure in DISPERSION_METRICS[kind]:
        numbers = {
            each.server: _per_second(figure, each)
            for each in servers
            # A server with a single reading has no time over which its counters grew.
            if figure in each.figures and each.seconds > 0
        }
        if numbers:
            spreads.append(_spread(figure, numbers))
    return spreads


def _spread(figure: str, numbers: Mapping[str, float]) -> Spread:
    highest = max(numbers, key=lambda server: numbers[server])
    return Spread(
        figure=figure,
        servers=len(numbers),
        total=round(sum(numbers.values()), _DIGITS),
        median=round(median(numbers.values()), _DIGITS),
        deviation=round(robust_deviation(numbers.values()), _DIGITS),
        lowest=round(min(numbers.values()), _DIGITS),
        highest=round(numbers[highest], _DIGITS),
        highest_server=highest,
    )


def _per_second(figure: str, server: ServerFigures) -> float:
    number = server.figures[figure]
    grows = figure.endswith(_GROWING) or figure in _COUNTED
    return number / server.seconds if grows else number


def handlers_of(servers: Iterable[ServerFigures]) -> list[HandlerFigures]:
    """Return the handlers that had requests, over all nodes, the one with the most time first."""
    sums = add_up(each for server in servers for each in server.figures.items())
    handlers = [
        HandlerFigures(
            handler=handler,
            requests=int(requests),
            errors=int(sums.get(f"handler_errors:{handler}", 0)),
            seconds=round(sums.get(f"handler_seconds:{handler}", 0.0), _DIGITS),
        )
        for name, requests in sums.items()
        if requests and (handler := name.removeprefix("handler_requests:")) != name
    ]
    return sorted(handlers, key=lambda each: (-each.seconds, each.handler))[:MAX_HANDLERS]


_COUNTERS = {
    "zk_packets_received": ("requests", 1.0),
    "zk_sum_readlatency": ("read_seconds", 1000.0),
    "zk_cnt_readlatency": ("reads", 1.0),
    "zk_sum_updatelatency": ("update_seconds", 1000.0),
    "zk_cnt_updatelatency": ("updates", 1.0),
    "zk_sum_fsynctime": ("fsync_seconds", 1000.0),
    "zk_cnt_fsynctime": ("fsyncs", 1.0),
}
_GAUGES = {
    "zk_watch_count": "watches",
    "zk_num_alive_connections": "connections",
    "zk_znode_count": "znodes",
    "zk_avg_latency": "latency_since_start_milliseconds",
}
_PEAKS = {"zk_outstanding_requests": "outstanding_requests"}


def parse_monitor(text: str, server: str, moment: float) -> ServerReading | None:
    """Return the reading of a server; None if it did not say anything."""
    numbers: dict[str, float] = {}
    for line in text.splitlines():
        key, _, value = line.partition("\t")
        # Some are words, such as the version, the state and the path of its data.
        with suppress(ValueError):
            numbers[key] = float(value)
    counters = {
        name: numbers[key] / scale for key, (name, scale) in _COUNTERS.items() if key in numbers
    }
    if not counters:
        return None
    return ServerReading(
        server=server,
        moment=moment,
        counters=counters,
        gauges={name: numbers[key] for key, name in _GAUGES.items() if key in numbers},
        peaks={name: numbers[key] for key, name in _PEAKS.items() if key in numbers},
    )


def read_own_pod(component: str) -> ServerReading:
    """Return the control group of this process and the network of its pod, at this moment."""
    counters, gauges, peaks = read_process_group(os.getpid())
    counters |= read_network()
    name, moment, machine = socket.gethostname(), time.monotonic(), machine_id()
    return ServerReading(name, moment, counters, gauges, peaks, component, machine, kind="pods")


class OwnPodMeter:
    """What the pod of this process did from one moment to another.

    It reads some twenty files, which takes 4 ms: not while anything is measured.
    """

    def __init__(self, component: str) -> None:
        self._component = component
        self.begin()

    def begin(self) -> None:
        """Begin anew."""
        self._first = read_own_pod(self._component)

    def figures(self) -> ServerFigures:
        """Return the figures since the begin."""
        return with_shares(summarise_readings([self._first, read_own_pod(self._component)]))
