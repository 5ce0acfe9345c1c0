"""What points cost, and which of them hold their load: a table by price, and the frontier."""

from solrbench.present.figure import (
    ReportFigure,
    base,
    bottom_axis,
    grid,
    intervals,
    legend,
    line,
    rounded,
    value_axis,
)
from solrbench.present.sweeps.report import PointReport, SweepReport
from solrbench.present.table import (
    Column,
    NameColumn,
    NumberColumn,
    Table,
    TextColumn,
    build_table,
)
from solrbench.stats.number_format import format_number

_WORDS = {
    "holds": "holds",
    "misses": "does not hold",
    "open": "uncertain",
    "unknown": "not known",
    "new": "not measured",
}


def costs_table(report: SweepReport) -> Table:
    """Return a row for each point that has a price, the cheapest first; empty without prices."""
    prices = report.spec.prices
    unit = "" if prices is None else f" ({prices.currency})"
    demand = report.spec.objective.requests_per_second
    measured = "Headroom" if demand is None else "Holds (requests/s)"

    def held(point: PointReport) -> str | None:
        values = (point.headroom, point.headroom_lower, point.headroom_upper)
        return _with_bounds(*(None if e is None else e * (demand or 1.0) for e in values))

    columns: list[Column[PointReport]] = [
        NameColumn("Point", lambda point: point.name),
        *(_axis_column(axis) for axis in report.axes),
        TextColumn("Load", lambda point: _WORDS.get(point.holding or "")),
        NumberColumn(measured, held),
        NumberColumn(f"Price per hour{unit}", lambda point: point.price_per_hour, format_number),
        NumberColumn(
            f"Per million requests{unit}",
            lambda point: _with_bounds(
                point.cost_per_million_requests,
                point.cost_per_million_requests_lower,
                point.cost_per_million_requests_upper,
            ),
        ),
    ]
    note = (
        "Prices are those of what Solr and ZooKeeper request, with their volumes; brackets are 95 %"
        " confidence intervals (docs/sizing.md)."
    )
    return build_table("Costs", columns, _by_price(report), note).without_empty_columns()


def _axis_column(axis: str) -> Column[PointReport]:
    return TextColumn(axis, lambda point: point.values.get(axis))


def _by_price(report: SweepReport) -> list[PointReport]:
    priced = [point for point in report.points if point.price_per_hour is not None]
    return sorted(priced, key=lambda point: point.price_per_hour or 0.0)


def _with_bounds(value: float | None, lower: float | None, upper: float | None) -> str | None:
    if value is None:
        return None
    if lower is None or upper is None:
        return format_number(value)
    return f"{format_number(value)} ({format_number(lower)} to {format_number(upper)})"


def frontier_figure(report: SweepReport) -> ReportFigure | None:
    """Return what each point holds against its price, with intervals; None without a sizing."""
    points = [point for point in _by_price(report) if point.headroom]
    prices, demand = report.spec.prices, report.spec.objective.requests_per_second
    if not points or prices is None:
        return None
    name = "Headroom" if demand is None else "Requests/s that are held"
    scale = demand or 1.0
    words = [w for w in _WORDS if any(point.holding == w for point in points)]
    series = []
    for index, word in enumerate(words):
        of_word = [point for point in points if point.holding == word]
        drawn = [
            (point.price_per_hour, rounded(scale * (point.headroom or 0))) for point in of_word
        ]
        bounds = [
            (point.price_per_hour, rounded(scale * low), rounded(scale * high))
            for point in of_word
            if (low := point.headroom_lower) is not None
            and (high := point.headroom_upper) is not None
        ]
        title = _WORDS[word]
        series.append(line(title, index, drawn, showSymbol=True, lineStyle={"width": 0}))
        series.append(intervals(index, bounds, name=title))
    lowest, highest = points[0].price_per_hour or 0.0, points[-1].price_per_hour or 0.0
    asked = line("asked", len(words), [(lowest, scale), (highest, scale)])
    option = base(
        grid=grid(bottom=48),
        xAxis=bottom_axis(f"Price per hour ({prices.currency})", scale=True),
        yAxis=value_axis(name, min=0),
        tooltip={"trigger": "item", "valueFormatter": "@number"},
        series=[*series, asked],
    )
    text = (
        f"{name} of each point against its price per hour, with 95 % intervals; the line is what is"
        " asked. Points left of the cheapest one above the line do not hold it."
    )
    names = [*(_WORDS[word] for word in words), "asked"]
    return ReportFigure(
        "frontier", f"{name} by price", text, option, legend(names), costs_table(report), 300
    )
