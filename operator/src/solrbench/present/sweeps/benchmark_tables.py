"""What single benchmarks of points met: a cold start, long waits, index pods of unequal speed."""

from collections.abc import Sequence

from solrbench.api.v1alpha1.comparisons import ColdStart
from solrbench.api.v1alpha1.findings import StepResponseGaps
from solrbench.present.fact_tables import INDEX_COLUMNS, index_rows
from solrbench.present.sweeps.report import SweepReport
from solrbench.present.sweeps.tables import benchmarks_of, point_table
from solrbench.present.table import (
    Column,
    NameColumn,
    NumberColumn,
    Table,
    TextColumn,
)
from solrbench.stats.number_format import format_milliseconds, format_number

_MAX_ROWS = 50
"""Rows of each table: of 500 points, a page is to stay below 2 MB."""

_COLD_COLUMNS: Sequence[Column[ColdStart]] = (
    NameColumn("Step", lambda cold: cold.step),
    TextColumn("Variant", lambda cold: cold.variant),
    TextColumn("Sent by", lambda cold: "the warm-up" if cold.in_warm_up else "the step"),
    NumberColumn("First 1000 s", lambda cold: cold.first_thousand_seconds, format_number),
    NumberColumn(
        "Mean", lambda cold: cold.first_thousand_average_milliseconds, format_milliseconds
    ),
    NumberColumn("Longest", lambda cold: cold.first_thousand_max_milliseconds, format_milliseconds),
    NumberColumn("Steady mean", lambda cold: cold.steady_average_milliseconds, format_milliseconds),
)
_COLD_NOTE = (
    "The first thousand requests that a target got, and the mean of the step once it was steady."
    " The report of the benchmark has the curve."
)


def cold_start_table(report: SweepReport) -> Table:
    """Return how each benchmark began, where its first thousand requests are known."""
    every = ((name, part.cold_start) for name, part in benchmarks_of(report))
    rows = ((name, cold) for name, cold in every if cold is not None)
    return point_table("Cold start of each point", _COLD_COLUMNS, rows, _COLD_NOTE, _MAX_ROWS)


def index_pods_of_points(report: SweepReport) -> Table:
    """Return documents, size and time of each index pod, and of its slowest files."""
    parts = benchmarks_of(report)
    rows = ((name, row) for name, part in parts for row in index_rows(part.index_pods))
    caption = "Indexing of each point by pod and file"
    return point_table(caption, INDEX_COLUMNS, rows, most=_MAX_ROWS)


def _user(user: int | None, node: str | None) -> str:
    return ", ".join(filter(None, ["" if user is None else f"user {user}", node]))


_WAIT_COLUMNS: Sequence[Column[StepResponseGaps]] = (
    NameColumn("Step", lambda gap: gap.step),
    TextColumn("Variant", lambda gap: gap.variant),
    NumberColumn("Longest wait", lambda gap: gap.longest_milliseconds, format_milliseconds),
    NumberColumn("Repeat", lambda gap: gap.longest_repeat),
    NumberColumn("From second", lambda gap: gap.longest_second, format_number),
    TextColumn("Of", lambda gap: _user(gap.longest_user, gap.longest_node)),
    NumberColumn("Fewest requests", lambda gap: gap.least_user_requests),
    NumberColumn("Median", lambda gap: gap.median_user_requests),
    NumberColumn("Most", lambda gap: gap.most_user_requests),
    TextColumn("User with fewest", lambda gap: _user(gap.least_user, gap.least_user_node)),
)
_WAIT_NOTE = (
    "The longest time that a user waited for a response; with a planned rate, that none came from a"
    " node although requests waited. Requests are those of a single user."
)


def waits_table(report: SweepReport) -> Table:
    """Return who waited longest in each step, and which user got the fewest responses."""
    rows = ((name, gap) for name, part in benchmarks_of(report) for gap in part.response_gaps)
    return point_table("Longest waits of each point", _WAIT_COLUMNS, rows, _WAIT_NOTE, _MAX_ROWS)
