"""From an observed sweep to its next status and the benchmarks to apply.

The status is stored before a benchmark is made: whatever happens in between, the next reconcile
finds the point under way and makes the same benchmark. A point whose end is stored is never begun
again.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from solrbench.api.v1alpha1.sweep.status import SweepPoint, SweepStatus
from solrbench.api.v1alpha1.sweep.sweep import SolrBenchmarkSweep
from solrbench.decide.conditions import ACCEPTED, SUCCEEDED
from solrbench.reasons.kinds import Reason
from solrbench.reasons.sweep import SweepReason
from solrbench.sweep.describe import MOST_NAMED, describe_status, has_stopped
from solrbench.sweep.points import Point
from solrbench.sweep.states import PointState, begin_points, count_points, end_points, list_points
from solrbench.sweep.views import SweepObservation


@dataclass(frozen=True)
class SweepDecision:
    """What is to be done.

    Attributes:
        status: to be stored
        applied: the points whose benchmarks are to be applied once it is

    """

    status: SweepStatus
    applied: tuple[Point, ...] = ()


@dataclass(frozen=True)
class _Obstacle:
    """Why no point may begin."""

    reason: Reason
    message: str


def decide_sweep(seen: SweepObservation) -> SweepDecision:
    """Return the next status of a sweep and the benchmarks that it needs."""
    obstacle = _find_obstacle(seen)
    if obstacle is not None:
        return SweepDecision(_hold(seen, obstacle))
    listed = list_points(seen.plan.points, seen.stored)
    points = end_points(listed, seen.children, seen.sweep.spec.objective.metric)
    points = begin_points(points, _places(seen, points))
    status = describe_status(seen, points)
    return SweepDecision(status, _to_apply(seen, points))


def _find_obstacle(seen: SweepObservation) -> _Obstacle | None:
    fixed = seen.sweep.status.fixed_hash
    if fixed is not None and fixed != seen.plan.fixed_hash:
        return _Obstacle(
            SweepReason.SWEEP_CHANGED,
            "spec.template, spec.baseline and the fields of spec.axes must not change once a point"
            " has begun: change them back, or create another sweep",
        )
    if seen.plan.problems:
        return _Obstacle(SweepReason.INVALID_POINTS, "; ".join(seen.plan.problems))
    planned = {each.point.name for each in seen.plan.points}
    lost = [
        name
        for name, each in seen.stored.items()
        if each.state != PointState.PLANNED and name not in planned
    ]
    if not lost:
        return None
    names = ", ".join(lost[:MOST_NAMED])
    return _Obstacle(
        SweepReason.POINTS_REMOVED,
        f"{len(lost)} points that have begun are in the sweep no more: {names}; put their values"
        " back, or create another sweep",
    )


def _hold(seen: SweepObservation, obstacle: _Obstacle) -> SweepStatus:
    """Return the status of a sweep that begins nothing; what is under way goes on."""
    stored = seen.sweep.status
    points = end_points(stored.points, seen.children, seen.sweep.spec.objective.metric)
    conditions = seen.conditions()
    conditions.set(ACCEPTED, "False", obstacle.reason, obstacle.message)
    conditions.set(SUCCEEDED, "Unknown", obstacle.reason, obstacle.message)
    return stored.model_copy(
        update={
            "observed_generation": seen.sweep.metadata.generation,
            "phase": "Pending" if stored.start_time is None else "Held",
            "counts": count_points(points),
            "points": points,
            "conditions": conditions.as_list(),
        }
    )


def _places(seen: SweepObservation, points: list[SweepPoint]) -> int:
    """Return how many points may be under way."""
    spec = seen.sweep.spec
    if spec.suspend or has_stopped(seen, points):
        return 0
    return min(spec.parallelism, seen.concurrency)


def _to_apply(seen: SweepObservation, points: list[SweepPoint]) -> tuple[Point, ...]:
    """Return the points under way whose benchmark is missing, or is to be changed."""
    spec = seen.sweep.spec
    wanted = (spec.suspend, spec.cleanup.value)
    found: list[Point] = []
    for planned, each in zip(seen.plan.points, points, strict=True):
        child = seen.children.get(each.name)
        if each.state == PointState.RUNNING and (
            child is None or (child.suspend, child.cleanup) != wanted
        ):
            found.append(planned.point)
    return tuple(found)


def decide_expiry(sweep: SolrBenchmarkSweep, now: datetime) -> timedelta | None:
    """Return how long a finished sweep still lives; `None` if it is kept."""
    ttl, ended = sweep.spec.ttl_seconds_after_finished, sweep.status.completion_time
    if ttl is None or ended is None:
        return None
    return max(ended + timedelta(seconds=ttl) - now, timedelta())
