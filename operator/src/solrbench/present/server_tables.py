"""What the servers and their pods did, as tables: rows for each step and variant."""

from collections.abc import Callable, Mapping, Sequence

from solrbench.api.v1alpha1.status.telemetry import StepTelemetry
from solrbench.results.stats.number_format import (
    format_milliseconds,
    format_number,
    format_percent,
)
from solrbench.results.text.tables.table import Table

SERVERS_NOTE = (
    "Means over the repeats. CPU is that of all Solr nodes in cores, CPU % that of the busiest one;"
    " heap is the share in use after a garbage collection, GC the share of the time in which the"
    " collector stopped the worst node; hits are those of Solr's caches."
)

_MEBIBYTE = 1 << 20


def _bytes(value: float) -> str:
    """Return a number of bytes in the unit that fits."""
    for unit, size in (("MiB", _MEBIBYTE), ("KiB", 1 << 10)):
        if value >= size:
            return f"{format_number(value / size)} {unit}"
    return f"{format_number(value)} B"


def _mebibytes(value: float) -> str:
    return f"{format_number(value / _MEBIBYTE)} MiB"


_COLUMNS: dict[str, tuple[str, Callable[[float], str]]] = {
    "Nodes": ("nodes", format_number),
    "CPU": ("cpu_cores", format_number),
    "CPU %": ("cpu_percent", format_percent),
    "CPU per request": ("cpu_milliseconds_per_request", format_milliseconds),
    "Heap": ("heap_after_gc_max_percent", format_percent),
    "GC": ("gc_percent", format_percent),
    "Filter hits": ("filter_cache_hit_percent", format_percent),
    "Query result hits": ("query_result_cache_hit_percent", format_percent),
    "Document hits": ("document_cache_hit_percent", format_percent),
    "Index": ("index_bytes", _mebibytes),
    "ZooKeeper": ("zookeeper_latency_milliseconds", format_milliseconds),
}
"""Titles of the columns, the field of each, and how it is shown."""

PODS_NOTE = (
    "Means over the repeats, from control groups; CPU of Solr is that of its processes. CPU in"
    " cores, reads and sent bytes are those of all pods; throttled, waits (the share of the time in"
    " which a thread waited) and memory those of the worst one."
)

_OF_PODS: dict[str, tuple[str, Callable[[float], str]]] = {
    "CPU": ("cpu_cores", format_number),
    "Throttled": ("throttled_percent", format_percent),
    "Waits for CPU": ("cpu_some_percent", format_percent),
    "Waits for memory": ("memory_some_percent", format_percent),
    "Waits for disk": ("io_some_percent", format_percent),
    "Memory": ("working_set_max_bytes", _mebibytes),
    "Read/s": ("read_bytes_per_second", _bytes),
    "Sent/s": ("network_bytes_per_second", _bytes),
}
"""The same of pods; one whose field a component does not have is empty."""

_PODS = {"Solr": "", "ZooKeeper": "zookeeper_", "companions": "companion_", "load": "load_"}
"""What the fields of each component begin with."""


def servers_table(entries: Sequence[StepTelemetry]) -> Table:
    """Return a row for each step and variant, with the columns that have a number."""
    rows = [
        (each.step, each.variant or "", *cells)
        for each in entries
        if any(cells := _cells(each, _COLUMNS))
    ]
    head = ("Step", "Variant", *_COLUMNS)
    return Table("Servers", head, rows, 2, note=SERVERS_NOTE).without_empty_columns()


def pods_table(entries: Sequence[StepTelemetry]) -> Table:
    """Return a row for the pods of each component in each step and variant."""
    rows = [
        (each.step, each.variant or "", title, *cells)
        for each in entries
        for title, prefix in _PODS.items()
        if any(cells := _cells(each, _OF_PODS, prefix))
    ]
    head = ("Step", "Variant", "Pods of", *_OF_PODS)
    return Table("Pods", head, rows, 3, note=PODS_NOTE).without_empty_columns()


def _cells(
    entry: StepTelemetry,
    columns: Mapping[str, tuple[str, Callable[[float], str]]],
    prefix: str = "",
) -> list[str]:
    values = ((getattr(entry, prefix + field, None), show) for field, show in columns.values())
    return ["" if value is None else show(value) for value, show in values]


def missing_lines(entries: Sequence[StepTelemetry]) -> list[str]:
    """Return what could not be read, with the steps it is missing in."""
    steps: dict[str, list[str]] = {}
    for each in entries:
        for text in each.missing:
            steps.setdefault(text, []).append(each.step)
    return [f"not measured in {', '.join(dict.fromkeys(s))}: {text}" for text, s in steps.items()]
