"""The points of a status, one reconcile further."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import Any

from solrbench.api.v1alpha1.sweep.spec import Metric
from solrbench.api.v1alpha1.sweep.status import PointCounts, SweepPoint
from solrbench.results.stats.number_format import round_significant
from solrbench.sweep.plan import PlannedPoint
from solrbench.sweep.views import ChildView

DIGITS = 4
"""Significant digits of a figure: less than its noise, and 500 points stay small."""

MOST_WITH_DETAILS = 300
"""With more points, what each has taken over and what its queries cost is in the status of its
benchmark alone: that of the sweep stays below 100 kB."""


class PointState(StrEnum):
    """State of a point."""

    PLANNED = "Planned"
    RUNNING = "Running"
    VALID = "Valid"
    INVALID = "Invalid"
    FAILED = "Failed"


MEASURED = (PointState.VALID, PointState.INVALID)
FINAL = (*MEASURED, PointState.FAILED)


def list_points(
    planned: Iterable[PlannedPoint], stored: Mapping[str, SweepPoint]
) -> list[SweepPoint]:
    """Return every point of the plan as it is stored; one that is not is planned."""
    return [_list(each, stored.get(each.point.name)) for each in planned]


def _list(planned: PlannedPoint, known: SweepPoint | None) -> SweepPoint:
    name, values = planned.point.name, planned.point.indexes
    if known is None or known.state == PointState.PLANNED:
        state, reuses = PointState.PLANNED, planned.reuses
        return SweepPoint(name=name, values=values, state=state, reuses=reuses)
    return known.model_copy(update={"values": values})


def end_points(
    points: Sequence[SweepPoint], children: Mapping[str, ChildView], metric: Metric
) -> list[SweepPoint]:
    """Return the points, those under way whose benchmark is over with its figures."""
    if len(points) > MOST_WITH_DETAILS:
        children = {
            name: replace(child, reuses=None, telemetry={}) for name, child in children.items()
        }
    return [_end(each, children.get(each.name), metric) for each in points]


def _end(point: SweepPoint, child: ChildView | None, metric: Metric) -> SweepPoint:
    if point.state != PointState.RUNNING or child is None or not child.is_finished:
        return point
    return _finish(point, child, metric)


def _finish(point: SweepPoint, child: ChildView, metric: Metric) -> SweepPoint:
    if not child.has_succeeded:
        failed = {"state": PointState.FAILED, "reason": child.reason, "reuses": child.reuses}
        return point.model_copy(update=failed)
    summary = child.summary
    return point.model_copy(
        update={
            "state": _verdict(summary),
            "reuses": child.reuses,
            "requests_per_second": rounded(summary.get("requestsPerSecond")),
            "p95_milliseconds": rounded(summary.get("p95Milliseconds")),
            "failed_percent": rounded(summary.get("failedPercent")),
            **_cost(child.telemetry),
            "repeats": child.total.get("repeats"),
            "deviation_percent": rounded(_deviation(child.total, metric)),
        }
    )


_COST = {
    "cpu_milliseconds_per_request": "cpuMillisecondsPerRequest",
    "read_bytes_per_request": "readBytesPerRequest",
    "reads_per_request": "readsPerRequest",
    "reads_deviation": "readsDeviation",
    "index_bytes": "indexBytes",
}


def _cost(telemetry: Mapping[str, Any]) -> dict[str, float | None]:
    """Return what a query costs, as far as the servers were read."""
    return {name: rounded(telemetry.get(key)) for name, key in _COST.items()}


def _verdict(summary: Mapping[str, Any]) -> PointState:
    is_invalid = summary.get("verdict") == PointState.INVALID
    return PointState.INVALID if is_invalid else PointState.VALID


def _deviation(total: Mapping[str, Any], metric: Metric) -> Any:
    """Return the deviation over the repeats; of a planned rate that of the response time."""
    if metric is Metric.REQUESTS_PER_SECOND:
        return total.get("requestsPerSecondDeviationPercent")
    return total.get("responseP95DeviationPercent", total.get("p95DeviationPercent"))


def rounded(number: Any) -> float | None:
    """Return a figure with four significant digits."""
    return None if number is None else round_significant(float(number), DIGITS)


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
