"""Rounds over the points: which of them need another one, and their metrics over all rounds.

A round is a benchmark of every point that takes part in it, one after another. After it, each point
takes part in the next one as long as its conclusion beside the baseline, or beside the best point,
is open; so time goes to what is undecided and near the best. The baseline and the best go on with
those that are compared with them. If the best point is the Same as the baseline, nothing is gained
by any: then the conclusions beside the baseline are all that is asked for.

The values of all repeats are kept on the point, so that it is compared as a benchmark with as many
repeats is; of what else is shown, means over the rounds are enough.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import fmean
from typing import Any

from solrbench.analysis.metrics import Difference
from solrbench.api.v1alpha1.comparisons import MAX_REPEATS, Conclusion
from solrbench.api.v1alpha1.sweep import SweepPoint
from solrbench.api.v1alpha1.sweep_spec import Metric, SweepSpec
from solrbench.stats.distributions import relative_deviation_percent
from solrbench.stats.number_format import round_significant
from solrbench.sweep.differences import (
    DIGITS,
    METRICS,
    MeasuredPoint,
    compare_all,
    metric_value,
    rank_points,
    read_measured,
    rule_of,
)
from solrbench.sweep.plan import SweepPlan
from solrbench.sweep.state import COMPARABLE, FINAL, MEASURED, ChildView, PointState

_GEOMETRIC_MEANS = ("p95_milliseconds", "requests_per_second")
_MEANS = (
    "failed_percent",
    "cpu_milliseconds_per_request",
    "read_bytes_per_request",
    "reads_per_request",
)


def add_round(before: SweepPoint, ended: SweepPoint, metric: Metric) -> SweepPoint:
    """Return a point after another round; what is Invalid is left out if anything else is there.

    `before` has no values if no round before was Valid; `ended` has those of the round alone.
    """
    rounds = (before.rounds or 0) + 1
    if metric_value(before, metric) is None:
        return ended.model_copy(update={"rounds": rounds})
    if ended.state == PointState.INVALID or metric_value(ended, metric) is None:
        return before.model_copy(update={"state": PointState.VALID, "rounds": rounds})
    values = [*(before.repeat_values or []), *(ended.repeat_values or [])]
    merged = {
        "rounds": rounds,
        "repeats": (before.repeats or 0) + (ended.repeats or 0),
        # Without numbers of targets: those of one benchmark mean nothing in another one.
        **_describe_repeats(values),
        **{name: _geometric_mean(name, before, ended) for name in _GEOMETRIC_MEANS},
        **{name: _mean(name, before, ended) for name in _MEANS},
        "reads_deviation": _reads_deviation(before, ended),
    }
    return ended.model_copy(update=merged)


def _describe_repeats(values: list[float]) -> dict[str, Any]:
    deviation = relative_deviation_percent(values) if len(values) > 1 else None
    return {
        "repeat_values": values or None,
        "repeat_targets": None,
        "deviation_percent": round_significant(deviation, DIGITS),
    }


def _geometric_mean(name: str, before: SweepPoint, ended: SweepPoint) -> float | None:
    old: float | None = getattr(before, name)
    new: float | None = getattr(ended, name)
    if not old or not new:
        return new or old  # a step may have ended without a single response
    sizes = before.repeats or 1, ended.repeats or 1
    mean = (math.log(old) * sizes[0] + math.log(new) * sizes[1]) / sum(sizes)
    return round_significant(math.exp(mean), DIGITS)


def _mean(name: str, before: SweepPoint, ended: SweepPoint) -> float | None:
    old: float | None = getattr(before, name)
    new: float | None = getattr(ended, name)
    if old is None or new is None:
        return old if new is None else new
    sizes = before.repeats or 1, ended.repeats or 1
    return round_significant((old * sizes[0] + new * sizes[1]) / sum(sizes), DIGITS)


def _reads_deviation(before: SweepPoint, ended: SweepPoint) -> float | None:
    """Return the deviation over the repeats of all rounds, of which only this one is stored."""
    if before.reads_per_request is None or ended.reads_per_request is None:
        return ended.reads_deviation
    sizes = before.repeats or 1, ended.repeats or 1
    squares = [
        (point.reads_deviation or 0.0) ** 2 * (size - 1)
        for point, size in zip((before, ended), sizes, strict=True)
    ]
    between = (ended.reads_per_request - before.reads_per_request) ** 2
    whole = sum(squares) + between * math.prod(sizes) / sum(sizes)
    return round_significant(math.sqrt(whole / (sum(sizes) - 1)), DIGITS)


MAX_POINTS_WITH_DETAILS = 300
"""With more points, what each has taken over and what its queries cost is in the status of its
benchmark alone, and the deviation of its repeats is read from their values: the status of the sweep
stays below 120 kB."""

MAX_POINTS_WITH_ALL_REPEATS = 100
"""Up to so many points, which is all that rounds take, every repeat is kept."""

MAX_REPEAT_VALUES = 2500
"""Of all points of a larger sweep. Where their repeats are more, means of consecutive ones are kept
(batch means), from which conclusions are as right and a little weaker."""


def finish_points(
    points: Sequence[SweepPoint], children: Mapping[str, ChildView], spec: SweepSpec
) -> list[SweepPoint]:
    """Return the points, those under way whose benchmark is over with its values."""
    if len(points) > MAX_POINTS_WITH_DETAILS:
        children = {
            name: replace(child, reuses=None, telemetry={}) for name, child in children.items()
        }
    most = MAX_REPEATS
    if len(points) > MAX_POINTS_WITH_ALL_REPEATS:
        most = min(most, MAX_REPEAT_VALUES // len(points))
    ended = [_end(point, children.get(point.name), spec, most) for point in points]
    if len(points) <= MAX_POINTS_WITH_DETAILS:
        return ended
    return [point.model_copy(update={"deviation_percent": None}) for point in ended]


def _end(point: SweepPoint, child: ChildView | None, spec: SweepSpec, most: int) -> SweepPoint:
    if point.state != PointState.RUNNING or child is None or not child.is_finished:
        return point
    metric = spec.objective.metric
    ended = _finish(point, child, metric, most)
    if spec.repeats is None or ended.state == PointState.FAILED:
        return ended
    return add_round(point, ended, metric)


def _finish(point: SweepPoint, child: ChildView, metric: Metric, most: int) -> SweepPoint:
    if not child.has_succeeded:
        failed = {"state": PointState.FAILED, "reason": child.reason, "reuses": child.reuses}
        return point.model_copy(update=failed)
    summary = child.summary
    verdict = summary.get("verdict")
    return point.model_copy(
        update={
            "state": verdict if verdict in MEASURED else PointState.VALID,
            "reuses": child.reuses,
            "requests_per_second": rounded(summary.get("requestsPerSecond")),
            "p95_milliseconds": rounded(summary.get("p95Milliseconds")),
            "failed_percent": rounded(summary.get("failedPercent")),
            **{name: rounded(child.telemetry.get(key)) for name, key in _COST.items()},
            "repeats": len(summary.get("repeats", [])) or None,
            **_read_repeats(summary.get("repeats", []), metric, most),
        }
    )


def _read_repeats(
    repeats: Sequence[Mapping[str, Any]], metric: Metric, most: int
) -> dict[str, Any]:
    """Return the values of the repeats of a benchmark, at most so many."""
    field = METRICS[metric].name
    measured = [each for each in repeats if each.get(field)]
    values = [round_significant(float(each[field]), DIGITS) for each in measured]
    targets = [int(each["target"]) for each in measured]
    found = _describe_repeats(values)
    if len(values) > most:
        edges = [index * len(values) // most for index in range(most + 1)]
        means = [fmean(map(math.log, values[begin:end])) for begin, end in pairwise(edges)]
        found["repeat_values"] = [round_significant(math.exp(mean), DIGITS) for mean in means]
    # Where each repeat has a target of its own, or all have one, repeats are the sample anyway.
    elif 1 < len(set(targets)) < len(targets):
        found["repeat_targets"] = targets
    return found


_COST = {
    "cpu_milliseconds_per_request": "cpuMillisecondsPerRequest",
    "read_bytes_per_request": "readBytesPerRequest",
    "reads_per_request": "readsPerRequest",
    "reads_deviation": "readsDeviation",
    "index_bytes": "indexBytes",
}


def rounded(number: Any) -> float | None:
    """Return a value with four significant digits."""
    return None if number is None else round_significant(float(number), DIGITS)


def plan_next_round(
    spec: SweepSpec, plan: SweepPlan, points: Sequence[SweepPoint]
) -> list[SweepPoint]:
    """Return the points, in the order of the plan; once a round is over, who needs another one.

    Those are planned again.
    """
    if spec.repeats is None or any(point.state not in FINAL for point in points):
        return [*points]
    wanted = {*_too_few(spec.repeats.min, points), *_open(spec, plan, points)}
    # Rounds that were left out count, too: a point that is always Invalid would never end.
    most = spec.repeats.max // plan.repeats_per_round
    return [
        _plan_again(point) if point.name in wanted and (point.rounds or 0) < most else point
        for point in points
    ]


def count_rounds_left(spec: SweepSpec, plan: SweepPlan, point: SweepPoint) -> int:
    """Return how many rounds of a point are known to be left: up to the first look at least."""
    due = int(point.state not in FINAL)
    if spec.repeats is None or point.state == PointState.FAILED:
        return due
    least = -(-spec.repeats.min // plan.repeats_per_round)
    return max(due, least - (point.rounds or 0))


def _too_few(least: int, points: Sequence[SweepPoint]) -> Iterator[str]:
    """Yield the points that have not been looked at; one without a valid round is given up then."""
    for point in points:
        known = dict.fromkeys(COMPARABLE, point.repeats) | {PointState.INVALID: point.rounds}
        if point.state in known and (known[PointState(point.state)] or 0) < least:
            yield point.name


def _open(spec: SweepSpec, plan: SweepPlan, points: Sequence[SweepPoint]) -> Iterator[str]:
    """Yield the points whose words are open, each with the one that it is compared with."""
    baseline, others = read_measured(plan, points, spec.objective.metric)
    measured = others if baseline is None else [baseline, *others]
    beside: Mapping[str, Difference] = {}
    if baseline is not None:
        beside = _differences_beside(spec, baseline, measured)
        yield from _open_pairs(baseline, beside)
    # Not the cheapest of the best: what is faster than it has to be distinguished first.
    named = next((each.measured for each in rank_points(spec, plan, points)), None)
    if named is None or named == baseline:
        return
    # A best point that is the Same as the baseline gains nothing: there is nothing to choose.
    known = beside.get(named.name)
    if known is None or known.conclusion is not Conclusion.SAME:
        yield from _open_pairs(named, _differences_beside(spec, named, measured))


def _differences_beside(
    spec: SweepSpec, usual: MeasuredPoint, measured: Sequence[MeasuredPoint]
) -> dict[str, Difference]:
    """Return what the Valid points are beside one of them; nothing if that is Invalid."""
    others = [point for point in measured if point.name != usual.name]
    differences = compare_all(usual, others, spec.objective.metric, rule_of(spec))
    return {
        point.name: difference
        for point, difference in zip(others, differences, strict=True)
        if point.is_valid and usual.is_valid
    }


def _open_pairs(usual: MeasuredPoint, beside: Mapping[str, Difference]) -> Iterator[str]:
    for name, difference in beside.items():
        if not difference.is_decided:
            yield name
            yield usual.name


def _plan_again(point: SweepPoint) -> SweepPoint:
    """Return a point that is due again, with its values unless they are Invalid."""
    if point.state in COMPARABLE:
        return point.model_copy(update={"state": PointState.PLANNED, "reuses": None})
    return SweepPoint(
        name=point.name, values=point.values, state=PointState.PLANNED, rounds=point.rounds
    )
