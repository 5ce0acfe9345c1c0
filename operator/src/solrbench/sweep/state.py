"""A sweep and the benchmarks of its points as observed, and its status one reconcile further."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from solrbench.api.v1alpha1.comparisons import AnswerComparison
from solrbench.api.v1alpha1.sweep import PointCounts, SolrBenchmarkSweep, SweepPoint
from solrbench.api.v1alpha1.sweep_spec import SweepSpec
from solrbench.contract.step_runs import ANNOTATION_PREVIOUS
from solrbench.decide.conditions import SUCCEEDED, SWEEP_TYPES, Conditions, stored_condition
from solrbench.decide.views import controller_uid
from solrbench.sweep.cluster_capacity import ClusterCapacity
from solrbench.sweep.objective_figure import drop_earlier_step
from solrbench.sweep.plan import SweepPlan
from solrbench.sweep.planned_points import PlannedPoint


@dataclass(frozen=True)
class ChildView:
    """The benchmark of a point as it is stored.

    Attributes:
        reason: of its condition Succeeded, as `message`
        seconds: from leaving the queue to its end; 0 if it never left it
        summary: as it is stored; without figures if its last step was not run
        telemetry: what the servers did in the step of the summary, as it is stored
        reuses: what it has of the target of the point before; None where that was made again
        waits_since: when it was made, if it has not begun
        previous: the name of the benchmark whose target it is to take over
        status: as it is stored, of which the figure of the objective is read
    """

    is_finished: bool
    has_succeeded: bool
    reason: str
    progress_percent: int
    seconds: float
    summary: dict[str, Any]
    telemetry: dict[str, Any]
    suspend: bool
    cleanup: str
    reuses: str | None = None
    waits_since: datetime | None = None
    previous: str | None = None
    message: str = ""
    status: Mapping[str, Any] = field(default_factory=dict)


def view_child(body: dict[str, Any] | None, owner_uid: str) -> ChildView | None:
    """Return what counts of a benchmark; `None` if it is not there or another's."""
    # The name alone says nothing: an earlier sweep of the same name may have made it.
    if body is None or controller_uid(body) != owner_uid:
        return None
    status, spec = drop_earlier_step(body.get("status") or {}), body.get("spec") or {}
    succeeded, summary = stored_condition(body, SUCCEEDED), status.get("summary") or {}
    metadata = body["metadata"]
    times = metadata.get("creationTimestamp"), status.get("startTime"), status.get("completionTime")
    created, start, end = (None if text is None else datetime.fromisoformat(text) for text in times)
    # With variants there are several: the summary is that of the first one.
    telemetry = (
        each for each in status.get("telemetry") or [] if each.get("step") == summary.get("step")
    )
    return ChildView(
        is_finished=succeeded.get("status") in ("True", "False"),
        has_succeeded=succeeded.get("status") == "True",
        reason=str(succeeded.get("reason", "")),
        progress_percent=int(status.get("progressPercent") or 0),
        seconds=(end - start).total_seconds() if start is not None and end is not None else 0.0,
        summary=dict(summary),
        telemetry=dict(next(telemetry, {})),
        suspend=bool(spec.get("suspend")),
        cleanup=str(spec.get("cleanup", "")),
        reuses=(status.get("target") or {}).get("reuses"),
        waits_since=created if start is None else None,
        previous=(metadata.get("annotations") or {}).get(ANNOTATION_PREVIOUS),
        message=str(succeeded.get("message", "")),
        status=status,
    )


@dataclass(frozen=True)
class SweepObservation:
    """A sweep as it is stored, and what surrounds it.

    Attributes:
        children: the benchmarks of points that are not over, by the names of points
        concurrency: how many benchmarks the operator runs at a time
        room: what the nodes could give; None if it is not known, or not looked at any more
        answers: those of the points that are measured beside those of the baseline
    """

    sweep: SolrBenchmarkSweep
    plan: SweepPlan
    children: Mapping[str, ChildView]
    now: datetime
    concurrency: int
    room: ClusterCapacity | None = None
    answers: Sequence[AnswerComparison] = ()

    @property
    def stored(self) -> dict[str, SweepPoint]:
        """The points of the stored status by name."""
        return {point.name: point for point in self.sweep.status.points}

    def conditions(self) -> Conditions:
        """Return the conditions, started from those stored."""
        metadata = self.sweep.metadata
        return Conditions(self.sweep.status.conditions, self.now, metadata.generation, SWEEP_TYPES)


class PointState(StrEnum):
    """State of a point."""

    PLANNED = "Planned"
    NOT_MEASURED = "NotMeasured"
    RUNNING = "Running"
    VALID = "Valid"
    INCONCLUSIVE = "Inconclusive"
    INVALID = "Invalid"
    FAILED = "Failed"


COMPARABLE = (PointState.VALID, PointState.INCONCLUSIVE)
MEASURED = (*COMPARABLE, PointState.INVALID)
FINAL = (*MEASURED, PointState.FAILED, PointState.NOT_MEASURED)


def is_valid(point: SweepPoint) -> bool:
    """Return whether no figure of a point is Invalid; it may be due for another round."""
    if point.state in (PointState.PLANNED, PointState.RUNNING):
        return point.repeats is not None
    return point.state in COMPARABLE


def ended_well(point: SweepPoint) -> bool:
    """Return whether the last benchmark of a point that is not under way has succeeded."""
    return point.state in MEASURED or bool(point.rounds and point.state == PointState.PLANNED)


def has_stopped(spec: SweepSpec, points: Iterable[SweepPoint]) -> bool:
    """Return whether no further point begins since one has failed."""
    return spec.fail_fast and any(point.state == PointState.FAILED for point in points)


def count_ended(points: Iterable[SweepPoint]) -> int:
    """Return how many benchmarks of all rounds have succeeded."""
    return sum(
        int(point.state in MEASURED) if point.rounds is None else point.rounds for point in points
    )


def forget_values(point: SweepPoint) -> SweepPoint:
    """Return a point that is due again, of whose Invalid rounds only the headrooms may count."""
    return SweepPoint(
        name=point.name,
        values=point.values,
        state=PointState.PLANNED,
        rounds=point.rounds or 0,
        headrooms=point.headrooms,
    )


def list_points(
    planned: Iterable[PlannedPoint], stored: Mapping[str, SweepPoint]
) -> list[SweepPoint]:
    """Return every point of the plan as it is stored; one that is not is planned."""
    points = []
    for each in planned:
        known, values = stored.get(each.point.name), each.point.indexes
        if known is None or (known.state == PointState.PLANNED and not known.rounds):
            # Its plan may have changed since: what a planned point is to take over is not stored.
            known = SweepPoint(
                name=each.point.name,
                values=values,
                state=PointState.PLANNED,
                reuses=each.reuses,
                rounds=known.rounds if known is not None else None,
            )
        points.append(known.model_copy(update={"values": values}))
    return points


def round_of(point: SweepPoint) -> int:
    """Return the round that a point is in, or in which it ended."""
    rounds = point.rounds or 0
    return max(1, rounds if point.state in MEASURED else rounds + 1)


def count_points(points: Iterable[SweepPoint]) -> PointCounts:
    """Return the numbers of points."""
    states = [point.state for point in points]
    failed, succeeded = states.count(PointState.FAILED), sum(map(states.count, MEASURED))
    not_measured = states.count(PointState.NOT_MEASURED)
    return PointCounts(
        total=len(states),
        running=states.count(PointState.RUNNING),
        succeeded=succeeded,
        failed=failed,
        inconclusive=states.count(PointState.INCONCLUSIVE),
        invalid=states.count(PointState.INVALID),
        not_measured=not_measured,
        text=f"{succeeded + failed + not_measured}/{len(states)}",
    )
