"""Solr 9's metrics as JSON: `GET /admin/metrics?nodes=all&wt=json`.

One request reaches all nodes; each responds with its registries: `solr.jvm`, `solr.jetty`, one for
each core. See "Metrics Reporting" in the Solr Reference Guide 9.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from solrbench.contract.server_document import CACHES, SEARCH_CACHES
from solrbench.telemetry.jvm import heap_after_gc
from solrbench.telemetry.kernel_files import present
from solrbench.telemetry.readings import ServerReading, add_up

_JVM = r"memory\.heap\.(used|max)|memory\.pools\..*\.used-after-gc|gc\..*|os\.(processCpuTime|systemCpuLoad|availableProcessors|openFileDescriptorCount)|threads\.(count|blocked\.count|runnable\.count)"  # noqa: E501 - one expression
_JETTY = r".*QueuedThreadPool\..*\.(size|jobs|utilization|utilization-max)"
_CORE = r"CACHE\.searcher\..*|CORE\.collection|INDEX\.(sizeInBytes|segments)|INDEX\.merge\.(major|minor)|SEARCHER\.searcher\.(numDocs|deletedDocs)|UPDATE\.updateHandler\.(cumulativeAdds|commits|softAutoCommits|docsPending)|(QUERY|UPDATE)\./.*\.(requests|errors|totalTime)"  # noqa: E501 - one expression

_ALL_NODES = {"nodes": "all", "wt": "json"}

FULL_PARAMETERS: Mapping[str, str | list[str]] = {
    **_ALL_NODES,
    "group": "jvm,jetty,core",
    "regex": [_JVM, _JETTY, _CORE],
}
"""Everything, for the begin and the end of a step run."""

LIGHT_PARAMETERS: Mapping[str, str | list[str]] = {
    **_ALL_NODES,
    "group": "jvm,jetty",
    "regex": [_JVM, _JETTY],
}
"""What is sampled in between: a node with a thousand cores would have much to say of them."""

CACHE_PARAMETERS: Mapping[str, str | list[str]] = {
    **_ALL_NODES,
    "group": "core",
    "prefix": ",".join(
        (*(f"CACHE.searcher.{cache}" for cache in SEARCH_CACHES), "CORE.collection")
    ),
}
"""The caches that searches fill, alone."""

_HANDLER = re.compile(r"(QUERY|UPDATE)\.(/.*)\.(requests|errors|totalTime)")
_PAUSES = re.compile(r"gc\.(?!.*(?:Concurrent|Cycles)).*\.(count|time)")
"""Collectors that stop the world; G1 and ZGC also report work beside the application."""

HANDLER_METRICS = {
    "requests": ("handler_requests", 1.0),
    "errors": ("handler_errors", 1.0),
    "totalTime": ("handler_seconds", 1e9),
}
"""Metric of a handler: what the figure begins with, before a colon and the handler; divisor."""

_OF_QUERIES = {"requests": "requests", "totalTime": "request_seconds"}


def parse_solr_json(
    response: Mapping[str, Any], collection: str, moment: float
) -> list[ServerReading]:
    """Return a reading of each node in the response; none if it is not one of Solr 9.

    Of the cores only those of `collection` count.
    """
    return [
        _parse_node(name, node["metrics"], collection, moment)
        for name, node in response.items()
        if isinstance(node, dict) and isinstance(node.get("metrics"), dict)
    ]


def _parse_node(
    name: str, registries: Mapping[str, Mapping[str, Any]], collection: str, moment: float
) -> ServerReading:
    jvm = registries.get("solr.jvm", {})
    by_name = {
        key: registry
        for key, registry in registries.items()
        if key.startswith("solr.core.") and registry.get("CORE.collection") == collection
    }
    cores = by_name.values()
    counters = [each for core in cores for each in _core_counters(core)]
    gauges = [each for core in cores for each in _core_gauges(core)]
    return ServerReading(
        # host:port_solr: the context is the same for all of them, and a host may have a "_", too.
        server=name.rpartition("_")[0],
        moment=moment,
        # One that opens its searcher has no more than its collection's name at first.
        cores=frozenset(key for key, core in by_name.items() if len(core) > 1),
        counters=add_up([*_jvm_counters(jvm), *counters]),
        gauges=add_up(
            [
                ("heap_limit_bytes", _number(jvm.get("memory.heap.max"))),
                ("cpus", _number(jvm.get("os.availableProcessors"))),
                ("open_files", _number(jvm.get("os.openFileDescriptorCount"))),
                *gauges,
            ]
        ),
        peaks=_peaks(jvm, registries.get("solr.jetty", {}))
        | add_up(
            ("pending_documents", _number(core.get("UPDATE.updateHandler.docsPending")))
            for core in cores
        ),
    )


_Numbers = Iterator[tuple[str, float | None]]


def _jvm_counters(jvm: Mapping[str, Any]) -> _Numbers:
    nanoseconds = _number(jvm.get("os.processCpuTime"))
    yield "cpu_seconds", None if nanoseconds is None else nanoseconds / 1e9
    for name, value in jvm.items():
        collector, number = _PAUSES.fullmatch(name), _number(value)
        if collector and number is not None:
            is_count = collector[1] == "count"
            yield ("gc_count", number) if is_count else ("gc_seconds", number / 1000)


def _peaks(jvm: Mapping[str, Any], jetty: Mapping[str, Any]) -> dict[str, float]:
    after = {
        name: number
        for name, value in jvm.items()
        if name.endswith(".used-after-gc") and (number := _number(value)) is not None
    }
    # The name of the pool, before the last dot, is another one in each process.
    by_end = {name.rpartition(".")[2]: _number(value) for name, value in jetty.items()}
    return present(
        heap_used_bytes=_number(jvm.get("memory.heap.used")),
        heap_after_gc_bytes=heap_after_gc(after),
        system_cpu_percent=_percent(_number(jvm.get("os.systemCpuLoad"))),
        threads=_number(jvm.get("threads.count")),
        threads_blocked=_number(jvm.get("threads.blocked.count")),
        threads_runnable=_number(jvm.get("threads.runnable.count")),
        jetty_busy_percent=_percent(by_end.get("utilization-max")),
        jetty_queue=by_end.get("jobs"),
        jetty_threads=by_end.get("size"),
    )


def _core_counters(core: Mapping[str, Any]) -> _Numbers:
    for cache, stem in CACHES.items():
        numbers = core.get(f"CACHE.searcher.{cache}")
        if isinstance(numbers, dict):
            for what in ("lookups", "hits", "inserts", "evictions"):
                # Those without `cumulative_` begin anew with every searcher.
                yield f"{stem}_{what}", _number(numbers.get(f"cumulative_{what}"))
    for name, value in core.items():
        handler, number = _HANDLER.fullmatch(name), _number(value)
        if handler and number is not None:
            category, path, metric = handler.groups()
            figure, divisor = HANDLER_METRICS[metric]
            yield f"{figure}:{path}", number / divisor
            if category == "QUERY" and metric in _OF_QUERIES:
                # Solr counts what nodes ask each other beside what clients asked for.
                shard = "shard_" if path.endswith("[shard]") else ""
                yield shard + _OF_QUERIES[metric], number / divisor
    for name, figure in _CORE_COUNTERS.items():
        yield figure, _number(core.get(name))


def _core_gauges(core: Mapping[str, Any]) -> _Numbers:
    for name, figure in _CORE_GAUGES.items():
        yield figure, _number(core.get(name))
    for cache, stem in CACHES.items():
        entry = core.get(f"CACHE.searcher.{cache}")
        if isinstance(entry, dict):
            yield f"{stem}_entries", _number(entry.get("size"))
            yield f"{stem}_bytes", _number(entry.get("ramBytesUsed"))


_CORE_COUNTERS = {
    # Absent unless `<indexConfig><metrics>` of the config set has `merge`: Solr 9 counts no merges
    # by default, and what its update handler calls `merges` are requests to merge other indexes.
    "INDEX.merge.major": "merges",
    "INDEX.merge.minor": "merges",
    "UPDATE.updateHandler.cumulativeAdds": "updates",
    "UPDATE.updateHandler.commits": "commits",
    "UPDATE.updateHandler.softAutoCommits": "soft_auto_commits",
}

_CORE_GAUGES = {
    "INDEX.sizeInBytes": "index_bytes",
    "INDEX.segments": "segments",
    "SEARCHER.searcher.numDocs": "documents",
    "SEARCHER.searcher.deletedDocs": "deleted_documents",
}


def _number(value: Any) -> float | None:
    """Return a number, or the count of a meter; None for anything else."""
    if isinstance(value, dict):
        value = value.get("count")
    # A bool is an int to Python.
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value)


def _percent(ratio: float | None) -> float | None:
    # The JVM gives a negative load of the system where it does not know it.
    return None if ratio is None or ratio < 0 else 100 * ratio
