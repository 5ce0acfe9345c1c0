"""The plan of a sweep: its points in their order with what each needs, or what is wrong."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass

from solrbench.api.v1alpha1.sweep.spec import PointOrder, PointTargetPolicy, SweepSpec
from solrbench.api.v1alpha1.sweep.sweep import SolrBenchmarkSweep
from solrbench.plan.shared_target import Reuse
from solrbench.sweep.expressions.exclusions import ExclusionError
from solrbench.sweep.needs.cluster_capacity import ClusterCapacity
from solrbench.sweep.needs.demand import Demand, measure_demand
from solrbench.sweep.needs.fingerprints import (
    Fingerprints,
    common_parts,
    order_for_reuse,
    take_fingerprints,
)
from solrbench.sweep.points import DesignError, Point, Values, make_points
from solrbench.sweep.validation import (
    MOST_NAMED,
    CheckedPoint,
    check_axes,
    check_design,
    check_names,
    check_number,
    check_points,
    check_rounds,
    check_template,
)


@dataclass(frozen=True)
class PlannedPoint:
    """A point and what it needs.

    Attributes:
        point: the point
        demand: time, CPU and memory
        fingerprints: of its target
        reuses: what it takes over from the point before it, if all go well one after another
        repeats: of its benchmark, at most

    """

    point: Point
    demand: Demand
    fingerprints: Fingerprints
    reuses: Reuse | None = None
    repeats: int = 1


@dataclass(frozen=True)
class SweepPlan:
    """The plan of a sweep.

    Attributes:
        points: in the order of measuring; empty if something is wrong
        problems: what is wrong, by point and field
        fixed_hash: of what must stay as it is once a point has begun
        repeats_per_round: repeats of the benchmarks of a round

    """

    points: tuple[PlannedPoint, ...]
    problems: tuple[str, ...]
    fixed_hash: str
    repeats_per_round: int = 1

    @property
    def baseline(self) -> PlannedPoint | None:
        """The point that the others are compared with."""
        return next((each for each in self.points if each.point.is_baseline), None)


def find_points_without_room(points: Sequence[PlannedPoint], room: ClusterCapacity) -> list[str]:
    """Return what is missing for which points, as many as a message has room for."""
    found: dict[str, list[str]] = {}
    for each in points:
        problem = room.find_problem(each.demand.pods)
        if problem is not None:
            found.setdefault(problem, []).append(each.point.text)
    return [
        f"point {'; '.join(names[:MOST_NAMED])}"
        f"{f' and {len(names) - MOST_NAMED} more' if len(names) > MOST_NAMED else ''}: {problem}"
        for problem, names in found.items()
    ][:MOST_NAMED]


def make_plan(sweep: SolrBenchmarkSweep) -> SweepPlan:
    """Return the plan of a sweep, with every problem that can be seen without a cluster."""
    points, problems = _plan_points(sweep)
    fixed = hash_fixed(sweep.spec)
    repeats = points[0].repeats if points else 1
    return SweepPlan(() if problems else points, tuple(problems), fixed, repeats)


def _plan_points(sweep: SolrBenchmarkSweep) -> tuple[tuple[PlannedPoint, ...], list[str]]:
    axes, problems = check_axes(sweep.spec.axes)
    problems += check_template(sweep) + check_design(sweep.spec) + check_number(sweep)
    problems += check_names(sweep, short=not problems and _is_short(sweep, axes))
    if problems:
        return (), problems
    try:
        made = make_points(sweep.metadata.name, sweep.spec, axes, short=_is_short(sweep, axes))
    except (DesignError, ExclusionError) as error:
        return (), [str(error)]
    if not any(each.is_baseline for each in made):
        return (), ["spec.baseline: must be a point of the sweep, add it or exclude less"]
    ordered = order_points(made, sweep.spec.order, sweep.spec.seed)
    checked, problems = check_points(sweep, ordered)
    problems += check_rounds(sweep.spec, checked)
    return () if problems else _plan_course(sweep.spec, checked), problems


def _plan_course(spec: SweepSpec, checked: Sequence[CheckedPoint]) -> tuple[PlannedPoint, ...]:
    """Return the points in the order in which they are measured, with what each takes over."""
    alone = spec.start_on is PointTargetPolicy.FRESH_TARGET
    prints = [Fingerprints() if alone else take_fingerprints(c.benchmark.spec) for c in checked]
    if spec.order is PointOrder.LISTED:
        places = order_for_reuse(prints)
        checked, prints = [checked[each] for each in places], [prints[each] for each in places]
    reuses = [common_parts(*pair) for pair in zip([Fingerprints(), *prints], prints, strict=False)]
    return tuple(
        PlannedPoint(each.point, measure_demand(spec), fingerprints, reuse, spec.load.repeats.most)
        for each, fingerprints, reuse in zip(checked, prints, reuses, strict=True)
        for spec in (each.benchmark.spec,)
    )


def _is_short(sweep: SolrBenchmarkSweep, axes: Sequence[Values]) -> bool:
    """Return whether a ZooKeeper of the Solr Operator, whose names are long, may be wanted."""
    settings = [value.identity for values in axes for value in values]
    return '"Provided"' in json.dumps(sweep.spec.template.spec) + "".join(settings)


def hash_fixed(spec: SweepSpec) -> str:
    """Return a hash of the template, the baseline and the fields of the axes."""
    fixed = [
        spec.template.model_dump(mode="json"),
        spec.baseline,
        [[axis.name, axis.paths] for axis in spec.axes],
    ]
    return hashlib.sha256(json.dumps(fixed, sort_keys=True).encode()).hexdigest()[:16]


def order_points(points: Sequence[Point], order: PointOrder, seed: int) -> tuple[Point, ...]:
    """Return the points in their order.

    A random order ranks each point by a hash of the seed and its name, so points that are added
    later do not change the order of the others.
    """
    if order is PointOrder.LISTED:
        return tuple(points)
    return tuple(sorted(points, key=lambda point: _rank(seed, point.name)))


def _rank(seed: int, name: str) -> bytes:
    return hashlib.sha256(f"{seed}/{name}".encode()).digest()
