"""Cold starts along an axis: the mean service time of the first requests, a line for each value."""

from collections.abc import Mapping, Sequence
from itertools import islice

from solrbench.analysis.cold_start import MAX_STRETCHES
from solrbench.present.figure import (
    ReportFigure,
    base,
    bottom_axis,
    grid,
    legend,
    line,
    rounded,
    value_axis,
)
from solrbench.present.sweeps.figures import LABELS, MAX_LINES, conditions_first
from solrbench.present.sweeps.report import PointReport, SweepReport
from solrbench.present.table import NameColumn, NumberColumn, build_table
from solrbench.stats.number_format import format_milliseconds

MAX_FIGURES = 3
"""Axes along which it is drawn: what is drawn is read from the stored step run of each point."""
_STRETCHES = [*(str(2**place) for place in range(MAX_STRETCHES - 1)), "all"]
"""Thousands of requests at the end of each stretch."""


def cold_start_points(report: SweepReport) -> Mapping[int, Sequence[PointReport]]:
    """Return the points whose cold starts are drawn, by the place of the axis along which.

    They differ from the baseline in this axis alone. Of many, some at even distances are taken.
    """
    found: dict[int, Sequence[PointReport]] = {}
    if report.baseline is None:
        return found
    usual = report.baseline.result.values
    for place in conditions_first(report):
        others = [*usual[:place], *usual[place + 1 :]]
        points = [
            point
            for point in report.points
            if point.cold_benchmark is not None
            and len(values := point.result.values) == len(usual)
            and [*values[:place], *values[place + 1 :]] == others
        ]
        points.sort(key=lambda point: point.result.values[place])
        if len(points) > MAX_LINES:
            steps = range(MAX_LINES)
            points = [points[step * (len(points) - 1) // (MAX_LINES - 1)] for step in steps]
        if len(points) > 1:
            found[place] = points
    return dict(islice(found.items(), MAX_FIGURES))


def cold_start_figures(report: SweepReport) -> list[ReportFigure]:
    """Return a figure for each axis with points whose stored step runs were read."""
    figures = []
    for place, points in cold_start_points(report).items():
        known = [point for point in points if point.cold_start_average_milliseconds]
        if known:
            figures.append(_draw(report.axes[place], place, known))
    return figures


def _draw(axis: str, place: int, points: Sequence[PointReport]) -> ReportFigure:
    means = {f"{axis} {p.values[axis]}": p.cold_start_average_milliseconds for p in points}
    labels = _STRETCHES[: max(map(len, means.values()))]
    option = base(
        grid=grid(bottom=48),
        xAxis=bottom_axis(
            "Up to thousand requests", type="category", data=labels, axisLabel=LABELS
        ),
        yAxis=value_axis("Mean service time", "@milliseconds", min=0),
        tooltip={"trigger": "axis", "valueFormatter": "@milliseconds"},
        series=[
            line(name, index, [*enumerate(map(rounded, values))], showSymbol=True)
            for index, (name, values) in enumerate(means.items())
        ],
    )
    text = (
        "Mean service time of the first thousand requests that a target got, of the second, of the"
        " next two, four and so on, warm-up included; other axes as in the baseline."
    )
    rows = [
        (name, label, value)
        for name, values in means.items()
        for label, value in zip(labels, values, strict=False)
    ]
    columns = [
        NameColumn[tuple[str, str, float]](axis, lambda row: row[0]),
        NameColumn[tuple[str, str, float]]("Up to thousand requests", lambda row: row[1]),
        NumberColumn[tuple[str, str, float]]("Mean", lambda row: row[2], format_milliseconds),
    ]
    table = build_table("Cold start", columns, rows)
    return ReportFigure(
        f"cold-{place}", f"Cold start by {axis}", text, option, legend([*means]), table, 300
    )
