"""One table of all runs at the end."""

from collections.abc import Callable, Sequence

import pytest
from _pytest.terminal import TerminalReporter

COLUMNS = ("scenario", "calls", "runs", "unexplained")


def pytest_terminal_summary(terminalreporter: TerminalReporter) -> None:
    """Print the rows that the tests recorded, and their sums."""
    reports = [
        each for kind in ("passed", "failed") for each in terminalreporter.stats.get(kind, [])
    ]
    found = [row for each in reports for name, row in each.user_properties if name == "row"]
    parts = filter(None, found)  # a test that met its time limit has recorded none
    table: dict[str, list[int]] = {}
    for name, calls, runs, unexplained in parts:
        before = table.get(name, [0, 0, 0])  # other calls of the same scenario
        table[name] = [calls, before[1] + runs, before[2] + unexplained]
    if table:
        sums = [sum(column) for column in zip(*table.values(), strict=True)]
        rows: list[tuple[str, Sequence[object]]] = [*sorted(table.items()), ("in all", sums)]
        for name, numbers in [(COLUMNS[0], COLUMNS[1:]), *rows]:
            terminalreporter.write_line(f"{name:40}" + "".join(f"{each:>13}" for each in numbers))


@pytest.fixture
def row(record_property: Callable[[str, object], None]) -> list[object]:
    """Give the row of a test, to be filled."""
    found: list[object] = []
    record_property("row", found)
    return found
