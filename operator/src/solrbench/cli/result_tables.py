"""Results of benchmarks and sweeps on a terminal of any width; no number and no unit is cut.

Without a terminal nothing is wrapped: what reads a pipe or a file has no width.
"""

import shlex
import shutil
import sys
from collections.abc import Sequence
from dataclasses import replace

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text
from sparklines import sparklines

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.comparisons import BaselineComparison
from solrbench.api.v1alpha1.findings import INCONCLUSIVE, INVALID
from solrbench.api.v1alpha1.status import Status
from solrbench.api.v1alpha1.sweep_objective import Metric
from solrbench.cli.program import program_name
from solrbench.cli.progress import details, summary
from solrbench.cli.terminal import GAP, TableLayout, list_cells, split_columns, wrap_line
from solrbench.contract.foreign import printable
from solrbench.contract.names import LABEL_SWEEP
from solrbench.contract.step_document import StepRunResult
from solrbench.decide.conditions import SUCCEEDED, holds, is_finished
from solrbench.present.comparison_tables import baseline_table, comparison_notes, comparison_table
from solrbench.present.fact_tables import gap_lines, reason_lines
from solrbench.present.limit_tables import STEP_RUN_COLUMNS, stall_table, user_table
from solrbench.present.result_tables import (
    intervals_table,
    results_table,
    results_with_totals,
    summary_table,
)
from solrbench.present.server_tables import SLOW_NOTE, failure_table, slow_lines
from solrbench.present.sweeps.point_tables import (
    capacity_table,
    differences_table,
    index_table,
    page_answers,
    steps_table,
    trends_table,
    variants_table,
)
from solrbench.present.sweeps.report import SweepReport
from solrbench.present.sweeps.sizing import costs_table
from solrbench.present.sweeps.tables import best_facts, failures_table, points_table, sweep_facts
from solrbench.present.table import Column, NameColumn, NumberColumn, Table, TextColumn, build_table
from solrbench.present.time_figures import TimeSlice, time_slices
from solrbench.present.window_tables import whole_note
from solrbench.stats.number_format import count_noun, format_milliseconds, format_number
from solrbench.sweep.objective_figure import figure_of


def print_tables(console: Console, *tables: Table) -> None:
    """Print tables with their captions and notes, but those without rows."""
    for table in filter(None, tables):
        console.print()
        print_line(console, f"{table.caption}:", style="bold")
        print_rows(console, table)


def print_rows(console: Console, table: Table) -> None:
    """Print all columns that are not empty in as many tables as the terminal needs, or as a list.

    A table that is too wide is cut between its parts, and between figures of a part. Its note
    follows.
    """
    table = table.without_empty_columns()
    rows = [[replace(cell, text=printable(cell.text)) for cell in row] for row in table.rows]
    table = replace(table, rows=rows)
    names = [i for i, column in enumerate(table.columns) if column.is_name]
    parts: dict[int, list[int]] = {}
    for i, column in enumerate(table.columns):
        if not column.is_name:
            parts.setdefault(column.part, []).append(i)
    widths = [max(map(cell_len, column)) for column in zip(table.head, *table.texts, strict=True)]
    width = _width(console)
    layouts = split_columns(widths, names, [parts[part] for part in sorted(parts)], width)
    console.print()
    for layout in layouts:
        _print_layout(console, table, layout)
        console.print()
    if not layouts and width is not None:
        _print_lists(console, table, width)
    if table.note:
        print_line(console, table.note)


def _print_layout(console: Console, table: Table, layout: TableLayout) -> None:
    # A blank of padding and one of the box lie between two columns: `GAP`.
    shown = RichTable(
        box=SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0), pad_edge=False, header_style="bold"
    )
    for i, width in zip(layout.columns, layout.widths, strict=True):
        column = table.columns[i]
        shown.add_column(
            column.title,
            justify="right" if column.is_number else "left",
            width=width,
            no_wrap=not column.is_name,
            overflow="fold",
        )
    for row in table.texts:
        shown.add_row(*(Text(row[i]) for i in layout.columns))
    if not console.is_terminal:
        # Rich takes 80 columns for granted there.
        width = sum(layout.widths) + GAP * len(layout.widths)
        console = Console(file=console.file, width=width, highlight=False)
    console.print(shown)


def _print_lists(console: Console, table: Table, width: int) -> None:
    """Print the names of each row and its other cells below one another."""
    for row in table.texts:
        cells = [(column, text) for column, text in zip(table.columns, row, strict=True) if text]
        names = ", ".join(text for column, text in cells if column.is_name)
        print_line(console, names, style="bold")
        others = [(column.title, text) for column, text in cells if not column.is_name]
        for line in list_cells(others, width):
            console.print(Text(line), soft_wrap=True)
        console.print()


def _width(console: Console) -> int | None:
    """Return the width of the terminal; None if there is none."""
    return console.width if console.is_terminal else None


def print_line(console: Console, text: str, style: str = "", indent: int = 0) -> None:
    """Print a line of text, folded at blanks where it is wider than the terminal."""
    for line in wrap_line(printable(text), _width(console), indent):
        # Longer words, such as URLs, are left to the terminal, which lets them be copied whole.
        console.print(Text(line, style=style), soft_wrap=True)


SUMMARY_WIDTH, SUMMARY_LINES = 100, 25
_OTHER_LINES, _MIN_ANSWER_LINES, _MAX_REASONS, _FEW_POINTS = 13, 4, 3, 8
"""Lines of a summary beside what varies: facts, rows, notes, reasons, conclusions; their most."""

_SUMMARY_FACTS = {"target", "data", "verdict", "logs and events", "export"}


def print_result(
    console: Console, benchmark: SolrBenchmark, *, in_full: bool = False, file: str | None = None
) -> None:
    """Print how a benchmark ended, its figures and what to do next; a summary unless `in_full`.

    `file` is that of the report, if it is not of the cluster.
    """
    good = holds(benchmark.status, SUCCEEDED)
    console.print()
    style = "green" if good else "bold red" if is_finished(benchmark.status) else ""
    print_line(console, f"{benchmark.key}: {benchmark.status.phase}", style=style)
    facts = [] if good else [": ".join(filter(None, summary(benchmark)))]
    gaps = len(gap_lines(benchmark.status.verdicts))
    for title, text in details(benchmark):
        if in_full or title in _SUMMARY_FACTS or not is_finished(benchmark.status):
            tail = f"; {count_noun(gaps, 'check')} not decided (--details)"
            is_short = title == "verdict" and gaps and not in_full
            facts.append(f"{title}: {text}{tail if is_short else ''}")
    left = SUMMARY_LINES - _OTHER_LINES
    for fact in facts:
        print_line(console, fact, indent=2)
        left -= len(wrap_line(fact, _width(console) or SUMMARY_WIDTH, 2))
    if in_full:
        print_results(console, benchmark)
    most = None if in_full else _print_summary(console, benchmark.status, left)
    print_answers(console, benchmark.status.answers, most)
    print_next_commands(console, benchmark, file)


def _print_summary(console: Console, status: Status, left: int) -> int:
    """Print a row for each step, and why some are not Valid, on so many lines with conclusions.

    It returns how many are left for these.
    """
    table, width = summary_table(status), _width(console) or SUMMARY_WIDTH
    if table:
        print_rows(console, table)
        left -= len(table.rows) + len(wrap_line(table.note, width))
    reasons = [
        (text, style)
        for word, style in ((INVALID, "bold red"), (INCONCLUSIVE, "yellow"))
        for text in reason_lines(word, status.verdicts)
    ]
    for shown, (text, style) in enumerate(reasons[:_MAX_REASONS]):
        needed = len(wrap_line(text, width))
        if shown and left - needed < _MIN_ANSWER_LINES:
            break
        print_line(console, text, style)
        left -= needed
    return left


def print_answers(console: Console, answers: Sequence[str], most: int | None = None) -> None:
    """Print conclusions as a list, of at most so many lines beyond the first few."""
    if not answers:
        return
    print_line(console, "\nConclusions:", style="bold")
    lines = 0
    for shown, answer in enumerate(answers):
        lines += len(wrap_line(f"- {answer}", _width(console) or SUMMARY_WIDTH))
        if shown and most is not None and lines > max(most, _MIN_ANSWER_LINES):
            print_line(console, f"- and {len(answers) - shown} more, see --details")
            break
        print_line(console, f"- {answer}")


def print_results(console: Console, benchmark: SolrBenchmark) -> None:
    """Print all tables of results and of comparisons; nothing if nothing was measured."""
    status = benchmark.status
    results = results_with_totals(status)
    for table in filter(None, (results_table(results, status.verdicts), intervals_table(results))):
        print_rows(console, table)
    for line in reason_lines(INVALID, status.verdicts):
        print_line(console, line, "bold red", indent=2)
    for line in gap_lines(status.verdicts):
        print_line(console, line, indent=2)
    if status.comparison is not None:
        console.print()
        print_line(console, f"Compared with {status.comparison.baseline}:")
        print_baseline_table(console, status.comparison)
    print_tables(console, comparison_table(status))


def print_baseline_table(console: Console, found: BaselineComparison, place: str = "step") -> None:
    """Print every figure of a step, or another place, beside that of the baseline, with notes."""
    print_rows(console, replace(baseline_table(found, place), note=""))
    for note in comparison_notes(found, place):
        print_line(console, note)


def print_next_commands(console: Console, found: SolrBenchmark | str, file: str | None) -> None:
    """Print what a reader may want to do now with this benchmark, or the sweep of this key."""
    if isinstance(found, str):
        key, kind, sweep = found, "ssweep/", None
        rest = "all points, facts and failures"
    else:
        key, kind, sweep = found.key, "", found.metadata.labels.get(LABEL_SWEEP)
        rest = "intervals, checks, slow requests"
    namespace, _, name = key.rpartition("/")
    where = f"-n {namespace} {kind}{name}" if file is None else shlex.quote(file)
    # What can be typed as it stands: the path of the program while it is not on the PATH.
    program = program_name() if shutil.which("solrbench") else sys.argv[0]
    lines = [
        f"{program} report {where} --details      # {rest}",
        f"{program} report {where} -o html --output-file {shlex.quote(f'{name}.html')}",
    ]
    if sweep is not None:
        lines.insert(0, f"{program} report -n {namespace} ssweep/{sweep}      # all its points")
    shown = (f"\n  {printable(line)}" for line in lines)
    console.print("\nNext:", *shown, sep="", markup=False, soft_wrap=True)


_SHOWN_SLOW = 3
"""Slow requests of each name; documents hold all."""

_SHOWN_RUNS = 30
"""Step runs whose time is shown."""

POINTS, MIN_POINTS = 30, 10
"""Characters of a line of time, and on a narrow terminal."""

_NARROW = 60


def print_details(console: Console, documents: Sequence[StepRunResult]) -> None:
    """Print failures by kind, the means over time, and the slowest requests."""
    if note := whole_note(documents):
        print_line(console, note)
    _print_failures(console, failure_table(documents))
    narrow = console.is_terminal and console.width < _NARROW
    over_time = time_table(documents, MIN_POINTS if narrow else POINTS)
    print_tables(console, over_time, user_table(documents), stall_table(documents))
    if lines := slow_lines(documents, _SHOWN_SLOW):
        console.print("\nSlowest requests:")
        for line in lines:
            print_line(console, line, indent=2)
        print_line(console, SLOW_NOTE)


_TimeRow = tuple[StepRunResult, Sequence[TimeSlice]]


def _means(row: _TimeRow) -> list[float]:
    return [part.milliseconds for part in row[1] if part.milliseconds is not None]


def _rates(row: _TimeRow) -> str:
    rates = [part.rate for part in row[1]]
    return " … ".join(dict.fromkeys(map(format_number, (min(rates), max(rates)))))


_TIME_COLUMNS: Sequence[Column[_TimeRow]] = (
    *STEP_RUN_COLUMNS,
    TextColumn("Mean over time", lambda row: sparklines([part.milliseconds for part in row[1]])[0]),
    NumberColumn("Lowest", lambda row: min(_means(row), default=None), format_milliseconds),
    NumberColumn("Highest", lambda row: max(_means(row), default=None), format_milliseconds),
    NumberColumn("Requests/s", _rates),
)


def time_table(documents: Sequence[StepRunResult], points: int) -> Table:
    """Return the mean service time of each step run as a line of `points` characters at most."""
    runs = [(each, time_slices(each, points)) for each in documents[:_SHOWN_RUNS]]
    # A single slice is the mean, which is in the table of results.
    rows = [run for run in runs if len(run[1]) > 1]
    left_out = len(documents) - len(runs)
    note = f"{left_out} more step runs are omitted." if left_out else ""
    return build_table("Service time over time", _TIME_COLUMNS, rows, note).without_empty_columns()


def _print_failures(console: Console, table: Table) -> None:
    """Print the table without its samples, which are too long for one, and each of them once."""
    if "Sample" not in table.head:
        print_tables(console, table)
        return
    print_tables(console, replace(table.without_column("Sample"), note=""))
    kind, sample = table.head.index("Failure"), table.head.index("Sample")
    for text in dict.fromkeys(f"{row[kind]}: {row[sample]}" for row in table.texts if row[sample]):
        print_line(console, text, indent=2)


_STYLES = {"Succeeded": "green", "Failed": "bold red"}
_SWEEP_COLUMNS = {"Difference", "95 % CI", "Conclusion"}


def print_sweep(
    console: Console, report: SweepReport, *, in_full: bool, file: str | None = None
) -> None:
    """Print how a sweep ended, its points if they are few, and what they show.

    Facts, figures beside that of the objective and failures follow with `in_full`. Of a sweep that
    was followed there is the status alone, without points. `file` is that of `print_result`.
    """
    status, points = report.status, points_table(report)
    failures = failures_table(report, sys.maxsize)
    counts, most = status.counts, SUMMARY_LINES - _OTHER_LINES - 3
    valid = counts.succeeded - counts.invalid - counts.inconclusive
    verb = "is" if valid == 1 else "are"
    points_said = "measured points" if counts.not_measured else "points"
    of_all = f"{valid} of {counts.total - counts.not_measured} {points_said}"
    text = f"{report.sweep}: {status.phase}. {of_all} {verb} Valid."
    console.print()
    print_line(console, text, style=_STYLES.get(status.phase, ""))
    if report.outcome and not (in_full or failures or status.phase == "Succeeded"):
        print_line(console, report.outcome, indent=2)  # why it waits, or is refused
        most -= len(wrap_line(report.outcome, _width(console) or SUMMARY_WIDTH, 2))
    if in_full:
        for name, fact in (best_facts(report) | sweep_facts(report)).items():
            print_line(console, f"{name.lower()}: {fact}", indent=2)
        print_tables(console, costs_table(report), points, capacity_table(report))
        others = (variants_table, differences_table, steps_table, index_table, trends_table)
        print_tables(console, *(build(report) for build in others), failures)
    elif len(status.best) == 1:  # of several conditions, the answers name each
        print_line(console, f"Best point: {status.best[0].values}.")
    if not in_full and 0 < len(points.rows) <= _FEW_POINTS:
        is_uneven = counts.invalid or counts.inconclusive or counts.failed
        figure = figure_of(report.spec)
        headline = "Requests/s" if figure.metric is Metric.REQUESTS_PER_SECOND else "P95"
        own = headline if figure.has_field else figure.title
        shown = {*report.axes, *_SWEEP_COLUMNS, own, "State" if is_uneven else ""}
        table = points.with_columns(shown)
        # Without the names of points, their values say which row it is, in each part of the table.
        columns = [
            NameColumn(each.title, each.read) if each.title in report.axes else each
            for each in table.columns
        ]
        print_rows(console, replace(table, columns=columns, note=""))
        most -= len(points.rows)
    for row in failures.texts[: 0 if in_full else 1]:
        more = f" ({len(failures.rows) - 1} more)" if len(failures.rows) > 1 else ""
        line = f"{row[0]}: {': '.join(filter(None, row[1:]))}{more}"
        print_line(console, line, "bold red")
        most -= len(wrap_line(line, _width(console) or SUMMARY_WIDTH))
    print_answers(console, page_answers(report), None if in_full else most)
    print_next_commands(console, report.sweep, file)
