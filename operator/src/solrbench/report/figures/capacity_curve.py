"""The curve of latency against rate, or users, that a search for the capacity has measured."""

from collections.abc import Mapping, Sequence

from solrbench.api.v1alpha1.status.capacity import CapacityResult
from solrbench.api.v1alpha1.status.status import Status
from solrbench.report.figures.figure import Figure
from solrbench.report.figures.parts import (
    Option,
    base,
    bottom_axis,
    grid,
    legend,
    line,
    mark_x,
    rounded,
    value_axis,
)
from solrbench.results.stats.number_format import format_milliseconds, format_number
from solrbench.results.text.tables.table import Table


def capacity_curves(status: Status) -> list[Figure]:
    """Return the figure of all variants; none with less than two trials that count."""
    curves = {each.variant or "P95": _points(each) for each in status.capacity}
    curves = {name: points for name, points in curves.items() if len(points) > 1}
    if not curves:
        return []
    users = any(trial.users is not None for each in status.capacity for trial in each.trials)
    load = "Users" if users else "Planned requests/s"
    found = {each.variant or "P95": _found(each) for each in status.capacity}
    option = base(
        grid=grid(),
        xAxis=bottom_axis(load, scale=True),
        yAxis=value_axis("P95 of the response time", "@milliseconds", min=0),
        tooltip={"trigger": "axis", "valueFormatter": "@milliseconds"},
        series=[
            line(name, i, points, showSymbol=True, **_capacity(found[name], i))
            for i, (name, points) in enumerate(curves.items())
        ],
    )
    text = " ".join(each.message for each in status.capacity)
    title = f"Latency against {'users' if users else 'rate'} in the search for the capacity"
    table = _table(curves, load)
    return [Figure("capacity", title, text, option, legend(list(curves)), table, 300)]


def _found(result: CapacityResult) -> float | None:
    return result.requests_per_second if result.users is None else float(result.users)


def _points(result: CapacityResult) -> list[tuple[float, float]]:
    return sorted(
        (
            each.requests_per_second if each.users is None else float(each.users),
            rounded(each.p95_milliseconds),
        )
        for each in result.trials
        if each.p95_milliseconds is not None and not each.disturbed
    )


def _capacity(rate: float | None, index: int) -> Option:
    return {} if rate is None else mark_x(f"capacity {format_number(rate)}", rate, index)


def _table(curves: Mapping[str, Sequence[tuple[float, float]]], load: str) -> Table:
    rows = [
        (name, format_number(x), format_milliseconds(y))
        for name, points in curves.items()
        for x, y in points
    ]
    return Table("Trials", ("", load, "P95"), rows)
