"""The figure of the objective over two axes that are crossed."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from solrbench.api.v1alpha1.sweep.spec import Metric
from solrbench.report.figures.figure import Figure
from solrbench.report.figures.parts import Option, base, color
from solrbench.report.figures.sweep.axis_lines import axis_labels
from solrbench.report.figures.sweep.metric_axis import MetricAxis, metric_axis
from solrbench.report.sweep.model import PointReport, SweepReport
from solrbench.results.text.tables.table import Table

MOST_MAPS = 6
_LEAST_CELLS = 4
_LIGHTEST, _DARKEST = 0.06, 0.5
"""Opacity of a cell: text stays readable on the darkest."""
_ROW_PX, _FRAME_PX = 46, 90

Cells = Mapping[tuple[int, int], PointReport]
"""Points by the places of their values of both axes."""


def heat_maps(report: SweepReport) -> list[Figure]:
    """Return a figure for each two axes that are crossed, all others as in the baseline."""
    found = [each for each in _crossed(report) if len(each[2]) >= _LEAST_CELLS]
    return [_figure(report, *each) for each in found[:MOST_MAPS]]


def _crossed(report: SweepReport) -> Iterator[tuple[int, int, Cells]]:
    metric, baseline = metric_axis(report.spec.objective.metric), report.baseline
    if baseline is None:
        return
    usual = baseline.result.values
    for first, second in combinations(range(len(report.axes)), 2):
        cells = {
            (each.result.values[first], each.result.values[second]): each
            for each in report.points
            if metric.value(each) is not None
            and all(
                value == usual[place]
                for place, value in enumerate(each.result.values)
                if place not in (first, second)
            )
        }
        if all(len({key[side] for key in cells}) > 1 for side in (0, 1)):
            yield first, second, cells


def _figure(report: SweepReport, first: int, second: int, cells: Cells) -> Figure:
    metric = metric_axis(report.spec.objective.metric)
    across, down = axis_labels(report, first), axis_labels(report, second)
    names = report.axes[first], report.axes[second]
    option = base(
        grid={"left": 8, "right": 16, "top": 30, "bottom": 34, "containLabel": True},
        xAxis=_axis(names[0], across, nameLocation="middle", nameGap=30),
        yAxis=_axis(names[1], down, inverse=True, nameLocation="start"),
        tooltip={"trigger": "item", "valueFormatter": metric.formatter},
        series=[{"type": "heatmap", "name": metric.name, "data": list(_cells(cells, metric))}],
    )
    lower = "lower" if metric.metric is Metric.P95_MILLISECONDS else "higher"
    text = (
        f"{metric.name} for each {names[0]} (across) and {names[1]} (down), all other axes as in"
        f" the baseline. Darker is a larger number; {lower} is better."
    )
    rows = [
        (across[x], down[y], metric.text(metric.value(each)))
        for (x, y), each in sorted(cells.items())
    ]
    table = Table("Cells", (*names, "Measured"), rows, 2)
    title = f"{metric.name.partition(' of ')[0]} by {names[0]} and {names[1]}"
    height = _FRAME_PX + _ROW_PX * len(down)
    return Figure(f"heat-{first}-{second}", title, text, option, (), table, height)


def _axis(name: str, labels: Sequence[str], **more: object) -> Option:
    return {
        "type": "category",
        "name": name,
        "data": list(labels),
        "nameTextStyle": {"color": "var(--muted)", "fontSize": 12},
        "axisLabel": {
            "color": "var(--ink)",
            "fontSize": 12,
            "interval": 0,
            "width": 80,
            "overflow": "break",
        },
        "axisLine": {"show": False},
        "axisTick": {"show": False},
        "splitArea": {"show": False},
        **more,
    }


def _cells(cells: Cells, metric: MetricAxis) -> Iterator[Option]:
    """Yield each cell; its number stands in it, so that the shade is an aid only."""
    numbers = [metric.value(each) or 0 for each in cells.values()]
    low, range_ = min(numbers), (max(numbers) - min(numbers)) or 1
    for ((x, y), each), number in zip(cells.items(), numbers, strict=True):
        opacity = _LIGHTEST + (_DARKEST - _LIGHTEST) * (number - low) / range_
        invalid = "" if each.result.state == "Valid" else f"\n{each.result.state}"
        yield {
            "name": f"{', '.join(each.values.values())}",
            "value": [x, y, number],
            "itemStyle": {"color": color(0), "opacity": round(opacity, 3)},
            "label": {
                "show": True,
                "color": "var(--ink)",
                "opacity": 1,
                "fontSize": 12,
                "lineHeight": 15,
                "formatter": metric.text(number).removesuffix(" requests/s") + invalid,
            },
            "emphasis": {"disabled": True},
        }
