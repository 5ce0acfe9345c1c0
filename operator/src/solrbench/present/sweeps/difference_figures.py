"""Points beside the baseline with intervals, and the objective's metric in each round."""

from collections.abc import Mapping, Sequence

from solrbench.api.v1alpha1.comparisons import Conclusion
from solrbench.present.figure import (
    LegendEntry,
    OptionPart,
    ReportFigure,
    bottom_axis,
    category_axis,
    chart,
    color,
    intervals,
)
from solrbench.present.sweeps.figures import axis_format
from solrbench.present.sweeps.point_tables import changed_values, name_point
from solrbench.present.sweeps.report import PointReport, SweepReport
from solrbench.present.sweeps.tables import point_columns, rounds_table
from solrbench.present.table import build_table, named_columns
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
    labels = [changed_values(point, baseline) for point in drawn]
    words = [word for word in _LOOKS if any(_conclusion(point) == word for point in drawn)]
    option = chart(
        bottom_axis("Difference from the baseline", "@percent"),
        _rows(labels),
        "@percent",
        [part for word in words for part in _series(word, drawn, labels)],
        "item",
        top=8,
        bottom=44,
    )
    figure = figure_of(report.spec)
    text = (
        f"{figure.title} of each point compared with the baseline {name_point(baseline)},"
        f" {figure.short(figure.value(baseline.result))}, with 95 % intervals of all points"
        " together."
    )
    if len(points) > len(drawn):
        text += f" The {MAX_DRAWN_POINTS} of {len(points)} points that are furthest."
    if any(point.result.on_target for point in drawn):
        text += " Conclusions on one target, as in the table, are about the targets measured."
    only = f": {words[0]}" if len(words) == 1 else ""
    title = f"Difference of each point from the baseline{only}"
    legend = [LegendEntry(word, _LOOKS[word][0]) for word in words]
    height = _FRAME_PX + _ROW_PX * len(drawn)
    columns = named_columns("Point", point_columns(figure, _NO_CONCLUSION))
    table = build_table("Differences", columns, zip(labels, drawn, strict=True))
    return ReportFigure("differences", title, text, option, legend, table, height)


def _conclusion(point: PointReport) -> str:
    return str(point.result.conclusion or _NO_CONCLUSION)


def _rows(labels: Sequence[str]) -> OptionPart:
    """Return a vertical axis with a row for each label, the first one above."""
    lines: OptionPart = {"show": True, "lineStyle": {"color": "var(--grid)"}}
    return category_axis(labels, 130, inverse=True, splitLine=lines)  # ECharts counts from below


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
        name_point(point) if point.is_baseline else changed_values(point, baseline)
        for point in drawn
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
    option = chart(
        bottom_axis(figure.title, axis_format(figure), scale=True),
        _rows(labels),
        axis_format(figure),
        [_scatter(_ROUND, dots, 0, "emptyCircle", 8), _scatter(_ALL, means, 7, "diamond", 12)],
        "item",
        top=8,
        bottom=44,
    )
    text = (
        f"{figure.title} in each round, and over all of them. A round that is Invalid is excluded."
    )
    if len(points) > len(drawn):
        text += f" The first {MAX_DRAWN_POINTS} of {len(points)} points."
    return ReportFigure(
        "rounds",
        "Points in their rounds",
        text,
        option,
        [LegendEntry(_ROUND, 0), LegendEntry(_ALL, 7)],
        rounds_table(report),
        _FRAME_PX + _ROW_PX * len(drawn),
    )


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
