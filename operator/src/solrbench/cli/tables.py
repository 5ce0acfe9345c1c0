"""Results on a terminal.

Without a terminal nothing is wrapped: what reads a pipe or a file has no width.
"""

import shutil
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.status.comparison import BaselineComparison
from solrbench.api.v1alpha1.status.step_result import Column, ColumnGroup, StepResult
from solrbench.cli.layout import GAP, TableLayout, list_cells, split_columns, wrap_line
from solrbench.cli.program import program_name
from solrbench.cli.progress import details, summary
from solrbench.decide.conditions import SUCCEEDED, holds, is_finished
from solrbench.results.text.baseline_text import NAMES as COMPARISON_NAMES
from solrbench.results.text.baseline_text import NUMBERS as COMPARISON_NUMBERS
from solrbench.results.text.baseline_text import (
    ComparisonColumn,
    comparison_notes,
    comparison_rows,
)
from solrbench.results.text.comparison_text import COMPARISON_NOTE, comparison_lines
from solrbench.results.text.interval_table import (
    INTERVAL_NOTE,
    interval_headers,
    interval_rows,
    percents_of,
)
from solrbench.results.text.interval_table import NAMES as INTERVAL_NAMES
from solrbench.results.text.render import HEADERS, Row, rows, table_note
from solrbench.results.text.slow_requests import SLOW_NOTE
from solrbench.results.text.totals import results_with_totals
from solrbench.results.text.verdict_text import verdict_lines

NAMES, *GROUPS = (tuple(each for each in Column if each.group is group) for group in ColumnGroup)
"""Columns that identify the row, in each of several tables; and the others, by the table they
go to where one is too wide."""


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


_RESULTS = TableColumns(HEADERS, NAMES, GROUPS, frozenset(c for c in Column if c.is_number))


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
    _print_comparisons(console, benchmark)


def _print_intervals(console: Console, results: Sequence[StepResult]) -> None:
    """Print rates, means and percentiles with their intervals; nothing without percentiles."""
    if not percents_of(results):
        return
    titles = interval_headers(results)
    figures = tuple(each for each in titles if each not in INTERVAL_NAMES)
    columns = TableColumns(titles, INTERVAL_NAMES, (figures,), frozenset(figures))
    print_rows(console, columns, interval_rows(results))
    print_line(console, INTERVAL_NOTE)


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
    table = Table(
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
    """Print a line, wrapped where there is a terminal."""
    for line in wrap_line(text, _width(console), indent):
        # Longer words, such as URLs, are left to the terminal, which lets them be copied whole.
        console.print(Text(line, style=style), soft_wrap=True)


def _print_verdicts(console: Console, benchmark: SolrBenchmark) -> None:
    """Print the reasons of Invalid steps; Valid ones are in the table."""
    for line in verdict_lines(benchmark.status.verdicts):
        style = "" if line.startswith("not checked") else "bold red"
        print_line(console, line, style, indent=2)


def _print_baseline(console: Console, benchmark: SolrBenchmark) -> None:
    found = benchmark.status.comparison
    if found is not None:
        console.print()
        print_line(console, f"Beside {found.baseline}:")
        print_baseline_table(console, found)


def print_baseline_table(console: Console, found: BaselineComparison) -> None:
    """Print every figure beside that of the baseline, and what must be known of it."""
    titles = tuple(ComparisonColumn)
    figures = tuple(each for each in titles if each not in COMPARISON_NAMES)
    columns = TableColumns(titles, COMPARISON_NAMES, (figures,), frozenset(COMPARISON_NUMBERS))
    print_rows(console, columns, comparison_rows(found.figures))
    for note in comparison_notes(found):
        print_line(console, note)


def _print_comparisons(console: Console, benchmark: SolrBenchmark) -> None:
    if comparisons := benchmark.status.comparisons:
        console.print()
        _print_lines(console, comparison_lines(comparisons), COMPARISON_NOTE)


def print_slow(console: Console, lines: Sequence[str]) -> None:
    """Print the slowest requests, if there are any."""
    if lines:
        console.print("\nSlowest requests:")
        _print_lines(console, lines, SLOW_NOTE)


def _print_lines(console: Console, lines: Iterable[str], note: str) -> None:
    for line in lines:
        print_line(console, line, indent=2)
    print_line(console, note)


def _program() -> str:
    """Return what to type for this program: its path while it is not on the PATH."""
    return program_name() if shutil.which("solrbench") else sys.argv[0]


def print_next_commands(console: Console, benchmark: SolrBenchmark) -> None:
    """Print what a reader may want to do with this benchmark now."""
    where = f"-n {benchmark.metadata.namespace} {benchmark.metadata.name}"
    lines = [
        f"{_program()} report {where} -o markdown    # also: csv, json (histograms, windows)",
        f"kubectl get sbench {where} -o yaml      # everything the status says",
        f"kubectl delete sbench {where}           # the benchmark and all it made",
    ]
    console.print("\nNext:", *(f"\n  {line}" for line in lines), sep="", soft_wrap=True)
