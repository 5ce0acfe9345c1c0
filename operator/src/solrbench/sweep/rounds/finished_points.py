"""Points under way whose benchmark is over, with its figures."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from solrbench.api.v1alpha1.sweep.spec import Metric, SweepSpec
from solrbench.api.v1alpha1.sweep.status import SweepPoint
from solrbench.results.stats.number_format import round_significant
from solrbench.sweep.rounds.merging import DIGITS, add_round
from solrbench.sweep.states import PointState
from solrbench.sweep.views import ChildView

MOST_WITH_DETAILS = 300
"""With more points, what each has taken over and what its queries cost is in the status of its
benchmark alone: that of the sweep stays below 100 kB."""


def finish_points(
    points: Sequence[SweepPoint], children: Mapping[str, ChildView], spec: SweepSpec
) -> list[SweepPoint]:
    """Return the points, those under way whose benchmark is over with its figures."""
    if len(points) > MOST_WITH_DETAILS:
        children = {
            name: replace(child, reuses=None, telemetry={}) for name, child in children.items()
        }
    return [_end(each, children.get(each.name), spec) for each in points]


def _end(point: SweepPoint, child: ChildView | None, spec: SweepSpec) -> SweepPoint:
    if point.state != PointState.RUNNING or child is None or not child.is_finished:
        return point
    metric = spec.objective.metric
    ended = _finish(point, child, metric)
    if spec.repeats is None or ended.state == PointState.FAILED:
        return ended
    return add_round(point, ended, metric)


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
