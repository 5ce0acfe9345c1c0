"""The status of a sweep whose points are valid: what to print, to answer and to expect."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from solrbench.analysis.sentences import shorten_sentence
from solrbench.api.v1alpha1.sweep import MAX_BEST, SweepEstimate, SweepPoint, SweepStatus
from solrbench.decide.conditions import ACCEPTED, SUCCEEDED, Truth
from solrbench.reasons.kinds import Kind, Reason
from solrbench.reasons.lifecycle import LifecycleReason, SweepReason
from solrbench.reasons.registry import find_reason
from solrbench.stats.number_format import count_noun
from solrbench.sweep.answers import upgrade_sentences
from solrbench.sweep.conclusions import answer_sweep, shorten_answers
from solrbench.sweep.differences import describe_best
from solrbench.sweep.points import benchmark_name
from solrbench.sweep.rounds import count_rounds_left
from solrbench.sweep.sizing_answers import answer_sizing, count_rounds
from solrbench.sweep.state import (
    FINAL,
    PointState,
    SweepObservation,
    count_ended,
    count_points,
    has_stopped,
    round_of,
)

MAX_NAMED = 5
MAX_CHARACTERS = 300
"""Of what is in the way of one point."""


def describe_status(seen: SweepObservation, points: Sequence[SweepPoint]) -> SweepStatus:
    """Return the status of a sweep whose points are valid."""
    stored, conditions = seen.sweep.status, seen.conditions()
    conditions.set(ACCEPTED, "True", SweepReason.POINTS_ACCEPTED, "")
    phase, truth, reason, message = _summarize(seen, points)
    conditions.set(SUCCEEDED, truth, reason, message)
    is_over = truth != "Unknown"
    # Between two rounds, all may be planned.
    has_begun = any(point.state != PointState.PLANNED or point.rounds for point in points)
    finished = stored.finished_seconds + _newly_finished_seconds(seen, points)
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
            "answer_comparisons": list(seen.answers),
            **(_size(seen, points) or _answer(seen, points)),
            "conditions": conditions.as_list(),
        }
    )


def _answer(seen: SweepObservation, points: Sequence[SweepPoint]) -> dict[str, Any]:
    """Return points, answers and best points anew if anything was measured, or changed, since.

    A sweep of 500 points takes seconds for its tests, and is reconciled more often than that.
    """
    stored = seen.sweep.status
    # Of one that failed, the rounds before count no more.
    measured = count_ended(each for each in points if each.state != PointState.FAILED)
    before = stored.answered_points, stored.counts.failed, stored.observed_generation
    if before == (measured, count_points(points).failed, seen.sweep.metadata.generation):
        return {"points": points}
    found, answers, best = answer_sweep(seen.sweep.spec, seen.plan, points)
    planned = {each.point.name: each.point for each in seen.plan.points}
    compared = [each for each in seen.answers if each.conclusion is not None]
    not_compared = [each for each in seen.answers if each.conclusion is None]
    first, last = (
        upgrade_sentences(each, planned, points, found) for each in (compared, not_compared)
    )
    answers = shorten_answers([*first, *answers, *last], len(points))
    worded = []
    for point in points:
        difference = found.get(point.name)
        conclusion = None if difference is None else difference.conclusion
        is_one = difference is not None and conclusion is not None and difference.on_target
        update = {"conclusion": conclusion, "on_target": is_one or None}
        worded.append(point.model_copy(update=update))
    return {"points": worded, "answers": answers, "answered_points": measured, "best": best}


def _size(seen: SweepObservation, points: Sequence[SweepPoint]) -> dict[str, Any]:
    """Return what a sizing has found, and its answers; nothing in other sweeps."""
    sizing = answer_sizing(seen.sweep.spec, seen.plan, points)
    if not sizing:
        return {}
    answers = [*(each.message for each in sizing), count_rounds(seen.sweep.spec, points)]
    pairs = zip(seen.plan.points, points, strict=True)
    known = {point.name: (planned, point) for planned, point in pairs}
    best = [
        describe_best(each.condition, *known[each.point])
        for each in sizing[:MAX_BEST]
        if each.point is not None
    ]
    return {
        "sizing": sizing,
        "answers": shorten_answers(answers, len(points)),
        "answered_points": count_ended(points),
        "best": best,
    }


def _summarize(
    seen: SweepObservation, points: Sequence[SweepPoint]
) -> tuple[str, Truth, Reason, str]:
    """Return the phase, and status, reason and message of the condition Succeeded."""
    running = [_benchmark(seen, p) for p in points if p.state == PointState.RUNNING]
    failed = [_benchmark(seen, p) for p in points if p.state == PointState.FAILED]
    left = sum(each.state not in FINAL for each in points)
    failures = f"{len(failed)} of {len(points)} points failed: {', '.join(failed[:MAX_NAMED])}"
    if not left:
        if failed:
            return "Failed", "False", SweepReason.POINTS_FAILED, failures
        excluded = sum(each.state == PointState.NOT_MEASURED for each in points)
        text = f"{count_noun(len(points) - excluded, 'point is', 'points are')} measured"
        text += f", {excluded} cannot be the cheapest" if excluded else ""
        return "Succeeded", "True", LifecycleReason.SUCCEEDED, text
    if seen.sweep.spec.suspend:
        return "Suspended", "Unknown", LifecycleReason.SUSPENDED, "spec.suspend is true"
    if not running and has_stopped(seen.sweep.spec, points):
        return "Failed", "False", SweepReason.STOPPED_AFTER_FAILURE, failures
    text = f"{', '.join(running[:MAX_NAMED])} under way, " if running else ""
    text += f"{count_noun(left - len(running), 'point')} to come"
    text += "".join(f"; {each}" for each in islice(_blockers(seen, points), MAX_NAMED))
    return "Running", "Unknown", SweepReason.RUNNING_POINTS, text


def _benchmark(seen: SweepObservation, point: SweepPoint) -> str:
    return benchmark_name(seen.sweep.metadata.name, point.name, round_of(point))


def _blockers(seen: SweepObservation, points: Sequence[SweepPoint]) -> Iterator[str]:
    """Yield what is in the way of points under way: pods that are refused, images, nodes."""
    for point in points:
        child = seen.children.get(point.name)
        reason = None if child is None else find_reason(child.reason)
        if child is not None and reason is not None and reason.kind is Kind.WARNING:
            name = _benchmark(seen, point)
            yield f"{name}: {reason}: {shorten_sentence(child.message, MAX_CHARACTERS)}"


def _progress(seen: SweepObservation, points: Sequence[SweepPoint]) -> int:
    parts = [_progress_of(seen, point) for point in points]
    done = all(point.state in FINAL for point in points)
    # A benchmark is at 100 % before its end is stored.
    return 100 if done else min(99, sum(parts) // max(1, len(parts)))


def _progress_of(seen: SweepObservation, point: SweepPoint) -> int:
    """Return the progress of a point, over the rounds that are known to be needed."""
    child = seen.children.get(point.name)
    ended = 100 * count_ended([point])
    begun = child.progress_percent if child is not None and point.state == PointState.RUNNING else 0
    left = count_rounds_left(seen.sweep.spec, point)
    if point.state in FINAL and not left:
        return 100
    return (ended + begun) // (count_ended([point]) + left)


def _newly_finished_seconds(seen: SweepObservation, points: Sequence[SweepPoint]) -> int:
    """Return what points that have just ended took beyond their steps."""
    total = 0.0
    for planned, point in zip(seen.plan.points, points, strict=True):
        before, child = seen.stored.get(point.name), seen.children.get(point.name)
        # One that has ended may have begun its next round by now.
        is_new = before is not None and count_ended([point]) > count_ended([before])
        if is_new and child is not None:
            total += max(0.0, child.seconds - planned.demand.duration.shortest_seconds)
    return round(total)


def _estimate(seen: SweepObservation, points: Sequence[SweepPoint], finished: int) -> SweepEstimate:
    left = [
        planned.demand
        for planned, each in zip(seen.plan.points, points, strict=True)
        for _ in range(count_rounds_left(seen.sweep.spec, each))
    ]
    succeeded = count_ended(points)
    beside = finished / succeeded if succeeded else 0.0
    totals = [each.demand.total for each in seen.plan.points]
    before, room = seen.sweep.status.estimate, seen.room
    if room is not None:
        room = room.for_pods(pod for each in seen.plan.points for pod in each.demand.pods)
    return SweepEstimate(
        allocatable_cores=before.allocatable_cores if room is None else round(room.cores, 3),
        allocatable_memory_bytes=(
            before.allocatable_memory_bytes if room is None else room.memory_bytes
        ),
        remaining_seconds=round(sum(each.duration.shortest_seconds + beside for each in left)),
        max_cores=round(max(each.cores for each in totals), 3),
        max_memory_bytes=max(each.memory_bytes for each in totals),
    )
