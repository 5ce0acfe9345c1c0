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
import operator
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import fmean
from typing import Any

from pydantic.alias_generators import to_camel

from solrbench.analysis.differences import RepeatValue, metric_value_of, sample
from solrbench.analysis.metrics import Difference
from solrbench.api.v1alpha1.comparisons import MAX_REPEATS, Conclusion
from solrbench.api.v1alpha1.findings import CHECKS_OF_NUMBERS, STEP_TOO_SHORT
from solrbench.api.v1alpha1.sweep import SweepPoint
from solrbench.api.v1alpha1.sweep_spec import Rounds, RoundsUntil, SweepSpec
from solrbench.stats.distributions import relative_deviation_percent
from solrbench.stats.number_format import round_significant
from solrbench.sweep.differences import (
    DIGITS,
    MeasuredPoint,
    compare_pairs,
    compare_with_baselines,
    rank_points,
    read_measured,
    rule_of,
)
from solrbench.sweep.objective_figure import ObjectiveFigure, figure_of
from solrbench.sweep.plan import SweepPlan
from solrbench.sweep.sizing import add_headroom
from solrbench.sweep.state import COMPARABLE, FINAL, MEASURED, ChildView, PointState, forget_values

_GEOMETRIC_MEANS = ("p95_milliseconds", "requests_per_second")
_OF_SUMMARY = (*_GEOMETRIC_MEANS, "failed_percent")
_OF_TELEMETRY = (
    "cpu_milliseconds_per_request",
    "read_bytes_per_request",
    "reads_per_request",
    "index_bytes",
)


def add_round(
    before: SweepPoint, ended: SweepPoint, figure: ObjectiveFigure, round_: int
) -> SweepPoint:
    """Return a point after another round; what is Invalid is left out if anything else is there.

    `before` has no values if no round before was Valid; `ended` has those of the round alone.
    `round_` is the number of the round in the sweep. As its figures are those of all rounds, a
    point is Inconclusive if one of these is.
    """
    rounds, shown = (before.rounds or 0) + 1, figure.value(ended)
    # Repeats of one round share what the machine did meanwhile, so the round is the sample.
    measured = ended.repeat_values or ([] if shown is None else [shown])
    is_comparable = measured and all(map(figure.has_value, measured))
    of_round = [_average(figure, measured)] if is_comparable else []
    is_inconclusive = ended.state == PointState.INCONCLUSIVE
    if figure.value(before) is None:
        first = {
            "rounds": rounds,
            "inconclusive_rounds": 1 if is_inconclusive else None,
            **_describe_repeats(of_round),
            "repeat_rounds": [round_] if of_round else None,
        }
        return ended.model_copy(update=first)
    counts = ended.state != PointState.INVALID and bool(of_round)
    inconclusive = (before.inconclusive_rounds or 0) + (counts and is_inconclusive)
    known = {
        "state": PointState.INCONCLUSIVE if inconclusive else PointState.VALID,
        "rounds": rounds,
        "inconclusive_rounds": inconclusive or None,
    }
    if not counts:
        return before.model_copy(update=known)
    # The baseline of points that were added later may have more rounds than are kept.
    values = [*(before.repeat_values or []), *of_round][-MAX_REPEATS:]
    merged = known | {
        "repeats": (before.repeats or 0) + (ended.repeats or 0),
        **_describe_repeats(values),
        "repeat_rounds": [*(before.repeat_rounds or []), round_][-len(values) :],
        **{name: _mean(name, before, ended) for name in (*_OF_SUMMARY, *_OF_TELEMETRY)},
        "read_bytes_deviation": _read_bytes_deviation(before, ended),
        "value": None if figure.has_field else _average(figure, values),
    }
    return ended.model_copy(update=merged)


def _average(figure: ObjectiveFigure, values: Sequence[float]) -> float:
    """Return the mean of values: of what is compared by ratios the geometric one."""
    repeats = [RepeatValue(number, "", value) for number, value in enumerate(values)]
    metric = figure.comparison
    return round_significant(metric_value_of(metric, sample(metric, repeats)), DIGITS)


def _describe_repeats(values: list[float]) -> dict[str, Any]:
    deviation = relative_deviation_percent(values) if len(values) > 1 else None
    return {
        "repeat_values": values or None,
        "repeat_targets": None,
        "deviation_percent": round_significant(deviation, DIGITS),
    }


def _mean(name: str, before: SweepPoint, ended: SweepPoint) -> float | None:
    """Return the mean over the repeats of all rounds: a geometric one, unless 0 may be known."""
    old: float | None = getattr(before, name)
    new: float | None = getattr(ended, name)
    is_geometric = name in _GEOMETRIC_MEANS
    if is_geometric and not (old and new):
        return new or old  # a step may have ended without a single response
    if old is None or new is None:
        return old if new is None else new
    sizes = before.repeats or 1, ended.repeats or 1
    values = [math.log(each) for each in (old, new)] if is_geometric else [old, new]
    mean = sum(map(operator.mul, values, sizes)) / sum(sizes)
    return round_significant(math.exp(mean) if is_geometric else mean, DIGITS)


def _read_bytes_deviation(before: SweepPoint, ended: SweepPoint) -> float | None:
    """Return the deviation over the repeats of all rounds, of which only this one is stored."""
    if before.read_bytes_per_request is None or ended.read_bytes_per_request is None:
        return (before if ended.read_bytes_per_request is None else ended).read_bytes_deviation
    sizes = before.repeats or 1, ended.repeats or 1
    squares = [
        (point.read_bytes_deviation or 0.0) ** 2 * (size - 1)
        for point, size in zip((before, ended), sizes, strict=True)
    ]
    between = (ended.read_bytes_per_request - before.read_bytes_per_request) ** 2
    whole = sum(squares) + between * math.prod(sizes) / sum(sizes)
    return round_significant(math.sqrt(whole / (sum(sizes) - 1)), DIGITS)


MAX_POINTS_WITH_DETAILS = 300
"""With more points, what each has taken over and what its queries cost is in the status of its
benchmark alone, and the number of its repeats and their deviation are read from their values: the
status of the sweep stays below 120 kB."""

MAX_POINTS_WITH_ALL_REPEATS = 100
"""Up to so many points, which is all that rounds take, every repeat is kept."""

MAX_REPEAT_VALUES = 2500
"""Of all points of a larger sweep. Where their repeats are more, means of consecutive ones are kept
(batch means), from which conclusions are as right and a little weaker."""


def finish_points(
    points: Sequence[SweepPoint], children: Mapping[str, ChildView], spec: SweepSpec, round_: int
) -> list[SweepPoint]:
    """Return the points, those under way whose benchmark is over with its values.

    `round_` is the number of the round under way, 0 without rounds. That counts: the spec may have
    been changed since the points began.
    """
    if len(points) > MAX_POINTS_WITH_DETAILS:
        children = {
            name: replace(child, reuses=None, telemetry={}) for name, child in children.items()
        }
    most = MAX_REPEATS
    if len(points) > MAX_POINTS_WITH_ALL_REPEATS:
        most = min(most, MAX_REPEAT_VALUES // len(points))
    figure, ended = figure_of(spec), []
    for point in points:
        child = children.get(point.name)
        if point.state == PointState.RUNNING and child is not None and child.is_finished:
            finished = _finish(point, child, figure, most, in_rounds=round_ > 0)
            if round_ > 0 and finished.state != PointState.FAILED:
                finished = add_round(point, finished, figure, round_)
                if spec.objective.is_sizing:
                    finished = add_headroom(spec.objective, point, finished, child)
            ended.append(finished)
        else:
            ended.append(point)
    if len(points) <= MAX_POINTS_WITH_DETAILS:
        return ended
    # Of many points, what the values of their repeats say, too, is left out.
    return [
        each.model_copy(
            update={
                "deviation_percent": None,
                "repeats": None if each.repeats == len(each.repeat_values or []) else each.repeats,
            }
        )
        for each in ended
    ]


def _finish(
    point: SweepPoint, child: ChildView, figure: ObjectiveFigure, most: int, *, in_rounds: bool
) -> SweepPoint:
    if not child.has_succeeded:
        failed = {"state": PointState.FAILED, "reason": child.reason, "reuses": child.reuses}
        return point.model_copy(update=failed)
    summary, value = child.summary, None
    repeats: Sequence[Mapping[str, Any]] = summary.get("repeats", [])
    # Any other figure is one number of the benchmark.
    values: dict[str, Any] = {"repeat_values": None, "repeat_targets": None}
    if figure.has_field:
        values = _read_repeats(repeats, figure.comparison.name, most)
    else:
        value = round_significant(figure.read(child.status), DIGITS)
    verdict = PointState.INVALID if figure.is_invalid(child.status) else summary.get("verdict")
    if verdict == PointState.INCONCLUSIVE and in_rounds and _is_only_short(child):
        verdict = PointState.VALID
    return point.model_copy(
        update={
            "state": verdict if verdict in MEASURED else PointState.VALID,
            "reuses": child.reuses,
            **_read_figures(summary, _OF_SUMMARY),
            "value": value,
            **_read_figures(child.telemetry, (*_OF_TELEMETRY, "read_bytes_deviation")),
            "repeats": len(repeats) or (None if value is None else 1),
            **values,
        }
    )


def _is_only_short(child: ChildView) -> bool:
    """Return whether all that a benchmark lacks is an interval from within its steps.

    The sample of a sweep in rounds is the round, so that nothing rests on that interval.
    """
    verdicts: Sequence[Mapping[str, Any]] = child.status.get("verdicts") or []
    lacking = {
        each["reason"]
        for verdict in verdicts
        if verdict.get("verdict") == PointState.INCONCLUSIVE
        for each in verdict.get("unchecked") or []
    }
    return lacking & CHECKS_OF_NUMBERS == {STEP_TOO_SHORT}


def _read_repeats(repeats: Sequence[Mapping[str, Any]], field: str, most: int) -> dict[str, Any]:
    """Return the values of the repeats of a benchmark, at most so many."""
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


def _read_figures(stored: Mapping[str, Any], names: Sequence[str]) -> dict[str, float | None]:
    return {name: round_significant(stored.get(to_camel(name)), DIGITS) for name in names}


def plan_next_round(
    spec: SweepSpec, rounds: Rounds, plan: SweepPlan, points: Sequence[SweepPoint], round_: int
) -> tuple[list[SweepPoint], int]:
    """Return the points, in the order of the plan, and the number of the round.

    Once a round is over, those that need another one are planned for it.
    """
    if any(point.state not in FINAL and not _is_new(point) for point in points):
        return [*points], round_
    known = {point.name: point for point in points}
    bases = {name: known[base] for name, base in plan.find_baselines(spec).items()}
    wanted = {*_too_few(rounds.least, bases, points), *_open(spec, rounds, plan, points)}
    # Rounds that were left out count, too: a point that is always Invalid would never end.
    due = {
        point.name
        for point in points
        if _is_new(point) or (point.name in wanted and (point.rounds or 0) < rounds.most)
    }
    if not due:
        return [*points], round_
    due |= {
        base.name
        for name in [*due]
        if (base := bases.get(name)) is not None and base.state in COMPARABLE
    }
    return [_plan_again(point) if point.name in due else point for point in points], round_ + 1


def _is_new(point: SweepPoint) -> bool:
    """Return whether a point takes part in no round yet."""
    return point.state == PointState.PLANNED and point.rounds is None


def count_rounds_left(spec: SweepSpec, point: SweepPoint) -> int:
    """Return how many rounds of a point are known to be left: up to the first look at least."""
    due = int(point.state not in FINAL)
    # Which points a sizing repeats is known one after another.
    is_sizing = spec.objective.is_sizing
    if spec.rounds is None or is_sizing or point.state == PointState.FAILED:
        return due
    return max(due, spec.rounds.least - (point.rounds or 0))


def _too_few(
    least: int, bases: Mapping[str, SweepPoint], points: Sequence[SweepPoint]
) -> Iterator[str]:
    """Yield the points that have not been looked at; one without a figure is given up then."""
    for point in points:
        known, base = point.rounds or 0, bases.get(point.name)
        if point.state in COMPARABLE and point.repeat_rounds:
            rounds = {*point.repeat_rounds}
            if base is not None and base.state in COMPARABLE and base.repeat_rounds:
                rounds &= {*base.repeat_rounds}
            known = len(rounds)
        if point.state != PointState.FAILED and known < least:
            yield point.name


def _open(
    spec: SweepSpec, rounds: Rounds, plan: SweepPlan, points: Sequence[SweepPoint]
) -> Iterator[str]:
    """Yield the points whose words are open, each with the one that it is compared with."""
    if rounds.until is None:
        return
    conditions, rule = read_measured(spec, plan, points), rule_of(spec)
    beside = compare_with_baselines(conditions, figure_of(spec), rule)
    if rounds.until is RoundsUntil.DECIDED:
        for condition in conditions:
            for point in condition.others if condition.baseline is not None else ():
                yield from _open_pair(condition.baseline, point, beside[point.name])
    pairs, wanted = list[tuple[MeasuredPoint, MeasuredPoint]](), list[bool]()
    for each in rank_points(spec, plan, points):
        if not each.candidates:
            continue
        # Not the cheapest of the best: what is faster than it has to be distinguished first.
        best = each.candidates[0].measured
        known = beside.get(best.name)
        is_same = known is not None and known.conclusion is Conclusion.SAME
        # Nothing is to choose where the best point is the baseline, or the Same. These pairs are of
        # the family all the same: `best_sets` tests them together with the others.
        is_chosen = best == each.condition.baseline or is_same
        own = [(best, other.measured) for other in each.candidates[1:]]
        pairs += own
        wanted += [rounds.until is not RoundsUntil.DECIDED or not is_chosen] * len(own)
    differences = compare_pairs(pairs, figure_of(spec).comparison, rule)
    for (first, other), difference, is_wanted in zip(pairs, differences, wanted, strict=True):
        if is_wanted:
            yield from _open_pair(first, other, difference)


def _open_pair(
    usual: MeasuredPoint | None, point: MeasuredPoint, difference: Difference
) -> Iterator[str]:
    """Yield both points if more repeats may decide; none if one of them is Invalid."""
    if usual is not None and usual.is_valid and point.is_valid and not difference.is_decided:
        yield point.name
        yield usual.name


def _plan_again(point: SweepPoint) -> SweepPoint:
    """Return a point that is due, with its values unless they are Invalid."""
    if point.state in COMPARABLE:
        return point.model_copy(update={"state": PointState.PLANNED, "reuses": None})
    reuses = point.reuses if _is_new(point) else None
    return forget_values(point).model_copy(update={"reuses": reuses})
