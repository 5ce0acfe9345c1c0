"""All that points measured: by condition, step, index, capacity; figures beside the baseline."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from solrbench.analysis.bottleneck import HINTS, describe_bottleneck
from solrbench.analysis.metrics import read_figure
from solrbench.analysis.sentences import CONCLUSIONS, difference_sentence, name_figure
from solrbench.api.v1alpha1.comparisons import Conclusion
from solrbench.api.v1alpha1.findings import INCONCLUSIVE, Bottleneck, Resource, steps_that_are
from solrbench.present.comparison_tables import (
    DECIDES,
    TREND_COLUMNS,
    TREND_NOTE,
    FigureRow,
    figure_columns,
)
from solrbench.present.sweeps.report import PointCapacity, PointReport, PointStep, SweepReport
from solrbench.present.sweeps.tables import (
    MAX_ROWS,
    axis_column,
    cut_table,
    objectives_sentence,
    point_columns,
    point_table,
)
from solrbench.present.table import Column, NameColumn, NumberColumn, Table, TextColumn, build_table
from solrbench.stats.number_format import (
    count_noun,
    format_bytes,
    format_milliseconds,
    format_number,
    format_percent,
    format_range,
)
from solrbench.sweep.differences import join_some
from solrbench.sweep.objective_figure import figure_of

MAX_CONDITIONS = 12
"""Conditions that have a table of their own."""


def name_point(point: PointReport) -> str:
    """Return `heap 2Gi, nodes 3`."""
    return ", ".join(f"{axis} {value}" for axis, value in point.values.items()) or point.name


def changed_values(report: SweepReport, point: PointReport) -> str:
    """Return the values in which a point differs from the baseline, such as `heap 2Gi`."""
    changes = report.changes(point)
    return ", ".join(f"{axis} {value}" for axis, value in changes.items()) or point.name


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
        *(axis_column(axis, NameColumn) for axis in settings),
        NumberColumn(figure.title, lambda point: figure.short(figure.value(point.result))),
        *point_columns(figure),
        NumberColumn("Cores", lambda point: point.cores, format_number),
        NumberColumn("Memory", lambda point: point.memory_bytes, format_bytes),
    ]
    groups = group_by_condition(report)
    several = {text: points for text, points in groups.items() if len(points) > 1}
    shown = [
        cut_table(f"With {text}", columns, points)
        for text, points in islice(several.items(), MAX_CONDITIONS)
    ]
    if (left := len(several) - MAX_CONDITIONS) > 0:
        more = count_noun(left, "more condition is", "more conditions are")
        note = f"{shown[-1].note} {more} in the table of points.".lstrip()
        shown[-1] = replace(shown[-1], note=note)
    return shown


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
    NumberColumn("CPU per query", lambda e: e.cpu_milliseconds_per_request, format_milliseconds),
    NumberColumn("Read per query", lambda each: each.read_bytes_per_request, format_bytes),
    NumberColumn("Heap after GC", lambda each: each.heap_after_gc_bytes, format_bytes),
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
    NumberColumn("Index", lambda point: point.index_bytes, format_bytes),
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
    NumberColumn("Found by", lambda each: each.searches),
    NumberColumn("Highest met", lambda each: each.highest_met, format_number),
    NumberColumn("Lowest missed", lambda each: each.lowest_missed, format_number),
    TextColumn("Last search", lambda each: each.message),
)


def capacity_table(report: SweepReport) -> Table:
    """Return a row for each search for a capacity, by point and variant."""
    rows = ((name_point(point), each) for point in report.points for each in point.capacities)
    return point_table("Capacity of each point", _CAPACITY_COLUMNS, rows)


def trends_table(report: SweepReport) -> Table:
    """Return what grew within a step of a point."""
    rows = ((name_point(point), each) for point in report.points for each in point.trends)
    return point_table("Trends", TREND_COLUMNS, rows, TREND_NOTE)


_DIFFERENCES_NOTE = (
    "All figures of all points are one family, corrected by the rule of Benjamini and Hochberg: of"
    " the conclusions that stand here, few are false. Intervals are those of each figure alone."
    " So a row may be inconclusive beside an interval without 0; and a difference below the"
    " smallest effect counts as none."
)
_DECIDES_NOTE = (
    f" The figure with{DECIDES} is that of the objective: its conclusion and interval hold for all"
    " points together."
)


def differences_table(report: SweepReport) -> Table:
    """Return each figure of each point beside its baseline, those that differ most if many."""
    rows = _figure_rows(report)
    decides = _DECIDES_NOTE if any(row.stored.primary for row in rows) else ""
    return _figures_table(
        "Steps beside the baseline", ("Baseline", "This point"), rows, _DIFFERENCES_NOTE + decides
    )


def variants_table(report: SweepReport) -> Table:
    """Return each figure of each variant beside the first one of its point, in the same rounds."""
    rows = [
        FigureRow(stored, read_figure(stored), name_point(point))
        for point in report.points
        for stored in point.variants
    ]
    caption = "Variants beside the first one of their point"
    return _figures_table(caption, ("First variant", "This variant"), rows, _VARIANTS_NOTE)


_VARIANTS_NOTE = (
    "Both variants of a round had the same target, so that what targets differ by cancels out. All"
    " these figures are one family: of those that are said to differ, few are false."
)


def _figures_table(
    caption: str, sides: tuple[str, str], rows: Sequence[FigureRow], note: str
) -> Table:
    shown = {id(row) for row in sorted(rows, key=_rank)[:MAX_ROWS]}
    most = f"The {MAX_ROWS} of {len(rows):,} rows that differ most; -o json has all. "
    columns = [NameColumn[FigureRow]("Point", lambda row: row.point), *figure_columns(sides=sides)]
    listed = [row for row in rows if id(row) in shown]
    note = most * (len(rows) > MAX_ROWS) + note
    return build_table(caption, columns, listed, note).without_empty_columns()


def _figure_rows(report: SweepReport) -> list[FigureRow]:
    """Return each figure of each point beside its baseline."""
    return [
        FigureRow(stored, read_figure(stored), label)
        for point in report.points
        for label in [changed_values(report, point)]
        for stored in point.figures
    ]


def _rank(row: FigureRow) -> tuple[bool, float]:
    """Return the place of a figure among others: what is better or worse first, by its size."""
    differs = row.difference.conclusion in (Conclusion.BETTER, Conclusion.WORSE)
    return not differs, -abs(row.difference.estimate)


_MAX_SENTENCES = 5


def differences_sentences(report: SweepReport) -> list[str]:
    """Return how many other figures than that of the objective differ, and by how much most do."""
    rows = [row for row in _figure_rows(report) if not row.stored.primary]
    counts = Counter(row.difference.conclusion for row in rows)
    if counts.keys() <= {None}:
        return []
    words = ", ".join(
        f"{counts[word]} {CONCLUSIONS[word]}" for word in (*Conclusion, None) if counts[word]
    )
    different = counts[Conclusion.BETTER] + counts[Conclusion.WORSE]
    furthest = sorted(rows, key=_rank)[: min(_MAX_SENTENCES, different)]
    text = f"Of {len(rows)} other figures of steps, request names and indexing: {words}."
    if furthest:
        text += " Those that differ most follow."
    return [text, *map(_figure_sentence, furthest)]


def _figure_sentence(row: FigureRow) -> str:
    stored = row.stored
    figure = name_figure(row.difference.metric.label, stored.request or "")
    where = f" in {stored.step}" if stored.step else ""
    where += f" through {stored.variant}" if stored.variant else ""
    invalid = " (Invalid)" if stored.invalid else ""
    return difference_sentence(
        f"{row.point}{invalid}: {figure}{where}", row.difference, "in the baseline"
    )


def page_answers(report: SweepReport) -> list[str]:
    """Return all sentences: those of the status, of the other figures, and of objectives.

    What held the points back follows, and which numbers could not be checked.
    """
    answers = [*report.status.answers, *differences_sentences(report), objectives_sentence(report)]
    answers += [*_bottleneck_sentences(report), _unchecked_sentence(report)]
    return [each for each in answers if each]


def _bottleneck_sentences(report: SweepReport) -> Iterator[str]:
    """Yield what held the best point of each condition back, then what did the others."""
    names = {best.name: best.values for best in report.status.best}
    others: dict[str, list[str]] = {}
    for point in report.points:
        for found in _decisive_bottlenecks(report, point):
            if point.name in names:
                step = f"{names[point.name]}, {found.step}"
                yield describe_bottleneck(found.model_copy(update={"step": step}))
            elif found.resource != Resource.NONE:
                label = "the baseline" if point.is_baseline else changed_values(report, point)
                others.setdefault(found.resource, []).append(label)
    for resource, labels in others.items():
        yield f"Held back by {HINTS[Resource(resource)][0]}: {join_some(labels)}."


def _decisive_bottlenecks(report: SweepReport, point: PointReport) -> Iterator[Bottleneck]:
    """Yield what held a point back in the step of the objective, if that is known."""
    if not point.totals:
        return
    figure, last = figure_of(report.spec), point.totals[-1]
    first = next(each for each in point.totals if each.step == last.step)
    where = figure.step or last.step, figure.variant or first.variant
    for found in point.bottlenecks:
        if (found.step, found.variant) == where and found.resource != Resource.INCONCLUSIVE:
            yield found


def _unchecked_sentence(report: SweepReport) -> str:
    """Return why benchmarks are Inconclusive, with an example; empty if none is."""
    verdicts = [
        steps_that_are(INCONCLUSIVE, part.verdicts)
        for point in report.points
        for part in point.benchmarks.values()
        if part.verdicts  # a point may not be measured
    ]
    concerned = [[each for verdict in part for each in verdict.causes] for part in verdicts if part]
    if not concerned:
        return ""
    counts = Counter(name for part in concerned for name in {each.reason for each in part})
    named = ", ".join(f"{reason} in {number}" for reason, number in counts.most_common())
    (usual, _), *_ = counts.most_common(1)
    example = next(each.message for part in concerned for each in part if each.reason == usual)
    return (
        f"The numbers of {len(concerned)} of {count_noun(len(verdicts), 'benchmark')} could not be"
        f" checked in full: {named}. For example: {example}"
    )
