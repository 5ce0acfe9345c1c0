"""Objectives, capacity, scalability and what was not run, and who waited: lines and tables."""

from collections.abc import Iterable, Sequence
from typing import Any

from solrbench.analysis.bottleneck_evidence import pod_of
from solrbench.analysis.sentences import name_variant, not_run_line, objective_line
from solrbench.api.v1alpha1.findings import ObjectiveResult, TrialResult
from solrbench.api.v1alpha1.status import Status
from solrbench.contract.request_counts import ResponseGap, UserShares
from solrbench.contract.step_document import StepRunResult
from solrbench.present.table import (
    Column,
    NameColumn,
    NumberColumn,
    Table,
    TextColumn,
    build_table,
    conclusion,
)
from solrbench.stats.number_format import (
    format_milliseconds,
    format_number,
    format_percent,
    format_range,
)

OBJECTIVES = "Objectives"
"""Heading of the lines that a table may have instead."""


def limit_lines(status: Status) -> list[tuple[str, list[str]]]:
    """Return headings with lines of what the limits say; only those that there are."""
    found = [
        name_variant(each.variant, f"{each.conclusion}: {each.message}") for each in status.capacity
    ]
    objectives = status.objectives.results if status.objectives is not None else []
    parts = [
        (OBJECTIVES, [*map(objective_line, objectives)]),
        ("Not run", [*map(not_run_line, status.not_run)]),
        ("Capacity", found),
        ("Scalability", [name_variant(each.variant, each.message) for each in status.scalability]),
    ]
    return [(title, lines) for title, lines in parts if lines]


_TRIAL_COLUMNS: Sequence[Column[TrialResult]] = (
    NumberColumn("Documents/s", lambda trial: trial.documents_per_second, format_number),
    NumberColumn("P95", lambda trial: trial.p95_milliseconds, format_milliseconds),
    NumberColumn("Failures", lambda trial: trial.failed_percent, format_percent),
    TextColumn(
        "Objectives",
        lambda trial: "disturbed" if trial.disturbed else "met" if trial.excess <= 0 else "missed",
    ),
)


def trial_tables(status: Status) -> list[Table]:
    """Return the curve of latency against rate: a table for each variant."""
    tables = []
    for result in status.capacity:
        if not result.trials:
            continue
        has_users = any(trial.users is not None for trial in result.trials)
        rate = NumberColumn if has_users else NameColumn
        columns: list[Column[TrialResult]] = [
            *([NameColumn[TrialResult]("Users", lambda trial: trial.users)] if has_users else []),
            rate("Requests/s", lambda trial: trial.requests_per_second, format_number),
            *_TRIAL_COLUMNS,
        ]
        title = name_variant(result.variant, f"trials by {'users' if has_users else 'rate'}")
        trials = sorted(result.trials, key=lambda each: (each.users or 0, each.requests_per_second))
        tables.append(build_table(title, columns, trials).without_empty_columns())
    return tables


def _in_unit(result: ObjectiveResult, *numbers: float | None) -> str | None:
    """Return numbers of a result with its unit, such as `12 … 15 ms`; None unless all are known."""
    known = [format_number(each) for each in numbers if each is not None]
    return f"{' … '.join(known)} {result.unit}" if len(known) == len(numbers) else None


def _interval(result: ObjectiveResult) -> str | None:
    # Of times longer than is waited for, only the least is known.
    one = format_range(result.lower, result.upper)
    return _in_unit(result, result.lower, result.upper) or (f"{one} {result.unit}" if one else None)


OBJECTIVE_COLUMNS: Sequence[Column[ObjectiveResult]] = (
    NameColumn("Objective", lambda result: result.name),
    NameColumn("Step", lambda result: result.step),
    NameColumn("Variant", lambda result: result.variant),
    TextColumn("Result", lambda result: conclusion(result.conclusion)),
    NumberColumn("Measured", lambda result: _in_unit(result, result.value)),
    NumberColumn("95 % interval", _interval),
    NumberColumn("Limit", lambda result: _in_unit(result, result.limit)),
)


def objective_table(status: Status) -> Table:
    """Return a row for each objective, and each step and variant that it is for."""
    results = status.objectives.results if status.objectives is not None else []
    return build_table("Objectives", OBJECTIVE_COLUMNS, results).without_empty_columns()


MAX_SHARE_ROWS = 100
MAX_STALL_ROWS = 20

STEP_RUN_COLUMNS: Sequence[Column[tuple[StepRunResult, Any]]] = (
    NameColumn("Step", lambda pair: pair[0].step),
    NameColumn("Variant", lambda pair: pair[0].variant),
    NameColumn("Repeat", lambda pair: pair[0].repeat),
)
"""The step run that a row is of, before what the row says of it."""

_SHARE_COLUMNS: Sequence[Column[tuple[StepRunResult, UserShares]]] = (
    *STEP_RUN_COLUMNS,
    NumberColumn("Users", lambda pair: pair[1].users),
    NumberColumn("Least", lambda pair: pair[1].fewest[0].requests),
    NumberColumn("Median", lambda pair: pair[1].median_requests),
    NumberColumn("Most", lambda pair: pair[1].most_requests),
    TextColumn(
        "User with least",
        lambda pair: f"{pair[1].fewest[0].user} on {pod_of(pair[1].fewest[0].node)}",
    ),
)
_SHARE_NOTE = (
    "Requests of a single user. A user far below the others waited for its responses: see the"
    " longest waits."
)

_STALL_COLUMNS: Sequence[Column[tuple[StepRunResult, ResponseGap]]] = (
    *STEP_RUN_COLUMNS,
    TextColumn("User", lambda pair: "all" if pair[1].user is None else pair[1].user),
    TextColumn("Node", lambda pair: pod_of(pair[1].node)),
    NumberColumn("From second", lambda pair: f"{pair[1].second:.1f}"),
    NumberColumn("Waited", lambda pair: pair[1].microseconds / 1000, format_milliseconds),
    TextColumn("Query", lambda pair: pair[1].query),
)
_STALL_NOTE = (
    "Of a user: its longest wait for a response. Of all users of a node, as one load worker saw"
    " it: no response came, though requests waited. Seconds count from the begin of the step."
)


def user_table(documents: Iterable[StepRunResult]) -> Table:
    """Return the least, median and most requests of a user, those farthest behind first."""
    pairs = [
        (document, shares)
        for document in documents
        if (shares := document.user_shares) is not None and shares.users > 1 and shares.fewest
    ]
    pairs.sort(key=lambda pair: pair[1].fewest[0].requests / max(pair[1].median_requests, 1))
    table = build_table("Requests by user", _SHARE_COLUMNS, pairs[:MAX_SHARE_ROWS], _SHARE_NOTE)
    return table.without_empty_columns()


def stall_table(documents: Iterable[StepRunResult]) -> Table:
    """Return the longest waits of users and of nodes, the longest first."""
    gaps = [(document, gap) for document in documents for gap in document.response_gaps]
    gaps.sort(key=lambda pair: -pair[1].microseconds)
    table = build_table("Longest waits", _STALL_COLUMNS, gaps[:MAX_STALL_ROWS], _STALL_NOTE)
    return table.without_empty_columns()
