"""Rates, means and percentiles with their 95 % intervals, as a table."""

from collections.abc import Iterable, Sequence

from solrbench.api.v1alpha1.status.steps.intervals import Interval
from solrbench.api.v1alpha1.status.steps.step_result import Column, StepResult
from solrbench.results.stats.number_format import format_number

Row = tuple[str, ...]

NAMES: Row = (Column.STEP, Column.VARIANT, Column.REQUEST)
"""Titles of the columns that say which row it is."""

INTERVAL_NOTE = (
    "In brackets 95 % confidence intervals, from how blocks of time differ within this"
    " measurement; (-) where the step was too short for one, (2 repeats) where two of them"
    " differ so much that it would be wider than the number."
)

_FEW = 2
"""Repeats whose difference says next to nothing of a third: Student's t is 12.7."""


def interval_headers(results: Iterable[StepResult]) -> Row:
    """Return the titles of the columns."""
    percents = (percent_label(each) for each in percents_of(results))
    return (*NAMES, "Requests/s", "Average", *percents)


def interval_rows(results: Sequence[StepResult]) -> list[Row]:
    """Return the cells of every result, below `interval_headers`; empty if not measured."""
    percents = percents_of(results)
    return [_row(result, percents) for result in results]


def percents_of(results: Iterable[StepResult]) -> list[float]:
    """Return the percentiles that any result has, ascending."""
    return sorted({each.percent for result in results for each in result.percentiles})


def percent_label(percent: float) -> str:
    """Return the title of a percentile, such as P99.9."""
    return f"P{percent:g}"


def _row(result: StepResult, percents: Iterable[float]) -> Row:
    repeats = result.repeats
    rate = _cell(result.requests_per_second, result.requests_per_second_interval, repeats)
    average, interval = (
        (result.response_average_milliseconds, result.response_average_milliseconds_interval)
        if result.is_open_loop
        else (result.average_milliseconds, result.average_milliseconds_interval)
    )
    found = {
        each.percent: _time(
            each.milliseconds, each.lower_milliseconds, each.upper_milliseconds, repeats
        )
        for each in result.percentiles
    }
    mean = ""
    if average is not None:
        lower, upper = (interval.lower, interval.upper) if interval else (None, None)
        mean = _time(average, lower, upper, repeats)
    names = (result.step, result.variant or "", result.request)
    return (*names, rate, mean, *(found.get(each, "") for each in percents))


def _time(milliseconds: float, lower: float | None, upper: float | None, repeats: int) -> str:
    """Return a time with its interval and one unit: seconds if it reaches one."""
    interval = None
    if lower is not None and upper is not None:
        interval = Interval(lower=lower, upper=upper)
    shown = interval is not None and not _is_meaningless(milliseconds, interval, repeats)
    highest = interval.upper if interval is not None and shown else milliseconds
    unit, scale = ("s", 1000.0) if highest >= 1000 else ("ms", 1.0)
    if interval is not None:
        interval = Interval(lower=interval.lower / scale, upper=interval.upper / scale)
    return f"{_cell(milliseconds / scale, interval, repeats)} {unit}"


def _is_meaningless(value: float, interval: Interval, repeats: int) -> bool:
    return repeats == _FEW and interval.upper - interval.lower > value


def _cell(value: float, interval: Interval | None, repeats: int) -> str:
    if interval is None:
        return f"{format_number(value)} (-)"
    if _is_meaningless(value, interval, repeats):
        return f"{format_number(value)} ({repeats} repeats)"
    lower, upper = format_number(interval.lower), format_number(interval.upper)
    return f"{format_number(value)} ({lower}-{upper})"
