"""What servers and pods did, which requests were slowest, and which failed: lines and tables."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, TypeVar

from solrbench.analysis.bottleneck_evidence import pod_of
from solrbench.api.v1alpha1.server_metrics import StepTelemetry
from solrbench.contract.step_document import MAX_SLOW_REQUESTS, SlowRequest, StepRunResult
from solrbench.present.fact_tables import step_label
from solrbench.present.table import Column, NameColumn, NumberColumn, Table, TextColumn, build_table
from solrbench.stats.number_format import (
    format_bytes,
    format_milliseconds,
    format_number,
    format_percent,
    format_share,
)

_Item = TypeVar("_Item")

SERVERS_NOTE = (
    "Means over the repeats. CPU is that of all Solr nodes in cores, CPU % that of the busiest one;"
    " heap is the share in use after a garbage collection, GC the share of the time in which the"
    " collector stopped the worst node; hits are those of Solr's caches."
)

_SERVER_COLUMNS: Sequence[Column[StepTelemetry]] = (
    NameColumn("Step", lambda e: e.step),
    NameColumn("Variant", lambda e: e.variant),
    NumberColumn("Nodes", lambda e: e.nodes, format_number),
    NumberColumn("CPU cores", lambda e: e.cpu_cores, format_number),
    NumberColumn("CPU %", lambda e: e.cpu_percent, format_percent),
    NumberColumn("CPU per query", lambda e: e.cpu_milliseconds_per_request, format_milliseconds),
    NumberColumn("Heap", lambda e: e.heap_after_gc_max_percent, format_percent),
    NumberColumn("GC", lambda e: e.gc_percent, format_percent),
    NumberColumn("Filter hits", lambda e: e.filter_cache_hit_percent, format_percent),
    NumberColumn("Query result hits", lambda e: e.query_result_cache_hit_percent, format_percent),
    NumberColumn("Document hits", lambda e: e.document_cache_hit_percent, format_percent),
    NumberColumn("Index", lambda e: e.index_bytes, format_bytes),
    NumberColumn("ZooKeeper", lambda e: e.zookeeper_latency_milliseconds, format_milliseconds),
)

PODS_NOTE = (
    "Means over the repeats, from control groups; CPU of Solr is that of its processes. CPU in"
    " cores, reads and sent bytes are those of all pods; throttled, waits (the share of the time in"
    " which a thread waited) and memory those of the worst one."
)

_PodGroup = tuple[StepTelemetry, str]
"""A step, and the component whose pods a row is about."""

_PREFIXES = {"Solr": "", "ZooKeeper": "zookeeper_", "companions": "companion_", "load": "load_"}
"""What the fields of each component begin with."""


def _of_pods(title: str, field: str, show: Callable[[float], str]) -> Column[_PodGroup]:
    """Return the column of a field; it is empty where a component does not have the field."""
    return NumberColumn(
        title, lambda group: getattr(group[0], _PREFIXES[group[1]] + field, None), show
    )


_POD_COLUMNS: Sequence[Column[_PodGroup]] = (
    NameColumn("Step", lambda group: group[0].step),
    NameColumn("Variant", lambda group: group[0].variant),
    NameColumn("Pods of", lambda group: group[1]),
    _of_pods("CPU cores", "cpu_cores", format_number),
    _of_pods("Throttled", "throttled_percent", format_percent),
    _of_pods("Waits for CPU", "cpu_some_percent", format_percent),
    _of_pods("Waits for memory", "memory_some_percent", format_percent),
    _of_pods("Waits for disk", "io_some_percent", format_percent),
    _of_pods("Memory", "working_set_max_bytes", format_bytes),
    _of_pods("Disk read/s", "read_bytes_per_second", format_bytes),
    _of_pods("Network sent/s", "network_bytes_per_second", format_bytes),
)


def servers_table(entries: Sequence[StepTelemetry]) -> Table:
    """Return a row for each step and variant, with the columns that have a number."""
    return _measured("Servers", _SERVER_COLUMNS, entries, SERVERS_NOTE)


def pods_table(entries: Sequence[StepTelemetry]) -> Table:
    """Return a row for the pods of each component in each step and variant."""
    groups = [(entry, component) for entry in entries for component in _PREFIXES]
    return _measured("Pods", _POD_COLUMNS, groups, PODS_NOTE)


def _measured(
    caption: str, columns: Sequence[Column[_Item]], items: Iterable[_Item], note: str
) -> Table:
    """Return the rows that have a number, and the columns that have one."""
    figures = [column for column in columns if column.is_number]
    known = [item for item in items if any(column.cell(item).text for column in figures)]
    return build_table(caption, columns, known, note).without_empty_columns()


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


class _SlowRequest(NamedTuple):
    """A slow request, and where it was measured."""

    request: str
    document: StepRunResult
    slow: SlowRequest


def _slowest(documents: Iterable[StepRunResult], most: int) -> list[_SlowRequest]:
    """Return up to `most` requests of each name, the slowest first."""
    by_name: dict[str, list[_SlowRequest]] = {}
    for document in documents:
        for result in document.requests:
            by_name.setdefault(result.request, []).extend(
                _SlowRequest(result.request, document, slow) for slow in result.slow_requests
            )
    return [
        each
        for _, found in sorted(by_name.items())
        for each in sorted(found, key=lambda f: -f.slow.service_time_microseconds)[:most]
    ]


_SLOW_COLUMNS: Sequence[Column[_SlowRequest]] = (
    NameColumn("Request", lambda found: found.request),
    NumberColumn(
        "Service time",
        lambda found: found.slow.service_time_microseconds / 1000,
        format_milliseconds,
    ),
    NumberColumn("QTime", lambda found: found.slow.qtime_milliseconds, format_milliseconds),
    TextColumn("Failure", lambda found: found.slow.failure),
    TextColumn("Step", lambda found: found.document.step),
    TextColumn("Variant", lambda found: found.document.variant),
    NumberColumn("Repeat", lambda found: found.document.repeat),
    NumberColumn("Second", lambda found: f"{found.slow.second:.1f} s"),
    TextColumn("Node", lambda found: pod_of(found.slow.node or "")),
    TextColumn("Query", lambda found: found.slow.query),
)
_SLOW_TABLE_NOTE = (
    "QTime is what Solr reports; the rest is waiting, transfer and reading. Second: since the step"
    " began to be measured."
)


def slow_table(documents: Iterable[StepRunResult]) -> Table:
    """Return the slowest requests of each name, the slowest first."""
    found = _slowest(documents, MAX_SLOW_REQUESTS)
    table = build_table("Slowest requests", _SLOW_COLUMNS, found, _SLOW_TABLE_NOTE)
    return table.without_empty_columns()


def slow_lines(documents: Iterable[StepRunResult], most: int) -> list[str]:
    """Return up to `most` lines for each request name, the slowest first."""
    lines = []
    for request, document, slow in _slowest(documents, most):
        time = format_milliseconds(slow.service_time_microseconds / 1000)
        failed = f", {slow.failure}" if slow.failure else ""
        qtime = "" if slow.qtime_milliseconds is None else f" (QTime {slow.qtime_milliseconds} ms)"
        node = "" if slow.node is None else f", {pod_of(slow.node)}"
        lines.append(
            f"{request}: {time}{qtime}{failed} in {step_label(document)}, repeat"
            f" {document.repeat}, second {slow.second:.1f}{node}: {slow.query}"
        )
    return lines


MAX_FAILURE_ROWS = 100
"""Rows of the table, those with most failures."""

_FAILURE_NOTE = (
    "Share of the requests of that name in the step. The sample is one message of that kind."
)


class _FailureGroup(NamedTuple):
    """Failures of one kind, of one request name in one step and variant."""

    step: str
    variant: str
    request: str
    kind: str
    failures: int
    sample: str
    requests: int
    """All requests of that name there, failed or not, in all repeats."""


_FAILURE_COLUMNS: Sequence[Column[_FailureGroup]] = (
    NameColumn("Step", lambda group: group.step),
    NameColumn("Variant", lambda group: group.variant),
    NameColumn("Request", lambda group: group.request),
    NameColumn("Failure", lambda group: group.kind),
    NumberColumn("Requests", lambda group: group.failures),
    NumberColumn("Share", lambda group: format_share(group.failures, group.requests)),
    TextColumn("Sample", lambda group: group.sample),
)


def failure_table(documents: Iterable[StepRunResult]) -> Table:
    """Return the kinds of failures, the most frequent one first; without rows if none failed."""
    requests, failures = Counter[tuple[str, str, str]](), Counter[tuple[str, str, str, str]]()
    samples: dict[tuple[str, str, str, str], str] = {}
    for document in documents:
        for result in document.requests:
            place = (document.step, document.variant, result.request)
            requests[place] += result.requests
            for kind in result.failure_kinds:
                key = (*place, kind.kind)
                failures[key] += kind.count
                samples[key] = samples.get(key) or kind.sample
    ordered = [
        _FailureGroup(*key, count, samples[key], requests[key[:3]])
        for key, count in sorted(failures.items(), key=lambda each: (-each[1], each[0]))
    ]
    left_out = len(ordered) - MAX_FAILURE_ROWS
    more = f" {left_out} more kinds with fewer failures are omitted." if left_out > 0 else ""
    shown, note = ordered[:MAX_FAILURE_ROWS], _FAILURE_NOTE + more
    table = build_table("Failed requests by kind", _FAILURE_COLUMNS, shown, note)
    return table.without_empty_columns()
