"""Objectives, capacity, scalability and what was not run, as parts of a report."""

from collections.abc import Sequence

from solrbench.api.v1alpha1 import Status
from solrbench.api.v1alpha1.status.capacity import CapacityResult, TrialResult
from solrbench.results.objectives.wording import not_run_lines, objective_lines
from solrbench.results.stats.number_format import (
    format_milliseconds,
    format_number,
    format_percent,
)
from solrbench.results.text.tables.table import Table

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


def trial_tables(status: Status) -> list[Table]:
    """Return the curve of latency against rate: a table for each variant."""
    return [_trial_table(each) for each in status.capacity if each.trials]


def _trial_table(result: CapacityResult) -> Table:
    users = any(each.users is not None for each in result.trials)
    headers = TRIAL_HEADERS if users else TRIAL_HEADERS[1:]
    title = _named(result.variant, f"trials by {'users' if users else 'rate'}")
    return Table(title, headers, trial_rows(result.trials), 1, frozenset(headers[-1:]))


def trial_rows(trials: Sequence[TrialResult]) -> list[tuple[str, ...]]:
    """Return the cells of trials, the lowest load first."""
    return [
        (
            *([] if each.users is None else [str(each.users)]),
            format_number(each.requests_per_second),
            "" if each.p95_milliseconds is None else format_milliseconds(each.p95_milliseconds),
            format_percent(each.failed_percent),
            "disturbed" if each.disturbed else "met" if each.excess <= 0 else "missed",
        )
        for each in sorted(trials, key=lambda each: (each.users or 0, each.requests_per_second))
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
