"""Points beside the baseline, in each round, and from step to step."""

from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from operator import attrgetter
from typing import NamedTuple

from solrbench.analysis.metrics import Scale
from solrbench.analysis.samples import ALL_REQUESTS
from solrbench.api.v1alpha1.comparisons import Conclusion
from solrbench.present.figure import (
    EstimatedPoint,
    LegendEntry,
    OptionPart,
    ReportFigure,
    bottom_axis,
    category_axis,
    chart,
    color,
    describe_intervals,
    estimated_lines,
    intervals,
    legend,
    lines_table,
)
from solrbench.present.sweeps.figures import MAX_LINES, axis_format, line_chart
from solrbench.present.sweeps.point_tables import changed_values, group_by_condition, name_point
from solrbench.present.sweeps.report import PointReport, PointStep, SweepReport
from solrbench.present.sweeps.tables import point_columns, rounds_table
from solrbench.present.table import build_table, named_columns
from solrbench.stats.number_format import format_milliseconds, format_number
from solrbench.sweep.objective_figure import figure_of

MAX_DRAWN_POINTS = 40
"""Points that are drawn; the table of points has all."""
_ROW_PX, _FRAME_PX = 30, 90
_NO_CONCLUSION = "no conclusion"
_LOOKS: Mapping[str, tuple[int, str]] = {
    Conclusion.BETTER: (2, "triangle"),
    Conclusion.WORSE: (7, "diamond"),
    Conclusion.SAME: (0, "circle"),
    Conclusion.INCONCLUSIVE: (5, "rect"),
    _NO_CONCLUSION: (4, "emptyCircle"),
}
"""Colour and symbol of each word: one of them is enough to know it."""


def difference_figure(report: SweepReport) -> ReportFigure | None:
    """Return the figure; None without a difference."""
    points = [point for point in report.points if point.difference_percent is not None]
    drawn = sorted(points, key=lambda point: -abs(point.difference_percent or 0))[:MAX_DRAWN_POINTS]
    drawn = [point for point in points if point in drawn]
    baseline = report.baseline
    if not drawn or baseline is None:
        return None
    figure, labels = figure_of(report.spec), [changed_values(report, point) for point in drawn]
    axis, form = "Difference from the baseline", "@percent"
    if figure.comparison.scale is Scale.POINTS:  # of a share no per cent, which would be of it
        axis, form = f"{axis}, percentage points", "@number"
    words = [word for word in _LOOKS if any(_conclusion(point) == word for point in drawn)]
    series = [part for word in words for part in _series(word, drawn, labels)]
    option = _row_chart(labels, bottom_axis(axis, form), form, series)
    usual = f"{name_point(baseline)}, {figure.short(figure.value(baseline.result))}"
    beside = "of its condition" if report.conditions else usual
    has_intervals = any(point.difference_lower_percent is not None for point in drawn)
    known = ", with 95 % intervals of all points together" if has_intervals else ""
    text = f"{figure.title} of each point compared with the baseline {beside}{known}."
    if len(points) > len(drawn):
        text += f" The {MAX_DRAWN_POINTS} of {len(points)} points that are furthest."
    if any(point.result.on_target for point in drawn):
        text += " Conclusions on one target, as in the table, are about the targets measured."
    only = f": {words[0]}" if len(words) == 1 else ""
    title = f"Difference of each point from the baseline{only}"
    entries = [LegendEntry(word, _LOOKS[word][0]) for word in words]
    height = _FRAME_PX + _ROW_PX * len(drawn)
    columns = named_columns("Point", point_columns(figure, _NO_CONCLUSION))
    table = build_table("Differences", columns, zip(labels, drawn, strict=True))
    return ReportFigure("differences", title, text, option, entries, table, height)


def _conclusion(point: PointReport) -> str:
    return str(point.result.conclusion or _NO_CONCLUSION)


def _row_chart(
    labels: Sequence[str], x_axis: OptionPart, form: str, series: Sequence[OptionPart]
) -> OptionPart:
    """Return an option with a row for each label, the first one above."""
    lines: OptionPart = {"show": True, "lineStyle": {"color": "var(--grid)"}}
    # ECharts counts from below.
    y_axis = category_axis(labels, 130, inverse=True, splitLine=lines)
    return chart(x_axis, y_axis, form, series, "item", top=8, bottom=44)


def _series(word: str, drawn: Sequence[PointReport], labels: Sequence[str]) -> list[OptionPart]:
    """Return the dots of a word, and the bars of their intervals."""
    index, symbol = _LOOKS[word]
    mine = [(row, point) for row, point in enumerate(drawn) if _conclusion(point) == word]
    zero: OptionPart = {
        "silent": True,
        "symbol": "none",
        "label": {"show": False},
        "lineStyle": {"type": "solid", "color": "var(--axis)", "width": 1},
        "data": [{"xAxis": 0}],
    }
    data = [{"name": labels[row], "value": [point.difference_percent, row]} for row, point in mine]
    dots = _scatter(word, data, index, symbol, 11) | {"markLine": zero, "z": 4}
    bounds = [
        (row, point.difference_lower_percent, point.difference_upper_percent)
        for row, point in mine
        if point.difference_lower_percent is not None
    ]
    # Rows are on the vertical axis.
    across: OptionPart = {"renderItem": "@span", "encode": {"y": 0, "x": [1, 2]}}
    return [dots, intervals(index, bounds, name=word, **across)]


_ROUND, _ALL = "a round", "all rounds"


def round_figure(report: SweepReport) -> ReportFigure | None:
    """Return the figure; None where no point has a figure of two rounds."""
    figure, baseline = figure_of(report.spec), report.baseline
    points = [each for each in report.points if each.counted_rounds(figure)]
    drawn = points[:MAX_DRAWN_POINTS]
    if baseline is None or not any(len(each.counted_rounds(figure)) > 1 for each in drawn):
        return None
    labels = [
        name_point(point) if point.is_baseline else changed_values(report, point) for point in drawn
    ]
    dots = [
        {"name": f"{label}, round {each.round}", "value": [each.read(figure), row]}
        for row, (label, point) in enumerate(zip(labels, drawn, strict=True))
        for each in point.counted_rounds(figure)
    ]
    means = [
        {"name": labels[row], "value": [value, row]}
        for row, point in enumerate(drawn)
        if (value := figure.value(point.result)) is not None
    ]
    series = [_scatter(_ROUND, dots, 0, "emptyCircle", 8), _scatter(_ALL, means, 7, "diamond", 12)]
    form = axis_format(figure)
    option = _row_chart(labels, bottom_axis(figure.title, form, scale=True), form, series)
    text = (
        f"{figure.title} in each round, and over all of them. A round that is Invalid is excluded."
    )
    if len(points) > len(drawn):
        text += f" The first {MAX_DRAWN_POINTS} of {len(points)} points."
    title, entries = "Points in their rounds", [LegendEntry(_ROUND, 0), LegendEntry(_ALL, 7)]
    height = _FRAME_PX + _ROW_PX * len(drawn)
    return ReportFigure("rounds", title, text, option, entries, rounds_table(report), height)


def _scatter(name: str, data: Sequence[object], index: int, symbol: str, size: int) -> OptionPart:
    return {
        "type": "scatter",
        "name": name,
        "data": list(data),
        "symbol": symbol,
        "symbolSize": size,
        "itemStyle": {"color": color(index)},
        "emphasis": {"disabled": True},
    }


MAX_CONDITIONS = 3
"""Conditions whose steps are drawn; the table of steps has all."""


class _StepFigure(NamedTuple):
    """What is drawn of a step: how it is written, and read with its bounds."""

    name: str
    title: str
    formatter: str
    show: Callable[[float], str]
    read: Callable[[PointStep], tuple[float | None, float | None, float | None]]


_STEP_FIGURES = (
    _StepFigure(
        "p95",
        "P95",
        "@milliseconds",
        format_milliseconds,
        attrgetter("p95_milliseconds", "p95_lower_milliseconds", "p95_upper_milliseconds"),
    ),
    _StepFigure(
        "rate",
        "Requests/s",
        "@number",
        format_number,
        attrgetter("requests_per_second", "requests_per_second_lower", "requests_per_second_upper"),
    ),
)


def step_figures(report: SweepReport) -> list[ReportFigure]:
    """Return p95 and rate over the steps, of each condition in which two steps were measured."""
    found: list[ReportFigure] = []
    conditions = group_by_condition(report)
    for number, (given, points) in enumerate(islice(conditions.items(), MAX_CONDITIONS)):
        lines, where = _step_lines(report, points), f" with {given}" if given else ""
        names = [*dict.fromkeys(step for steps in lines.values() for step in steps)]
        if len(names) > 1:
            found += [_draw_steps(number, where, names, lines, each) for each in _STEP_FIGURES]
    return found


def _step_lines(
    report: SweepReport, points: Sequence[PointReport]
) -> dict[str, dict[str, PointStep]]:
    """Return all requests of each step of a point and variant, the baseline's settings first."""
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


def _draw_steps(
    number: int,
    where: str,
    steps: Sequence[str],
    every: Mapping[str, Mapping[str, PointStep]],
    figure: _StepFigure,
) -> ReportFigure:
    lines: dict[str, list[EstimatedPoint]] = {}
    for line_name, found in islice(every.items(), MAX_LINES):
        points = lines.setdefault(line_name, [])
        for x, step in enumerate(steps):
            value, low, high = figure.read(found[step]) if step in found else (None, None, None)
            if value is not None:
                bounds = None if low is None or high is None else (low, high)
                points.append(EstimatedPoint(x, value, bounds))
    series = estimated_lines(lines.items())
    source = " from rounds, of a single benchmark from its own times"
    known = describe_intervals(lines.values(), source)
    text = f"{figure.title} of all requests in each step{where}{known}."
    if len(every) > MAX_LINES:
        text += f" The first {MAX_LINES} of {len(every)} lines."
    option = line_chart("Step", steps, figure.title, figure.formatter, series)
    titles = "Line", "Step", figure.title
    table = lines_table(figure.title, titles, lines, figure.show, lambda x: steps[int(x)])
    name, title = f"steps-{figure.name}-{number}", f"{figure.title} by step{where}"
    return ReportFigure(name, title, text, option, legend([*lines]), table, 300)
