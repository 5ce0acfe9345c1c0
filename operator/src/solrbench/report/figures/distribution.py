"""Percentiles of the latency on an axis of nines: 0 %, 90 %, 99 %, 99.9 % stand equally far apart.

As HdrHistogram's own plots do: a percentile `p` stands at `-log10(1 - p)`.
"""

import math
from collections.abc import Mapping, Sequence

from solrbench.report.figures.figure import Figure
from solrbench.report.figures.parts import (
    base,
    bottom_axis,
    grid,
    legend,
    line,
    rounded,
    value_axis,
)
from solrbench.results.stats.histograms import Histogram
from solrbench.results.stats.number_format import format_milliseconds
from solrbench.results.text.tables.table import Table

MOST_NINES = 5.0
"""99.999 %; beyond it a step seldom has samples."""

_POINTS_PER_NINE = 16
TABLE_PERCENTS = (50, 75, 90, 95, 99, 99.9, 99.99)
"""Percentiles of the table below the figure."""


def distribution(
    name: str, title: str, times: str, histograms: Mapping[str, Histogram]
) -> Figure | None:
    """Return one line for each histogram; None if all are empty.

    Args:
        name: identifies the figure in the page
        title: what it shows
        times: `Service time` or `Response time`
        histograms: by the name of the line, in the order of the legend

    """
    known = {each: found for each, found in histograms.items() if found.count}
    if not known:
        return None
    series = [line(each, i, _points(h)) for i, (each, h) in enumerate(known.items())]
    most = max(_nines(h.count) for h in known.values())
    option = base(
        grid=grid(right=32),
        xAxis=bottom_axis("Percentile", "@nines", min=0, max=math.ceil(most), interval=1),
        yAxis=value_axis(
            times,
            "@milliseconds",
            type="log",
            minorSplitLine={"show": True, "lineStyle": {"color": "var(--grid)", "opacity": 0.5}},
            minorTick={"show": False},
            **_bounds(list(known.values())),
        ),
        tooltip={"trigger": "axis", "valueFormatter": "@milliseconds"},
        series=series,
    )
    return Figure(
        name, title, _description(times, known), option, legend(list(known)), _table(known)
    )


def _nines(samples: int) -> float:
    """Return how far the axis goes for so many samples: to the percentile of the largest."""
    return min(MOST_NINES, math.log10(max(samples, 10)))


def _points(histogram: Histogram) -> list[tuple[float, float]]:
    last = _nines(histogram.count)
    steps = math.ceil(last * _POINTS_PER_NINE)
    places = [last * i / steps for i in range(steps + 1)]
    points = []
    for place in places:
        # The first one is the smallest sample, the last one the largest.
        percent = max(100 * (1 - 10**-place), 100 / histogram.count) if place < last else 100.0
        value = histogram.percentile(round(min(percent, 100), 6))
        points.append((round(place, 3), rounded((value or 0) / 1000)))
    return points


def _bounds(histograms: Sequence[Histogram]) -> dict[str, float]:
    """Return powers of ten around all samples."""
    lowest = min(h.bounds_of_rank(1)[1] for h in histograms) / 1000
    highest = max(h.percentile(100) or 1 for h in histograms) / 1000
    return {
        "min": 10 ** math.floor(math.log10(lowest)),
        "max": 10 ** math.ceil(math.log10(highest)),
    }


def _description(times: str, histograms: Mapping[str, Histogram]) -> str:
    shown = "; ".join(
        f"{name}: P50 {_cell(h, 50)}, P99 {_cell(h, 99)}"
        for name, h in list(histograms.items())[:8]
    )
    return f"{times} at each percentile, both axes logarithmic. {shown}."


def _table(histograms: Mapping[str, Histogram]) -> Table:
    rows = [
        (name, str(h.count), *(_cell(h, percent) for percent in TABLE_PERCENTS), _cell(h, 100))
        for name, h in histograms.items()
    ]
    head = ("", "Samples", *(f"P{percent:g}" for percent in TABLE_PERCENTS), "Max")
    return Table("Percentiles", head, rows)


def _cell(histogram: Histogram, percent: float) -> str:
    """Return a percentile; empty with less than one sample beyond it."""
    if percent < 100 and histogram.count * (100 - percent) < 100:
        return ""
    value = histogram.percentile(percent)
    return "" if value is None else format_milliseconds(value / 1000)
