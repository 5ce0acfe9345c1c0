"""How tables and lines fit a width. Pure: widths in, columns and lines out.

Numbers are never cut and stay on one line with their units. A table that is too wide becomes
several, each with the names of the rows first; names may be folded.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.cells import cell_len

GAP = 2
"""Blanks between two columns."""
MAX_TABLES = 5
"""Tables that one is split into at most: the figures of a row are hard to find in more."""
_MIN_NAME_WIDTH = 8
"""Width below which no name is folded."""

_WORD = re.compile(r"(?:(?<!\S)\(?[+-]?\d(?:[\d.,]*\d)? (?:of )?)*\S+")
"""A word with the numbers before it: `95 %`, `(QTime`, `12 ms)`, `2 of 4 steps`."""


@dataclass(frozen=True)
class TableLayout:
    """Columns of one table by index, and the width of each."""

    columns: tuple[int, ...]
    widths: tuple[int, ...]


def split_columns(
    widths: Sequence[int], names: Sequence[int], groups: Sequence[Sequence[int]], width: int | None
) -> list[TableLayout]:
    """Return the tables that show all columns within `width`; none if it is too narrow.

    `widths` are those of all columns. Every table begins with the columns `names`, which may be
    folded; columns of one of the `groups` stay together where they fit. No `width` is any width.
    """
    every = sorted([*names, *(column for group in groups for column in group)])
    whole = TableLayout(tuple(every), tuple(widths[i] for i in every))
    if width is None or _needed(whole.widths) <= width:
        return [whole]
    # Names are folded only where there would be too many tables otherwise.
    for room in (width, width // 2, width // 3):
        folded = _fold([widths[i] for i in names], room)
        tables = _pack(widths, groups, width - sum(folded) - GAP * len(folded))
        if 0 < len(tables) <= MAX_TABLES:
            return [
                TableLayout((*names, *table), (*folded, *(widths[i] for i in table)))
                for table in tables
            ]
    return []


def wrap_line(text: str, width: int | None, indent: int = 0) -> list[str]:
    """Return `text` in lines of at most `width`, broken at blanks, but not after a number.

    A word that is longer stands on a line of its own. Lines after the first are indented twice.
    """
    first, later = " " * indent, " " * (2 * indent)
    if width is None or cell_len(first + text) <= width:
        return [first + text]
    lines: list[str] = []
    line = ""
    for word in _words(text, width - len(later)):
        if line and cell_len(f"{line} {word}") > width:
            lines.append(line)
            line = ""
        line = f"{line} {word}" if line else (later if lines else first) + word
    return [*lines, line]


def list_cells(cells: Sequence[tuple[str, str]], width: int) -> list[str]:
    """Return a line for each header and its cell, for terminals too narrow for a table."""
    longest = max((cell_len(header) for header, _ in cells), default=0)
    lines = []
    for header, cell in cells:
        line = f"  {header}{'':{longest - cell_len(header)}}{'':{GAP}}{cell}"
        lines += [line] if cell_len(line) <= width else [f"  {header}", f"    {cell}"]
    return lines


def _words(text: str, room: int) -> Iterator[str]:
    for word in _WORD.findall(text):
        # The first number of `2 of 4 steps` keeps to the unit only where there is room for both.
        yield from [word] if cell_len(word) <= room else word.replace(" of ", " of\n").split("\n")


def _needed(widths: Sequence[int]) -> int:
    return sum(widths) + GAP * (len(widths) - 1)


def _fold(widths: Sequence[int], room: int) -> list[int]:
    """Return `widths` with the widest made smaller until all of them fit into `room`."""
    folded = list(widths)
    while _needed(folded) > room and max(folded) > _MIN_NAME_WIDTH:
        folded[folded.index(max(folded))] -= 1
    return folded


def _pack(widths: Sequence[int], groups: Sequence[Sequence[int]], room: int) -> list[list[int]]:
    """Return the columns of each table, in the order of `groups`; none if one does not fit."""
    tables: list[list[int]] = []
    for part in (part for group in groups for part in _split(widths, group, room)):
        together = [*tables[-1], *part] if tables else part
        if tables and _needed([widths[i] for i in together]) <= room:
            tables[-1] = together
        else:
            tables.append(part)
    fits = all(_needed([widths[i] for i in table]) <= room for table in tables)
    return tables if fits else []


def _split(widths: Sequence[int], group: Sequence[int], room: int) -> list[list[int]]:
    """Return a group in as few parts of equal length as fit into `room`."""
    parts: list[list[int]] = []
    for count in range(1, len(group) + 1):
        size = -(-len(group) // count)
        parts = [list(group[i : i + size]) for i in range(0, len(group), size)]
        if all(_needed([widths[i] for i in part]) <= room for part in parts):
            break
    return parts
