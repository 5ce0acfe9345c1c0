"""Results on a terminal."""

import shutil
import sys
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.cli.progress import details, summary
from solrbench.results.compared import COMPARISON_NOTE, comparison_lines
from solrbench.results.judged import verdict_lines
from solrbench.results.render import HEADERS, Row, is_number, rows, table_note
from solrbench.results.slow import SLOW_NOTE

WIDTH_WITHOUT_TERMINAL = 250
LEAST_IMPORTANT = (
    *("Min", "P75", "Max", "± P95", "Repeats", "Late", "Average", "± Requests/s", "Service P95"),
    "Request",
)
"""Columns that a narrow terminal goes without, first to last; all are in the CSV."""


def print_result(console: Console, benchmark: SolrBenchmark) -> None:
    """Print how a benchmark ended, its figures and what to do next."""
    reason, message = summary(benchmark)
    good = benchmark.status.phase == "Succeeded"
    console.print(
        Text(f"\n{benchmark.key}: {benchmark.status.phase}", style="green" if good else "bold red")
    )
    if not good:
        console.print(Text(f"  {reason}: {message}"), soft_wrap=True)
    for title, text in details(benchmark):
        console.print(Text(f"  {title}: {text}"), soft_wrap=True)
    print_table(console, benchmark)
    print_next_commands(console, benchmark)


def print_table(console: Console, benchmark: SolrBenchmark) -> None:
    """Print the table of results; nothing if nothing was measured."""
    results = benchmark.status.results
    if not results:
        return
    if not console.is_terminal:
        console = Console(file=console.file, width=WIDTH_WITHOUT_TERMINAL, highlight=False)
    cells = rows(results, benchmark.status.verdicts)
    shown = _fitting(cells, console.width)
    table = Table(header_style="bold")
    for i in shown:
        table.add_column(HEADERS[i], justify="right" if is_number(i) else "left", no_wrap=True)
    for row in cells:
        table.add_row(*(row[i] for i in shown))
    console.print(table)
    hidden = [HEADERS[i] for i in range(len(HEADERS)) if i not in shown and _any_filled(cells, i)]
    if hidden:
        console.print(f"Not shown on this narrow terminal: {', '.join(hidden)}")
    console.print(table_note(results))
    _print_verdicts(console, benchmark)
    _print_comparisons(console, benchmark)


def _print_verdicts(console: Console, benchmark: SolrBenchmark) -> None:
    """Print why numbers must not be believed; that they may stands in the table."""
    for line in verdict_lines(benchmark.status.verdicts):
        style = "" if line.startswith("not checked") else "bold red"
        console.print(Text(f"  {line}", style=style), soft_wrap=True)


def _print_comparisons(console: Console, benchmark: SolrBenchmark) -> None:
    comparisons = benchmark.status.comparisons
    if comparisons:
        lines = [f"  {line}" for line in comparison_lines(comparisons)]
        console.print("", *map(Text, lines), Text(COMPARISON_NOTE), sep="\n", soft_wrap=True)


def print_slow(console: Console, lines: Sequence[str]) -> None:
    """Print the slowest requests, if there are any."""
    if lines:
        shown = [Text(f"  {line}") for line in lines]
        console.print("\nSlowest requests:", *shown, Text(SLOW_NOTE), sep="\n", soft_wrap=True)


def _program() -> str:
    """Return what to type for this program: its path while it is not on the PATH."""
    return "solrbench" if shutil.which("solrbench") else sys.argv[0]


def _fitting(cells: list[Row], width: int) -> list[int]:
    """Return the columns to show: those with something in them, fewer if the room is small."""
    shown = [i for i in range(len(HEADERS)) if _any_filled(cells, i)]
    for header in LEAST_IMPORTANT:
        if _width(cells, shown) <= width:
            break
        shown = [i for i in shown if HEADERS[i] != header]
    return shown


def _width(cells: list[Row], shown: list[int]) -> int:
    """Return the width of a table with one blank and one line beside each cell."""
    return 1 + sum(3 + max(len(row[i]) for row in [HEADERS, *cells]) for i in shown)


def _any_filled(cells: list[Row], column: int) -> bool:
    """Return whether a column holds anything."""
    return any(row[column] for row in cells)


def print_next_commands(console: Console, benchmark: SolrBenchmark) -> None:
    """Print what a reader may want to do with this benchmark now."""
    where = f"-n {benchmark.metadata.namespace} {benchmark.metadata.name}"
    lines = [
        f"{_program()} report {where} -o markdown    # also: csv, json (histograms, windows)",
        f"kubectl get sbench {where} -o yaml      # everything the status says",
        f"kubectl delete sbench {where}           # the benchmark and all it made",
    ]
    console.print("\nNext:", *(f"\n  {line}" for line in lines), sep="", soft_wrap=True)
