"""A sweep checked without a cluster, in words."""

from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from solrbench.api.problems import problems
from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.sweep.spec import SweepSpec
from solrbench.api.v1alpha1.sweep.sweep import SolrBenchmarkSweep
from solrbench.plan.shared_target import Reuse
from solrbench.results.stats.number_format import format_number
from solrbench.sweep.child import build_child
from solrbench.sweep.needs.demand import Amounts
from solrbench.sweep.needs.load_duration import (
    NO_LOAD,
    LoadDuration,
    duration_text,
    rounds_of,
)
from solrbench.sweep.plan import PlannedPoint, SweepPlan, make_plan
from solrbench.sweep.points import benchmark_name

_REUSES = {
    None: "",
    Reuse.CLUSTER: "; on the same SolrCloud",
    Reuse.INDEX: "; on the same SolrCloud and index",
}


@dataclass(frozen=True)
class CheckedSweep:
    """A sweep as a file has it.

    Attributes:
        name: of the sweep
        problems: what is wrong, by point and field
        lines: number of points, time and resources; then its benchmarks in their order
        points: with what each needs

    """

    name: str
    problems: tuple[str, ...]
    lines: tuple[str, ...] = ()
    points: tuple[PlannedPoint, ...] = ()


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
    lines = (_summary(plan, sweep.spec), *(_line(name, each) for each in plan.points))
    return CheckedSweep(name, (), lines, plan.points)


def largest_benchmark(body: dict[str, Any]) -> SolrBenchmark | None:
    """Return the benchmark of the point with the most memory; None if the sweep is not valid."""
    try:
        sweep = SolrBenchmarkSweep.parse(body)
    except ValidationError:
        return None
    points = make_plan(sweep).points
    if not points:
        return None
    largest = max(points, key=lambda each: _size(each.demand.total))
    return SolrBenchmark.parse(build_child(sweep, largest.point))


def _size(amounts: Amounts) -> tuple[int, float]:
    return amounts.memory_bytes, amounts.cores


def _summary(plan: SweepPlan, spec: SweepSpec) -> str:
    duration = sum((each.demand.duration for each in plan.points), NO_LOAD)
    totals = [each.demand.total for each in plan.points]
    cores = format_number(max(each.cores for each in totals))
    memory = format_number(max(each.memory_bytes for each in totals) / 2**30)
    made = sum(each.reuses is None for each in plan.points)
    filled = sum(each.reuses is not Reuse.INDEX for each in plan.points)
    return (
        f"{len(plan.points)} points, {duration_text(duration)} of load; the largest requests"
        f" {cores} cores and {memory} GiB; targets are made {made} times, indexes filled"
        f" {filled} times{_rounds(plan, spec, duration)}"
    )


def _rounds(plan: SweepPlan, spec: SweepSpec, duration: LoadDuration) -> str:
    """Return how many rounds there are at least and at most, and how long their load takes."""
    if spec.repeats is None:
        return ""
    least = -(-spec.repeats.min // plan.repeats_per_round)
    most = max(least, spec.repeats.max // plan.repeats_per_round)
    time = duration_text(rounds_of(duration, least, most))
    return f" in each round; {least} to {most} rounds, {time} of load in all"


def _line(sweep: str, planned: PlannedPoint) -> str:
    baseline = " (baseline)" if planned.point.is_baseline else ""
    total = planned.demand.total
    cores, memory = format_number(total.cores), format_number(total.memory_bytes / 2**30)
    return (
        f"{benchmark_name(sweep, planned.point.name)}: {planned.point.text}{baseline};"
        f" {duration_text(planned.demand.duration)}, {cores} cores, {memory} GiB"
        f"{_REUSES[planned.reuses]}"
    )
