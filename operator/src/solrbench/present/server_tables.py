"""What the servers and their pods did, as tables: rows for each step and variant.

The slowest requests of each name over all stored step runs, as lines of text.

Failed requests by kind, over all stored step runs.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from solrbench.api.v1alpha1.server_metrics import StepTelemetry
from solrbench.contract.step_document import FailureKind, SlowRequest, StepRunResult
from solrbench.present.table import Row, TextTable
from solrbench.stats.number_format import (
    format_milliseconds,
    format_number,
    format_percent,
    format_share,
)

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


def servers_table(entries: Sequence[StepTelemetry]) -> TextTable:
    """Return a row for each step and variant, with the columns that have a number."""
    rows = [
        (entry.step, entry.variant or "", *cells)
        for entry in entries
        if any(cells := _cells(entry, _COLUMNS))
    ]
    head = ("Step", "Variant", *_COLUMNS)
    return TextTable("Servers", head, rows, 2, note=SERVERS_NOTE).without_empty_columns()


def pods_table(entries: Sequence[StepTelemetry]) -> TextTable:
    """Return a row for the pods of each component in each step and variant."""
    rows = [
        (entry.step, entry.variant or "", title, *cells)
        for entry in entries
        for title, prefix in _PODS.items()
        if any(cells := _cells(entry, _OF_PODS, prefix))
    ]
    head = ("Step", "Variant", "Pods of", *_OF_PODS)
    return TextTable("Pods", head, rows, 3, note=PODS_NOTE).without_empty_columns()


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
    for entry in entries:
        for text in entry.missing:
            steps.setdefault(text, []).append(entry.step)
    return [f"not measured in {', '.join(dict.fromkeys(s))}: {text}" for text, s in steps.items()]


SLOW_NOTE = (
    "Service time, what Solr says it took (QTime), seconds since the step began to be measured,"
    " node, and what was requested; QTime and node where they are known."
)


class _Found(NamedTuple):
    request: str
    document: StepRunResult
    slow: SlowRequest


def slow_lines(documents: Iterable[StepRunResult], most: int) -> list[str]:
    """Return up to `most` lines for each request name, the slowest first."""
    by_name: dict[str, list[_Found]] = {}
    for document in documents:
        for result in document.requests:
            found = [_Found(result.request, document, slow) for slow in result.slow_requests]
            by_name.setdefault(result.request, []).extend(found)
    return [
        _line(each)
        for _, found in sorted(by_name.items())
        for each in sorted(found, key=lambda f: -f.slow.service_time_microseconds)[:most]
    ]


def _line(found: _Found) -> str:
    request, document, slow = found
    variant = f" through {document.variant}" if document.variant else ""
    failed = f", {slow.failure}" if slow.failure else ""
    qtime = "" if slow.qtime_milliseconds is None else f" (QTime {slow.qtime_milliseconds} ms)"
    node = "" if slow.node is None else f", {slow.node}"
    return (
        f"{request}: {format_milliseconds(slow.service_time_microseconds / 1000)}{qtime}{failed}"
        f" in {document.step}{variant}, repeat {document.repeat}, {slow.second:.1f} s"
        f"{node}: {slow.query}"
    )


MAX_FAILURE_ROWS = 100
"""Rows of the table, those with most failures."""

_HEAD = ("Step", "Variant", "Request", "Failure", "Requests", "Share", "Sample")
_NOTE = "Share of the requests of that name in the step. The sample is one message of that kind."


@dataclass
class _FailureGroup:
    """Failures of one kind, of one request name in one step and variant."""

    count: int = 0
    requests: int = 0
    sample: str = ""

    def add(self, kind: FailureKind) -> None:
        self.count += kind.count
        self.sample = self.sample or kind.sample


_Key = tuple[str, str, str, str]


def failure_table(documents: Iterable[StepRunResult]) -> TextTable:
    """Return the kinds of failures, the most frequent one first; without rows if none failed."""
    groups: dict[_Key, _FailureGroup] = {}
    requests: dict[tuple[str, str, str], int] = {}
    for document in documents:
        for result in document.requests:
            group_key = (document.step, document.variant, result.request)
            requests[group_key] = requests.get(group_key, 0) + result.requests
            for kind in result.failure_kinds:
                groups.setdefault((*group_key, kind.kind), _FailureGroup()).add(kind)
    ordered = sorted(groups.items(), key=lambda each: (-each[1].count, each[0]))
    rows = [_row(key, failures, requests[key[:3]]) for key, failures in ordered[:MAX_FAILURE_ROWS]]
    left_out = len(ordered) - len(rows)
    more = f" {left_out} more kinds with fewer failures are left out." if left_out else ""
    table = TextTable(
        "Failed requests by kind", _HEAD, rows, 4, frozenset({"Sample"}), f"{_NOTE}{more}"
    )
    return table.without_empty_columns()


def _row(key: _Key, failures: _FailureGroup, requests: int) -> Row:
    return (*key, str(failures.count), format_share(failures.count, requests), failures.sample)
