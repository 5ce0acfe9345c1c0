"""What the servers did, as a table: one row for each step and variant."""

from collections.abc import Callable, Iterable, Sequence

from solrbench.api.v1alpha1.status.telemetry import StepTelemetry
from solrbench.results.stats.number_format import (
    format_milliseconds,
    format_number,
    format_percent,
)

SERVERS_NOTE = (
    "Means over the repeats. CPU is that of all Solr nodes in cores, CPU % that of the busiest one;"
    " heap is the share in use after a garbage collection, GC the share of the time in which the"
    " collector stopped the worst node; hits are those of Solr's caches."
)

_MEBIBYTE = 1 << 20


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


def servers_table(entries: Sequence[StepTelemetry]) -> list[list[str]]:
    """Return head, rule and rows of what was measured of any step; nothing without a number."""
    shown = {
        title: column
        for title, column in _COLUMNS.items()
        if any(getattr(each, column[0]) is not None for each in entries)
    }
    if not shown:
        return []
    names = ["Step", *(["Variant"] if any(each.variant for each in entries) else [])]
    rows = [
        [
            each.step,
            *([each.variant or ""] if len(names) > 1 else []),
            *_cells(each, shown.values()),
        ]
        for each in entries
    ]
    return [[*names, *shown], ["---"] * len(names) + ["--:"] * len(shown), *rows]


def _cells(
    entry: StepTelemetry, columns: Iterable[tuple[str, Callable[[float], str]]]
) -> list[str]:
    values = ((getattr(entry, field), show) for field, show in columns)
    return ["" if value is None else show(value) for value, show in values]


def missing_lines(entries: Sequence[StepTelemetry]) -> list[str]:
    """Return what could not be read, with the steps it is missing in."""
    steps: dict[str, list[str]] = {}
    for each in entries:
        for text in each.missing:
            steps.setdefault(text, []).append(each.step)
    return [f"not measured in {', '.join(dict.fromkeys(s))}: {text}" for text, s in steps.items()]
