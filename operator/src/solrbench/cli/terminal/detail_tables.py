"""What stored step runs add to the results on a terminal: failures, time, slow requests."""

from collections.abc import Sequence
from dataclasses import replace

from rich.console import Console
from sparklines import sparklines

from solrbench.cli.terminal.table_printing import print_line, print_table_of
from solrbench.report.figures.time_slices import TimeSlice, time_slices
from solrbench.results.model.step_result import StepRunResult
from solrbench.results.stats.number_format import format_milliseconds, format_number
from solrbench.results.text.slow_requests import SLOW_NOTE, slow_lines
from solrbench.results.text.tables.failure_table import failure_table
from solrbench.results.text.tables.response_gap_tables import user_table, wait_table
from solrbench.results.text.tables.table import Row, Table

_SHOWN_SLOW = 3
"""Slow requests of each name; documents hold all."""

_SHOWN_RUNS = 30
"""Step runs whose time is shown."""

POINTS, LEAST_POINTS = 30, 10
"""Characters of a line of time, and on a narrow terminal."""

_NARROW = 60
_SAMPLE = "Sample"


def print_details(console: Console, documents: Sequence[StepRunResult]) -> None:
    """Print failures by kind, the means over time, and the slowest requests."""
    _print_failures(console, failure_table(documents))
    narrow = console.is_terminal and console.width < _NARROW
    over_time = time_table(documents, LEAST_POINTS if narrow else POINTS)
    if over_time.rows:
        print_table_of(console, over_time)
    for table in (user_table(documents), wait_table(documents)):
        if table.rows:
            print_table_of(console, table)
    if lines := slow_lines(documents, _SHOWN_SLOW):
        console.print("\nSlowest requests:")
        for line in lines:
            print_line(console, line, indent=2)
        print_line(console, SLOW_NOTE)


def time_table(documents: Sequence[StepRunResult], points: int) -> Table:
    """Return the mean service time of each step run as a line of `points` characters at most."""
    shown = documents[:_SHOWN_RUNS]
    runs = [(each, time_slices(each, points)) for each in shown]
    rows = [_time_row(document, parts) for document, parts in runs if len(parts) > 1]
    left_out = len(documents) - len(shown)
    note = f"{left_out} more step runs are left out." if left_out else ""
    head = ("Step", "Variant", "Repeat", "Mean over time", "Lowest", "Highest", "Requests/s")
    texts = frozenset({"Mean over time"})
    return Table("Service time over time", head, rows, 3, texts, note).without_empty_columns()


def _time_row(document: StepRunResult, parts: Sequence[TimeSlice]) -> Row:
    means = [each.milliseconds for each in parts]
    known = [mean for mean in means if mean is not None] or [0.0]
    rates = sorted(each.rate for each in parts)
    return (
        document.step,
        document.variant,
        str(document.repeat),
        str(sparklines(means)[0]),
        format_milliseconds(min(known)),
        format_milliseconds(max(known)),
        " … ".join(dict.fromkeys(format_number(each) for each in (rates[0], rates[-1]))),
    )


def _print_failures(console: Console, table: Table) -> None:
    """Print the table without its samples, which are too long for one, and each of them once."""
    if not table.rows:
        return
    column = table.head.index(_SAMPLE) if _SAMPLE in table.head else None
    if column is None:
        print_table_of(console, table)
        return
    rows = [(*row[:column], *row[column + 1 :]) for row in table.rows]
    head = (*table.head[:column], *table.head[column + 1 :])
    print_table_of(console, replace(table, head=head, rows=rows, note=""))
    kind = table.head.index("Failure")
    for text in dict.fromkeys(f"{row[kind]}: {row[column]}" for row in table.rows if row[column]):
        print_line(console, text, indent=2)
