"""The points of a status, one reconcile further."""

from collections.abc import Iterable, Mapping
from enum import StrEnum

from solrbench.api.v1alpha1.sweep.status import PointCounts, SweepPoint
from solrbench.sweep.plan import PlannedPoint


class PointState(StrEnum):
    """State of a point."""

    PLANNED = "Planned"
    RUNNING = "Running"
    VALID = "Valid"
    INVALID = "Invalid"
    FAILED = "Failed"


MEASURED = (PointState.VALID, PointState.INVALID)
FINAL = (*MEASURED, PointState.FAILED)


def is_valid(point: SweepPoint) -> bool:
    """Return whether the figures of a point are Valid; it may be due for another round."""
    if point.state in (PointState.PLANNED, PointState.RUNNING):
        return point.repeats is not None
    return point.state == PointState.VALID


def ended_well(point: SweepPoint) -> bool:
    """Return whether the last benchmark of a point that is not under way has succeeded."""
    return point.state in MEASURED or bool(point.rounds and point.state == PointState.PLANNED)


def count_ended(points: Iterable[SweepPoint]) -> int:
    """Return how many benchmarks of all rounds have succeeded."""
    return sum(
        int(each.state in MEASURED) if each.rounds is None else each.rounds for each in points
    )


def list_points(
    planned: Iterable[PlannedPoint], stored: Mapping[str, SweepPoint]
) -> list[SweepPoint]:
    """Return every point of the plan as it is stored; one that is not is planned."""
    return [_list(each, stored.get(each.point.name)) for each in planned]


def _list(planned: PlannedPoint, known: SweepPoint | None) -> SweepPoint:
    name, values = planned.point.name, planned.point.indexes
    if known is None or (known.state == PointState.PLANNED and known.rounds is None):
        state, reuses = PointState.PLANNED, planned.reuses
        return SweepPoint(name=name, values=values, state=state, reuses=reuses)
    return known.model_copy(update={"values": values})


def round_of(point: SweepPoint) -> int:
    """Return the round that a point is in, or in which it ended."""
    rounds = point.rounds or 0
    return max(1, rounds if point.state in MEASURED else rounds + 1)


def count_points(points: Iterable[SweepPoint]) -> PointCounts:
    """Return the numbers of points."""
    states = [each.state for each in points]
    invalid, failed = states.count(PointState.INVALID), states.count(PointState.FAILED)
    succeeded = states.count(PointState.VALID) + invalid
    return PointCounts(
        total=len(states),
        running=states.count(PointState.RUNNING),
        succeeded=succeeded,
        failed=failed,
        invalid=invalid,
        text=f"{succeeded + failed}/{len(states)}",
    )
