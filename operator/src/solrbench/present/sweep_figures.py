"""The figure of the objective along each axis: a line for each setting of the other axes."""

import math
from collections.abc import Sequence

from solrbench.report.figures.figure import Figure
from solrbench.report.figures.parts import (
    Option,
    Point,
    base,
    bottom_axis,
    grid,
    intervals,
    legend,
    line,
    rounded,
    value_axis,
)
from solrbench.report.figures.sweep.metric_axis import MetricAxis, metric_axis
from solrbench.report.sweep.model import PointReport, SweepReport
from solrbench.results.stats.quantiles import t_quantile
from solrbench.results.text.tables.table import Row, Table
from solrbench.sweep.axis_values import AxisValueError, read_values

MOST_LINES = 8
_LEVEL = 0.05

Line = dict[int, PointReport]
"""The points of a line by the place of their value."""


def axis_figures(report: SweepReport) -> list[Figure]:
    """Return a figure for each axis that has at least two points on a line."""
    found = (_figure(report, place) for place in range(len(report.axes)))
    return [each for each in found if each is not None]


def _figure(report: SweepReport, place: int) -> Figure | None:
    name, metric = report.axes[place], metric_axis(report.spec.objective.metric)
    lines = _lines(report, metric, place)
    if not lines:
        return None
    labels = axis_labels(report, place)
    option = base(
        grid=grid(bottom=48),
        xAxis=bottom_axis(name, type="category", data=labels, axisLabel=_LABELS),
        yAxis=value_axis(metric.name, metric.formatter, min=0),
        tooltip={"trigger": "axis", "valueFormatter": metric.formatter},
        series=[
            part
            for i, (title, points) in enumerate(lines)
            for part in _series(title, i, points, metric)
        ],
    )
    text = f"{metric.name} by the values of {name}, with 95 % intervals from repeats."
    rows = [row for title, points in lines for row in _rows(title, labels, points, metric)]
    table = Table(f"Points along {name}", ("Other axes", name, "Measured"), rows, 2)
    title = f"{metric.name.partition(' of ')[0]} by {name}"
    names = [title for title, _ in lines]
    return Figure(f"axis-{place}", title, text, option, legend(names), table, 300)


_LABELS: Option = {
    "color": "var(--muted)",
    "fontSize": 12,
    "interval": 0,
    "width": 90,
    "overflow": "break",
    "hideOverlap": True,
}


def axis_labels(report: SweepReport, place: int) -> list[str]:
    """Return the names of the values of an axis."""
    try:
        return [each.label for each in read_values(report.spec.axes[place])]
    except AxisValueError:  # such a sweep has no points
        return []


def _lines(report: SweepReport, metric: MetricAxis, place: int) -> list[tuple[str, Line]]:
    """Return the lines with the most points, that of the baseline first."""
    groups: dict[tuple[int, ...], Line] = {}
    for each in report.points:
        values = each.result.values
        if metric.value(each) is not None and len(values) == len(report.axes):
            others = (*values[:place], *values[place + 1 :])
            groups.setdefault(others, {})[values[place]] = each
    base_values = report.baseline.result.values if report.baseline is not None else []
    usual = (*base_values[:place], *base_values[place + 1 :])
    kept = [key for key, points in groups.items() if len(points) > 1]
    kept.sort(key=lambda key: (key != usual, -len(groups[key])))
    return [(_title(groups[key], report.axes[place]), groups[key]) for key in kept[:MOST_LINES]]


def _title(points: Line, axis: str) -> str:
    values = next(iter(points.values())).values
    others = [f"{name} {value}" for name, value in values.items() if name != axis]
    return ", ".join(others) or axis


def _series(title: str, index: int, points: Line, metric: MetricAxis) -> list[Option]:
    ordered = sorted(points.items())
    drawn: list[Point] = [(x, rounded(metric.value(each) or 0)) for x, each in ordered]
    bounds = [(x, *pair) for x, each in ordered if (pair := _interval(each, metric)) is not None]
    return [line(title, index, drawn, showSymbol=True), intervals(index, bounds, name=title)]


def _interval(point: PointReport, metric: MetricAxis) -> tuple[float, float] | None:
    """Return the 95 % interval of a point from its repeats, by Student's t on logarithms."""
    value, deviation = metric.value(point), point.result.deviation_percent
    repeats = point.result.repeats or 0
    if not value or deviation is None or repeats < 2:
        return None
    error = math.sqrt(math.log1p((deviation / 100) ** 2) / repeats)
    factor = math.exp(t_quantile(_LEVEL, repeats - 1) * error)
    return rounded(value / factor), rounded(value * factor)


def _rows(title: str, labels: Sequence[str], points: Line, metric: MetricAxis) -> list[Row]:
    return [
        (title, labels[x], metric.text(metric.value(each))) for x, each in sorted(points.items())
    ]
