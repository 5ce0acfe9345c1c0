"""The figure of the objective in each round: a dot for each, and one for all together."""

from collections.abc import Sequence

from solrbench.report.figures.figure import Figure, LegendEntry
from solrbench.report.figures.parts import Option, base, bottom_axis, color, grid
from solrbench.report.figures.sweep.differences import (
    MOST_DRAWN,
    category_rows,
    changed_values,
    values_text,
)
from solrbench.report.figures.sweep.metric_axis import MetricAxis, metric_axis
from solrbench.report.sweep.model import PointReport, RoundReport, SweepReport
from solrbench.report.sweep.tables import rounds_table

_ROW_PX, _FRAME_PX = 30, 90
_ROUND, _ALL = "a round", "all rounds"


def round_figure(report: SweepReport) -> Figure | None:
    """Return the figure; None where no point has a figure of two rounds."""
    axis, baseline = metric_axis(report.spec.objective.metric), report.baseline
    drawn = [each for each in report.points if _measured(each, axis)][:MOST_DRAWN]
    if baseline is None or not any(len(_measured(each, axis)) > 1 for each in drawn):
        return None
    labels = [_label(each, baseline) for each in drawn]
    option = base(
        grid=grid(top=8, bottom=44),
        xAxis=bottom_axis(axis.name, axis.formatter, scale=True),
        yAxis=category_rows(labels),
        tooltip={"trigger": "item", "valueFormatter": axis.formatter},
        series=[_dots(drawn, labels, axis), _means(drawn, labels, axis)],
    )
    text = f"{axis.name} in each round, and over all of them. A round that is Invalid is left out."
    return Figure(
        "rounds",
        "Points in their rounds",
        text,
        option,
        [LegendEntry(_ROUND, 0), LegendEntry(_ALL, 7)],
        rounds_table(report),
        _FRAME_PX + _ROW_PX * len(drawn),
    )


def _label(point: PointReport, baseline: PointReport) -> str:
    return values_text(point) if point.is_baseline else changed_values(point, baseline)


def _measured(point: PointReport, axis: MetricAxis) -> list[RoundReport]:
    """Return the rounds that the figure of the point is made of."""
    return [
        each
        for each in point.rounds
        if axis.value_of(each.summary) is not None and each.summary.verdict != "Invalid"
    ]


def _dots(drawn: Sequence[PointReport], labels: Sequence[str], axis: MetricAxis) -> Option:
    data = [
        {"name": f"{labels[row]}, round {each.round}", "value": [axis.value_of(each.summary), row]}
        for row, point in enumerate(drawn)
        for each in _measured(point, axis)
    ]
    return _scatter(_ROUND, data, 0, "emptyCircle", 8)


def _means(drawn: Sequence[PointReport], labels: Sequence[str], axis: MetricAxis) -> Option:
    data = [
        {"name": labels[row], "value": [axis.value(point), row]}
        for row, point in enumerate(drawn)
        if axis.value(point) is not None
    ]
    return _scatter(_ALL, data, 7, "diamond", 12)


def _scatter(name: str, data: Sequence[object], index: int, symbol: str, size: int) -> Option:
    return {
        "type": "scatter",
        "name": name,
        "data": list(data),
        "symbol": symbol,
        "symbolSize": size,
        "itemStyle": {"color": color(index)},
        "emphasis": {"disabled": True},
    }
