"""Rounds over the points: which of them need another one, and their metrics over all rounds.

A round is a benchmark of every point that takes part in it, one after another in a random order.
After it, each point takes part in the next one as long as its conclusion beside the baseline, or
beside the best point, is open; so time goes to what is undecided and near the best. The best goes
on with those that are compared with it, and the baseline takes part in every round: what is not
measured in one round is not compared. If the best point is the Same as the baseline, nothing is
gained by any: then the conclusions beside the baseline are all that is asked for.

A point keeps one value of each round, with the number of the round in the sweep, so that a round in
which the machine is slow cancels out; of what else is shown, means over the rounds are enough.
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
from solrbench.api.v1alpha1.sweep_spec import Metric, Rounds, RoundsUntil, SweepSpec
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
from solrbench.sweep.sizing import add_headroom
from solrbench.sweep.state import COMPARABLE, FINAL, MEASURED, ChildView, PointState

_GEOMETRIC_MEANS = ("p95_milliseconds", "requests_per_second")
_MEANS = (
    "failed_percent",
    "cpu_milliseconds_per_request",
    "read_bytes_per_request",
    "reads_per_request",
)


def add_round(before: SweepPoint, ended: SweepPoint, metric: Metric, round_: int) -> SweepPoint:
    """Return a point after another round; what is Invalid is left out if anything else is there.

    `before` has no values if no round before was Valid; `ended` has those of the round alone.
    `round_` is the number of the round in the sweep.
    """
    rounds, shown = (before.rounds or 0) + 1, metric_value(ended, metric)
    # Repeats of one round share what the machine did meanwhile, so the round is the sample.
    logarithms = [*map(math.log, ended.repeat_values or ([shown] if shown else []))]
    of_round = [round_significant(math.exp(fmean(logarithms)), DIGITS)] if logarithms else []
    if metric_value(before, metric) is None:
        known = _describe_repeats(of_round) | {"repeat_rounds": [round_] if of_round else None}
        return ended.model_copy(update={"rounds": rounds, **known})
    if ended.state == PointState.INVALID or metric_value(ended, metric) is None:
        return before.model_copy(update={"state": PointState.VALID, "rounds": rounds})
    # The baseline of points that were added later may have more rounds than are kept.
    values = [*(before.repeat_values or []), *of_round][-MAX_REPEATS:]
    merged = {
        "rounds": rounds,
        "repeats": (before.repeats or 0) + (ended.repeats or 0),
        **_describe_repeats(values),
        "repeat_rounds": [*(before.repeat_rounds or []), round_][-len(values) :],
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
    points: Sequence[SweepPoint], children: Mapping[str, ChildView], spec: SweepSpec, round_: int
) -> list[SweepPoint]:
    """Return the points, those under way whose benchmark is over with its values.

    `round_` is the number of the round under way.
    """
    if len(points) > MAX_POINTS_WITH_DETAILS:
        children = {
            name: replace(child, reuses=None, telemetry={}) for name, child in children.items()
        }
    most = MAX_REPEATS
    if len(points) > MAX_POINTS_WITH_ALL_REPEATS:
        most = min(most, MAX_REPEAT_VALUES // len(points))
    metric, ended = spec.objective.metric, []
    for point in points:
        child = children.get(point.name)
        if point.state == PointState.RUNNING and child is not None and child.is_finished:
            finished = _finish(point, child, metric, most)
            if spec.rounds is not None and finished.state != PointState.FAILED:
                finished = add_round(point, finished, metric, round_)
                if spec.objective.minimise is not None:
                    finished = add_headroom(spec.objective, point, finished, child)
            ended.append(finished)
        else:
            ended.append(point)
    if len(points) <= MAX_POINTS_WITH_DETAILS:
        return ended
    return [point.model_copy(update={"deviation_percent": None}) for point in ended]


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
    spec: SweepSpec, rounds: Rounds, plan: SweepPlan, points: Sequence[SweepPoint], round_: int
) -> tuple[list[SweepPoint], int]:
    """Return the points, in the order of the plan, and the number of the round.

    Once a round is over, those that need another one are planned for it.
    """
    if any(point.state not in FINAL and not _is_new(point) for point in points):
        return [*points], round_
    baseline = next(
        point for point, each in zip(points, plan.points, strict=True) if each.point.is_baseline
    )
    wanted = {*_too_few(rounds.least, baseline, points), *_open(spec, rounds, plan, points)}
    # Rounds that were left out count, too: a point that is always Invalid would never end.
    due = {
        point.name
        for point in points
        if _is_new(point) or (point.name in wanted and (point.rounds or 0) < rounds.most)
    }
    if not due:
        return [*points], round_
    if baseline.state in COMPARABLE:
        due.add(baseline.name)
    return [_plan_again(point) if point.name in due else point for point in points], round_ + 1


def _is_new(point: SweepPoint) -> bool:
    """Return whether a point takes part in no round yet."""
    return point.state == PointState.PLANNED and point.rounds is None


def count_rounds_left(spec: SweepSpec, point: SweepPoint) -> int:
    """Return how many rounds of a point are known to be left: up to the first look at least."""
    due = int(point.state not in FINAL)
    # Which points a sizing repeats is known one after another.
    is_sizing = spec.objective.minimise is not None
    if spec.rounds is None or is_sizing or point.state == PointState.FAILED:
        return due
    return max(due, spec.rounds.least - (point.rounds or 0))


def _too_few(least: int, baseline: SweepPoint, points: Sequence[SweepPoint]) -> Iterator[str]:
    """Yield the points that have not been looked at; one without a valid round is given up then."""
    of_baseline = {*(baseline.repeat_rounds or [])}
    for point in points:
        known = point.rounds or 0
        if point.state in COMPARABLE:
            rounds = {*(point.repeat_rounds or [])}
            known = len(rounds & of_baseline if baseline.state in COMPARABLE else rounds)
        if point.state != PointState.FAILED and known < least:
            yield point.name


def _open(
    spec: SweepSpec, rounds: Rounds, plan: SweepPlan, points: Sequence[SweepPoint]
) -> Iterator[str]:
    """Yield the points whose words are open, each with the one that it is compared with."""
    if rounds.until is None:
        return
    baseline, others = read_measured(plan, points, spec.objective.metric)
    ranked = [each.measured for each in rank_points(spec, plan, points)]
    if rounds.until is RoundsUntil.BEST_KNOWN:
        if ranked:
            yield from _open_pairs(ranked[0], _differences_beside(spec, ranked[0], ranked))
        return
    measured = others if baseline is None else [baseline, *others]
    beside: Mapping[str, Difference] = {}
    if baseline is not None:
        beside = _differences_beside(spec, baseline, measured)
        yield from _open_pairs(baseline, beside)
    # Not the cheapest of the best: what is faster than it has to be distinguished first.
    if not ranked or ranked[0] == baseline:
        return
    # A best point that is the Same as the baseline gains nothing: there is nothing to choose.
    known = beside.get(ranked[0].name)
    if known is None or known.conclusion is not Conclusion.SAME:
        yield from _open_pairs(ranked[0], _differences_beside(spec, ranked[0], measured))


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
    """Return a point that is due, with its values unless they are Invalid."""
    if point.state in COMPARABLE:
        return point.model_copy(update={"state": PointState.PLANNED, "reuses": None})
    return SweepPoint(
        name=point.name,
        values=point.values,
        state=PointState.PLANNED,
        reuses=point.reuses if _is_new(point) else None,
        rounds=point.rounds or 0,
    )
