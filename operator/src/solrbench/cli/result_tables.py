"""Results on a terminal.

Tables on a terminal of any width; no number and no unit is ever cut.

Without a terminal nothing is wrapped: what reads a pipe or a file has no width.

What stored step runs add to the results on a terminal: failures, time, slow requests.

A sweep on a terminal.
"""

import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text
from sparklines import sparklines

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.comparisons import BaselineComparison
from solrbench.api.v1alpha1.step_result import ColumnGroup, ResultColumn, StepResult
from solrbench.cli.program import program_name
from solrbench.cli.progress import details, summary
from solrbench.cli.terminal import GAP, TableLayout, list_cells, split_columns, wrap_line
from solrbench.contract.step_document import StepRunResult
from solrbench.decide.conditions import SUCCEEDED, holds, is_finished
from solrbench.present.comparison_tables import baseline_table, comparison_notes, comparison_table
from solrbench.present.fact_tables import verdict_lines
from solrbench.present.limit_tables import stall_table, user_table
from solrbench.present.result_tables import (
    HEADERS,
    INTERVAL_NAMES,
    INTERVAL_NOTE,
    interval_headers,
    interval_rows,
    percents_of,
    rows,
    table_note,
)
from solrbench.present.server_tables import SLOW_NOTE, failure_table, slow_lines
from solrbench.present.sweep_report import SweepReport
from solrbench.present.sweep_tables import (
    best_facts,
    failures_table,
    objectives_sentence,
    points_table,
    sweep_facts,
)
from solrbench.present.table import Row, TextTable, results_with_totals
from solrbench.present.time_figures import TimeSlice, time_slices
from solrbench.stats.number_format import format_milliseconds, format_number


@dataclass(frozen=True)
class TableColumns:
    """The columns of a table by their titles.

    Attributes:
        titles: all of them, in their order
        names: those that identify the row
        groups: the others, by the table they go to where one is too wide
        numbers: those that are set flush right
    """

    titles: Row
    names: Row
    groups: Sequence[Row]
    numbers: frozenset[str]


def print_table_of(console: Console, table: TextTable) -> None:
    """Print a table with its caption and note."""
    console.print()
    print_line(console, f"{table.caption}:", style="bold")
    print_rows(console, columns_of(table), table.rows)
    if table.note:
        print_line(console, table.note)


def columns_of(table: TextTable) -> TableColumns:
    """Return the columns of a table; one that is too wide is cut between its figures."""
    titles = table.head
    numbers = frozenset(title for i, title in enumerate(titles) if table.is_number(i))
    names, figures = titles[: table.names], titles[table.names :]
    return TableColumns(titles, names, (figures,), numbers)


def print_rows(console: Console, columns: TableColumns, cells: Sequence[Row]) -> None:
    """Print all cells in as many tables as the terminal needs, or as one list."""
    titles = columns.titles
    filled = [i for i in range(len(titles)) if any(row[i] for row in cells)]
    widths = [max(cell_len(row[i]) for row in [titles, *cells]) for i in range(len(titles))]
    names = [i for i in filled if titles[i] in columns.names]
    groups = [[titles.index(name) for name in group] for group in columns.groups]
    groups = [[i for i in group if i in filled] for group in groups]
    width = _width(console)
    tables = split_columns(widths, names, groups, width)
    console.print()
    for layout in tables:
        _print_columns(console, columns, cells, layout)
        console.print()
    if not tables and width is not None:
        _print_lists(console, columns, cells, names, width)


def _print_columns(
    console: Console, columns: TableColumns, cells: Sequence[Row], layout: TableLayout
) -> None:
    # A blank of padding and one of the box lie between two columns.
    table = RichTable(
        box=SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0), pad_edge=False, header_style="bold"
    )
    for i, width in zip(layout.columns, layout.widths, strict=True):
        table.add_column(
            columns.titles[i],
            justify="right" if columns.titles[i] in columns.numbers else "left",
            width=width,
            no_wrap=columns.titles[i] not in columns.names,
            overflow="fold",
        )
    for row in cells:
        table.add_row(*(Text(row[i]) for i in layout.columns))
    if not console.is_terminal:
        # Rich takes 80 columns for granted there.
        width = sum(layout.widths) + GAP * len(layout.widths)
        console = Console(file=console.file, width=width, highlight=False)
    console.print(table)


def _print_lists(
    console: Console, columns: TableColumns, cells: Sequence[Row], names: Sequence[int], width: int
) -> None:
    """Print the names of each row and its other cells below one another."""
    titles = columns.titles
    for row in cells:
        print_line(console, ", ".join(row[i] for i in names if row[i]), style="bold")
        others = [(titles[i], row[i]) for i in range(len(titles)) if i not in names and row[i]]
        for line in list_cells(others, width):
            console.print(Text(line), soft_wrap=True)
        console.print()


def _width(console: Console) -> int | None:
    """Return the width of the terminal; None if there is none."""
    return console.width if console.is_terminal else None


def print_line(console: Console, text: str, style: str = "", indent: int = 0) -> None:
    """Print a line of text, folded at blanks where it is wider than the terminal."""
    for line in wrap_line(text, _width(console), indent):
        # Longer words, such as URLs, are left to the terminal, which lets them be copied whole.
        console.print(Text(line, style=style), soft_wrap=True)


NAMES, *GROUPS = (
    tuple(each for each in ResultColumn if each.group is group) for group in ColumnGroup
)
"""Columns that identify the row, in each of several tables; and the others, by the table they
go to where one is too wide."""


_RESULTS = TableColumns(HEADERS, NAMES, GROUPS, frozenset(c for c in ResultColumn if c.is_number))


def print_result(console: Console, benchmark: SolrBenchmark) -> None:
    """Print how a benchmark ended, its figures and what to do next."""
    reason, message = summary(benchmark)
    good = holds(benchmark.status, SUCCEEDED)
    console.print()
    ending = f"{benchmark.key}: {benchmark.status.phase}"
    failed = is_finished(benchmark.status) and not good
    print_line(console, ending, style="bold red" if failed else "green" if good else "")
    if not good:
        print_line(console, ": ".join(filter(None, (reason, message))), indent=2)
    for title, text in details(benchmark):
        print_line(console, f"{title}: {text}", indent=2)
    for answer in benchmark.status.answers:
        print_line(console, answer, indent=2)
    print_table(console, benchmark)
    print_next_commands(console, benchmark)


def print_table(console: Console, benchmark: SolrBenchmark) -> None:
    """Print the table of results; nothing if nothing was measured."""
    results = results_with_totals(benchmark.status)
    if not results:
        return
    print_rows(console, _RESULTS, rows(results, benchmark.status.verdicts))
    print_line(console, table_note(results))
    _print_intervals(console, results)
    _print_verdicts(console, benchmark)
    _print_baseline(console, benchmark)
    comparisons = comparison_table(benchmark.status)
    if comparisons.rows:
        print_table_of(console, comparisons)


def _print_intervals(console: Console, results: Sequence[StepResult]) -> None:
    """Print rates, means and percentiles with their intervals; nothing without percentiles."""
    if not percents_of(results):
        return
    titles = interval_headers(results)
    figures = tuple(title for title in titles if title not in INTERVAL_NAMES)
    columns = TableColumns(titles, INTERVAL_NAMES, (figures,), frozenset(figures))
    print_rows(console, columns, interval_rows(results))
    print_line(console, INTERVAL_NOTE)


def _print_verdicts(console: Console, benchmark: SolrBenchmark) -> None:
    """Print the reasons of Invalid steps; Valid ones are in the table."""
    for line in verdict_lines(benchmark.status.verdicts):
        style = "" if line.startswith("not checked") else "bold red"
        print_line(console, line, style, indent=2)


def _print_baseline(console: Console, benchmark: SolrBenchmark) -> None:
    comparison = benchmark.status.comparison
    if comparison is not None:
        console.print()
        print_line(console, f"Beside {comparison.baseline}:")
        print_baseline_table(console, comparison)


def print_baseline_table(console: Console, found: BaselineComparison, place: str = "step") -> None:
    """Print every figure beside that of the baseline, and what must be known of it.

    Args:
        console: to print on
        found: the figures
        place: what they are of
    """
    table = baseline_table(found, place)
    print_rows(console, columns_of(table), table.rows)
    for note in comparison_notes(found, place):
        print_line(console, note)


def _program() -> str:
    """Return what to type for this program: its path while it is not on the PATH."""
    return program_name() if shutil.which("solrbench") else sys.argv[0]


def print_next_commands(console: Console, benchmark: SolrBenchmark) -> None:
    """Print what a reader may want to do with this benchmark now."""
    where = f"-n {benchmark.metadata.namespace} {benchmark.metadata.name}"
    lines = [
        f"{_program()} report {where} -o markdown    # also: html, csv, json, junit",
        f"kubectl get sbench {where} -o yaml      # everything the status says",
        f"kubectl delete sbench {where}           # the benchmark and all it made",
    ]
    console.print("\nNext:", *(f"\n  {line}" for line in lines), sep="", soft_wrap=True)


_SHOWN_SLOW = 3
"""Slow requests of each name; documents hold all."""

_SHOWN_RUNS = 30
"""Step runs whose time is shown."""

POINTS, MIN_POINTS = 30, 10
"""Characters of a line of time, and on a narrow terminal."""

_NARROW = 60
_SAMPLE = "Sample"


def print_details(console: Console, documents: Sequence[StepRunResult]) -> None:
    """Print failures by kind, the means over time, and the slowest requests."""
    _print_failures(console, failure_table(documents))
    narrow = console.is_terminal and console.width < _NARROW
    over_time = time_table(documents, MIN_POINTS if narrow else POINTS)
    if over_time.rows:
        print_table_of(console, over_time)
    for table in (user_table(documents), stall_table(documents)):
        if table.rows:
            print_table_of(console, table)
    if lines := slow_lines(documents, _SHOWN_SLOW):
        console.print("\nSlowest requests:")
        for line in lines:
            print_line(console, line, indent=2)
        print_line(console, SLOW_NOTE)


def time_table(documents: Sequence[StepRunResult], points: int) -> TextTable:
    """Return the mean service time of each step run as a line of `points` characters at most."""
    shown = documents[:_SHOWN_RUNS]
    runs = [(each, time_slices(each, points)) for each in shown]
    rows = [_time_row(document, parts) for document, parts in runs if len(parts) > 1]
    left_out = len(documents) - len(shown)
    note = f"{left_out} more step runs are left out." if left_out else ""
    head = ("Step", "Variant", "Repeat", "Mean over time", "Lowest", "Highest", "Requests/s")
    texts = frozenset({"Mean over time"})
    return TextTable("Service time over time", head, rows, 3, texts, note).without_empty_columns()


def _time_row(document: StepRunResult, parts: Sequence[TimeSlice]) -> Row:
    means = [time_slice.milliseconds for time_slice in parts]
    known = [mean for mean in means if mean is not None] or [0.0]
    rates = sorted(time_slice.rate for time_slice in parts)
    return (
        document.step,
        document.variant,
        str(document.repeat),
        str(sparklines(means)[0]),
        format_milliseconds(min(known)),
        format_milliseconds(max(known)),
        " … ".join(
            dict.fromkeys(format_number(time_slice) for time_slice in (rates[0], rates[-1]))
        ),
    )


def _print_failures(console: Console, table: TextTable) -> None:
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


_STYLES = {"Succeeded": "green", "Failed": "bold red"}


def print_sweep(console: Console, report: SweepReport) -> None:
    """Print the answers, the best point, every point and what failed."""
    phase = report.status.phase
    console.print()
    print_line(console, f"{report.sweep}: {phase}", style=_STYLES.get(phase, ""))
    for line in (*report.status.answers, objectives_sentence(report)):
        if line:
            print_line(console, line, indent=2)
    for name, text in (best_facts(report) | sweep_facts(report)).items():
        print_line(console, f"{name.lower()}: {text}", indent=2)
    for table in (points_table(report), failures_table(report)):
        if table.rows:
            print_table_of(console, table)
