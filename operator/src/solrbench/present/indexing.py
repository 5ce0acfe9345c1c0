"""What Solr did while the dataset was indexed: a table, and the busiest node over time."""

from collections.abc import Callable, Sequence

from solrbench.api.v1alpha1.server_metrics import IndexingSeries, IndexingTelemetry
from solrbench.api.v1alpha1.status import DatasetStatus
from solrbench.present.figure import ReportFigure, legend, line, rounded, stacked, value_axis
from solrbench.present.table import Column, NameColumn, Table, TextColumn, build_table
from solrbench.stats.number_format import format_bytes, format_number, format_percent


def _rate_of_bytes(value: float) -> str:
    return f"{format_bytes(value)}/s"


_ROWS: Sequence[tuple[str, str, Callable[[float], str]]] = (
    ("Solr nodes read", "nodes", format_number),
    ("Documents/s taken by all replicas", "updates_per_second", format_number),
    ("CPU of all nodes, cores", "cpu_cores", format_number),
    ("CPU of the busiest node", "cpu_percent", format_percent),
    ("Heap after a collection", "heap_after_gc_max_percent", format_percent),
    ("Garbage collection", "gc_percent", format_percent),
    ("Threads that merge", "merge_threads", format_number),
    ("Updates that wait for merges", "merge_stalled_percent", format_percent),
    ("Updates that wait for segments to be written", "flush_stalled_percent", format_percent),
    ("Commits/s", "commits_per_second", format_number),
    ("Most documents before a commit", "pending_documents_max", format_number),
    ("Segments", "segments", format_number),
    ("Index", "index_bytes", format_bytes),
    ("Pod throttled", "throttled_percent", format_percent),
    ("Waits for disk", "io_some_percent", format_percent),
    ("Written", "written_bytes_per_second", _rate_of_bytes),
    ("Read", "read_bytes_per_second", _rate_of_bytes),
)

INDEXING_NOTE = (
    "From the first to the last document of the first index pod. Shares are those of the worst"
    " node. Commit: what the commit after the last document took."
)


def indexing_table(dataset: DatasetStatus) -> Table:
    """Return a row for each figure that was read; none where Solr was not read."""
    found = dataset.solr or IndexingTelemetry()
    known = [
        (title, show(number))
        for title, field, show in _ROWS
        if (number := getattr(found, field)) is not None
    ]
    if known and dataset.commit_seconds is not None:
        known.append(("Commit", f"{format_number(dataset.commit_seconds)} s"))
    columns: Sequence[Column[tuple[str, str]]] = (
        NameColumn("Figure", lambda row: row[0]),
        TextColumn("Value", lambda row: row[1]),
    )
    return build_table("While documents were indexed", columns, known, INDEXING_NOTE)


_RATE, _CPU, _STALLED = "updates_per_second", "cpu_percent", "merge_stalled_percent"
_LINES = ("Documents/s", "CPU", "Updates that wait for merges")
_PLACES = ((34, 110), (196, 110))
"""Top and height of the plots: of the first line, and of both others."""
_AXES = (
    value_axis("Documents/s", "@number", gridIndex=0, min=0, splitNumber=3),
    value_axis("Per cent", "@number", gridIndex=1, min=0, max=100, splitNumber=4),
)


def indexing_figure(dataset: DatasetStatus) -> ReportFigure | None:
    """Return what the busiest node did over time; None without readings of its CPU."""
    by_figure = {each.figure: each for each in dataset.series}
    cpu = by_figure.get(_CPU)
    if cpu is None:
        return None
    drawn = [by_figure.get(name) for name in (_RATE, _CPU, _STALLED)]
    last = max(each.seconds[-1] for each in drawn if each is not None and each.seconds)
    series = [
        line(name, index, _points(each), xAxisIndex=min(index, 1), yAxisIndex=min(index, 1))
        for index, (name, each) in enumerate(zip(_LINES, drawn, strict=True))
        if each is not None
    ]
    option = stacked(_PLACES, "Seconds since the first document", last, _AXES, series)
    least, most = format_percent(min(cpu.values)), format_percent(max(cpu.values))
    rows = [(each.figure, s, v) for each in dataset.series for s, v in _points(each)]
    columns: Sequence[Column[tuple[str, float, float]]] = (
        NameColumn("Figure", lambda row: row[0]),
        NameColumn("Second", lambda row: f"{row[1]:g}"),
        TextColumn("Value", lambda row: format_number(row[2])),
    )
    text = f"The busiest node while documents were indexed: CPU {least} to {most}."
    table = build_table("The busiest node over time", columns, rows)
    shown = [entry for entry, each in zip(legend(_LINES), drawn, strict=True) if each is not None]
    title = f"Over time, {cpu.server}"
    return ReportFigure("indexing-time", title, text, option, shown, table, 350)


def _points(series: IndexingSeries) -> list[tuple[float, float]]:
    pairs = zip(series.seconds, series.values, strict=False)
    return [(second, rounded(value)) for second, value in pairs]
