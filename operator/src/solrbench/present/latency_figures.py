"""Latency in figures: percentiles on an axis of nines, and the cold-start curve.

As HdrHistogram's own plots do: a percentile `p` stands at `-log10(1 - p)`, so 0 %, 90 %, 99 %, 99.9
% have equal distances.
"""

import math
from collections.abc import Mapping, Sequence
from functools import partial

from solrbench.analysis.cold_start import CurvePoint, cold_start, first_step_run
from solrbench.contract.step_document import StepRunResult
from solrbench.present.figure import (
    MUTED,
    OptionPart,
    ReportFigure,
    bottom_axis,
    chart,
    color,
    legend,
    line,
    rounded,
    value_axis,
)
from solrbench.present.table import Column, NumberColumn, build_table, named_columns
from solrbench.present.window_tables import cold_start_columns, thinned
from solrbench.stats.number_format import format_milliseconds
from solrbench.stats.times import Times

MAX_NINES = 5.0
"""99.999 %; beyond it a step seldom has samples."""

_POINTS_PER_NINE = 16
TABLE_PERCENTS = (50, 75, 90, 95, 99, 99.9, 99.99)
"""Percentiles of the table below the figure."""


def distribution(
    name: str, title: str, kind: str, times: Mapping[str, Times]
) -> ReportFigure | None:
    """Return one line for the times of each name, in their order; None if there are none.

    `kind` says which times they are, such as `Service time`.
    """
    known = {each: found for each, found in times.items() if found.count}
    if not known:
        return None
    drawn = {each: _points(found) for each, found in known.items()}
    series = [line(each, i, points) for i, (each, points) in enumerate(drawn.items())]
    bottom = math.floor(math.log10(min(points[0][1] for points in drawn.values())))
    top = math.ceil(math.log10(max(points[-1][1] for points in drawn.values())))
    y_axis = value_axis(
        kind,
        "@milliseconds",
        type="log",
        minorSplitLine={"show": True, "lineStyle": {"color": "var(--grid)", "opacity": 0.5}},
        minorTick={"show": False},
        min=10**bottom,
        max=10 ** max(top, bottom + 1),
    )
    most = math.ceil(max(_nines(found.count) for found in known.values()))
    x_axis = bottom_axis("Percentile", "@nines", min=0, max=most, interval=1)
    option = chart(x_axis, y_axis, "@milliseconds", series, right=32)
    shown = "; ".join(
        f"{each}: P50 {_cell(50, found)}, P99 {_cell(99, found)}"
        for each, found in list(known.items())[:8]
    )
    text = f"{kind} at each percentile, both axes logarithmic. {shown}."
    titles = {f"P{percent:g}": percent for percent in TABLE_PERCENTS} | {"Max": 100}
    columns: list[Column[Times]] = [
        NumberColumn("Samples", lambda found: found.count),
        *(NumberColumn(each, partial(_cell, percent)) for each, percent in titles.items()),
    ]
    table = build_table("Percentiles", named_columns("", columns), known.items())
    return ReportFigure(name, title, text, option, legend(list(known)), table)


_MIN_MICROSECONDS = 1
"""In place of 0, which users of a locustfile may report and a logarithmic axis cannot show."""


def _nines(samples: int) -> float:
    """Return how far the axis goes for so many samples: to the percentile of the largest."""
    return min(MAX_NINES, math.log10(max(samples, 10)))


def _points(times: Times) -> list[tuple[float, float]]:
    last = _nines(times.count)
    steps = math.ceil(last * _POINTS_PER_NINE)
    points = []
    for position in (last * i / steps for i in range(steps + 1)):
        # The first one is the smallest sample, the last one the largest.
        percent = max(100 * (1 - 10**-position), 100 / times.count)
        value = times.percentile(round(min(percent, 100), 6) if position < last else 100.0)
        milliseconds = max(value or 0, _MIN_MICROSECONDS) / 1000
        points.append((round(position, 3), rounded(milliseconds)))
    return points


def _cell(percent: float, times: Times) -> str:
    """Return a percentile; empty with less than one sample beyond it."""
    if percent < 100 and times.count * (100 - percent) < 100:
        return ""
    value = times.percentile(percent)
    return "" if value is None else format_milliseconds(value / 1000)


_MAX_POINTS = 300
_TABLE_ROWS = 40


def cold_start_curve(documents: Sequence[StepRunResult]) -> ReportFigure | None:
    """Return the curve of the step run that was measured first; None with less than two points."""
    first = first_step_run(documents)
    points = [] if first is None else cold_start(first)
    if first is None or len(points) < 2:
        return None
    caches = sorted({cache for point in points for cache in point.hit_ratios})
    names = ["mean service time", *caches]
    shown = thinned(points, _MAX_POINTS // 2, _MAX_POINTS // 2)
    means = [(each.number, rounded(each.window.mean_microseconds / 1000)) for each in shown]
    series = [line(names[0], 0, means, lineStyle={"width": 3, "color": color(0)}, **_warm(points))]
    for index, cache in enumerate(caches, start=1):
        hits = [(each.number, each.hit_ratios.get(cache)) for each in shown]
        percents = [(n, None if hit is None else rounded(100 * hit)) for n, hit in hits]
        series.append(line(cache, index, percents, yAxisIndex=1))
    hits_axis = value_axis(
        "Cache hits" if caches else "",
        "@percent",
        min=0,
        max=100,
        show=bool(caches),
        splitLine={"show": False},
        nameTextStyle={**MUTED, "align": "right"},
    )
    y_axes = [value_axis("Mean service time", "@milliseconds", min=0), hits_axis]
    x_axis = bottom_axis("Thousand requests", min=0, max=points[-1].number, minInterval=1)
    option = chart(x_axis, y_axes, "@number", series, right=8)
    title = f"First requests of {first.id}"
    begin, end = (points[index].window.mean_microseconds / 1000 for index in (0, -1))
    of_caches = " and the share of lookups that Solr's caches answered" if caches else ""
    text = (
        f"Mean service time of each thousand requests{of_caches}. First thousand:"
        f" {format_milliseconds(begin)}, last: {format_milliseconds(end)}."
    )
    rows = thinned(points, _TABLE_ROWS // 2, _TABLE_ROWS // 2)
    table = build_table("Cold start", cold_start_columns(caches), rows)
    return ReportFigure("cold-start", title, text, option, legend(names), table)


def _warm(points: Sequence[CurvePoint]) -> OptionPart:
    last = max((point.number for point in points if point.warm_up), default=0)
    if not last:
        return {}
    label: OptionPart = {**MUTED, "position": "insideTop"}
    area = [{"name": "warm-up", "xAxis": 0}, {"xAxis": last}]
    style: OptionPart = {"color": "var(--shade)", "opacity": 1}
    return {"markArea": {"silent": True, "itemStyle": style, "label": label, "data": [area]}}
