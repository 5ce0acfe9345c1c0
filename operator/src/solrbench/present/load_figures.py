"""Throughput and latency against the load: users, or the planned rate."""

from collections.abc import Callable, Mapping, Sequence

from solrbench.api.v1alpha1 import Spec
from solrbench.api.v1alpha1.status.capacity import Scalability
from solrbench.api.v1alpha1.status.status import Status
from solrbench.api.v1alpha1.status.steps.step_result import StepResult
from solrbench.report.figures.figure import Figure
from solrbench.report.figures.parts import (
    Option,
    base,
    bottom_axis,
    grid,
    intervals,
    legend,
    line,
    mark_x,
    rounded,
    value_axis,
)
from solrbench.results.stats.number_format import format_milliseconds, format_number
from solrbench.results.text.interval_table import percent_label, percents_of
from solrbench.results.text.tables.table import Table

_Numbers = tuple[float, float | None, float | None]
"""A figure and the bounds of its interval."""

_MOST_PERCENTILE = 99.0
"""Highest percentile that is drawn; beyond it one slow request hides all others."""


def load_curves(spec: Spec, status: Status) -> list[Figure]:
    """Return throughput and latency; nothing unless two steps differ in their load."""
    loads = {step.name: step.users or step.requests_per_second for step in spec.load.steps}
    closed = {step.users is not None for step in spec.load.steps}
    known = {name: float(load) for name, load in loads.items() if load is not None}
    totals = [each for each in status.totals if each.step in known]
    if len(closed) > 1 or len({known[each.step] for each in totals}) < 2:
        return []
    axis = "Users" if closed == {True} else "Planned requests/s"
    totals.sort(key=lambda each: known[each.step])
    by_variant: dict[str, list[StepResult]] = {}
    for each in totals:
        by_variant.setdefault(each.variant or "", []).append(each)
    throughput = _throughput(axis, known, by_variant, status.scalability)
    figures = [throughput, _latency(axis, known, by_variant)]
    return [each for each in figures if each is not None]


def _throughput(
    axis: str,
    loads: Mapping[str, float],
    variants: Mapping[str, Sequence[StepResult]],
    scalability: Sequence[Scalability],
) -> Figure:
    lines = {
        variant or "throughput": [(loads[each.step], _rate(each)) for each in results]
        for variant, results in variants.items()
    }
    fits = {each.variant or "throughput": each for each in scalability}
    marks = {
        name: mark_x(f"knee {format_number(rounded(each.knee_users))}", each.knee_users, i)
        for i, name in enumerate(lines)
        if (each := fits.get(name)) is not None and each.knee_users is not None
    }
    option = _option(axis, value_axis("Requests/s", min=0), lines, loads, marks)
    title = f"Throughput against {axis.lower()}"
    knees = "".join(f" {each.message}" for name, each in fits.items() if name in marks)
    text = f"Requests per second with 95 % intervals. {_text(lines, format_number, axis)}{knees}"
    table = _table(axis, "Requests/s", lines, format_number)
    return Figure("throughput", title, text, option, legend(list(lines)), table, 300)


def _latency(
    axis: str, loads: Mapping[str, float], variants: Mapping[str, Sequence[StepResult]]
) -> Figure | None:
    shown = [p for p in (50, 95, 99) if p <= _MOST_PERCENTILE] if len(variants) == 1 else [50, 95]
    lines = {}
    for variant, results in variants.items():
        for percent in sorted({*percents_of(results)} & {*map(float, shown)}):
            points = [(loads[r.step], n) for r in results if (n := _percentile(r, percent))]
            name = f"{variant} {percent_label(percent)}".strip()
            lines[name] = points
    lines = {name: points for name, points in lines.items() if points}
    if not lines:
        return None
    times = "Response time" if axis.startswith("Planned") else "Service time"
    option = _option(axis, value_axis(times, "@milliseconds", min=0), lines, loads)
    title = f"Latency against {axis.lower()}"
    text = f"{times} with 95 % intervals. {_text(lines, format_milliseconds, axis)}"
    table = _table(axis, times, lines, format_milliseconds)
    return Figure("latency", title, text, option, legend(list(lines)), table, 300)


def _rate(result: StepResult) -> _Numbers:
    found = result.requests_per_second_interval
    bounds = (found.lower, found.upper) if found else (None, None)
    return (result.requests_per_second, *bounds)


def _percentile(result: StepResult, percent: float) -> _Numbers | None:
    for each in result.percentiles:
        if each.percent == percent:
            return each.milliseconds, each.lower_milliseconds, each.upper_milliseconds
    return None


_Lines = Mapping[str, Sequence[tuple[float, _Numbers]]]


def _option(
    axis: str,
    y_axis: Option,
    lines: _Lines,
    loads: Mapping[str, float],
    marks: Mapping[str, Option] | None = None,
) -> Option:
    series: list[Option] = []
    for index, (name, points) in enumerate(lines.items()):
        drawn = [(x, rounded(numbers[0])) for x, numbers in points]
        series.append(line(name, index, drawn, showSymbol=True, **(marks or {}).get(name, {})))
        bounds = [
            (x, rounded(low), rounded(high))
            for x, (_, low, high) in points
            if low is not None and high is not None
        ]
        if bounds:
            series.append(intervals(index, bounds))
    most = max(loads.values())
    x_axis = bottom_axis(axis, min=0, max=rounded(most * 1.05))
    return base(
        grid=grid(),
        xAxis=x_axis | {"axisLabel": {**_label(x_axis), "showMaxLabel": False}},
        yAxis=y_axis,
        tooltip={"trigger": "axis", "valueFormatter": _label(y_axis)["formatter"]},
        series=series,
    )


def _label(axis: Option) -> dict[str, object]:
    label = axis["axisLabel"]
    return dict(label) if isinstance(label, dict) else {}


def _text(lines: _Lines, show: Callable[[float], str], axis: str) -> str:
    ends = [
        f"{name}: {show(points[0][1][0])} at {points[0][0]:g}, {show(points[-1][1][0])} at"
        f" {points[-1][0]:g} {axis.lower()}"
        for name, points in lines.items()
    ]
    return "; ".join(ends) + "."


def _table(axis: str, what: str, lines: _Lines, show: Callable[[float], str]) -> Table:
    rows = [
        (
            name,
            f"{x:g}",
            show(value),
            "" if low is None or high is None else f"{show(low)} … {show(high)}",
        )
        for name, points in lines.items()
        for x, (value, low, high) in points
    ]
    return Table(what, ("", axis, what, "95 % interval"), rows, 1)
