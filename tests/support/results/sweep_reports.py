"""A sweep over two crossed axes with figures, and its report; also one of 500 points."""

from datetime import UTC, datetime

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.conditions import Condition
from solrbench.api.v1alpha1.sweep import SolrBenchmarkSweep, SweepPoint, SweepStatus
from solrbench.present.sweeps.report import SweepReport
from solrbench.present.sweeps.results import build_sweep_report
from solrbench.sweep.conclusions import answer_sweep
from solrbench.sweep.plan import make_plan
from solrbench.sweep.planned_points import PlannedPoint
from solrbench.sweep.state import count_points
from solrbench.sweep.validation import build_child
from support.resources.small_sweep import parse_sweep
from support.results.compared_figures import spread
from support.results.full_benchmark import COLD_START
from support.results.reports import make_report
from support.results.statuses import full_status

NOW = datetime(2026, 11, 20, 10, tzinfo=UTC)
FAILED, INVALID = (0, 1), (2, 1)
"""Places of the values of the points that ended so."""
PENDING = "2 pods of Solr cannot be scheduled: 1 Insufficient memory"


def full_sweep(repeats: int = 5) -> SolrBenchmarkSweep:
    """Return a sweep with design Full whose points are measured; one failed, one is Invalid."""
    return _measure(parse_sweep({"spec.design": "Full"}), repeats)


def large_report() -> SweepReport:
    """Return the report of a sweep of 500 points: 20 heaps, each with 1 to 25 users."""
    heaps = [f"{each}Mi" for each in range(512, 832, 16)]
    axes = [
        {"name": "heap", "field": "target.solrCloud.heap", "values": heaps},
        {"name": "users", "field": "load.steps[0].users", "values": list(range(1, 26))},
    ]
    changes = {"spec.axes": axes, "spec.design": "Full", "spec.maxPoints": 500}
    report = _report(_measure(parse_sweep(changes), repeats=5, factors=(0.99, 1.08)))
    means = {"cold_start_average_milliseconds": [8.0 / each + 2 for each in range(1, 13)]}
    points = [
        point.model_copy(update={"cold_start": COLD_START} | means) for point in report.points
    ]
    return report.model_copy(update={"points": points})


def _measure(
    sweep: SolrBenchmarkSweep, repeats: int, factors: tuple[float, float] = (0.8, 0.7)
) -> SolrBenchmarkSweep:
    """Return it as measured: each value of an axis has the p95 of the one before, by its factor."""
    plan = make_plan(sweep)
    assert not plan.problems
    points = [_point(each, repeats, factors) for each in plan.points]
    found, answers, best = answer_sweep(sweep.spec, plan, points)
    points = [
        each.model_copy(update={"conclusion": found[each.name].conclusion, "on_target": True})
        if each.name in found
        else each
        for each in points
    ]
    status = SweepStatus(
        phase="Failed",
        start_time=NOW,
        completion_time=NOW,
        counts=count_points(points),
        points=points,
        answers=answers,
        best=best,
        conditions=[_condition("PointsFailed", "1 of 6 points failed")],
    )
    measured: SolrBenchmarkSweep = sweep.model_copy(update={"status": status})
    return measured


def full_report(repeats: int = 5) -> SweepReport:
    """Return its report, with the benchmarks of its points."""
    return _report(full_sweep(repeats))


def with_points(report: SweepReport, **changes: object) -> SweepReport:
    points = [each.model_copy(update=changes) for each in report.points]
    return report.model_copy(update={"points": points})


def _report(sweep: SolrBenchmarkSweep) -> SweepReport:
    environment = make_report().environment
    assert environment is not None
    benchmarks = [
        _benchmark(sweep, planned, point)
        for planned, point in zip(make_plan(sweep).points, sweep.status.points, strict=True)
    ]
    by_name = {each.metadata.name: each for each in benchmarks}
    return build_sweep_report(sweep, by_name, (sweep.status.points[0].name, environment))


def _point(planned: PlannedPoint, repeats: int, factors: tuple[float, float]) -> SweepPoint:
    heap, nodes = planned.point.indexes
    if (heap, nodes) == FAILED:
        return SweepPoint(
            name=planned.point.name, values=[heap, nodes], state="Failed", reason="PodsPending"
        )
    p95 = round(40 * factors[0] ** heap * factors[1] ** nodes, 3)
    return SweepPoint(
        name=planned.point.name,
        values=[heap, nodes],
        state="Invalid" if (heap, nodes) == INVALID else "Valid",
        requests_per_second=900 + 300 * nodes,
        p95_milliseconds=p95,
        failed_percent=0,
        repeats=repeats,
        deviation_percent=2 if repeats > 1 else None,
        repeat_values=spread(p95, repeats, 2) if repeats > 1 else None,
    )


def _benchmark(
    sweep: SolrBenchmarkSweep, planned: PlannedPoint, point: SweepPoint
) -> SolrBenchmark:
    full, found = full_status(), SolrBenchmark.parse(build_child(sweep, planned.point))
    status: dict[str, object] = {"objectives": full.objectives, "totals": full.totals}
    if point.state == "Failed":
        status = {"conditions": [_condition("PodsPending", PENDING)]}
    elif point.state == "Invalid":
        status["verdicts"] = full.verdicts
    return found.model_copy(update={"status": found.status.model_copy(update=status)})


def _condition(reason: str, message: str) -> Condition:
    return Condition(
        type="Succeeded", status="False", reason=reason, message=message, last_transition_time=NOW
    )
