"""The one form of a table: columns that read typed cells, and its rendering as Markdown and CSV.

A builder names each column of its subject once: title, kind, and how a cell is read from an item.
Every output renders the table that it returns: the terminal in `solrbench.cli.result_tables`, the
page in `assets/macros.html.j2`, Markdown here. CSV has the raw values that such columns read.
"""

import csv
import io
import re
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Generic, TypeVar

_Item_contra = TypeVar("_Item_contra", contravariant=True)
_Row = TypeVar("_Row")


@dataclass(frozen=True)
class Cell:
    """What a table shows in one place.

    Outputs that have no room for `detail`, which qualifies the text, or no style for `mark`, a
    class of the style sheet, leave them out: the text says enough alone.
    """

    text: str
    detail: str = ""
    mark: str = ""


_CONCLUSION_MARKS = {
    **dict.fromkeys(("Invalid", "Worse", "worse", "Missed", "Failed"), "bad"),
    **dict.fromkeys(("Valid", "Better", "better", "Met"), "good"),
}


def conclusion(text: str | None, detail: str = "") -> Cell:
    """Return the cell of a verdict or another conclusion, such as `worse (one target)`."""
    found = text or ""
    return Cell(found, detail, _CONCLUSION_MARKS.get(found.partition(" ")[0], ""))


@dataclass(frozen=True)
class Column(Generic[_Item_contra]):
    """A column, and how its cell is read from the item that a row is about.

    What `read` returns is either a finished `Cell`, a value that `show` writes with its unit, or
    None where nothing was measured, which leaves the cell empty. Columns of the same `part` stay
    together where a table is too wide for its output and is cut.
    """

    is_name: ClassVar = False
    """Whether it says which row it is: such columns come first, in each part of a table."""
    is_number: ClassVar = False
    """Whether its cells are set flush right."""

    title: str
    read: Callable[[_Item_contra], object]
    show: Callable[[Any], str] = str
    part: int = 0

    def cell(self, item: _Item_contra) -> Cell:
        """Return the cell of an item."""
        value = self.read(item)
        return value if isinstance(value, Cell) else Cell("" if value is None else self.show(value))


class NameColumn(Column[_Item_contra]):
    """A column that says which row it is."""

    is_name = True


class TextColumn(Column[_Item_contra]):
    """A column of words."""


class NumberColumn(Column[_Item_contra]):
    """A column of numbers with their units."""

    is_number = True


def named_columns(title: str, columns: Iterable[Column[_Row]]) -> list[Column[tuple[str, _Row]]]:
    """Return a column of names and the columns of what they are of, for pairs of both."""

    def of_pair(column: Column[_Row]) -> Column[tuple[str, _Row]]:
        kind: type[Column[Any]] = type(column)
        return kind(column.title, lambda pair: column.cell(pair[1]), part=column.part)

    return [NameColumn(title, lambda pair: pair[0]), *map(of_pair, columns)]


@dataclass(frozen=True)
class Table:
    """A table, whatever it is rendered to; one without rows is false, and no output shows it.

    Rows with an index in `totals` sum up the others. `note` is what a reader has to know.
    """

    caption: str
    columns: Sequence[Column[Any]]
    rows: Sequence[Sequence[Cell]]
    note: str = ""
    totals: frozenset[int] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.rows)

    @property
    def head(self) -> tuple[str, ...]:
        """The titles of the columns."""
        return tuple(column.title for column in self.columns)

    @property
    def texts(self) -> list[tuple[str, ...]]:
        """The text of each cell, row by row."""
        return [tuple(cell.text for cell in row) for row in self.rows]

    def without_empty_columns(self, among: Container[str] | None = None) -> "Table":
        """Return the table without columns that are empty in every row, those `among` if given."""
        kept = [
            i
            for i, title in enumerate(self.head)
            if (among is not None and title not in among) or any(row[i].text for row in self.rows)
        ]
        return self._with_columns(kept)

    def without_column(self, title: str) -> "Table":
        """Return the table without the column of that title, if there is one."""
        return self._with_columns([i for i, each in enumerate(self.head) if each != title])

    def with_columns(self, titles: Container[str]) -> "Table":
        """Return the table with the columns of these titles alone."""
        return self._with_columns([i for i, each in enumerate(self.head) if each in titles])

    def _with_columns(self, kept: Sequence[int]) -> "Table":
        return replace(
            self,
            columns=[self.columns[i] for i in kept],
            rows=[[row[i] for i in kept] for row in self.rows],
        )


def build_table(
    caption: str, columns: Sequence[Column[_Row]], items: Iterable[_Row], note: str = ""
) -> Table:
    """Return a table with a row for each item."""
    rows = [[column.cell(item) for column in columns] for item in items]
    return Table(caption, columns, rows, note)


def table_to_markdown(table: Table) -> str:
    """Return a table of GitHub's Markdown; neither a line break nor HTML leaves its cell."""
    rule = ["--:" if column.is_number else "---" for column in table.columns]
    return "\n".join(
        "| " + " | ".join(escape_markdown(text) for text in line) + " |"
        for line in (table.head, rule, *table.texts)
    )


def markdown_list(lines: Iterable[str]) -> str:
    """Return a list with one item for each line."""
    return "\n".join(f"- {escape_markdown(line)}" for line in lines)


def markdown_facts(facts: dict[str, str]) -> str:
    """Return a list of texts, each behind its name."""
    pairs = (map(escape_markdown, fact) for fact in facts.items())
    return "\n".join(f"- **{name}**: {text}" for name, text in pairs)


# A pipe ends a cell, a backtick begins code, and brackets a link; at the beginning, some make a
# list, a heading or a quotation. Pairs of `*`, `~` and `_` are emphasis, as in `*:*` and
# `_text_:a~1 b~1`, but not between blanks nor, of `_`, within a word.
_MARKS = re.compile(
    r"[\\|`\[\]]|^[*+-](?=\s|$)|^[#>]|[*~](?=\S)|(?<=\S)[*~]|(?<![^\W_])_|_(?![^\W_])"
)


def escape_markdown(cell: str) -> str:
    """Return text that stays in its cell or item, and that renderers show as it is.

    Texts come from tenants: none is read as HTML or a link.
    """
    text = " ".join(cell.splitlines()).replace("&", "&amp;").replace("<", "&lt;")
    return _MARKS.sub(r"\\\g<0>", text)


def items_to_csv(columns: Sequence[Column[_Row]], items: Iterable[_Row]) -> str:
    """Return a line of titles, then the raw values of each item, of which there may be very many.

    Programs read it: a title is the name of a field with its unit.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(column.title for column in columns)
    writer.writerows([_as_value(column.read(item)) for column in columns] for item in items)
    return out.getvalue()


def _as_value(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    # Spreadsheets run such a text as a formula, and names of requests come from tenants. Python
    # writes a carriage return without quotes, after which another line would begin.
    text = value.replace("\r", " ")
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", " ")) else text
