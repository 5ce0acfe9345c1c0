"""Tables of all that points measured: by condition, step and request name, index, capacity."""

from collections.abc import Sequence
from itertools import islice

from solrbench.api.v1alpha1.findings import Trend
from solrbench.present.sweeps.report import PointCapacity, PointReport, PointStep, SweepReport
from solrbench.present.sweeps.tables import (
    MAX_ROWS,
    cut_table,
    name_step,
    point_columns,
    point_table,
)
from solrbench.present.table import (
    Column,
    NameColumn,
    NumberColumn,
    Table,
    TextColumn,
    build_table,
)
from solrbench.stats.number_format import (
    format_gibibytes,
    format_milliseconds,
    format_number,
    format_percent,
    format_range,
)
from solrbench.sweep.objective_figure import figure_of

MAX_CONDITIONS = 12
"""Conditions that have a table of their own."""


def name_point(point: PointReport) -> str:
    """Return `heap 2Gi, nodes 3`."""
    return ", ".join(f"{axis} {value}" for axis, value in point.values.items()) or point.name


def changed_values(point: PointReport, baseline: PointReport | None) -> str:
    """Return the values in which a point differs from the baseline of the sweep."""
    usual = {} if baseline is None else baseline.values
    changed = [
        f"{axis} {value}" for axis, value in point.values.items() if value != usual.get(axis)
    ]
    return ", ".join(changed) or point.name


def group_by_condition(report: SweepReport) -> dict[str, list[PointReport]]:
    """Return the points by `users 8`, or all by an empty text where nothing is a condition."""
    groups: dict[str, list[PointReport]] = {}
    for point in report.points:
        given = [f"{axis} {point.values[axis]}" for axis in report.conditions if point.values]
        groups.setdefault(", ".join(given), []).append(point)
    return groups


def condition_tables(report: SweepReport) -> list[Table]:
    """Return a table of the settings of each condition; none where the sweep has no conditions."""
    figure = figure_of(report.spec)
    settings = [axis for axis in report.axes if axis not in report.conditions]
    if not settings or not report.conditions:
        return []
    columns: list[Column[PointReport]] = [
        *map(_setting_column, settings),
        NumberColumn(figure.title, lambda point: figure.short(figure.value(point.result))),
        *point_columns(figure),
        NumberColumn("Cores", lambda point: point.cores or None, format_number),
        NumberColumn("Memory", lambda point: point.memory_bytes, format_gibibytes),
    ]
    groups = group_by_condition(report)
    several = {text: points for text, points in groups.items() if len(points) > 1}
    return [
        build_table(f"With {text}", columns, points[:MAX_ROWS]).without_empty_columns()
        for text, points in islice(several.items(), MAX_CONDITIONS)
    ]


def _setting_column(axis: str) -> Column[PointReport]:
    return NameColumn(axis, lambda point: point.values.get(axis))


_STEP_COLUMNS: Sequence[Column[PointStep]] = (
    NameColumn("Step", lambda each: each.step),
    TextColumn("Variant", lambda each: each.variant),
    TextColumn("Request", lambda each: each.request),
    NumberColumn("Requests/s", lambda each: each.requests_per_second, format_number),
    NumberColumn("Mean", lambda each: each.mean_milliseconds, format_milliseconds),
    NumberColumn("P50", lambda each: each.p50_milliseconds, format_milliseconds),
    NumberColumn("P95", lambda each: each.p95_milliseconds, format_milliseconds),
    NumberColumn("P99", lambda each: each.p99_milliseconds, format_milliseconds),
    NumberColumn("Failed", lambda each: each.failed_percent or None, format_percent),
    NumberColumn(
        "CPU per request", lambda each: each.cpu_milliseconds_per_request, format_milliseconds
    ),
    NumberColumn("Reads per request", lambda each: each.reads_per_request, format_number),
    NumberColumn("Heap after GC", lambda each: each.heap_after_gc_bytes, format_gibibytes),
)


def steps_table(report: SweepReport) -> Table:
    """Return a row for each step, variant and request name of each point, over all rounds."""
    rows = ((name_point(point), step) for point in report.points for step in point.steps)
    is_compared = report.spec.rounds is not None or any(point.figures for point in report.points)
    note = "" if is_compared else _NOT_COMPARED
    return point_table("Steps of each point", _STEP_COLUMNS, rows, note)


_NOT_COMPARED = (
    "Without rounds, only repeats on fresh targets make conclusions by step and request name: set"
    " spec.repeats to {until: Decided}, or load.repeats of the template to"
    " {count: 5, startOn: FreshTarget}."
)


_INDEX_COLUMNS: Sequence[Column[PointReport]] = (
    NameColumn("Point", name_point),
    NumberColumn("Indexing s", lambda point: point.indexing_seconds, format_number),
    NumberColumn("Documents/s", lambda point: point.documents_per_second, format_number),
    NumberColumn("Index", lambda point: point.index_bytes, format_gibibytes),
)


def index_table(report: SweepReport) -> Table:
    """Return a row for each point that indexed documents."""
    rows = [each for each in report.points if each.indexing_seconds or each.index_bytes]
    return cut_table("Index of each point", _INDEX_COLUMNS, rows)


_CAPACITY_COLUMNS: Sequence[Column[PointCapacity]] = (
    TextColumn("Variant", lambda each: each.variant),
    NumberColumn("Capacity", lambda each: each.value, format_number),
    NumberColumn("95 % interval", lambda each: format_range(each.lower, each.upper)),
    TextColumn("Unit", lambda each: each.unit),
    NumberColumn("Searches", lambda each: each.searches),
    TextColumn("Last search", lambda each: each.message),
)


def capacity_table(report: SweepReport) -> Table:
    """Return a row for each search for a capacity, by point and variant."""
    rows = ((name_point(point), each) for point in report.points for each in point.capacities)
    return point_table("Capacity of each point", _CAPACITY_COLUMNS, rows)


_TREND_COLUMNS: Sequence[Column[Trend]] = (
    NameColumn("Step", name_step),
    TextColumn("Figure", lambda each: each.figure),
    TextColumn("Conclusion", lambda each: each.conclusion),
    TextColumn("Evidence", lambda each: each.message),
)


def trends_table(report: SweepReport) -> Table:
    """Return what grew within a step of a point."""
    rows = ((name_point(point), each) for point in report.points for each in point.trends)
    return point_table("Trends", _TREND_COLUMNS, rows)
