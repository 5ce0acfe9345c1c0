"""One table of all runs at the end."""

from collections.abc import Callable

import pytest
from _pytest.terminal import TerminalReporter

COLUMNS = ("scenario", "calls", "runs", "unexplained")


def pytest_terminal_summary(terminalreporter: TerminalReporter) -> None:
    """Print the rows that the tests recorded, and their sums."""
    reports = [
        each for kind in ("passed", "failed") for each in terminalreporter.stats.get(kind, [])
    ]
    rows = [row for each in reports for name, row in each.user_properties if name == "row"]
    if rows:
        sums = [sum(row[column] for row in rows) for column in (1, 2, 3)]
        for name, *numbers in (COLUMNS, *sorted(rows), ("in all", *sums)):
            terminalreporter.write_line(f"{name:40}" + "".join(f"{each:>13}" for each in numbers))


@pytest.fixture
def row(record_property: Callable[[str, object], None]) -> list[object]:
    """Give the row of a test, to be filled."""
    found: list[object] = []
    record_property("row", found)
    return found
