"""From an observed sweep to its next status and the benchmarks to apply.

The status is stored before a benchmark is made: whatever happens in between, the next reconcile
finds the point under way and makes the same benchmark. A point whose end is stored is never begun
again.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from solrbench.api.v1alpha1.sweep.status import SweepEstimate, SweepPoint, SweepStatus
from solrbench.api.v1alpha1.sweep.sweep import SolrBenchmarkSweep
from solrbench.decide.conditions import ACCEPTED, SUCCEEDED, SWEEP_TYPES, Conditions, Truth
from solrbench.reasons.kinds import Reason
from solrbench.reasons.lifecycle import LifecycleReason
from solrbench.reasons.sweep import SweepReason
from solrbench.sweep.answers import answer_sweep
from solrbench.sweep.outcome import find_best
from solrbench.sweep.plan import SweepPlan
from solrbench.sweep.points import Point, benchmark_name
from solrbench.sweep.states import (
    FINAL,
    MEASURED,
    PointState,
    begin_points,
    count_points,
    end_points,
    list_points,
)
from solrbench.sweep.views import ChildView

MOST_NAMED = 5


@dataclass(frozen=True)
class SweepObservation:
    """A sweep as it was found.

    Attributes:
        sweep: as it is stored
        plan: by its spec
        children: the benchmarks of points that are not over, by the names of points
        now: time of the observation
        concurrency: how many benchmarks the operator runs at a time

    """

    sweep: SolrBenchmarkSweep
    plan: SweepPlan
    children: Mapping[str, ChildView]
    now: datetime
    concurrency: int

    @property
    def stored(self) -> dict[str, SweepPoint]:
        """The points of the stored status by name."""
        return {each.name: each for each in self.sweep.status.points}


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
    status = _describe(seen, points)
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
    conditions = _conditions(seen)
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
    if spec.suspend or _has_stopped(seen, points):
        return 0
    return min(spec.parallelism, seen.concurrency)


def _has_stopped(seen: SweepObservation, points: list[SweepPoint]) -> bool:
    return seen.sweep.spec.fail_fast and any(each.state == PointState.FAILED for each in points)


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


def _conditions(seen: SweepObservation) -> Conditions:
    return Conditions(
        seen.sweep.status.conditions, seen.now, seen.sweep.metadata.generation, SWEEP_TYPES
    )


def _describe(seen: SweepObservation, points: list[SweepPoint]) -> SweepStatus:
    """Return the status of a sweep whose points are valid."""
    stored, conditions = seen.sweep.status, _conditions(seen)
    conditions.set(ACCEPTED, "True", SweepReason.POINTS_ACCEPTED, "")
    phase, truth, reason, message = _summarize(seen, points)
    conditions.set(SUCCEEDED, truth, reason, message)
    is_over = truth != "Unknown"
    has_begun = any(each.state != PointState.PLANNED for each in points)
    finished = stored.finished_seconds + _newly_finished_seconds(seen, points)
    points, answers = _answer(seen, points)
    return stored.model_copy(
        update={
            "observed_generation": seen.sweep.metadata.generation,
            "phase": phase,
            "progress_percent": _progress(seen, points),
            "start_time": stored.start_time or (seen.now if has_begun else None),
            "completion_time": (stored.completion_time or seen.now) if is_over else None,
            "fixed_hash": seen.plan.fixed_hash if has_begun else None,
            "finished_seconds": finished,
            "counts": count_points(points),
            "estimate": _estimate(seen, points, finished),
            "points": points,
            "answers": answers,
            "best": find_best(seen.sweep.spec, seen.plan, points),
            "conditions": conditions.as_list(),
        }
    )


def _answer(seen: SweepObservation, points: list[SweepPoint]) -> tuple[list[SweepPoint], list[str]]:
    """Return the points with their words, and the answers; as stored unless a point has ended."""
    if _ended(points) == _ended(seen.stored.values()):
        return points, list(seen.sweep.status.answers)
    words, answers = answer_sweep(seen.sweep.spec, seen.plan, points)
    return [each.model_copy(update={"word": words.get(each.name)}) for each in points], answers


def _ended(points: Iterable[SweepPoint]) -> set[str]:
    return {each.name for each in points if each.state in FINAL}


def _summarize(seen: SweepObservation, points: list[SweepPoint]) -> tuple[str, Truth, Reason, str]:
    """Return the phase, and status, reason and message of the condition Succeeded."""
    name = seen.sweep.metadata.name
    running = [benchmark_name(name, p.name) for p in points if p.state == PointState.RUNNING]
    failed = [benchmark_name(name, p.name) for p in points if p.state == PointState.FAILED]
    left = sum(each.state not in FINAL for each in points)
    failures = f"{len(failed)} of {len(points)} points failed: {', '.join(failed[:MOST_NAMED])}"
    if not left:
        if failed:
            return "Failed", "False", SweepReason.POINTS_FAILED, failures
        return "Succeeded", "True", LifecycleReason.SUCCEEDED, f"{len(points)} points are measured"
    if seen.sweep.spec.suspend:
        return "Suspended", "Unknown", LifecycleReason.SUSPENDED, "spec.suspend is true"
    if not running and _has_stopped(seen, points):
        return "Failed", "False", SweepReason.STOPPED_AFTER_FAILURE, failures
    text = f"{', '.join(running[:MOST_NAMED])} under way, {left - len(running)} points to come"
    return "Running", "Unknown", SweepReason.RUNNING_POINTS, text


def _progress(seen: SweepObservation, points: list[SweepPoint]) -> int:
    parts = [
        100 if each.state in FINAL else child.progress_percent if child is not None else 0
        for each in points
        for child in (seen.children.get(each.name),)
    ]
    done = all(each.state in FINAL for each in points)
    return 100 if done else min(99, sum(parts) // max(1, len(parts)))


def _newly_finished_seconds(seen: SweepObservation, points: list[SweepPoint]) -> int:
    """Return what points that have just ended took beyond their steps."""
    total = 0.0
    for planned, each in zip(seen.plan.points, points, strict=True):
        before, child = seen.stored.get(each.name), seen.children.get(each.name)
        if each.state in MEASURED and child is not None and before is not None:
            is_new = before.state == PointState.RUNNING
            total += max(0.0, child.seconds - planned.demand.step_seconds) if is_new else 0.0
    return round(total)


def _estimate(seen: SweepObservation, points: list[SweepPoint], finished: int) -> SweepEstimate:
    left = [
        planned.demand
        for planned, each in zip(seen.plan.points, points, strict=True)
        if each.state not in FINAL
    ]
    succeeded = sum(each.state in MEASURED for each in points)
    beside = finished / succeeded if succeeded else 0.0
    totals = [each.demand.total for each in seen.plan.points]
    return SweepEstimate(
        remaining_seconds=round(sum(each.step_seconds + beside for each in left)),
        max_cores=round(max(each.cores for each in totals), 3),
        max_memory_bytes=max(each.memory_bytes for each in totals),
    )


def decide_expiry(sweep: SolrBenchmarkSweep, now: datetime) -> timedelta | None:
    """Return how long a finished sweep still lives; `None` if it is kept."""
    ttl, ended = sweep.spec.ttl_seconds_after_finished, sweep.status.completion_time
    if ttl is None or ended is None:
        return None
    return max(ended + timedelta(seconds=ttl) - now, timedelta())
