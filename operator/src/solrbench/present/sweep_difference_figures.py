"""All points beside the baseline: a dot for each difference, a bar for its interval."""

from collections.abc import Mapping, Sequence

from solrbench.api.v1alpha1.status.comparison_word import Word
from solrbench.report.figures.figure import Figure, LegendEntry
from solrbench.report.figures.parts import Option, base, bottom_axis, color, grid
from solrbench.report.figures.sweep.metric_axis import metric_axis
from solrbench.report.sweep.model import PointReport, SweepReport
from solrbench.report.sweep.tables import format_difference, format_difference_interval
from solrbench.results.text.tables.table import Table

MOST_DRAWN = 40
"""Points that are drawn; the table of points has all."""
_ROW_PX, _FRAME_PX = 30, 90
_NO_WORD = "no word"
_LOOKS: Mapping[str, tuple[int, str]] = {
    Word.BETTER: (2, "triangle"),
    Word.WORSE: (7, "diamond"),
    Word.SAME: (0, "circle"),
    Word.UNCLEAR: (5, "rect"),
    _NO_WORD: (4, "emptyCircle"),
}
"""Colour and symbol of each word: one of them is enough to know it."""


def difference_figure(report: SweepReport) -> Figure | None:
    """Return the figure; None without a difference."""
    found = [each for each in report.points if each.difference_percent is not None]
    drawn = sorted(found, key=lambda each: -abs(each.difference_percent or 0))[:MOST_DRAWN]
    drawn = [each for each in found if each in drawn]
    baseline = report.baseline
    if not drawn or baseline is None:
        return None
    labels = [changed_values(each, baseline) for each in drawn]
    words = [word for word in _LOOKS if any(_word(each) == word for each in drawn)]
    option = base(
        grid=grid(top=8, bottom=44),
        xAxis=bottom_axis("Difference from the baseline", "@percent"),
        yAxis=category_rows(labels),
        tooltip={"trigger": "item", "valueFormatter": "@percent"},
        series=[part for word in words for part in _series(word, drawn, labels)],
    )
    axis = metric_axis(report.spec.objective.metric)
    left = f" The {MOST_DRAWN} of {len(found)} points that are furthest." * (
        len(found) > len(drawn)
    )
    text = (
        f"{axis.name} of each point beside the baseline {values_text(baseline)},"
        f" {axis.text(axis.value(baseline))}, with 95 % intervals of all points together.{left}"
    )
    only = f": {words[0]}" if len(words) == 1 else ""
    title = f"Points beside the baseline{only}"
    legend = [LegendEntry(word, _LOOKS[word][0]) for word in words]
    height = _FRAME_PX + _ROW_PX * len(drawn)
    return Figure("differences", title, text, option, legend, _table(drawn, labels), height)


def values_text(point: PointReport) -> str:
    """Return `heap 2Gi, nodes 3`."""
    return ", ".join(f"{axis} {value}" for axis, value in point.values.items()) or point.name


def changed_values(point: PointReport, baseline: PointReport) -> str:
    """Return the values in which a point differs from the baseline."""
    changed = [
        f"{axis} {value}"
        for axis, value in point.values.items()
        if value != baseline.values.get(axis)
    ]
    return ", ".join(changed) or point.name


def _word(point: PointReport) -> str:
    return str(point.result.word or _NO_WORD)


def category_rows(labels: Sequence[str]) -> Option:
    """Return a vertical axis with a row for each label, the first one above."""
    return {
        "type": "category",
        "data": list(labels),
        "inverse": True,
        "axisLabel": {
            "color": "var(--ink)",
            "fontSize": 12,
            "width": 130,
            "overflow": "break",
            "interval": 0,
        },
        "axisLine": {"show": False},
        "axisTick": {"show": False},
        "splitLine": {"show": True, "lineStyle": {"color": "var(--grid)"}},
    }


def _series(word: str, drawn: Sequence[PointReport], labels: Sequence[str]) -> list[Option]:
    """Return the dots of a word, and the bars of their intervals."""
    index, symbol = _LOOKS[word]
    mine = [(row, each) for row, each in enumerate(drawn) if _word(each) == word]
    style: Option = {"color": color(index)}
    zero: Option = {
        "silent": True,
        "symbol": "none",
        "label": {"show": False},
        "lineStyle": {"type": "solid", "color": "var(--axis)", "width": 1},
        "data": [{"xAxis": 0}],
    }
    dots: Option = {
        "type": "scatter",
        "name": word,
        "data": [
            {"name": labels[row], "value": [each.difference_percent, row]} for row, each in mine
        ],
        "symbol": symbol,
        "symbolSize": 11,
        "itemStyle": style,
        "emphasis": {"disabled": True},
        "markLine": zero,
        "z": 4,
    }
    bars: Option = {
        "type": "custom",
        "name": word,
        "renderItem": "@span",
        "data": [
            [row, each.difference_lower_percent, each.difference_upper_percent]
            for row, each in mine
            if each.difference_lower_percent is not None
        ],
        "encode": {"y": 0, "x": [1, 2]},
        "itemStyle": style,
        "silent": True,
        "tooltip": {"show": False},
        "z": 3,
    }
    return [dots, bars]


def _table(drawn: Sequence[PointReport], labels: Sequence[str]) -> Table:
    rows = [
        (label, _word(each), format_difference(each), format_difference_interval(each))
        for label, each in zip(labels, drawn, strict=True)
    ]
    head = ("Point", "Word", "Difference", "95 % interval")
    return Table("Differences", head, rows, 1, frozenset({"Word"}))
