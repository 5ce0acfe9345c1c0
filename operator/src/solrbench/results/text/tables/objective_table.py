"""Objectives as a table: what was measured, its interval, the limit."""

from solrbench.api.v1alpha1.status.objectives import ObjectiveResult
from solrbench.api.v1alpha1.status.status import Status
from solrbench.results.stats.number_format import format_number
from solrbench.results.text.tables.table import Row, Table

_HEAD = ("Objective", "Step", "Variant", "Result", "Measured", "95 % interval", "Limit")


def objective_table(status: Status) -> Table:
    """Return a row for each objective, and each step and variant that it is for."""
    results = status.objectives.results if status.objectives is not None else []
    rows = [_row(each) for each in results]
    table = Table("Objectives", _HEAD, rows, 3, frozenset({"Result"}))
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
