"""Points beside the baseline and the best points of each condition, with their conclusions.

A condition is given and not chosen (users, rates, the size of the data), so points are compared
within one, and nothing is the best over several. A point is known by the values of its repeats, so
that points are compared as any two benchmarks are (`analysis.differences`). All points of a sweep
are one family, over all conditions: of all their conclusions hardly ever one is false.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from statistics import fmean
from typing import NamedTuple, TypeVar

from solrbench.analysis.differences import (
    SMALLEST_EFFECT_PERCENT,
    ComparisonRule,
    RepeatValue,
    conclude_primary,
    estimate_difference,
    metric_value_of,
    on_scale,
    sample,
)
from solrbench.analysis.metrics import MIN_REPEATS, ComparisonMetric, Difference, Scale
from solrbench.api.v1alpha1.comparisons import Conclusion
from solrbench.api.v1alpha1.sweep import MAX_BEST, BestPoint, SweepPoint
from solrbench.api.v1alpha1.sweep_spec import SweepSpec
from solrbench.stats.distributions import relative_deviation_percent
from solrbench.stats.number_format import round_significant
from solrbench.stats.tests import Looks
from solrbench.sweep.objective_figure import ObjectiveFigure, figure_of
from solrbench.sweep.plan import SweepPlan
from solrbench.sweep.planned_points import PlannedPoint
from solrbench.sweep.points import AxisValue, Values, changed_values, text_of_values
from solrbench.sweep.state import PointState, is_valid

DIGITS = 4
"""Significant digits of a value: less than its noise, and 500 points stay small."""

_Point = TypeVar("_Point")


@dataclass(frozen=True)
class MeasuredPoint:
    """A point with the metric of the objective; `target` is that of its `PlannedPoint`.

    Points are compared by the values of their `repeats`, one of each round. `shown_value` is that
    over all repeats together; of the p95 it is not the mean of those of the repeats.
    """

    name: str
    values: Values
    shown_value: float
    repeats: tuple[RepeatValue, ...]
    is_valid: bool
    in_rounds: bool
    target: str


class MeasuredCondition(NamedTuple):
    """The measured points of one condition; without conditions, `values` is empty.

    `usual` are these values and the settings of the baseline of the sweep, which `baseline` has.
    """

    values: Values
    usual: Values
    baseline: MeasuredPoint | None
    others: tuple[MeasuredPoint, ...]

    @property
    def text(self) -> str:
        """Its values in words, such as `users 8`; empty where there are none."""
        return text_of_values(self.values)

    @property
    def where(self) -> str:
        """What a sentence adds to what is of this condition alone, such as ` with users 8`."""
        return f" with {self.text}" if self.values else ""

    @property
    def measured(self) -> tuple[MeasuredPoint, ...]:
        """All of its points."""
        return self.others if self.baseline is None else (self.baseline, *self.others)

    def changes(self, point: MeasuredPoint) -> list[AxisValue]:
        """Return the values in which a point differs from the baseline, if that was measured."""
        return [] if self.baseline is None else changed_values(point.values, self.usual)

    def phrase(self, point: MeasuredPoint) -> str:
        """Return the settings of a point that are not the usual ones, such as `heap 2Gi`."""
        return text_of_values(changed_values(point.values, self.usual)) or "the baseline"


def group_by_condition(
    spec: SweepSpec, usual: Values, points: Iterable[tuple[Values, _Point]]
) -> list[tuple[Values, list[_Point]]]:
    """Return the values of each condition with its points, that of the baseline (`usual`) first.

    `points` are given with their values.
    """
    places = [place for place, axis in enumerate(spec.axes) if axis.is_condition]
    groups: dict[tuple[int, ...], tuple[Values, list[_Point]]] = {}
    for values, point in points:
        given = tuple(values[place] for place in places)
        key = tuple(value.index for value in given)
        groups.setdefault(key, (given, []))[1].append(point)
    first = tuple(value.index for place, value in enumerate(usual) if place in places)
    return [groups[key] for key in sorted(groups, key=lambda key: (key != first, key))]


def group_measured(
    spec: SweepSpec, usual: Values, points: Iterable[MeasuredPoint]
) -> list[MeasuredCondition]:
    """Return the conditions with the measured points of each, that of the baseline first."""
    conditions = []
    for values, group in group_by_condition(spec, usual, ((e.values, e) for e in points)):
        given = {value.axis: value for value in values}
        own = tuple(given.get(value.axis, value) for value in usual)
        baseline = next((e for e in group if not changed_values(e.values, own)), None)
        others = tuple(e for e in group if changed_values(e.values, own))
        conditions.append(MeasuredCondition(values, own, baseline, others))
    return conditions


def read_measured(
    spec: SweepSpec, plan: SweepPlan, points: Iterable[SweepPoint]
) -> list[MeasuredCondition]:
    """Return the measured points by condition; points are in the order of the plan."""
    if plan.baseline is None:
        return []
    read = [
        read_point(point, planned.point.values, figure_of(spec), planned.target)
        for planned, point in zip(plan.points, points, strict=True)
    ]
    measured = [each for each in read if each is not None]
    return group_measured(spec, plan.baseline.point.values, measured)


class Candidate(NamedTuple):
    """A Valid point that may be the best one of its condition.

    `difference` is that from the one with the best mean, which has none itself.
    """

    measured: MeasuredPoint
    planned: PlannedPoint
    point: SweepPoint
    difference: Difference | None = None


MAX_COMPARED_POINTS = 50
"""Points beside the best one: of the nearest ones a sentence names five, and each costs tests."""


class RankedCondition(NamedTuple):
    """The candidates of a condition, those with the best mean first.

    `best` are, by `best_sets`, those not distinguished from the first one, the cheapest first.
    `not_compared` have too few repeats for that, or too few rounds in common with the first one.
    """

    condition: MeasuredCondition
    candidates: tuple[Candidate, ...]
    best: tuple[Candidate, ...] = ()
    not_compared: tuple[Candidate, ...] = ()


def rank_points(
    spec: SweepSpec, plan: SweepPlan, points: Sequence[SweepPoint]
) -> list[RankedCondition]:
    """Return the candidates of each condition; points are in the order of the plan.

    No point is Better than the first one by its mean. In rounds, a mean is that beside the baseline
    of the condition in the same rounds: points that took part in fewer were measured at another
    time.
    """
    metric = figure_of(spec).comparison
    known = {
        point.name: (planned, point)
        for planned, point in zip(plan.points, points, strict=True)
        if is_valid(point)
    }

    def rank(baseline: MeasuredPoint | None, measured: MeasuredPoint) -> float:
        value = metric_value_of(metric, sample(metric, measured.repeats))
        if baseline is not None:
            beside = estimate_pair(metric, baseline, measured)
            usual, value = beside.baseline or 0.0, beside.candidate or 0.0
            value = value - usual if metric.scale is Scale.POINTS else value / (usual or 1.0)
        return value if metric.is_lower_better else -value

    ranked = []
    for condition in read_measured(spec, plan, points):
        valid = [each for each in condition.measured if each.name in known]
        in_order = sorted(valid, key=partial(rank, condition.baseline))
        candidates = tuple(Candidate(each, *known[each.name]) for each in in_order)
        ranked.append(RankedCondition(condition, candidates))
    return ranked


def best_sets(
    spec: SweepSpec, plan: SweepPlan, points: Sequence[SweepPoint]
) -> list[RankedCondition]:
    """Return the candidates of each condition, and which of them are the best.

    Of nearly equal points the one with the best mean is the luckiest (Hsu, Constrained simultaneous
    confidence intervals for multiple comparisons with the best, 1984). The comparisons of all
    conditions are one family. The set is empty where the first point has fewer than `MIN_REPEATS`,
    from which nothing is the best, or is the only one.
    """
    ranked = rank_points(spec, plan, points)
    pairs = [
        (each.candidates[0].measured, candidate.measured)
        for each in ranked
        if _has_best(each)
        for candidate in each.candidates[1 : MAX_COMPARED_POINTS + 1]
    ]
    differences = iter(compare_pairs(pairs, figure_of(spec).comparison, rule_of(spec)))
    return [_find_best_set(each, differences) if _has_best(each) else each for each in ranked]


def _has_best(ranked: RankedCondition) -> bool:
    candidates = ranked.candidates
    return len(candidates) > 1 and len(candidates[0].measured.repeats) >= MIN_REPEATS


def _find_best_set(ranked: RankedCondition, differences: Iterator[Difference]) -> RankedCondition:
    first, *rest = ranked.candidates[: MAX_COMPARED_POINTS + 1]
    compared = [each._replace(difference=next(differences)) for each in rest]

    def select(*conclusions: Conclusion | None) -> list[Candidate]:
        return [e for e in compared if e.difference and e.difference.conclusion in conclusions]

    def cost(each: Candidate) -> tuple[float, float, float]:
        amounts = each.planned.demand.target
        return each.planned.price or 0.0, amounts.memory_bytes, amounts.cores

    near = [first, *select(Conclusion.SAME, Conclusion.INCONCLUSIVE)]
    return ranked._replace(best=tuple(sorted(near, key=cost)), not_compared=tuple(select(None)))


def find_best(found: Iterable[RankedCondition]) -> list[BestPoint]:
    """Return the cheapest point of each condition that is not distinguished from the best mean."""
    chosen = [(each.condition.text, each.best[0]) for each in found if each.best]
    return [describe_best(text, each.planned, each.point) for text, each in chosen[:MAX_BEST]]


def describe_best(condition: str | None, planned: PlannedPoint, point: SweepPoint) -> BestPoint:
    """Return the best point of a condition with its figures and what it costs."""
    cost = planned.demand.target
    return BestPoint(
        name=point.name,
        condition=condition or None,
        values=planned.point.text,
        requests_per_second=point.requests_per_second,
        p95_milliseconds=point.p95_milliseconds,
        value=point.value,
        cores=round(cost.cores, 3) or None,
        memory_bytes=cost.memory_bytes or None,
        price_per_hour=round_significant(planned.price, DIGITS),
    )


def read_point(
    point: SweepPoint, values: Values, figure: ObjectiveFigure, target: str = ""
) -> MeasuredPoint | None:
    """Return a point by the figure of the objective of its sweep; None if it has none.

    `target` is that of its `PlannedPoint`; without it, which targets a difference is about is in
    `SweepPoint.on_target` alone.
    """
    shown = figure.value(point)
    if shown is None or not figure.has_value(shown) or point.state == PointState.FAILED:
        return None
    repeat_values, rounds = point.repeat_values or [shown], point.repeat_rounds
    # Without numbers, all repeats ran on one target: then repeats are the sample.
    targets = point.repeat_targets or [1] * len(repeat_values)
    if rounds is not None and not target:
        targets = rounds
    numbers = rounds or range(1, len(repeat_values) + 1)
    repeats = tuple(
        RepeatValue(number, str(each), value)
        for number, each, value in zip(numbers, targets, repeat_values, strict=True)
    )
    return MeasuredPoint(
        point.name, values, shown, repeats, is_valid(point), rounds is not None, target
    )


def find_deviation_percent(point: SweepPoint) -> float | None:
    """Return how far the repeats of a point differ; None with one repeat.

    Values that are means of several repeats differ less, by the root of their number.
    """
    values = point.repeat_values or []
    if point.deviation_percent is not None or len(values) < 2:
        return point.deviation_percent
    deviation = relative_deviation_percent(values) or 0.0
    return round_significant(
        deviation * math.sqrt((point.repeats or len(values)) / len(values)), DIGITS
    )


def rule_of(spec: SweepSpec) -> ComparisonRule:
    """Return what counts as a difference, and whether points are looked at after each round."""
    rounds, effect = spec.rounds, spec.template.part("comparison").get("smallestEffectPercent")
    # Reports of a sweep that was refused say it, too.
    effect = effect if isinstance(effect, int | float) else SMALLEST_EFFECT_PERCENT
    if rounds is None or rounds.until is None:
        return ComparisonRule(effect)
    return ComparisonRule(effect, Looks(rounds.least, rounds.most))


def compare_with_baselines(
    conditions: Sequence[MeasuredCondition], figure: ObjectiveFigure, rule: ComparisonRule
) -> dict[str, Difference]:
    """Return each point beside the baseline of its condition, by its name."""
    pairs = [
        (condition.baseline, point)
        for condition in conditions
        if condition.baseline is not None
        for point in condition.others
    ]
    differences = compare_pairs(pairs, figure.comparison, rule)
    return {point.name: each for (_, point), each in zip(pairs, differences, strict=True)}


def compare_pairs(
    pairs: Sequence[tuple[MeasuredPoint, MeasuredPoint]],
    metric: ComparisonMetric,
    rule: ComparisonRule,
) -> list[Difference]:
    """Return the second point of each pair beside the first; all pairs are one family."""
    return conclude_primary([estimate_pair(metric, *pair) for pair in pairs], rule)


def estimate_pair(
    metric: ComparisonMetric, baseline: MeasuredPoint, point: MeasuredPoint
) -> Difference:
    """Return the difference of a point, within rounds where both were measured in rounds.

    It has no conclusion. It is about one target unless each side has several or both use the same
    one.
    """
    sides, in_rounds = (baseline.repeats, point.repeats), baseline.in_rounds and point.in_rounds
    difference = estimate_difference(metric, *sides, in_rounds=in_rounds)
    if difference is None:  # no round in common: nothing is concluded
        samples = [sample(metric, side) for side in sides]
        one, other = (metric_value_of(metric, each) for each in samples)
        estimate = on_scale(metric, fmean(samples[1]) - fmean(samples[0]))
        return Difference(metric, one, other, estimate)
    is_one = bool(baseline.target or point.target) and baseline.target != point.target
    return replace(difference, on_target=difference.on_target and is_one)


MAX_NAMED = 5


def join_some(texts: Iterable[str], most: int = MAX_NAMED) -> str:
    """Return the first of some texts, and how many more there are."""
    listed = [*texts]
    more = len(listed) - most
    return "; ".join(listed[:most]) + (f"; and {more} more" if more > 0 else "")
