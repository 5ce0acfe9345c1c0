"""The objective's metric along each axis and over two that are crossed; cold starts by axis."""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from operator import itemgetter

from solrbench.analysis.cold_start import MAX_STRETCHES
from solrbench.analysis.metrics import Scale
from solrbench.present.figure import (
    MUTED,
    EstimatedPoint,
    OptionPart,
    ReportFigure,
    bottom_axis,
    category_axis,
    chart,
    color,
    describe_intervals,
    estimated_lines,
    legend,
    lines_table,
    rounded,
    value_axis,
)
from solrbench.present.sweeps.report import PointReport, SweepReport
from solrbench.present.table import Column, NameColumn, NumberColumn, build_table
from solrbench.stats.distributions import student_t
from solrbench.stats.number_format import format_milliseconds
from solrbench.sweep.objective_figure import ObjectiveFigure, figure_of
from solrbench.sweep.points import DesignError, read_values


def axis_format(figure: ObjectiveFigure) -> str:
    """Return what writes the figure of the objective on an axis."""
    if figure.comparison.scale is Scale.POINTS:
        return "@percent"
    return "@milliseconds" if figure.comparison.unit == "ms" else "@number"


MAX_LINES = 8

Line = dict[int, PointReport]
"""The points of a line by the place of their value."""


def axis_figures(report: SweepReport) -> list[ReportFigure]:
    """Return a figure for each axis that has at least two points on a line, conditions first."""
    figures = (_axis_figure(report, place) for place in conditions_first(report))
    return [figure for figure in figures if figure is not None]


def conditions_first(report: SweepReport) -> list[int]:
    """Return the places of the axes: over what is given, such as users, is looked at first."""
    given = report.conditions
    return sorted(range(len(report.axes)), key=lambda place: report.axes[place] not in given)


def _axis_figure(report: SweepReport, place: int) -> ReportFigure | None:
    name, metric = report.axes[place], figure_of(report.spec)
    lines = {title: _estimated(found, metric) for title, found in _lines(report, metric, place)}
    if not lines:
        return None
    labels, series = axis_labels(report, place), estimated_lines(lines.items())
    option = line_chart(name, labels, metric.title, axis_format(metric), series)
    known = describe_intervals(lines.values(), " from repeats")
    text = f"{metric.title} by the values of {name}{known}."
    titles = "Other axes", name, "Measured"
    table = lines_table(
        f"Points along {name}", titles, lines, metric.short, lambda x: labels[int(x)]
    )
    title = f"{metric.title.partition(' of ')[0]} by {name}"
    return ReportFigure(f"axis-{place}", title, text, option, legend([*lines]), table, 300)


def line_chart(
    name: str, labels: Sequence[str], of: str, formatter: str, series: Sequence[OptionPart]
) -> OptionPart:
    """Return lines of what `of` names over the names of values or steps."""
    style = {**MUTED, "interval": 0, "width": 90, "overflow": "break", "hideOverlap": True}
    x_axis = bottom_axis(name, type="category", data=[*labels], axisLabel=style)
    return chart(x_axis, value_axis(of, formatter, min=0), formatter, series, bottom=48)


def axis_labels(report: SweepReport, place: int) -> list[str]:
    """Return the names of the values of an axis."""
    try:
        return [value.label for value in read_values(report.spec.axes[place])]
    except DesignError:  # such a sweep has no points
        return []


def _lines(report: SweepReport, metric: ObjectiveFigure, place: int) -> list[tuple[str, Line]]:
    """Return the lines with the most points, that of the baseline first."""
    groups: dict[tuple[int, ...], Line] = {}
    for point in report.points:
        values = point.result.values
        if metric.value(point.result) is not None and point.values:
            others = (*values[:place], *values[place + 1 :])
            groups.setdefault(others, {})[values[place]] = point
    base_values = report.baseline.result.values if report.baseline is not None else []
    usual = (*base_values[:place], *base_values[place + 1 :])
    # A single point is no line.
    kept = [key for key, points in groups.items() if len(points) > 1]
    kept.sort(key=lambda key: (key != usual, -len(groups[key])))
    lines, axis = [], report.axes[place]
    for points in (groups[key] for key in kept[:MAX_LINES]):
        first = next(iter(points.values()))
        named = ", ".join(f"{name} {text}" for name, text in first.values.items() if name != axis)
        lines.append((named or axis, points))
    return lines


def _estimated(points: Line, metric: ObjectiveFigure) -> list[EstimatedPoint]:
    return [
        EstimatedPoint(x, metric.value(point.result) or 0, repeat_interval(point, metric))
        for x, point in sorted(points.items())
    ]


def repeat_interval(point: PointReport, metric: ObjectiveFigure) -> tuple[float, float] | None:
    """Return the 95 % interval of a point from its repeats, by Student's t on logarithms."""
    value, deviation = metric.value(point.result), point.result.deviation_percent
    # In rounds, the deviation is that of the means of rounds.
    repeats = len(point.result.repeat_rounds or []) or point.result.repeats or 0
    if not value or deviation is None or repeats < 2:
        return None
    # The deviation of logarithms, as ratios of a log-normal number are alike above and below.
    error = math.sqrt(math.log1p((deviation / 100) ** 2) / repeats)
    factor = math.exp(student_t(repeats - 1) * error)
    return rounded(value / factor), rounded(value * factor)


MAX_MAPS = 6
_MIN_CELLS = 4
_LIGHTEST, _DARKEST = 0.06, 0.5
"""Opacity of a cell: text stays readable on the darkest."""
_CELL_TEXT: OptionPart = {
    "show": True,
    "color": "var(--ink)",
    "opacity": 1,
    "fontSize": 12,
    "lineHeight": 15,
}
_ROW_PX, _FRAME_PX = 46, 90

Cells = Mapping[tuple[int, int], PointReport]
"""Points by the places of their values of both axes."""


def heat_maps(report: SweepReport) -> list[ReportFigure]:
    """Return a figure for each two axes that are crossed, all others as in the baseline."""
    crossed = [each for each in _crossed(report) if len(each[2]) >= _MIN_CELLS]
    # A setting and a condition show whether the best one changes; two conditions come last.
    given = report.conditions
    crossed.sort(key=lambda each: abs(sum(report.axes[place] in given for place in each[:2]) - 1))
    return [_heat_map(report, *each) for each in crossed[:MAX_MAPS]]


def _crossed(report: SweepReport) -> Iterator[tuple[int, int, Cells]]:
    metric, baseline = figure_of(report.spec), report.baseline
    if baseline is None or not baseline.values:
        return
    usual = baseline.result.values
    points = [each for each in report.points if each.values]
    measured = [(p, p.result.values) for p in points if metric.value(p.result) is not None]
    for first, second in combinations(range(len(report.axes)), 2):
        cells = {
            (values[first], values[second]): point
            for point, values in measured
            if all(e == usual[i] for i, e in enumerate(values) if i not in {first, second})
        }
        # A map of one row or column would repeat the lines along the axis.
        if all(len({key[side] for key in cells}) > 1 for side in (0, 1)):
            yield first, second, cells


def _heat_map(report: SweepReport, first: int, second: int, cells: Cells) -> ReportFigure:
    metric = figure_of(report.spec)
    across, down = axis_labels(report, first), axis_labels(report, second)
    names = report.axes[first], report.axes[second]
    series: OptionPart = {
        "type": "heatmap",
        "name": metric.title,
        "data": list(_cells(cells, metric)),
        "itemStyle": {"color": color(0)},
        "label": _CELL_TEXT,
        "emphasis": {"disabled": True},
    }
    style: OptionPart = {"nameTextStyle": MUTED, "splitArea": {"show": False}}
    x_axis = category_axis(across, 80, name=names[0], nameLocation="middle", nameGap=30, **style)
    y_axis = category_axis(down, 80, name=names[1], nameLocation="start", inverse=True, **style)
    option = chart(x_axis, y_axis, axis_format(metric), [series], "item", top=30, bottom=34)
    lower = "lower" if metric.comparison.is_lower_better else "higher"
    text = (
        f"{metric.title} for each {names[0]} (across) and {names[1]} (down), all other axes as in"
        f" the baseline. Darker is a larger number; {lower} is better."
    )
    columns: list[Column[tuple[tuple[int, int], PointReport]]] = [
        NameColumn(names[0], lambda cell: across[cell[0][0]]),
        NameColumn(names[1], lambda cell: down[cell[0][1]]),
        NumberColumn("Measured", lambda cell: metric.short(metric.value(cell[1].result))),
    ]
    table = build_table("Cells", columns, sorted(cells.items(), key=itemgetter(0)))
    title = f"{metric.title.partition(' of ')[0]} by {names[0]} and {names[1]}"
    height = _FRAME_PX + _ROW_PX * len(down)
    return ReportFigure(f"heat-{first}-{second}", title, text, option, (), table, height)


def _cells(cells: Cells, metric: ObjectiveFigure) -> Iterator[OptionPart]:
    """Yield each cell; its number stands in it, so that the shade is an aid only."""
    numbers = [metric.value(cell.result) or 0 for cell in cells.values()]
    low, range_ = min(numbers), (max(numbers) - min(numbers)) or 1
    for ((x, y), cell), number in zip(cells.items(), numbers, strict=True):
        opacity = _LIGHTEST + (_DARKEST - _LIGHTEST) * (number - low) / range_
        invalid = "" if cell.result.state == "Valid" else f"\n{cell.result.state}"
        yield {
            "name": f"{', '.join(cell.values.values())}",
            "value": [x, y, number],
            "itemStyle": {"opacity": round(opacity, 3)},
            "label": {"formatter": metric.short(number).removesuffix(" requests/s") + invalid},
        }


MAX_FIGURES = 3
"""Axes along which it is drawn: what is drawn is read from the stored step run of each point."""
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
    read = (
        (axis, [each for each in points if each.cold_start_average_milliseconds])
        for axis, points in cold_start_points(report)
    )
    return [_draw(axis, points) for axis, points in read if points]


def _draw(axis: str, points: Sequence[PointReport]) -> ReportFigure:
    lines = {
        f"{axis} {each.values[axis]}": [
            EstimatedPoint(x, mean) for x, mean in enumerate(each.cold_start_average_milliseconds)
        ]
        for each in points
    }
    labels = _STRETCHES[: max(map(len, lines.values()))]
    series = estimated_lines(lines.items())
    option = line_chart(_WHERE, labels, "Mean service time", "@milliseconds", series)
    text = (
        "Mean service time of the first thousand requests that a target got, of the second, of the"
        " next two, four and so on, warm-up included; other axes as in the baseline."
    )
    titles = axis, _WHERE, "Mean"
    table = lines_table("Cold start", titles, lines, format_milliseconds, lambda x: labels[int(x)])
    title = f"Cold start by {axis}"
    return ReportFigure(f"cold-{axis}", title, text, option, legend([*lines]), table, 300)
