"""The cells of a result, by the columns of its table."""

from collections.abc import Mapping

from solrbench.api.v1alpha1.status.steps.result_field import ResultField, Unit
from solrbench.api.v1alpha1.status.steps.step_result import RESULT_FIELDS, Column, StepResult
from solrbench.results.stats.number_format import (
    format_milliseconds,
    format_number,
    format_percent,
    format_share,
)

_CLOSED: Mapping[str, ResultField] = {each.shown.columns.closed: each for each in RESULT_FIELDS}
_OPEN: Mapping[str, ResultField] = {each.shown.columns.open: each for each in RESULT_FIELDS}

HIDEABLE = tuple(
    column
    for column in Column
    if column in {Column.VARIANT, Column.GOODPUT} or (column in _CLOSED) is not (column in _OPEN)
)
"""Columns that are left out where they are empty: what not all benchmarks, or loops, have."""


def format_cell(result: StepResult, column: Column) -> str:
    """Return what a column shows of a result, with its unit; empty if it was not measured."""
    field = (_OPEN if result.is_open_loop else _CLOSED).get(column)
    value = None if field is None else getattr(result, field.name)
    if field is None or value is None:
        return ""
    match field.shown.unit:
        case Unit.NONE:
            return str(value)
        case Unit.MILLISECONDS | Unit.SECONDS as unit:
            return format_milliseconds(value * 1000 / unit.divisor)
        case Unit.PERCENT:
            return format_percent(value)
        case Unit.FAILURES:
            return format_share(value, result.requests)
        case _:
            return format_number(value)
