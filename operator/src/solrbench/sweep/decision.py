"""From an observed sweep to its next status and the benchmarks to apply.

The status is stored before a benchmark is made: whatever happens in between, the next reconcile
finds the point under way and makes the same benchmark. A point whose end is stored is never begun
again.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from solrbench.api.v1alpha1.sweep import SolrBenchmarkSweep, SweepStatus, SweepTarget
from solrbench.api.v1alpha1.sweep_spec import PointOrder
from solrbench.contract.step_runs import ANNOTATION_PREVIOUS
from solrbench.decide.conditions import ACCEPTED, SUCCEEDED
from solrbench.reasons.kinds import Reason
from solrbench.reasons.lifecycle import SweepReason
from solrbench.stats.number_format import count_noun
from solrbench.sweep.description import MAX_NAMED, describe_status
from solrbench.sweep.plan import find_points_without_capacity
from solrbench.sweep.planned_points import PlannedPoint, draw_order
from solrbench.sweep.points import DesignPoint
from solrbench.sweep.rounds import finish_points, plan_next_round
from solrbench.sweep.sizing import plan_sizing
from solrbench.sweep.state import (
    PointState,
    SweepObservation,
    count_points,
    has_stopped,
    list_points,
    round_of,
)
from solrbench.sweep.target_reuse import PointScheduler, target_annotations


@dataclass(frozen=True)
class SweepDecision:
    """What is to be done: `status` is stored, then benchmarks are applied and idle targets removed.

    In this order, whatever happens in between, the next reconcile finds what has begun.
    """

    status: SweepStatus
    applied: tuple[DesignPoint, ...] = ()
    suspended: tuple[str, ...] = ()
    """Names of the points under way whose benchmark gets the `suspend` of a sweep that is held."""


def decide_sweep(seen: SweepObservation) -> SweepDecision:
    """Return the next status of a sweep and the benchmarks that it needs."""
    blocker = _find_blocker(seen)
    if blocker is not None:
        held = _hold(seen, *blocker)
        return SweepDecision(held, suspended=_to_suspend(seen, held))
    spec = seen.sweep.spec
    listed = list_points(seen.plan.points, seen.stored)
    stored = seen.sweep.status
    points, round_ = finish_points(listed, seen.children, spec, stored.round), stored.round
    due: frozenset[str] | None = None
    is_stopped = has_stopped(spec, points)
    places = 0 if spec.suspend or is_stopped else min(spec.parallelism, seen.concurrency)
    if spec.rounds is None or is_stopped:
        pass  # no point is repeated
    elif spec.objective.is_sizing:
        points, due = plan_sizing(spec, spec.rounds, seen.plan, points, places)
        round_ = max(map(round_of, points))
    else:
        points, round_ = plan_next_round(spec, spec.rounds, seen.plan, points, round_)
    targets = {each.name: each for each in stored.targets}
    if round_ > stored.round and not seen.plan.keeps_targets:
        # Without the point that used them last, no other one takes them over. Those of failed
        # points may be kept, and are not taken over anyway.
        failed = {each.name for each in points if each.state == PointState.FAILED}
        targets = {
            name: each if each.point in failed else SweepTarget(name=name)
            for name, each in targets.items()
        }
    in_turn: Sequence[PlannedPoint] = seen.plan.points
    if spec.order is PointOrder.RANDOM and round_ > 1 and due is None:
        in_turn = draw_order(in_turn, spec.seed, round_)
    sweep, by_name = seen.sweep.metadata.name, {each.name: each for each in points}
    scheduler = PointScheduler(sweep, in_turn, by_name, targets, places, due)
    scheduler.give_up_targets(seen.children, seen.now)
    scheduler.begin_points()
    points = [*scheduler.points.values()]
    status = describe_status(seen, points).model_copy(
        update={"targets": [*scheduler.targets.values()], "round": round_}
    )
    return SweepDecision(status, _to_apply(seen, status))


def _find_blocker(seen: SweepObservation) -> tuple[Reason, str] | None:
    """Return reason and message if no point may begin."""
    if seen.plan.problems:
        return SweepReason.INVALID_POINTS, "; ".join(seen.plan.problems)
    fixed = seen.sweep.status.fixed_hash
    if fixed is not None and fixed != seen.plan.fixed_hash:
        return SweepReason.SWEEP_CHANGED, (
            "spec.template, the fields of spec.axes and the baseline (spec.baseline, else the first"
            " values) must not change once a point has begun: change them back, or create another"
            " sweep"
        )
    planned = {point.point.name for point in seen.plan.points}
    lost = [
        name
        for name, point in seen.stored.items()
        if name not in planned
        # Between two rounds, one that was measured is planned.
        and (point.rounds or point.state not in (PointState.PLANNED, PointState.NOT_MEASURED))
    ]
    if lost:
        names = ", ".join(lost[:MAX_NAMED])
        which = count_noun(len(lost), "point that has begun is", "points that have begun are")
        return SweepReason.POINTS_REMOVED, (
            f"{which} in the sweep no more: {names}; put the values back, or create another sweep"
        )
    if seen.room is None or not seen.sweep.spec.check_room:
        return None
    without = find_points_without_capacity(seen.plan.points, seen.room)
    return (SweepReason.POINTS_DO_NOT_FIT, "; ".join(without)) if without else None


def _hold(seen: SweepObservation, reason: Reason, message: str) -> SweepStatus:
    """Return the status of a sweep that begins nothing; what is under way goes on."""
    stored = seen.sweep.status
    points = finish_points(stored.points, seen.children, seen.sweep.spec, stored.round)
    conditions = seen.conditions()
    conditions.set(ACCEPTED, "False", reason, message)
    conditions.set(SUCCEEDED, "Unknown", reason, message)
    return stored.model_copy(
        update={
            "observed_generation": seen.sweep.metadata.generation,
            "phase": "Pending" if stored.start_time is None else "Held",
            "completion_time": None,
            "counts": count_points(points),
            "points": points,
            "conditions": conditions.as_list(),
        }
    )


def _to_suspend(seen: SweepObservation, status: SweepStatus) -> tuple[str, ...]:
    """Return the points under way that go on while their sweep is suspended, or the reverse.

    Nothing else of their benchmarks is changed: the spec may be another than they were made of.
    """
    wanted, children = seen.sweep.spec.suspend, seen.children
    running = (each.name for each in status.points if each.state == PointState.RUNNING)
    return tuple(name for name in running if name in children and children[name].suspend != wanted)


def _to_apply(seen: SweepObservation, status: SweepStatus) -> tuple[DesignPoint, ...]:
    """Return the points under way whose benchmark is missing, or is to be changed."""
    spec, name = seen.sweep.spec, seen.sweep.metadata.name
    points: list[DesignPoint] = []
    for planned, point in zip(seen.plan.points, status.points, strict=True):
        child = seen.children.get(point.name)
        previous = target_annotations(name, point, status.targets).get(ANNOTATION_PREVIOUS)
        wanted = (spec.suspend, spec.cleanup.value, previous)
        if point.state == PointState.RUNNING and (
            child is None or (child.suspend, child.cleanup, child.previous) != wanted
        ):
            points.append(planned.point)
    return tuple(points)


def decide_expiry(sweep: SolrBenchmarkSweep, now: datetime) -> timedelta | None:
    """Return how long a finished sweep still lives; `None` if it is kept."""
    ttl, ended = sweep.spec.ttl_seconds_after_finished, sweep.status.completion_time
    if ttl is None or ended is None:
        return None
    return max(ended + timedelta(seconds=ttl) - now, timedelta())
