"""The plan of a sweep: its points in their order with what each requires, or what is wrong."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic import ValidationError

from solrbench.api.rules import problems
from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.repeats import RepeatStart
from solrbench.api.v1alpha1.sweep import SolrBenchmarkSweep
from solrbench.api.v1alpha1.sweep_objective import Metric
from solrbench.api.v1alpha1.sweep_spec import PointOrder, PointTargetPolicy, SweepSpec
from solrbench.contract.step_runs import Reuse
from solrbench.stats.number_format import count_noun, format_bytes, format_cores, format_number
from solrbench.sweep.cluster_capacity import ClusterCapacity
from solrbench.sweep.objective_checks import check_objective, check_sizing, describe_load
from solrbench.sweep.planned_points import (
    Fingerprints,
    PlannedPoint,
    common_parts,
    draw_order,
    hash_json,
    order_for_reuse,
    take_fingerprints,
)
from solrbench.sweep.points import DesignError, Values, benchmark_name, make_points
from solrbench.sweep.requirements import (
    NO_LOAD,
    LoadDuration,
    duration_text,
    find_price,
    measure_requests,
    rounds_of,
)
from solrbench.sweep.validation import (
    MAX_NAMED,
    CheckedPoint,
    build_child,
    check_axes,
    check_design,
    check_names,
    check_points,
    check_rounds,
    check_template,
    name_points,
    warn_of_few_rounds,
)


@dataclass(frozen=True)
class SweepPlan:
    """The points in the order of measuring, that of the first round; none if there are problems.

    `fixed_hash` is that of what must stay as it is once a point has begun.
    """

    points: tuple[PlannedPoint, ...]
    problems: tuple[str, ...]
    fixed_hash: str

    @property
    def keeps_targets(self) -> bool:
        """Whether targets are kept from one round to the next: where all points use one."""
        targets = {each.target for each in self.points}
        return len(targets) == 1 and "" not in targets

    @property
    def baseline(self) -> PlannedPoint | None:
        """The point that the others are compared with."""
        return next((point for point in self.points if point.point.is_baseline), None)

    def find_baselines(self, spec: SweepSpec) -> dict[str, str]:
        """Return the baseline of the condition of each point that has one, both by name."""
        usual = next(each.point.indexes for each in self.points if each.point.is_baseline)
        given = [axis.is_condition for axis in spec.axes]
        names = {tuple(each.point.indexes): each.point.name for each in self.points}
        found = {}
        for indexes, name in names.items():
            values = zip(indexes, usual, given, strict=True)
            base = names.get(tuple(own if is_given else base for own, base, is_given in values))
            if base is not None:
                found[name] = base
        return found


def find_points_without_capacity(
    points: Sequence[PlannedPoint], room: ClusterCapacity
) -> list[str]:
    """Return what is missing for which points, as many as a message has room for."""
    points_by_problem: dict[str, list[str]] = {}
    for point in points:
        problem = room.find_problem(point.demand.pods)
        if problem is not None:
            points_by_problem.setdefault(problem, []).append(point.point.text)
    named = points_by_problem.items()
    return [f"{name_points(names)}: {problem}" for problem, names in named][:MAX_NAMED]


def make_plan(sweep: SolrBenchmarkSweep) -> SweepPlan:
    """Return the plan of a sweep, with every problem that can be seen without a cluster."""
    points, problems = _plan_points(sweep)
    axes = [[axis.name, axis.paths] for axis in sweep.spec.axes]
    # Without a name for it, a value before the first one would be another baseline.
    baseline = [v.identity for each in points if each.point.is_baseline for v in each.point.values]
    fixed = hash_json([sweep.spec.template.model_dump(mode="json"), baseline, axes])
    return SweepPlan(() if problems else points, tuple(problems), fixed)


def _plan_points(sweep: SolrBenchmarkSweep) -> tuple[tuple[PlannedPoint, ...], list[str]]:
    axes, problems = check_axes(sweep.spec.axes)
    problems += check_template(sweep) + check_design(sweep.spec)
    is_short = not problems and _is_short(sweep, axes)
    problems += check_names(sweep, short=is_short)
    if problems:  # what follows would repeat them for each point
        return (), problems
    try:
        named = [point.name for point in sweep.status.points]
        made = make_points(sweep.metadata.name, sweep.spec, axes, named, short=is_short)
    except DesignError as error:
        return (), [str(error)]
    if not any(point.is_baseline for point in made):
        return (), ["spec.baseline: must be a point of the sweep, add it or exclude less"]
    checked, problems = check_points(sweep, made)
    problems += check_rounds(sweep.spec, checked) + check_sizing(sweep.spec, checked)
    # Of points that are not valid, another problem is shown. Once one has begun, the objective
    # cannot be changed, and what an earlier version let through goes on.
    if not problems and sweep.status.fixed_hash is None:
        problems = check_objective(sweep.spec, checked)
    return () if problems else _plan_course(sweep.spec, checked), problems


def _plan_course(spec: SweepSpec, checked: Sequence[CheckedPoint]) -> tuple[PlannedPoint, ...]:
    """Return the points in the order in which they are measured, with what each takes over."""
    is_sizing = spec.objective.is_sizing
    # What a topology holds is not known from one target of it, which rounds would share.
    alone = spec.start_on is PointTargetPolicy.FRESH_TARGET or is_sizing
    prints = [Fingerprints() if alone else take_fingerprints(c.benchmark.spec) for c in checked]
    if spec.metric is Metric.INDEXING_SECONDS:
        # The time of an index that another point has filled says nothing of a point.
        prints = [replace(each, index=None) for each in prints]
    # Points that are under way at the same time never use one target.
    is_one = spec.parallelism == 1 and len({each.cluster or "" for each in prints}) == 1
    demands = [measure_requests(each.benchmark.spec) for each in checked]
    planned = [
        PlannedPoint(
            each.point,
            demand,
            fingerprints,
            target=_target_of(spec, each, fingerprints, is_one=is_one),
            price=find_price(spec.prices, demand.pods),
            load=describe_load(spec, each.benchmark.spec) if is_sizing else "",
        )
        for each, demand, fingerprints in zip(checked, demands, prints, strict=True)
    ]
    if is_sizing:
        planned.sort(key=lambda each: each.price or 0.0)
    elif spec.order is PointOrder.LISTED:
        planned = order_for_reuse(planned)
    else:
        planned = draw_order(planned, spec.seed, round_=1)
    before = [Fingerprints(), *(each.fingerprints for each in planned)]
    return tuple(
        replace(each, reuses=common_parts(last, each.fingerprints))
        for last, each in zip(before, planned, strict=False)
    )


def _target_of(
    spec: SweepSpec, checked: CheckedPoint, fingerprints: Fingerprints, *, is_one: bool
) -> str:
    """Return the `target` of a point; `is_one` if all points can use one SolrCloud."""
    benchmark = checked.benchmark.spec
    if benchmark.target.existing is not None:
        return hash_json(benchmark.target.model_dump(mode="json", exclude={"variants"}))
    if benchmark.load.repeats.start_on is RepeatStart.FRESH_TARGET:
        return ""
    if spec.rounds is not None:
        return fingerprints.cluster or "" if is_one else ""
    is_shared = spec.parallelism == 1 and fingerprints.cluster is not None
    return fingerprints.cluster or "" if is_shared else checked.point.name


def _is_short(sweep: SolrBenchmarkSweep, axes: Sequence[Values]) -> bool:
    """Return whether a ZooKeeper of the Solr Operator, whose names are long, may be wanted."""
    settings = [value.identity for values in axes for value in values]
    return '"Provided"' in json.dumps(sweep.spec.template.spec) + "".join(settings)


_REUSES = {
    None: "",
    Reuse.CLUSTER: "; on the same SolrCloud",
    Reuse.INDEX: "; on the same SolrCloud and index",
}


@dataclass(frozen=True)
class CheckedSweep:
    """A sweep as a file has it; one with problems has neither lines nor points.

    `lines` are number of points, time and resources; its benchmarks in their order; a warning.
    `largest` is the benchmark of the point with the most memory.
    """

    name: str
    problems: tuple[str, ...]
    lines: tuple[str, ...] = ()
    points: tuple[PlannedPoint, ...] = ()
    largest: SolrBenchmark | None = None


def check_sweep(body: dict[str, Any]) -> CheckedSweep:
    """Return what a sweep would do, or what is wrong with it."""
    name = str((body.get("metadata") or {}).get("name", "?"))
    try:
        sweep = SolrBenchmarkSweep.parse(body)
    except ValidationError as error:
        return CheckedSweep(name, tuple(problems(error)))
    plan = make_plan(sweep)
    if plan.problems:
        return CheckedSweep(name, plan.problems)
    lines = [_summary(plan, sweep.spec), *(_line(name, each, sweep.spec) for each in plan.points)]
    largest = max(plan.points, key=lambda e: (e.demand.total.memory_bytes, e.demand.total.cores))
    benchmark = SolrBenchmark.parse(build_child(sweep, largest.point))
    effect = benchmark.spec.comparison.smallest_effect_percent
    compared = sum(name != base for name, base in plan.find_baselines(sweep.spec).items())
    lines += filter(None, [warn_of_few_rounds(sweep.spec, compared, effect)])
    return CheckedSweep(name, (), tuple(lines), plan.points, benchmark)


def _summary(plan: SweepPlan, spec: SweepSpec) -> str:
    duration = sum((each.demand.duration for each in plan.points), NO_LOAD)
    totals = [each.demand.total for each in plan.points]
    cores = format_cores(max(each.cores for each in totals))
    memory = format_bytes(max(each.memory_bytes for each in totals))
    made = [each.demand.targets for each in plan.points if each.reuses is None]
    filled = [each.demand.indexes for each in plan.points if each.reuses is not Reuse.INDEX]
    points = count_noun(len(plan.points), "point")
    is_kept = plan.keeps_targets and len(made) < len(plan.points)
    which = "the first" if is_kept else "each"
    return (
        f"{points}, {duration_text(duration)} of load; the largest requests"
        f" {cores} and {memory}; targets are made {_times(made)}, indexes"
        f" filled {_times(filled)}{_rounds(spec, duration, which)}"
    )


def _times(made: Iterable[tuple[int, int]]) -> str:
    """Return how often something is made at least and at most, such as `6 to 10 times`."""
    least, most = (sum(bounds) for bounds in zip((0, 0), *made, strict=True))
    times = count_noun(most, "time")
    return times if least == most else f"{least:,} to {times}"


def _rounds(spec: SweepSpec, duration: LoadDuration, which: str) -> str:
    """Return `which` round a number is of, how many there are, and how long their load takes."""
    if spec.rounds is None:
        return ""
    _, least, most = spec.rounds
    time = duration_text(rounds_of(duration, least, most))
    number = f"{most}" if least == most else f"{least} to {most}"
    return f" in {which} round; {number} rounds, {time} of load in all"


def _line(sweep: str, planned: PlannedPoint, spec: SweepSpec) -> str:
    price = ""
    if planned.price is not None and spec.prices is not None:
        price = f", {format_number(planned.price)} {spec.prices.currency}/h"
    baseline = " (baseline)" if planned.point.is_baseline else ""
    total = planned.demand.total
    return (
        f"{benchmark_name(sweep, planned.point.name)}: {planned.point.text}{baseline};"
        f" {duration_text(planned.demand.duration)}, {format_cores(total.cores)},"
        f" {format_bytes(total.memory_bytes)}{price}{_REUSES[planned.reuses]}"
    )
