"""Cells of the page's tables: a text, and below it what qualifies it."""

from collections.abc import Sequence
from dataclasses import dataclass

from solrbench.api.v1alpha1.status.steps.intervals import Interval, PercentileResult
from solrbench.api.v1alpha1.status.steps.step_result import StepResult
from solrbench.results.stats.number_format import format_milliseconds, format_number
from solrbench.results.text.tables.table import Table


@dataclass(frozen=True)
class Cell:
    """A cell.

    Attributes:
        text: what it shows
        detail: what stands below it in smaller letters
        mark: class of the style sheet, such as `invalid`

    """

    text: str
    detail: str = ""
    mark: str = ""


@dataclass(frozen=True)
class Column:
    """A column: its title, and whether its cells are numbers."""

    title: str
    is_number: bool = True


@dataclass(frozen=True)
class HtmlTable:
    """A table of the page.

    Attributes:
        caption: what it shows
        columns: the columns
        rows: the cells
        names: how many columns, from the first on, are heads of their rows
        note: what a reader has to know
        totals: rows that sum up the others, by index

    """

    caption: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    names: int = 1
    note: str = ""
    totals: frozenset[int] = frozenset()

    def without_empty_columns(self) -> "HtmlTable":
        """Return the table without the columns that are empty in every row."""
        kept = [i for i in range(len(self.columns)) if any(row[i].text for row in self.rows)]
        return HtmlTable(
            self.caption,
            [self.columns[i] for i in kept],
            [[row[i] for i in kept] for row in self.rows],
            sum(i < self.names for i in kept),
            self.note,
            self.totals,
        )


_WORD_TITLES = frozenset({"Word", "Verdict", "Result", "State"})
"""Columns of such words."""

_MARKS = {
    "Invalid": "bad",
    "Valid": "good",
    "Worse": "bad",
    "Better": "good",
    "Missed": "bad",
    "Met": "good",
    "Failed": "bad",
}
"""Marks of cells that consist of such a word, which says it to readers without colours, too."""


def word_cell(text: str) -> Cell:
    """Return the cell of a verdict or another word, such as `Worse on this target`."""
    return Cell(text, mark=_MARKS.get(text.partition(" ")[0], ""))


def html_table(table: Table) -> HtmlTable:
    """Return a table of texts."""
    columns = [Column(title, table.is_number(i)) for i, title in enumerate(table.head)]
    words = {i for i, title in enumerate(table.head) if title in _WORD_TITLES}
    rows = [
        [word_cell(text) if i in words else Cell(text) for i, text in enumerate(row)]
        for row in table.rows
    ]
    return HtmlTable(table.caption, columns, rows, table.names, table.note)


def rate_cell(result: StepResult) -> Cell:
    """Return the rate with its interval."""
    found = result.requests_per_second_interval
    detail = "" if found is None else _range(found)
    return Cell(format_number(result.requests_per_second), detail)


def average_cell(result: StepResult) -> Cell:
    """Return the mean of the times that users see, with its interval."""
    if result.is_open_loop:
        value = result.response_average_milliseconds
        return _time(value, result.response_average_milliseconds_interval)
    return _time(result.average_milliseconds, result.average_milliseconds_interval)


def max_cell(result: StepResult) -> Cell:
    """Return the longest of the times that users see."""
    longest = result.response_max_milliseconds if result.is_open_loop else result.max_milliseconds
    return _time(longest, None)


def percentile_cell(result: StepResult, percent: float) -> Cell:
    """Return one of the chosen percentiles with its interval; empty if the result lacks it."""
    found = next((each for each in result.percentiles if each.percent == percent), None)
    return Cell("") if found is None else _time(found.milliseconds, _bounds(found))


def _bounds(found: PercentileResult) -> Interval | None:
    lower, upper = found.lower_milliseconds, found.upper_milliseconds
    return None if lower is None or upper is None else Interval(lower=lower, upper=upper)


def _time(milliseconds: float | None, interval: Interval | None) -> Cell:
    if milliseconds is None:
        return Cell("")
    if interval is None:
        return Cell(format_milliseconds(milliseconds))
    # One unit for both bounds.
    unit, scale = ("s", 1000) if interval.upper >= 1000 else ("ms", 1)
    scaled = Interval(lower=interval.lower / scale, upper=interval.upper / scale)
    return Cell(format_milliseconds(milliseconds), f"{_range(scaled)} {unit}")


def _range(interval: Interval) -> str:
    return f"{format_number(interval.lower)}-{format_number(interval.upper)}"
