"""The report of a sweep from the resources as they are stored."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from solrbench.analysis.bottleneck import agree_over_rounds
from solrbench.analysis.metrics import Difference
from solrbench.api.rules import plain
from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.conditions import find_condition
from solrbench.api.v1alpha1.repeats import RepeatStart
from solrbench.api.v1alpha1.status import Status
from solrbench.api.v1alpha1.sweep import SolrBenchmarkSweep, SweepPoint
from solrbench.api.v1alpha1.sweep_objective import Metric
from solrbench.contract.environment import Environment
from solrbench.present.sweeps.measurements import summarise_point
from solrbench.present.sweeps.report import PointReport, RoundReport, SweepReport
from solrbench.present.sweeps.step_differences import compare_figures, compare_variants
from solrbench.stats.number_format import round_significant
from solrbench.sweep.costs import PointCost, pair_points, point_costs
from solrbench.sweep.differences import (
    MeasuredCondition,
    compare_with_baselines,
    find_deviation_percent,
    group_measured,
    read_point,
    rule_of,
)
from solrbench.sweep.objective_figure import drop_earlier_step, figure_of
from solrbench.sweep.plan import make_plan
from solrbench.sweep.points import (
    DesignError,
    Values,
    baseline_values,
    benchmark_name,
    is_name_of,
    read_values,
)
from solrbench.sweep.requirements import measure_requests
from solrbench.sweep.state import ended_well

_DIGITS = 6
"""More than are shown: a number that is rounded twice may be another one, and a headroom is
multiplied by what is asked."""


def build_sweep_report(
    sweep: SolrBenchmarkSweep,
    benchmarks: Mapping[str, SolrBenchmark],
    environment: tuple[str, Environment] | None = None,
) -> SweepReport:
    """Return the full report of a sweep from the benchmarks of its points that are there, by name.

    `environment` is the name of a point, and what that ran on.
    """
    axes = _axes(sweep)
    # A sizing asks whether each point holds its load; nothing is concluded beside the baseline.
    is_sizing = sweep.spec.objective.is_sizing
    conditions = [] if is_sizing else _conditions(sweep, axes)
    differences = _differences(sweep, conditions)
    bases = {
        point.name: condition.baseline.name
        for condition in conditions
        if condition.baseline is not None
        for point in condition.measured
    }
    costs = _costs(sweep, benchmarks)
    points = [
        _point(sweep, axes, point, differences.get(point.name), benchmarks).model_copy(
            update={"baseline": bases.get(point.name), **costs.get(point.name, {})}
        )
        for point in sweep.status.points
    ]
    name, record = environment if environment is not None else (None, None)
    return SweepReport(
        sweep=sweep.key,
        spec=sweep.spec,
        status=sweep.status,
        points=_compare_figures(sweep, points, benchmarks, conditions, differences),
        environment=record,
        environment_of=name,
    )


def _costs(
    sweep: SolrBenchmarkSweep, benchmarks: Mapping[str, SolrBenchmark]
) -> dict[str, dict[str, Any]]:
    """Return the fields about what each point costs, and holds; none without prices."""
    if sweep.spec.prices is None:
        return {}
    rates, figure = {}, figure_of(sweep.spec)
    for point in sweep.status.points:
        benchmark = benchmarks.get(benchmark_name(sweep.metadata.name, point.name))
        if benchmark is not None and sweep.spec.rounds is None:
            interval = benchmark.status.summary.requests_per_second_interval
            if figure.metric is Metric.CAPACITY:  # of the search, not of the last step
                intervals = [
                    each.requests_per_second_interval
                    for each in benchmark.status.capacity
                    if figure.variant in (None, each.variant)
                ]
                interval = intervals[0] if intervals else None
            if interval is not None:
                rates[point.name] = (interval.lower, interval.upper)
    pairs = pair_points(make_plan(sweep).points, sweep.status.points)
    found = point_costs(sweep.spec, pairs, rates)
    return {name: _cost_fields(cost) for name, cost in found.items()}


def _cost_fields(cost: PointCost) -> dict[str, Any]:
    lower, upper = cost.bounds or (None, None)
    fields: dict[str, Any] = {
        "price_per_hour": round_significant(cost.price, _DIGITS),
        "cost_per_million_requests": cost.requests,
        "cost_per_million_requests_lower": lower,
        "cost_per_million_requests_upper": upper,
    }
    if cost.sized is not None:
        lower, upper = cost.sized.interval or (None, None)
        fields |= {
            "holding": cost.sized.holding.value,
            "headroom": round_significant(cost.sized.headroom, _DIGITS),
            "headroom_lower": round_significant(lower, _DIGITS),
            "headroom_upper": round_significant(upper, _DIGITS),
        }
    return fields


def environment_point(sweep: SolrBenchmarkSweep) -> str | None:
    """Return the point whose environment a report shows: the first one that was measured."""
    return next((point.name for point in sweep.status.points if ended_well(point)), None)


def _axes(sweep: SolrBenchmarkSweep) -> Sequence[Values]:
    try:
        return [read_values(axis) for axis in sweep.spec.axes]
    except DesignError:  # such a sweep is not accepted and has no points
        return []


def _values(axes: Sequence[Values], point: SweepPoint) -> Values:
    """Return the values of a point; none if the axes have others by now."""
    places = list(zip(axes, point.values, strict=False))
    if len(places) < len(axes) or any(index >= len(values) for values, index in places):
        return ()
    values = tuple(values[index] for values, index in places)
    # A value that was put before the others, or taken away, moves all places behind it.
    return values if is_name_of(point.name, values) else ()


def _baseline(sweep: SolrBenchmarkSweep, axes: Sequence[Values]) -> Values | None:
    try:
        return baseline_values(sweep.spec, axes)
    except (DesignError, IndexError):
        return None


def _conditions(sweep: SolrBenchmarkSweep, axes: Sequence[Values]) -> list[MeasuredCondition]:
    """Return the measured points by condition, as the answers of the status have them."""
    figure, usual = figure_of(sweep.spec), _baseline(sweep, axes)
    read = [read_point(point, _values(axes, point), figure) for point in sweep.status.points]
    measured = [point for point in read if point is not None and point.values]
    return [] if usual is None else group_measured(sweep.spec, usual, measured)


def _differences(
    sweep: SolrBenchmarkSweep, conditions: Sequence[MeasuredCondition]
) -> dict[str, Difference]:
    """Return what each point is beside the baseline of its condition."""
    found = compare_with_baselines(conditions, figure_of(sweep.spec), rule_of(sweep.spec))
    on_target = {point.name for point in sweep.status.points if point.on_target}
    return {name: replace(each, on_target=name in on_target) for name, each in found.items()}


def _point(
    sweep: SolrBenchmarkSweep,
    axes: Sequence[Values],
    point: SweepPoint,
    difference: Difference | None,
    benchmarks: Mapping[str, SolrBenchmark],
) -> PointReport:
    values = _values(axes, point)
    name = benchmark_name(sweep.metadata.name, point.name)
    benchmark, rounds = benchmarks.get(name), _rounds(sweep, point, benchmarks)
    details: dict[str, Any] = {}
    if difference is not None:
        lower, upper = difference.interval or (None, None)
        details |= {
            "difference_percent": round_significant(difference.estimate, _DIGITS),
            "difference_lower_percent": round_significant(lower, _DIGITS),
            "difference_upper_percent": round_significant(upper, _DIGITS),
        }
    if benchmark is not None:
        cost = measure_requests(benchmark.spec).target
        details |= _measured(benchmark) | {
            "cores": round(cost.cores, 3) or None,
            "memory_bytes": cost.memory_bytes or None,
            "solr_version": benchmark.status.target.solr_version,
        }
    names = [each.benchmark for each in rounds] or [name]
    details |= summarise_point([benchmarks[each] for each in names if each in benchmarks])
    if rounds:
        details |= {
            "rounds": rounds,
            "outcome": rounds[-1].outcome,
            "bottlenecks": agree_over_rounds({each.round: each.bottlenecks for each in rounds}),
        }
    left_out = {
        "deviation_percent": find_deviation_percent(point),
        "repeats": point.repeats or len(point.repeat_values or []) or None,
    }
    point_report = PointReport(
        name=point.name,
        benchmark=name,
        values={value.axis: value.label for value in values},
        is_baseline=bool(values) and values == _baseline(sweep, axes),
        result=point.model_copy(update=left_out),
    )
    return point_report.model_copy(update=details)


def _rounds(
    sweep: SolrBenchmarkSweep, point: SweepPoint, benchmarks: Mapping[str, SolrBenchmark]
) -> list[RoundReport]:
    """Return the rounds whose benchmarks are there, the one under way too; none without rounds."""
    if sweep.spec.rounds is None:
        return []
    figure, numbers = figure_of(sweep.spec), range(1, (point.rounds or 0) + 2)
    named = {each: benchmark_name(sweep.metadata.name, point.name, each) for each in numbers}
    return [
        RoundReport(
            round=number,
            benchmark=name,
            summary=status.summary,
            value=None
            if figure.has_field or figure.is_invalid(plain(status))
            else figure.read(plain(status)),
            **_measured(benchmarks[name]),
        )
        for number, name in named.items()
        if name in benchmarks
        for status in [_of_last_step(benchmarks[name].status)]
    ]


def _of_last_step(status: Status) -> Status:
    """Return a status with the summary that the sweep has read of it."""
    return Status.model_validate(drop_earlier_step(plain(status))) if status.not_run else status


def _compare_figures(
    sweep: SolrBenchmarkSweep,
    points: Sequence[PointReport],
    benchmarks: Mapping[str, SolrBenchmark],
    conditions: Sequence[MeasuredCondition],
    differences: Mapping[str, Difference],
) -> list[PointReport]:
    """Return the points with all figures of rounds, or of fresh targets, beside the baseline's."""
    figure, rounds = figure_of(sweep.spec), dict[str, Sequence[Status]]()
    for point in points:
        counted = point.counted_rounds(figure)
        alone = None if sweep.spec.rounds is not None else benchmarks.get(point.benchmark)
        if alone is not None and alone.spec.load.repeats.start_on is RepeatStart.FRESH_TARGET:
            rounds[point.name] = [alone.status]
        # Where the benchmark of a round is gone, it is not known which ones are left.
        if counted and len(counted) == len(point.result.repeat_rounds or []):
            rounds[point.name] = [benchmarks[each.benchmark].status for each in counted]
    found = compare_figures(sweep.spec, conditions, rounds, differences)
    variants = compare_variants(sweep.spec, conditions, rounds)
    return [
        point.model_copy(
            update={"figures": found.get(point.name, []), "variants": variants.get(point.name, [])}
        )
        for point in points
    ]


def _measured(benchmark: SolrBenchmark) -> dict[str, Any]:
    status = benchmark.status
    end = find_condition(status.conditions, "Succeeded")
    outcome = "" if end is None else ": ".join(filter(None, (end.reason, end.message)))
    return {
        "outcome": outcome,
        "totals": status.totals,
        "verdicts": status.verdicts,
        "objectives": status.objectives.results if status.objectives is not None else [],
        "bottlenecks": status.bottlenecks,
        "response_gaps": status.response_gaps,
        "index_pods": status.dataset.by_pod,
        "cold_start": status.cold_start,
    }
