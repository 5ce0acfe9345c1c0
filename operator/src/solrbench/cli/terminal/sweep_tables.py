"""A sweep on a terminal."""

from rich.console import Console

from solrbench.cli.terminal.table_printing import print_line, print_table_of
from solrbench.report.sweep.model import SweepReport
from solrbench.report.sweep.tables import (
    best_facts,
    facts,
    failures_table,
    objectives_sentence,
    points_table,
)

_STYLES = {"Succeeded": "green", "Failed": "bold red"}


def print_sweep(console: Console, report: SweepReport) -> None:
    """Print the answers, the best point, every point and what failed."""
    phase = report.status.phase
    console.print()
    print_line(console, f"{report.sweep}: {phase}", style=_STYLES.get(phase, ""))
    for line in (*report.status.answers, objectives_sentence(report)):
        if line:
            print_line(console, line, indent=2)
    for name, text in (best_facts(report) | facts(report)).items():
        print_line(console, f"{name.lower()}: {text}", indent=2)
    for table in (points_table(report), failures_table(report)):
        if table.rows:
            print_table_of(console, table)
