"""Cold starts along an axis: the mean service time of the first requests, a line for each value."""

from collections.abc import Iterator, Mapping, Sequence

from solrbench.analysis.cold_start import MAX_STRETCHES
from solrbench.present.figure import ReportFigure, legend, line, rounded
from solrbench.present.sweeps.figures import MAX_LINES, conditions_first, line_chart
from solrbench.present.sweeps.report import PointReport, SweepReport
from solrbench.present.table import NameColumn, NumberColumn, build_table
from solrbench.stats.number_format import format_milliseconds

MAX_FIGURES = 3
"""Axes along which it is drawn: what is drawn is read from the stored step run of each point."""
_Row = tuple[str, str, float]
_WHERE = "Up to thousand requests"
_STRETCHES = [*(str(2**place) for place in range(MAX_STRETCHES - 1)), "all"]
"""Thousands of requests at the end of each stretch."""


def cold_start_points(report: SweepReport) -> Iterator[tuple[str, Sequence[PointReport]]]:
    """Yield each axis with at most `MAX_LINES` cold points that differ from the baseline in it."""
    if report.baseline is None:
        return
    usual = report.baseline.values
    for place in conditions_first(report)[:MAX_FIGURES]:
        axis = report.axes[place]
        cold = [each for each in report.points if each.cold_benchmark and each.values]
        points = [each for each in cold if each.values | {axis: ""} == usual | {axis: ""}]
        points.sort(key=lambda each: each.result.values[place])
        if (count := min(len(points), MAX_LINES)) > 1:
            last = len(points) - 1
            yield axis, [points[i * last // (count - 1)] for i in range(count)]


def cold_start_figures(report: SweepReport) -> list[ReportFigure]:
    """Return a figure for each axis with points whose stored step runs were read."""
    return [
        _draw(axis, means)
        for axis, points in cold_start_points(report)
        if (
            means := {
                f"{axis} {p.values[axis]}": each
                for p in points
                if (each := p.cold_start_average_milliseconds)
            }
        )
    ]


def _draw(axis: str, means: Mapping[str, Sequence[float]]) -> ReportFigure:
    labels = _STRETCHES[: max(map(len, means.values()))]
    series = [
        line(name, index, [*enumerate(map(rounded, values))], showSymbol=True)
        for index, (name, values) in enumerate(means.items())
    ]
    option = line_chart(_WHERE, labels, "Mean service time", "@milliseconds", series)
    text = (
        "Mean service time of the first thousand requests that a target got, of the second, of the"
        " next two, four and so on, warm-up included; other axes as in the baseline."
    )
    columns = [
        NameColumn[_Row](axis, lambda row: row[0]),
        NameColumn[_Row](_WHERE, lambda row: row[1]),
        NumberColumn[_Row]("Mean", lambda row: row[2], format_milliseconds),
    ]
    rows = [(n, *pair) for n, values in means.items() for pair in zip(labels, values, strict=False)]
    table = build_table("Cold start", columns, rows)
    title = f"Cold start by {axis}"
    return ReportFigure(f"cold-{axis}", title, text, option, legend([*means]), table, 300)
