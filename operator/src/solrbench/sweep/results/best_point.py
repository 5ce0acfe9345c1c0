"""The best point of a sweep, and what it costs."""

from collections.abc import Sequence

from solrbench.api.v1alpha1.status.summaries import Summary
from solrbench.api.v1alpha1.sweep.spec import Metric, SweepSpec
from solrbench.api.v1alpha1.sweep.status import BestPoint, SweepPoint
from solrbench.sweep.plan import PlannedPoint, SweepPlan
from solrbench.sweep.states import is_valid


def figure_of(point: SweepPoint | Summary, metric: Metric) -> float | None:
    """Return the figure of a point, or of one of its benchmarks, that points are compared by."""
    if metric is Metric.REQUESTS_PER_SECOND:
        return point.requests_per_second
    return point.p95_milliseconds


def find_best(spec: SweepSpec, plan: SweepPlan, points: Sequence[SweepPoint]) -> BestPoint | None:
    """Return the best valid point; of equal ones the cheaper, then the earlier one.

    Args:
        spec: of the sweep
        plan: its plan
        points: the points of the plan, in its order

    """
    metric = spec.objective.metric
    candidates = [
        (_rank(figure, metric, planned, place), planned, each)
        for place, (planned, each) in enumerate(zip(plan.points, points, strict=True))
        if is_valid(each) and (figure := figure_of(each, metric)) is not None
    ]
    if not candidates:
        return None
    _, planned, best = min(candidates, key=lambda candidate: candidate[0])
    return _describe(planned, best)


def _rank(
    figure: float, metric: Metric, planned: PlannedPoint, place: int
) -> tuple[float, int, float, int]:
    worse = -figure if metric is Metric.REQUESTS_PER_SECOND else figure
    cost = planned.demand.target
    return worse, cost.memory_bytes, cost.cores, place


def _describe(planned: PlannedPoint, point: SweepPoint) -> BestPoint:
    cost = planned.demand.target
    return BestPoint(
        name=point.name,
        values=planned.point.text,
        requests_per_second=point.requests_per_second,
        p95_milliseconds=point.p95_milliseconds,
        cores=round(cost.cores, 3),
        memory_bytes=cost.memory_bytes,
    )
