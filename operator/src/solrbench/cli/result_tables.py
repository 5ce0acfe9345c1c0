"""Results on a terminal."""

import shutil
import sys
from collections.abc import Sequence

from rich.console import Console

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.status.comparison import BaselineComparison
from solrbench.api.v1alpha1.status.steps.step_result import Column, ColumnGroup, StepResult
from solrbench.cli.program import program_name
from solrbench.cli.terminal.progress import details, summary
from solrbench.cli.terminal.table_printing import (
    TableColumns,
    columns_of,
    print_line,
    print_rows,
    print_table_of,
)
from solrbench.decide.conditions import SUCCEEDED, holds, is_finished
from solrbench.results.text.baseline_text import comparison_notes
from solrbench.results.text.interval_table import (
    INTERVAL_NOTE,
    interval_headers,
    interval_rows,
    percents_of,
)
from solrbench.results.text.interval_table import NAMES as INTERVAL_NAMES
from solrbench.results.text.results_markdown import HEADERS, rows, table_note
from solrbench.results.text.tables.comparison_table import baseline_table, comparison_table
from solrbench.results.text.totals import results_with_totals
from solrbench.results.text.verdict_text import verdict_lines

NAMES, *GROUPS = (tuple(each for each in Column if each.group is group) for group in ColumnGroup)
"""Columns that identify the row, in each of several tables; and the others, by the table they
go to where one is too wide."""


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
    comparisons = comparison_table(benchmark.status)
    if comparisons.rows:
        print_table_of(console, comparisons)


def _print_intervals(console: Console, results: Sequence[StepResult]) -> None:
    """Print rates, means and percentiles with their intervals; nothing without percentiles."""
    if not percents_of(results):
        return
    titles = interval_headers(results)
    figures = tuple(each for each in titles if each not in INTERVAL_NAMES)
    columns = TableColumns(titles, INTERVAL_NAMES, (figures,), frozenset(figures))
    print_rows(console, columns, interval_rows(results))
    print_line(console, INTERVAL_NOTE)


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
