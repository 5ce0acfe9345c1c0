"""Objectives, capacity, scalability and what was not run, as parts of a report.

Objectives as a table: what was measured, its interval, the limit.

Who waited, as tables: the requests of users, and the longest waits.
"""

from collections.abc import Iterable, Sequence

from solrbench.analysis.sentences import not_run_lines, objective_lines
from solrbench.api.v1alpha1.findings import CapacityResult, ObjectiveResult, TrialResult
from solrbench.api.v1alpha1.status import Status
from solrbench.contract.request_counts import ResponseGap
from solrbench.contract.step_document import StepRunResult
from solrbench.present.table import Row, TextTable
from solrbench.stats.number_format import format_milliseconds, format_number, format_percent

OBJECTIVES = "Objectives"
"""Heading of the lines that a table may have instead."""

TRIAL_HEADERS = ("Users", "Requests/s", "P95", "Failures", "Objectives")
"""Of trials with users; those at a rate have none."""

Lines = tuple[str, list[str]]
"""A heading and its lines."""


def limit_lines(status: Status) -> list[Lines]:
    """Return headings with lines of what the limits say; only those that there are."""
    parts = [
        (OBJECTIVES, objective_lines(status.objectives) if status.objectives else []),
        ("Not run", not_run_lines(status.not_run)),
        ("Capacity", [_capacity_line(each) for each in status.capacity]),
        ("Scalability", [_named(each.variant, each.message) for each in status.scalability]),
    ]
    return [(title, lines) for title, lines in parts if lines]


def trial_tables(status: Status) -> list[TextTable]:
    """Return the curve of latency against rate: a table for each variant."""
    return [_trial_table(result) for result in status.capacity if result.trials]


def _trial_table(result: CapacityResult) -> TextTable:
    users = any(trial.users is not None for trial in result.trials)
    headers = TRIAL_HEADERS if users else TRIAL_HEADERS[1:]
    title = _named(result.variant, f"trials by {'users' if users else 'rate'}")
    return TextTable(title, headers, trial_rows(result.trials), 1, frozenset(headers[-1:]))


def trial_rows(trials: Sequence[TrialResult]) -> list[tuple[str, ...]]:
    """Return the cells of trials, the lowest load first."""
    return [
        (
            *([] if trial.users is None else [str(trial.users)]),
            format_number(trial.requests_per_second),
            "" if trial.p95_milliseconds is None else format_milliseconds(trial.p95_milliseconds),
            format_percent(trial.failed_percent),
            "disturbed" if trial.disturbed else "met" if trial.excess <= 0 else "missed",
        )
        for trial in sorted(trials, key=lambda trial: (trial.users or 0, trial.requests_per_second))
    ]


def _capacity_line(result: CapacityResult) -> str:
    text = _named(result.variant, f"{result.word}: {result.message}")
    knee = result.knee_requests_in_flight
    if knee is None:
        return text
    interval = result.knee_requests_in_flight_interval
    bounds = (
        f" (95 %: {format_number(interval.lower)} to {format_number(interval.upper)})"
        if interval
        else ""
    )
    return f"{text}; requests queue from {format_number(knee)} in flight on{bounds}"


def _named(variant: str | None, text: str) -> str:
    return f"{variant}: {text}" if variant else text


_HEAD = ("Objective", "Step", "Variant", "Result", "Measured", "95 % interval", "Limit")


def objective_table(status: Status) -> TextTable:
    """Return a row for each objective, and each step and variant that it is for."""
    results = status.objectives.results if status.objectives is not None else []
    rows = [_row(result) for result in results]
    table = TextTable("Objectives", _HEAD, rows, 3, frozenset({"Result"}))
    return table.without_empty_columns()


def _row(result: ObjectiveResult) -> Row:
    unit = result.unit
    interval = ""
    if result.lower is not None and result.upper is not None:
        interval = f"{format_number(result.lower)} … {format_number(result.upper)} {unit}"
    return (
        result.name,
        result.step or "",
        result.variant or "",
        result.word,
        "" if result.value is None else f"{format_number(result.value)} {unit}",
        interval,
        f"{format_number(result.limit)} {unit}",
    )


MAX_SHARE_ROWS = 100
MAX_STALL_ROWS = 20

_SHARE_HEAD = ("Step", "Variant", "Repeat", "Users", "Least", "Median", "Most", "User with least")
_SHARE_NOTE = (
    "Requests of a single user. A user far below the others waited for its responses: see the"
    " longest waits."
)
_STALL_HEAD = ("Step", "Variant", "Repeat", "User", "Node", "Second", "Waited", "Query")
_STALL_NOTE = (
    "Of a user: its longest wait for a response. Of all users of a node, as one load worker saw"
    " it: no response came, though requests waited. Second: since the step began to be measured."
)


def user_table(documents: Iterable[StepRunResult]) -> TextTable:
    """Return the least, median and most requests of a user, those farthest behind first."""
    ranked = [
        (user_shares.fewest[0].requests / max(user_shares.median_requests, 1), document)
        for document in documents
        if (user_shares := document.user_shares) is not None
        and user_shares.users > 1
        and user_shares.fewest
    ]
    ordered = sorted(ranked, key=lambda entry: entry[0])[:MAX_SHARE_ROWS]
    rows = [_share_row(document) for _, document in ordered]
    texts = frozenset({"User with least"})
    table = TextTable("Requests by user", _SHARE_HEAD, rows, 3, texts, _SHARE_NOTE)
    return table.without_empty_columns()


def stall_table(documents: Iterable[StepRunResult]) -> TextTable:
    """Return the longest waits of users and of nodes, the longest first."""
    gaps = [
        (document, response_gap)
        for document in documents
        for response_gap in document.response_gaps
    ]
    gaps.sort(key=lambda entry: -entry[1].microseconds)
    rows = [_stall_row(document, gap) for document, gap in gaps[:MAX_STALL_ROWS]]
    texts = frozenset({"User", "Node", "Query"})
    table = TextTable("Longest waits", _STALL_HEAD, rows, 3, texts, _STALL_NOTE)
    return table.without_empty_columns()


def _share_row(document: StepRunResult) -> Row:
    shares = document.user_shares
    if shares is None:
        return ()
    last = shares.fewest[0]
    return (
        document.step,
        document.variant,
        str(document.repeat),
        str(shares.users),
        str(last.requests),
        str(shares.median_requests),
        str(shares.most_requests),
        f"{last.user} on {last.node}",
    )


def _stall_row(document: StepRunResult, gap: ResponseGap) -> Row:
    return (
        document.step,
        document.variant,
        str(document.repeat),
        "all" if gap.user is None else str(gap.user),
        gap.node,
        f"{gap.second:.1f}",
        format_milliseconds(gap.microseconds / 1000),
        gap.query,
    )
