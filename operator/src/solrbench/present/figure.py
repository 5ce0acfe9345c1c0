"""What a figure is, for the plotting library, in words and as a table, and what all figures share.

Colours are variables of the page's style sheet, so that one drawing serves light, dark and print.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from solrbench.present.table import Column, NameColumn, NumberColumn, Table, build_table
from solrbench.stats.number_format import format_range

Option = Mapping[str, object]
"""The figure in the terms of ECharts (https://echarts.apache.org/en/option.html). Functions do not
survive JSON: they are named, such as `@milliseconds`, and put in by `assets/figure.js`."""


@dataclass(frozen=True)
class LegendEntry:
    """A series in the legend of a figure, with the index of its colour."""

    name: str
    color: int
    dashed: bool = False


@dataclass(frozen=True)
class ReportFigure:
    """A figure, in words, and as a table of the numbers behind it.

    Its `name` identifies it in the page: lowercase letters, digits and hyphens. The legend is no
    part of the drawing, so that names wrap as text does. The height is in px.
    """

    name: str
    title: str
    description: str
    option: Option
    legend: Sequence[LegendEntry]
    table: Table
    height: int = 320


OptionPart = dict[str, object]
Point = Sequence[float | None]

MUTED: OptionPart = {"color": "var(--muted)", "fontSize": 12}
"""The style of what stands beside the numbers."""

COLORS = 8
"""Colours in the style sheet; with more series, lines are dashed."""


def color(index: int) -> str:
    """Return a colour of the style sheet."""
    return f"var(--series-{index % COLORS})"


def legend(names: Sequence[str]) -> list[LegendEntry]:
    """Return an entry for each name, in the order of the series."""
    return [LegendEntry(name, i % COLORS, i >= COLORS) for i, name in enumerate(names)]


def value_axis(name: str, format_name: str = "@number", **more: object) -> OptionPart:
    """Return an axis of numbers, whose labels the function `format_name` writes."""
    return {
        "type": "value",
        "name": name,
        "nameLocation": "end",
        "nameTextStyle": {**MUTED, "align": "left"},
        "axisLabel": {**MUTED, "formatter": format_name, "hideOverlap": True},
        "axisLine": {"show": False, "lineStyle": {"color": "var(--axis)"}},
        "axisTick": {"show": False},
        "splitLine": {"lineStyle": {"color": "var(--grid)"}},
        **more,
    }


def bottom_axis(name: str, format_name: str = "@number", **more: object) -> OptionPart:
    """Return a horizontal axis, whose name stands below its labels."""
    shown: OptionPart = {"show": True, "lineStyle": {"color": "var(--axis)"}}
    placed: OptionPart = {"nameLocation": "middle", "nameGap": 28, "nameTextStyle": MUTED}
    axis = value_axis(name, format_name, axisLine=shown, splitLine={"show": False})
    return axis | placed | more


def category_axis(labels: Sequence[str], width: int, **more: object) -> OptionPart:
    """Return an axis of names, none of which is left out; they are broken at so many px."""
    # Without a height, the lines of a label lie on each other.
    broken: OptionPart = {"interval": 0, "overflow": "break", "width": width, "lineHeight": 14}
    return {
        "type": "category",
        "data": list(labels),
        "axisLabel": {**MUTED, "color": "var(--ink)", **broken},
        "axisLine": {"show": False},
        "axisTick": {"show": False},
        **more,
    }


def line(name: str, index: int, points: Sequence[Point], **more: object) -> OptionPart:
    """Return a line through points of x and y; a y of None is a gap."""
    dash = "dashed" if index >= COLORS else "solid"
    return {
        "type": "line",
        "name": name,
        "data": [list(point) for point in points],
        "showSymbol": False,
        "symbol": "circle",
        "symbolSize": 6,
        "itemStyle": {"color": color(index)},
        "lineStyle": {"width": 2, "type": dash, "color": color(index)},
        # The library lightens colours under the mouse, which makes variables vanish.
        "emphasis": {"disabled": True},
        **more,
    }


def intervals(index: int, bounds: Sequence[Point], **more: object) -> OptionPart:
    """Return bars from the lower to the upper bound at each x: points of x, lower and upper."""
    return {
        "type": "custom",
        # The library has no error bars: `figure.js` draws them.
        "renderItem": "@interval",
        "data": [list(bound) for bound in bounds],
        "encode": {"x": 0, "y": [1, 2]},
        "itemStyle": {"color": color(index)},
        "silent": True,
        "tooltip": {"show": False},
        "z": 3,
        **more,
    }


class EstimatedPoint(NamedTuple):
    """A point, with the bounds of the interval of its y if there is one."""

    x: float
    y: float
    bounds: tuple[float, float] | None = None


def describe_intervals(lines: Iterable[Sequence[EstimatedPoint]], source: str = "") -> str:
    """Return `, with 95 % intervals` and what they come from; empty where no point has one."""
    is_known = any(point.bounds is not None for points in lines for point in points)
    return f", with 95 % intervals{source}" if is_known else ""


def estimated_lines(
    lines: Iterable[tuple[str, Sequence[EstimatedPoint]]],
    more: Mapping[str, OptionPart] = MappingProxyType({}),
) -> list[OptionPart]:
    """Return each line by its name, followed by the bars of its intervals.

    Both have one name, by which the legend hides them; `more` has further parts of lines.
    """
    series: list[OptionPart] = []
    for index, (name, points) in enumerate(lines):
        drawn = [(x, rounded(y)) for x, y, _ in points]
        bounds = [(x, *map(rounded, pair)) for x, _, pair in points if pair is not None]
        series.append(line(name, index, drawn, showSymbol=True, **more.get(name, {})))
        series.append(intervals(index, bounds, name=name))
    return series


def lines_table(
    caption: str,
    titles: tuple[str, str, str],
    lines: Mapping[str, Sequence[EstimatedPoint]],
    show: Callable[[float], str],
    place: Callable[[float], str] = "{:g}".format,
) -> Table:
    """Return a row for each point of each line; `titles` are those of line, x and y."""
    columns: list[Column[tuple[str, EstimatedPoint]]] = [
        NameColumn(titles[0], lambda row: row[0]),
        NameColumn(titles[1], lambda row: place(row[1].x)),
        NumberColumn(titles[2], lambda row: row[1].y, show),
        NumberColumn(
            "95 % interval",
            lambda row: row[1].bounds,
            lambda pair: format_range(pair[0], pair[1], show),
        ),
    ]
    rows = [(name, point) for name, points in lines.items() for point in points]
    return build_table(caption, columns, rows).without_empty_columns()


def mark_x(name: str, x: float, index: int) -> OptionPart:
    """Return the part of a line that marks an x with a vertical line."""
    mark = {
        "silent": True,
        "symbol": "none",
        "label": {"formatter": name, "color": "var(--ink)", "position": "end"},
        "lineStyle": {"type": "dashed", "color": color(index), "width": 1.5},
        "data": [{"xAxis": rounded(x)}],
    }
    return {"markLine": mark}


def base(**parts: object) -> OptionPart:
    """Return an option with what all figures have."""
    return {
        "animation": False,
        "backgroundColor": "transparent",
        "textStyle": {"fontFamily": "Arial, Helvetica, sans-serif", "color": "var(--ink)"},
        # The legend is HTML beside the drawing, where names wrap as text does.
        "legend": {"show": False},
        **parts,
    }


def stacked(
    places: Sequence[tuple[int, int]],
    x_title: str,
    last: float,
    y_axes: Sequence[OptionPart],
    series: Sequence[OptionPart],
) -> OptionPart:
    """Return an option of plots over the same seconds up to the `last`, below each other.

    `places` are the top and the height of each in px. Only the lowest one has a name and labels.
    """
    x_axes = [
        bottom_axis("", "@seconds", min=0, max=last, gridIndex=index)
        | {"axisLabel": {"show": False, "formatter": "@seconds"}}
        for index in range(len(places) - 1)
    ]
    x_axes.append(bottom_axis(x_title, "@seconds", min=0, max=last, gridIndex=len(places) - 1))
    return base(
        # All plots begin at the same left edge, whatever the width of their labels.
        grid=[
            grid(top=top, height=height, bottom="auto", left=60, containLabel=False)
            for top, height in places
        ],
        xAxis=x_axes,
        yAxis=y_axes,
        axisPointer={"link": [{"xAxisIndex": "all"}]},
        tooltip={"trigger": "axis", "valueFormatter": "@number"},
        series=series,
    )


def grid(**more: object) -> OptionPart:
    """Return the place of a coordinate system; labels of the axes are kept inside of it."""
    return {"left": 8, "right": 28, "top": 34, "bottom": 30, "containLabel": True, **more}


def chart(
    x_axis: OptionPart,
    y_axis: OptionPart | Sequence[OptionPart],
    format_name: str,
    series: Sequence[OptionPart],
    trigger: str = "axis",
    **place: object,
) -> OptionPart:
    """Return an option of one `grid`, whose tooltip the function `format_name` writes."""
    return base(
        grid=grid(**place),
        xAxis=x_axis,
        yAxis=y_axis,
        tooltip={"trigger": trigger, "valueFormatter": format_name},
        series=series,
    )


def rounded(value: float) -> float:
    """Return a number with four digits, more than any figure shows."""
    return float(f"{value:.4g}")
