"""A figure: what the plotting library draws, and the same as words and as a table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from solrbench.results.text.tables.table import Table

Option = Mapping[str, object]
"""The figure in the terms of ECharts (https://echarts.apache.org/en/option.html). Functions do not
survive JSON: they are named, such as `@milliseconds`, and put in by `assets/figure.js`."""


@dataclass(frozen=True)
class LegendEntry:
    """An entry of a figure's legend.

    Attributes:
        name: name of the series
        color: index of its colour, from 0
        dashed: whether its line is dashed

    """

    name: str
    color: int
    dashed: bool = False


@dataclass(frozen=True)
class Figure:
    """A figure.

    Attributes:
        name: identifies it in the page: lowercase letters, digits and hyphens
        title: what it shows
        description: what is on its axes, and the numbers that matter, as sentences
        option: the data, axes and lines
        legend: one entry for each series, so that names wrap as text does
        table: the numbers behind it
        height: height in px

    """

    name: str
    title: str
    description: str
    option: Option
    legend: Sequence[LegendEntry]
    table: Table
    height: int = 320
