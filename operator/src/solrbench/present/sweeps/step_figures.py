"""P95 and rate over the steps, a line for each point and variant, within each condition."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from solrbench.analysis.samples import ALL_REQUESTS
from solrbench.present.figure import (
    EstimatedPoint,
    ReportFigure,
    estimated_lines,
    legend,
    lines_table,
)
from solrbench.present.sweeps.figures import MAX_LINES, line_chart
from solrbench.present.sweeps.point_tables import group_by_condition
from solrbench.present.sweeps.report import PointReport, PointStep, SweepReport
from solrbench.stats.number_format import format_milliseconds, format_number

MAX_CONDITIONS = 3
"""Conditions whose lines are drawn; the table of steps has all."""


class _Figure(NamedTuple):
    """What is drawn of a step, and how it is read and written."""

    name: str
    title: str
    formatter: str
    show: Callable[[float], str]
    value: Callable[[PointStep], float | None]
    bounds: Callable[[PointStep], tuple[float | None, float | None]]


_FIGURES = (
    _Figure(
        "p95",
        "P95",
        "@milliseconds",
        format_milliseconds,
        lambda step: step.p95_milliseconds,
        lambda step: (step.p95_lower_milliseconds, step.p95_upper_milliseconds),
    ),
    _Figure(
        "rate",
        "Requests/s",
        "@number",
        format_number,
        lambda step: step.requests_per_second,
        lambda step: (step.requests_per_second_lower, step.requests_per_second_upper),
    ),
)

_Lines = Mapping[str, Mapping[str, PointStep]]
"""By the name of a line, all requests of each step."""


def step_figures(report: SweepReport) -> list[ReportFigure]:
    """Return both figures of each condition in which two steps were measured."""
    found: list[ReportFigure] = []
    conditions = group_by_condition(report)
    for number, (given, points) in enumerate(islice(conditions.items(), MAX_CONDITIONS)):
        lines, where = _lines(report, points), f" with {given}" if given else ""
        names = [*dict.fromkeys(step for steps in lines.values() for step in steps)]
        if len(names) > 1:
            found += [_draw(number, where, names, lines, figure) for figure in _FIGURES]
    return found


def _lines(report: SweepReport, points: Sequence[PointReport]) -> _Lines:
    """Return the lines of a condition, that of the baseline's settings first."""
    lines: dict[str, dict[str, PointStep]] = {}
    for point in sorted(points, key=lambda e: (not e.is_compared_with, e.result.values)):
        settings = [f"{a} {v}" for a, v in point.values.items() if a not in report.conditions]
        for step in point.steps:
            named = ", ".join(settings) or point.name
            steps = lines.setdefault(f"{named} ({step.variant})" if step.variant else named, {})
            # Where there is one name only, all requests are those of the name.
            if step.step not in steps or step.request == ALL_REQUESTS:
                steps[step.step] = step
    return lines


def _draw(
    number: int, where: str, steps: Sequence[str], every: _Lines, figure: _Figure
) -> ReportFigure:
    lines = {
        name: [*_estimated(steps, found, figure)]
        for name, found in islice(every.items(), MAX_LINES)
    }
    series = estimated_lines(lines.items())
    option = line_chart("Step", steps, figure.title, figure.formatter, series)
    text = (
        f"{figure.title} of all requests in each step{where}, with 95 % intervals from rounds, of"
        f" a single benchmark from its own times."
    )
    if len(every) > MAX_LINES:
        text += f" The first {MAX_LINES} of {len(every)} lines."
    titles = "Line", "Step", figure.title
    return ReportFigure(
        f"steps-{figure.name}-{number}",
        f"{figure.title} by step{where}",
        text,
        option,
        legend([*lines]),
        lines_table(figure.title, titles, lines, figure.show, lambda x: steps[int(x)]),
        300,
    )


def _estimated(
    steps: Sequence[str], found: Mapping[str, PointStep], figure: _Figure
) -> Iterator[EstimatedPoint]:
    for x, step in enumerate(steps):
        value = figure.value(found[step]) if step in found else None
        if value is not None:
            low, high = figure.bounds(found[step])
            yield EstimatedPoint(x, value, None if low is None or high is None else (low, high))
