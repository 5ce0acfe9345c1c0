"""Tables on a terminal of any width; no number and no unit is ever cut.

Without a terminal nothing is wrapped: what reads a pipe or a file has no width.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from solrbench.cli.terminal.layout import GAP, TableLayout, list_cells, split_columns, wrap_line
from solrbench.results.text.tables.table import Row, Table


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


def print_table_of(console: Console, table: Table) -> None:
    """Print a table with its caption and note."""
    console.print()
    print_line(console, f"{table.caption}:", style="bold")
    print_rows(console, columns_of(table), table.rows)
    if table.note:
        print_line(console, table.note)


def columns_of(table: Table) -> TableColumns:
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
