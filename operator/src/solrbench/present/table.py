"""A table as text: titles, rows, and which columns identify a row. Each output renders it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from solrbench.results.text.markdown import markdown_table

Row = tuple[str, ...]


@dataclass(frozen=True)
class Table:
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

    def without_empty_columns(self) -> "Table":
        """Return the table without the columns that are empty in every row."""
        kept = [i for i in range(len(self.head)) if any(row[i] for row in self.rows)]
        return replace(
            self,
            head=_pick(self.head, kept),
            rows=[_pick(row, kept) for row in self.rows],
            names=sum(i < self.names for i in kept),
        )


def table_to_markdown(table: Table) -> str:
    """Return a table of GitHub's Markdown; neither a line break nor HTML leaves its cell."""
    rule = tuple("--:" if table.is_number(i) else "---" for i in range(len(table.head)))
    return markdown_table([table.head, rule, *table.rows])


def _pick(row: Row, columns: Sequence[int]) -> Row:
    return tuple(row[i] for i in columns)
