"""Rounds over the points: which of them need another one, and their metrics over all rounds.

A round is a benchmark of every point that takes part in it, one after another. After it, each point
takes part in the next one as long as its conclusion beside the baseline, or beside the best point,
is open; so time goes to what is undecided and near the best. The baseline and the best go on with
those that are compared with them. If the best point is the Same as the baseline, nothing is gained
by any: then the conclusions beside the baseline are all that is asked for.

Of the rounds before only mean and deviation are known; with those of the new round they give the
ones of all repeats (Chan, Golub and LeVeque, Updating formulae and a pairwise algorithm for
computing sample variances, 1979). p95 and its deviation are merged on the logarithmic scale, as
they are compared there.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from solrbench.analysis.difference_tests import ComparisonFinding
from solrbench.api.v1alpha1.comparisons import Conclusion
from solrbench.api.v1alpha1.sweep import SweepPoint
from solrbench.api.v1alpha1.sweep_spec import Metric, SweepSpec
from solrbench.stats.number_format import round_significant
from solrbench.sweep.differences import (
    MeasuredPoint,
    compare_all,
    find_best,
    metric_value,
    read_measured,
    rule_of,
)
from solrbench.sweep.plan import SweepPlan
from solrbench.sweep.state import FINAL, ChildView, PointState

DIGITS = 4
"""Significant digits of a figure: less than its noise, and 500 points stay small."""

_MEANS = (
    "failed_percent",
    "cpu_milliseconds_per_request",
    "read_bytes_per_request",
    "reads_per_request",
)


class _Sample(NamedTuple):
    """Some repeats: their number, mean and sum of squares around it."""

    size: int
    mean: float
    squares: float

    def joined(self, other: "_Sample") -> "_Sample":
        size, apart = self.size + other.size, other.mean - self.mean
        return _Sample(
            size,
            self.mean + apart * other.size / size,
            self.squares + other.squares + apart**2 * self.size * other.size / size,
        )


def add_round(before: SweepPoint, ended: SweepPoint, metric: Metric) -> SweepPoint:
    """Return a point after another round; what is Invalid is left out if anything else is there.

    Args:
        before: the point with the figures of the rounds before, none if there was no Valid one
        ended: the same with those of the round alone
        metric: the figure of the objective, which the deviation is of
    """
    rounds = (before.rounds or 0) + 1
    if metric_value(before, metric) is None:
        return ended.model_copy(update={"rounds": rounds})
    if ended.state == PointState.INVALID or metric_value(ended, metric) is None:
        return before.model_copy(update={"state": PointState.VALID, "rounds": rounds})
    return ended.model_copy(update={"rounds": rounds, **_merge(before, ended, metric)})


def _merge(before: SweepPoint, ended: SweepPoint, metric: Metric) -> dict[str, float | None]:
    joined = _sample(before, metric).joined(_sample(ended, metric))
    deviation = math.sqrt(math.expm1(joined.squares / (joined.size - 1)))
    figures = {
        Metric.P95_MILLISECONDS: _geometric(before, ended, Metric.P95_MILLISECONDS),
        Metric.REQUESTS_PER_SECOND: _geometric(before, ended, Metric.REQUESTS_PER_SECOND),
    }
    return {
        "p95_milliseconds": figures[Metric.P95_MILLISECONDS],
        "requests_per_second": figures[Metric.REQUESTS_PER_SECOND],
        "repeats": joined.size,
        "deviation_percent": round_significant(100 * deviation, DIGITS),
        "reads_deviation": _reads_deviation(before, ended),
        **{name: _mean(name, before, ended) for name in _MEANS},
    }


def _sample(point: SweepPoint, metric: Metric) -> _Sample:
    size = point.repeats or 1
    variance = math.log1p(((point.deviation_percent or 0.0) / 100) ** 2)
    return _Sample(size, math.log(metric_value(point, metric) or 1.0), variance * (size - 1))


def _geometric(before: SweepPoint, ended: SweepPoint, metric: Metric) -> float | None:
    if not metric_value(before, metric) or not metric_value(ended, metric):
        return metric_value(ended, metric) or metric_value(before, metric)
    joined = _sample(before, metric).joined(_sample(ended, metric))
    return round_significant(math.exp(joined.mean), DIGITS)


def _mean(name: str, before: SweepPoint, ended: SweepPoint) -> float | None:
    old: float | None = getattr(before, name)
    new: float | None = getattr(ended, name)
    if old is None or new is None:
        return old if new is None else new
    sizes = before.repeats or 1, ended.repeats or 1
    return round_significant((old * sizes[0] + new * sizes[1]) / sum(sizes), DIGITS)


def _reads_deviation(before: SweepPoint, ended: SweepPoint) -> float | None:
    if before.reads_per_request is None or ended.reads_per_request is None:
        return ended.reads_deviation
    joined = _reads(before).joined(_reads(ended))
    return round_significant(math.sqrt(joined.squares / (joined.size - 1)), DIGITS)


def _reads(point: SweepPoint) -> _Sample:
    size = point.repeats or 1
    squares = (point.reads_deviation or 0.0) ** 2 * (size - 1)
    return _Sample(size, point.reads_per_request or 0.0, squares)


MAX_POINTS_WITH_DETAILS = 300
"""With more points, what each has taken over and what its queries cost is in the status of its
benchmark alone: that of the sweep stays below 100 kB."""


def finish_points(
    points: Sequence[SweepPoint], children: Mapping[str, ChildView], spec: SweepSpec
) -> list[SweepPoint]:
    """Return the points, those under way whose benchmark is over with its figures."""
    if len(points) > MAX_POINTS_WITH_DETAILS:
        children = {
            name: replace(child, reuses=None, telemetry={}) for name, child in children.items()
        }
    return [_end(point, children.get(point.name), spec) for point in points]


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


def plan_next_round(
    spec: SweepSpec, plan: SweepPlan, points: Sequence[SweepPoint]
) -> list[SweepPoint]:
    """Return the points, those that need another round planned again once one is over.

    Args:
        spec: of the sweep
        plan: its plan
        points: the points of the plan, in its order
    """
    if spec.repeats is None or any(point.state not in FINAL for point in points):
        return [*points]
    wanted = {*_too_few(spec, points), *_open(spec, plan, points)}
    return [
        _plan_again(point)
        if point.name in wanted and _has_rounds_left(spec.repeats.max, plan, point)
        else point
        for point in points
    ]


def count_rounds_left(spec: SweepSpec, plan: SweepPlan, point: SweepPoint) -> int:
    """Return how many rounds of a point are known to be left: up to the first look at least."""
    due = int(point.state not in FINAL)
    if spec.repeats is None or point.state == PointState.FAILED:
        return due
    least = -(-spec.repeats.min // plan.repeats_per_round)
    return max(due, least - (point.rounds or 0))


def _has_rounds_left(most: int, plan: SweepPlan, point: SweepPoint) -> bool:
    """Return whether another round stays within `most` repeats, those left out counted too."""
    return ((point.rounds or 0) + 1) * plan.repeats_per_round <= most


def _too_few(spec: SweepSpec, points: Sequence[SweepPoint]) -> Iterator[str]:
    """Yield the points that have not been looked at; one without a valid round is given up then."""
    least = 0 if spec.repeats is None else spec.repeats.min
    for point in points:
        if point.state == PointState.VALID and (point.repeats or 0) < least:
            yield point.name
        if point.state == PointState.INVALID and (point.rounds or 0) < least:
            yield point.name


def _open(spec: SweepSpec, plan: SweepPlan, points: Sequence[SweepPoint]) -> Iterator[str]:
    """Yield the points whose words are open, each with the one that it is compared with."""
    baseline, others = read_measured(plan, points, spec.objective.metric)
    measured = others if baseline is None else [baseline, *others]
    beside: Mapping[str, ComparisonFinding] = {}
    if baseline is not None:
        beside = _findings_beside(spec, baseline, measured)
        yield from _open_pairs(baseline, beside)
    best = find_best(spec, plan, points)
    named = next(
        (
            measured_point
            for measured_point in measured
            if best is not None and measured_point.name == best.name
        ),
        None,
    )
    if named is not None and named is not baseline and not _is_same(beside.get(named.name)):
        yield from _open_pairs(named, _findings_beside(spec, named, measured))


def _findings_beside(
    spec: SweepSpec, usual: MeasuredPoint, measured: Sequence[MeasuredPoint]
) -> dict[str, ComparisonFinding]:
    """Return what the Valid points are beside one of them; nothing if that is Invalid."""
    others = [point for point in measured if point.name != usual.name]
    findings = compare_all(usual, others, spec.objective.metric, rule_of(spec))
    return {
        point.name: finding
        for point, finding in zip(others, findings, strict=True)
        if point.is_valid and usual.is_valid
    }


def _is_same(finding: ComparisonFinding | None) -> bool:
    return finding is not None and finding.word is Conclusion.SAME


def _open_pairs(usual: MeasuredPoint, beside: Mapping[str, ComparisonFinding]) -> Iterator[str]:
    for name, finding in beside.items():
        if not finding.is_decided:
            yield name
            yield usual.name


def _plan_again(point: SweepPoint) -> SweepPoint:
    """Return a point that is due again, with its figures unless they are Invalid."""
    if point.state == PointState.VALID:
        return point.model_copy(update={"state": PointState.PLANNED, "reuses": None})
    return SweepPoint(
        name=point.name, values=point.values, state=PointState.PLANNED, rounds=point.rounds
    )
