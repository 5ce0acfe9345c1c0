"""What points cost, and which of them hold their load: a table by price, and the frontier."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice

from solrbench.present.figure import (
    EstimatedPoint,
    OptionPart,
    Point,
    ReportFigure,
    bottom_axis,
    chart,
    describe_intervals,
    estimated_lines,
    legend,
    line,
    rounded,
    value_axis,
)
from solrbench.present.result_tables import with_bounds
from solrbench.present.sweeps.figures import MAX_LINES, axis_format, repeat_interval
from solrbench.present.sweeps.point_tables import group_by_condition
from solrbench.present.sweeps.report import PointReport, SweepReport
from solrbench.present.sweeps.tables import axis_column
from solrbench.present.table import Column, NameColumn, NumberColumn, Table, TextColumn, build_table
from solrbench.stats.number_format import format_number
from solrbench.sweep.objective_figure import figure_of
from solrbench.sweep.sizing import is_cut
from solrbench.sweep.state import is_valid

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
    demand = report.spec.objective.demand
    scale, measured = 1.0, "Headroom"
    if demand is not None:
        scale, measured = demand.rate, f"Holds ({demand.unit})"

    metric, is_sizing = figure_of(report.spec), report.spec.objective.is_sizing

    def reached(point: PointReport) -> str | None:
        return None if is_sizing else metric.short(metric.value(point.result))

    def held(point: PointReport) -> str | None:
        values = (point.headroom, point.headroom_lower, point.headroom_upper)
        shown = with_bounds(*(None if e is None else e * scale for e in values))
        if point.headroom is None or not is_cut(point.headroom):
            return shown
        return f"{'≤' if point.headroom < 1 else '≥'} {shown}"

    columns: list[Column[PointReport]] = [
        NameColumn("Point", lambda point: point.name),
        *map(axis_column, report.axes),
        TextColumn("Load", lambda point: _WORDS.get(point.holding or "")),
        NumberColumn(measured, held),
        NumberColumn(metric.title, reached),
        NumberColumn(f"Price per hour{unit}", lambda point: point.price_per_hour, format_number),
        NumberColumn(
            f"Per million requests{unit}",
            lambda point: with_bounds(
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


def _by_price(report: SweepReport) -> list[PointReport]:
    priced = [point for point in report.points if point.price_per_hour is not None]
    return sorted(priced, key=lambda point: point.price_per_hour or 0.0)


_MAX_ROWS = 40
"""The cheapest points, in the table below the figure; the section of costs has all."""


def frontier_figure(report: SweepReport) -> ReportFigure | None:
    """Return what each point reaches against its price; None where that is not known.

    In a sizing that is what it holds beside what is asked, else the figure of the objective.
    """
    points, objective = _by_price(report), report.spec.objective
    if not objective.is_sizing:
        return _objective_frontier(report, points)
    scale, name = 1.0, "Headroom"
    if (demand := objective.demand) is not None:
        scale, name = demand.rate, f"{demand.unit.capitalize()} that are held"
    groups: dict[str, list[EstimatedPoint]] = {}
    for word, title in _WORDS.items():
        for point in points:
            if point.holding == word and point.headroom:
                low, high = point.headroom_lower, point.headroom_upper
                bounds = None if low is None or high is None else (scale * low, scale * high)
                dot = EstimatedPoint(point.price_per_hour or 0.0, scale * point.headroom, bounds)
                groups.setdefault(title, []).append(dot)
    if not groups:
        return None
    prices = sorted(dot.x for dots in groups.values() for dot in dots)
    asked = line("asked", len(groups), [(prices[0], scale), (prices[-1], scale)])
    known = describe_intervals(groups.values())
    text = (
        f"{name} of each point against its price per hour{known}; the line is what is asked."
        " Points left of the cheapest one that holds it do not, or are not known to."
    )
    return _draw(report, (name, "@number"), text, groups, [asked])


def _objective_frontier(report: SweepReport, points: Sequence[PointReport]) -> ReportFigure | None:
    metric, groups = figure_of(report.spec), dict[str, list[EstimatedPoint]]()
    valid: dict[str, list[EstimatedPoint]] = {}
    for given, of_condition in islice(group_by_condition(report).items(), MAX_LINES):
        for point in points:
            value = metric.value(point.result)
            if point in of_condition and value is not None:
                bounds = repeat_interval(point, metric)
                dot = EstimatedPoint(point.price_per_hour or 0.0, value, bounds)
                groups.setdefault(given or "points", []).append(dot)
                if is_valid(point.result):
                    valid.setdefault(given or "points", []).append(dot)
    # At one price there is nothing to choose.
    if len({dot.x for dots in groups.values() for dot in dots}) < 2:
        return None
    is_lower_better = metric.comparison.is_lower_better
    best = [
        line(name, index, _frontier(valid[name], is_lower_better=is_lower_better), step="end")
        for index, name in enumerate(groups)
        if name in valid
    ]
    known = describe_intervals(groups.values(), " from repeats")
    text = (
        f"{metric.title} of each point against its price per hour{known}."
        " The steps join the valid points that no cheaper one beats."
    )
    return _draw(report, (metric.title, axis_format(metric)), text, groups, best)


def _frontier(dots: Sequence[EstimatedPoint], *, is_lower_better: bool) -> list[Point]:
    """Return the points that are better than all that are no dearer, by price."""
    sign, found, best = 1 if is_lower_better else -1, list[Point](), math.inf
    for price, value, _ in sorted(dots, key=lambda dot: (dot.x, sign * dot.y)):
        if sign * value < best:
            best = sign * value
            found.append((price, rounded(value)))
    return found


def _draw(
    report: SweepReport,
    axis: tuple[str, str],
    text: str,
    groups: Mapping[str, Sequence[EstimatedPoint]],
    lines: Sequence[OptionPart],
) -> ReportFigure:
    """Draw groups of points at their prices, with what they hold or the objective's figure."""
    name, formatter = axis
    currency = "" if report.spec.prices is None else report.spec.prices.currency
    dots_alone: OptionPart = {"lineStyle": {"width": 0}}
    series = estimated_lines(groups.items(), dict.fromkeys(groups, dots_alone))
    x_axis = bottom_axis(f"Price per hour ({currency})", scale=True)
    y_axis = value_axis(name, formatter, min=0)
    option = chart(x_axis, y_axis, formatter, [*series, *lines], "item", bottom=48)
    names = dict.fromkeys([*groups, *(str(each["name"]) for each in lines)])
    shown = costs_table(report)
    shown = replace(shown, rows=shown.rows[:_MAX_ROWS])
    title = f"{name.partition(' of ')[0]} by price"
    return ReportFigure("frontier", title, text, option, legend([*names]), shown, 300)
