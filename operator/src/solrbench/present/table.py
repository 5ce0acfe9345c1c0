"""A table as text: titles, rows, and which columns identify a row. Each output renders it.

The cells of a result, by the columns of its table.

The rows of a table of results: each step's request names, then all its requests together.

Tables and lists of Markdown whose cells cannot break them.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from solrbench.api.v1alpha1.conditions import ResultField, Unit
from solrbench.api.v1alpha1.status import Status
from solrbench.api.v1alpha1.step_result import RESULT_FIELDS, ResultColumn, StepResult
from solrbench.stats.number_format import (
    format_milliseconds,
    format_number,
    format_percent,
    format_share,
)

_CLOSED: Mapping[str, ResultField] = {each.shown.columns.closed: each for each in RESULT_FIELDS}
_OPEN: Mapping[str, ResultField] = {each.shown.columns.open: each for each in RESULT_FIELDS}

HIDEABLE = tuple(
    column
    for column in ResultColumn
    if column in {ResultColumn.VARIANT, ResultColumn.GOODPUT}
    or (column in _CLOSED) is not (column in _OPEN)
)
"""Columns that are left out where they are empty: what not all benchmarks, or loops, have."""


def format_cell(result: StepResult, column: ResultColumn) -> str:
    """Return what a column shows of a result, with its unit; empty if it was not measured."""
    field = (_OPEN if result.is_open_loop else _CLOSED).get(column)
    value = None if field is None else getattr(result, field.name)
    if field is None or value is None:
        return ""
    match field.shown.unit:
        case Unit.NONE:
            return str(value)
        case Unit.MILLISECONDS | Unit.SECONDS as unit:
            return format_milliseconds(value * 1000 / unit.divisor)
        case Unit.PERCENT:
            return format_percent(value)
        case Unit.FAILURES:
            return format_share(value, result.requests)
        case _:
            return format_number(value)


def results_with_totals(status: Status) -> list[StepResult]:
    """Return the results of each step, then its totals if it has several request names.

    One name is its own total.
    """
    return list(_with_totals(status))


def _with_totals(status: Status) -> Iterator[StepResult]:
    for step in dict.fromkeys(result.step for result in status.results):
        results = [result for result in status.results if result.step == step]
        yield from results
        if len(_names(results)) > 1:
            yield from (result for result in status.totals if result.step == step)


def _names(results: Iterable[StepResult]) -> set[str]:
    return {result.request for result in results if not result.is_transaction}


def markdown_table(lines: Iterable[Iterable[str]]) -> str:
    """Return lines of cells, the second of them the rule, as a table."""
    return "\n".join(
        "| " + " | ".join(escape_markdown(cell) for cell in line) + " |" for line in lines
    )


def markdown_list(lines: Iterable[str]) -> str:
    """Return a list with one item for each line."""
    return "\n".join(f"- {escape_markdown(line)}" for line in lines)


def escape_markdown(cell: str) -> str:
    """Return text that stays in its cell or item, and that no renderer reads as HTML or a link."""
    text = " ".join(cell.splitlines()).replace("&", "&amp;").replace("<", "&lt;")
    for mark in "\\|`[]":
        text = text.replace(mark, f"\\{mark}")
    return text


Row = tuple[str, ...]


@dataclass(frozen=True)
class TextTable:
    """A table whose cells are text with units.

    Attributes:
        caption: what it shows, in a few words
        head: titles of the columns
        rows: the cells; empty where something was not measured
        names: how many columns, from the first on, say which row it is
        texts: titles of other columns that hold words; all others hold numbers
        note: what a reader has to know to read it
    """

    caption: str
    head: Row
    rows: Sequence[Row]
    names: int = 1
    texts: frozenset[str] = frozenset()
    note: str = ""

    def is_number(self, column: int) -> bool:
        """Return whether the cells of a column are numbers, which are set flush right."""
        return column >= self.names and self.head[column] not in self.texts

    def without_empty_columns(self) -> "TextTable":
        """Return the table without the columns that are empty in every row."""
        kept = [i for i in range(len(self.head)) if any(row[i] for row in self.rows)]
        return replace(
            self,
            head=_pick(self.head, kept),
            rows=[_pick(row, kept) for row in self.rows],
            names=sum(i < self.names for i in kept),
        )


def table_to_markdown(table: TextTable) -> str:
    """Return a table of GitHub's Markdown; neither a line break nor HTML leaves its cell."""
    rule = tuple("--:" if table.is_number(i) else "---" for i in range(len(table.head)))
    return markdown_table([table.head, rule, *table.rows])


def _pick(row: Row, columns: Sequence[int]) -> Row:
    return tuple(row[i] for i in columns)
