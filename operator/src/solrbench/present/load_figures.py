"""Throughput and latency against users or rate, of the steps and of a search for the capacity."""

from collections.abc import Callable, Mapping, Sequence

from solrbench.api.v1alpha1 import Spec
from solrbench.api.v1alpha1.findings import (
    CAPACITY_UNITS,
    CapacityResult,
    Scalability,
    capacity_unit,
)
from solrbench.api.v1alpha1.load import mean_rate
from solrbench.api.v1alpha1.status import Status
from solrbench.api.v1alpha1.step_result import Interval, StepResult
from solrbench.present.figure import (
    MUTED,
    EstimatedPoint,
    OptionPart,
    ReportFigure,
    bottom_axis,
    chart,
    describe_intervals,
    estimated_lines,
    legend,
    line,
    lines_table,
    mark_x,
    rounded,
    value_axis,
)
from solrbench.present.result_tables import percent_label, percentile_of, percents_of
from solrbench.present.table import Column, NameColumn, NumberColumn, build_table
from solrbench.stats.number_format import format_milliseconds, format_number


def load_curves(spec: Spec, status: Status) -> list[ReportFigure]:
    """Return throughput and latency; nothing unless two steps differ in their load.

    A replay has no load of its own: it is left out.
    """
    loads = {step.name: step.users or mean_rate(step) for step in spec.load.steps}
    known = {name: float(load) for name, load in loads.items() if load is not None}
    kinds = {(e.users is not None, e.indexing) for e in spec.load.steps if e.name in known}
    totals = [each for each in status.totals if each.step in known]
    # Users and rates cannot share an axis, nor queries and updates; and one load is no curve.
    if len(kinds) > 1 or len({known[each.step] for each in totals}) < 2:
        return []
    has_users = any(users for users, _ in kinds)
    axis = "Users" if has_users else "Planned requests/s"
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
) -> ReportFigure:
    lines = {
        variant or "throughput": [
            _estimated(
                loads[each.step], each.requests_per_second, each.requests_per_second_interval
            )
            for each in results
        ]
        for variant, results in variants.items()
    }
    fits = {each.variant or "throughput": each for each in scalability}
    marks = {
        name: mark_x(f"knee {format_number(rounded(each.knee_users))}", each.knee_users, i)
        for i, name in enumerate(lines)
        if (each := fits.get(name)) is not None and each.knee_users is not None
    }
    option = _option(axis, ("Requests/s", "@number"), loads, estimated_lines(lines.items(), marks))
    title = f"Throughput against {axis.lower()}"
    knees = "".join(f" {each.message}" for name, each in fits.items() if name in marks)
    known = describe_intervals(lines.values())
    text = f"Requests per second{known}. {_text(lines, format_number, axis)}{knees}"
    table = lines_table("Requests/s", ("", axis, "Requests/s"), lines, format_number)
    return ReportFigure("throughput", title, text, option, legend(list(lines)), table, 300)


def _latency(
    axis: str, loads: Mapping[str, float], variants: Mapping[str, Sequence[StepResult]]
) -> ReportFigure | None:
    # Three lines for each of several variants could not be distinguished; beyond P99, one slow
    # request hides all others.
    shown = {50.0, 95.0, 99.0} if len(variants) == 1 else {50.0, 95.0}
    lines = {}
    for variant, results in variants.items():
        for percent in sorted(shown.intersection(percents_of(results))):
            points = [
                _estimated(loads[each.step], found.milliseconds, found.interval)
                for each in results
                if (found := percentile_of(each, percent)) is not None
            ]
            if points:
                lines[f"{variant} {percent_label(percent)}".strip()] = points
    if not lines:
        return None
    times = "Response time" if axis.startswith("Planned") else "Service time"
    option = _option(axis, (times, "@milliseconds"), loads, estimated_lines(lines.items()))
    title = f"Latency against {axis.lower()}"
    known = describe_intervals(lines.values())
    text = f"{times}{known}. {_text(lines, format_milliseconds, axis)}"
    table = lines_table(times, ("", axis, times), lines, format_milliseconds)
    return ReportFigure("latency", title, text, option, legend(list(lines)), table, 300)


def _estimated(load: float, value: float, interval: Interval | None) -> EstimatedPoint:
    bounds = None if interval is None else (interval.lower, interval.upper)
    return EstimatedPoint(load, value, bounds)


def _option(
    axis: str, times: tuple[str, str], loads: Mapping[str, float], series: Sequence[OptionPart]
) -> OptionPart:
    most, (name, format_name) = max(loads.values()), times
    # The end of the axis is no load that was measured: it has no label.
    label = {**MUTED, "formatter": "@number", "hideOverlap": True, "showMaxLabel": False}
    x_axis = bottom_axis(axis, min=0, max=rounded(most * 1.05), axisLabel=label)
    return chart(x_axis, value_axis(name, format_name, min=0), format_name, series)


def _text(
    lines: Mapping[str, Sequence[EstimatedPoint]], show: Callable[[float], str], axis: str
) -> str:
    ends = [
        f"{name}: {show(points[0].y)} at {points[0].x:g}, {show(points[-1].y)} at"
        f" {points[-1].x:g} {axis.lower()}"
        for name, points in lines.items()
    ]
    return "; ".join(ends) + "."


def capacity_curves(status: Status) -> list[ReportFigure]:
    """Return the figure of all variants; none with less than two trials that count."""
    unit = capacity_unit(trial for result in status.capacity for trial in result.trials)
    field = CAPACITY_UNITS[unit]
    curves = {result.variant or "P95": _points(result, field) for result in status.capacity}
    curves = {name: points for name, points in curves.items() if len(points) > 1}
    if not curves:
        return []
    load = "Users" if unit == "users" else f"Planned {unit}"
    held = {each.variant or "P95": getattr(each, field) for each in status.capacity}
    series = []
    for index, (name, points) in enumerate(curves.items()):
        rate = held[name]
        mark = mark_x(f"capacity {format_number(rate)}", rate, index) if rate else {}
        series.append(line(name, index, points, showSymbol=True, **mark))
    # Users are sent the next request when they have an answer: such trials have no response times.
    times = "service" if unit == "users" else "response"
    y_axis = value_axis(f"P95 of the {times} time", "@milliseconds", min=0)
    option = chart(bottom_axis(load, scale=True), y_axis, "@milliseconds", series)
    text = " ".join(result.message for result in status.capacity)
    raised = "users" if unit == "users" else "rate"
    title = f"Latency against {raised} in the search for the capacity"
    columns: list[Column[tuple[str, float, float]]] = [
        NameColumn("", lambda row: row[0]),
        NumberColumn(load, lambda row: row[1], format_number),
        NumberColumn("P95", lambda row: row[2], format_milliseconds),
    ]
    table = build_table("Trials", columns, [(n, x, y) for n, p in curves.items() for x, y in p])
    return [ReportFigure("capacity", title, text, option, legend(list(curves)), table, 300)]


def _points(result: CapacityResult, field: str) -> list[tuple[float, float]]:
    return sorted(
        (float(getattr(trial, field) or 0), rounded(trial.p95_milliseconds))
        for trial in result.trials
        # A disturbed trial shows the load generator, not the target.
        if trial.p95_milliseconds is not None and not trial.disturbed
    )
