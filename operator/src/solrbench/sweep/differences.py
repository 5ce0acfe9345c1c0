"""Points beside the baseline, axes that act together, and the best point, with their conclusions.

A point is known by the values of its repeats, so that points are compared as any two benchmarks
are (`analysis.differences`). All points of a sweep are one family: of all their conclusions hardly
ever one is false.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import NamedTuple

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
from solrbench.analysis.metrics import RATE, ComparisonMetric, Difference, percentile_metric
from solrbench.analysis.sentences import format_more_repeats
from solrbench.api.v1alpha1.comparisons import Conclusion, Summary
from solrbench.api.v1alpha1.sweep import BestPoint, SweepPoint
from solrbench.api.v1alpha1.sweep_spec import Metric, SweepSpec
from solrbench.stats.distributions import relative_deviation_percent
from solrbench.stats.number_format import format_number, round_significant
from solrbench.stats.tests import Looks, StudentEstimate, sample_variance
from solrbench.sweep.plan import PlannedPoint, SweepPlan
from solrbench.sweep.points import AxisValue, Values
from solrbench.sweep.state import PointState, is_valid

DIGITS = 4
"""Significant digits of a value: less than its noise, and 500 points stay small."""

METRICS: Mapping[Metric, ComparisonMetric] = {
    Metric.P95_MILLISECONDS: percentile_metric(95),
    Metric.REQUESTS_PER_SECOND: RATE,
}


def metric_value(point: SweepPoint | Summary, metric: Metric) -> float | None:
    """Return the value of a point, or of one of its benchmarks, over all repeats together."""
    if metric is Metric.REQUESTS_PER_SECOND:
        return point.requests_per_second
    return point.p95_milliseconds


@dataclass(frozen=True)
class MeasuredPoint:
    """A point with the metric of the objective.

    Attributes:
        shown_value: over all repeats together; of the p95 not the mean of those of the repeats
        repeats: its values in the repeats, which points are compared by; of each round one
        is_valid: whether all its steps are Valid
        target: as that of its `PlannedPoint`
    """

    name: str
    values: Values
    shown_value: float
    repeats: tuple[RepeatValue, ...]
    is_valid: bool
    in_rounds: bool = False
    target: str = ""


class Interaction(NamedTuple):
    """A value of either of two axes, and how far both are from what each alone would give."""

    values: Values
    difference: Difference


class Candidate(NamedTuple):
    """A Valid point that may be the best one, at the load of the baseline."""

    measured: MeasuredPoint
    planned: PlannedPoint
    point: SweepPoint


_OF_LOAD = re.compile(r"load\..*(users|requestsPerSecond)")
"""Fields of how much is asked: the least is always the fastest, and nothing to choose."""


def rank_points(spec: SweepSpec, plan: SweepPlan, points: Sequence[SweepPoint]) -> list[Candidate]:
    """Return the candidates, those with the best mean first; points are in the order of the plan.

    No point is Better than the first one by its mean. In rounds, a mean is that beside the baseline
    in the same rounds: points that took part in fewer were measured at another time.
    """
    metric = METRICS[spec.objective.metric]
    usual = next((each.point.values for each in plan.points if each.point.is_baseline), None)
    baseline, _ = read_measured(plan, points, spec.objective.metric)
    ranked = []
    for planned, point in zip(plan.points, points, strict=True):
        values = planned.point.values
        is_other_load = any(
            value.index != base.index
            and all(_OF_LOAD.fullmatch(path) for path, _ in value.settings)
            for value, base in zip(values, usual or values, strict=True)
        )
        measured = _read_planned(planned, point, spec.objective.metric) if is_valid(point) else None
        if measured is not None and not is_other_load:
            value = metric_value_of(metric, sample(metric, measured.repeats))
            if baseline is not None:
                beside = _estimate(metric, baseline, measured)
                value = (beside.candidate or 0.0) / (beside.baseline or 1.0)
            rank = value if metric.is_lower_better else -value
            ranked.append((rank, Candidate(measured, planned, point)))
    return [candidate for _, candidate in sorted(ranked, key=lambda each: each[0])]


def best_set(
    spec: SweepSpec, ranked: Sequence[Candidate]
) -> list[tuple[Candidate, Difference | None]]:
    """Return the points that are not distinguished from the first one, the cheapest first.

    Of nearly equal points the one with the best mean is the luckiest (Hsu, Constrained simultaneous
    confidence intervals for multiple comparisons with the best, 1984). The first one of `ranked`
    has no difference. From one run nothing is the best.
    """
    if not ranked or len(ranked[0].measured.repeats) < 2:
        return []
    fastest, *rest = ranked[: MAX_COMPARED_POINTS + 1]
    others = [each.measured for each in rest]
    differences = compare_all(fastest.measured, others, spec.objective.metric, rule_of(spec))
    near: list[tuple[Candidate, Difference | None]] = [(fastest, None)]
    near += [
        (candidate, difference)
        for candidate, difference in zip(rest, differences, strict=True)
        if difference.conclusion in (Conclusion.SAME, Conclusion.INCONCLUSIVE)
    ]
    return sorted(near, key=lambda each: _rank_by_cost(each[0]))


def _rank_by_cost(candidate: Candidate) -> tuple[float, float]:
    cost = candidate.planned.demand.target
    return cost.memory_bytes, cost.cores


def find_best(spec: SweepSpec, plan: SweepPlan, points: Sequence[SweepPoint]) -> BestPoint | None:
    """Return the cheapest point that is not distinguished from the fastest; None from one run."""
    best = best_set(spec, rank_points(spec, plan, points))
    if not best:
        return None
    _, planned, point = best[0][0]
    return describe_best(planned, point)


def describe_best(planned: PlannedPoint, point: SweepPoint) -> BestPoint:
    """Return the best point with its figures and what it costs."""
    cost = planned.demand.target
    return BestPoint(
        name=point.name,
        values=planned.point.text,
        requests_per_second=point.requests_per_second,
        p95_milliseconds=point.p95_milliseconds,
        cores=round(cost.cores, 3),
        memory_bytes=cost.memory_bytes,
        price_per_hour=round_significant(planned.price, DIGITS),
    )


def read_measured(
    plan: SweepPlan, points: Iterable[SweepPoint], metric: Metric
) -> tuple[MeasuredPoint | None, list[MeasuredPoint]]:
    """Return the baseline, if it is measured, and all other points that are."""
    baseline: MeasuredPoint | None = None
    others: list[MeasuredPoint] = []
    for planned, point in zip(plan.points, points, strict=True):
        measured = _read_planned(planned, point, metric)
        if measured is None:
            continue
        if planned.point.is_baseline:
            baseline = measured
        else:
            others.append(measured)
    return baseline, others


def _read_planned(planned: PlannedPoint, point: SweepPoint, metric: Metric) -> MeasuredPoint | None:
    return read_point(point, planned.point.values, metric, planned.target)


def read_point(
    point: SweepPoint, values: Values, metric: Metric, target: str = ""
) -> MeasuredPoint | None:
    """Return a point by the metric of the objective of its sweep; None if it has none.

    `target` is that of its `PlannedPoint`; without it, which targets a difference is about is in
    `SweepPoint.on_target` alone.
    """
    shown = metric_value(point, metric)
    if not shown or point.state == PointState.FAILED:
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
    return round_significant(deviation * math.sqrt((point.repeats or 1) / len(values)), DIGITS)


def rule_of(spec: SweepSpec) -> ComparisonRule:
    """Return what counts as a difference, and whether points are looked at after each round."""
    rounds, comparison = spec.rounds, spec.template.spec.get("comparison") or {}
    effect = comparison.get("smallestEffectPercent", SMALLEST_EFFECT_PERCENT)
    if rounds is None or rounds.until is None:
        return ComparisonRule(effect)
    return ComparisonRule(effect, Looks(rounds.least, rounds.most))


def compare_all(
    baseline: MeasuredPoint,
    others: Sequence[MeasuredPoint],
    metric: Metric,
    rule: ComparisonRule,
) -> list[Difference]:
    """Return each point beside the baseline."""
    estimated = [_estimate(METRICS[metric], baseline, point) for point in others]
    return conclude_primary(estimated, rule)


def _estimate(
    metric: ComparisonMetric, baseline: MeasuredPoint, point: MeasuredPoint
) -> Difference:
    """Return the difference of a point, within rounds where both were measured in rounds.

    It is about one target unless each side has several or both use the same one.
    """
    sides, in_rounds = (baseline.repeats, point.repeats), baseline.in_rounds and point.in_rounds
    difference = estimate_difference(metric, *sides, in_rounds=in_rounds)
    if difference is None:  # no round in common: nothing is concluded
        one, other = (metric_value_of(metric, sample(metric, side)) for side in sides)
        return Difference(metric, one, other, on_scale(metric, math.log(other / one)))
    is_one = bool(baseline.target or point.target) and baseline.target != point.target
    return replace(difference, on_target=difference.on_target and is_one)


def find_interactions(
    baseline: MeasuredPoint,
    others: Sequence[MeasuredPoint],
    metric: Metric,
    rule: ComparisonRule,
) -> list[Interaction]:
    """Return, for each two axes that are crossed, the values that act together most.

    The contrast of two values is ln y(a, b) - ln y(a) - ln y(b) + ln y(baseline), 0 if either has
    the same effect whatever the other is (Montgomery, Design and Analysis of Experiments, 5.1).
    """
    crossed = [each for each in _crossed(baseline, others) if all(_in_common(each))]
    # All contrasts are one family, as those that are not shown were candidates for the strongest.
    differences = conclude_primary([_contrast(METRICS[metric], *each) for each in crossed], rule)
    strongest: dict[tuple[str, str], Interaction] = {}
    for (_, first, second, base), difference in zip(crossed, differences, strict=True):
        values = (_changed(first.values, base.values), _changed(second.values, base.values))
        pair = (values[0].axis, values[1].axis)
        known = strongest.get(pair)
        if known is None or _size(difference) > _size(known.difference):
            strongest[pair] = Interaction(values, difference)
    return list(strongest.values())


def _size(difference: Difference) -> float:
    """Return the size of a ratio, in which half as much and twice as much are equally far."""
    return abs(math.log1p(difference.estimate / 100))


def _crossed(
    baseline: MeasuredPoint, others: Sequence[MeasuredPoint]
) -> Iterator[tuple[MeasuredPoint, MeasuredPoint, MeasuredPoint, MeasuredPoint]]:
    """Yield the points that change two axes, those that change either alone, and the baseline."""
    known = {_key(each.values): each for each in (baseline, *others)}
    base = _key(baseline.values)
    for both in others:
        key = _key(both.values)
        changed = [index for index in range(len(key)) if key[index] != base[index]]
        if len(changed) != 2:
            continue
        first, second = (
            known.get((*base[:axis], key[axis], *base[axis + 1 :])) for axis in changed
        )
        if first is not None and second is not None:
            yield both, first, second, baseline


def _key(values: Values) -> tuple[int, ...]:
    return tuple(value.index for value in values)


def _changed(values: Values, base: Values) -> AxisValue:
    return next(a for a, b in zip(values, base, strict=True) if a.index != b.index)


def _contrast(
    metric: ComparisonMetric,
    both: MeasuredPoint,
    first: MeasuredPoint,
    second: MeasuredPoint,
    base: MeasuredPoint,
) -> Difference:
    points = (both, base, first, second)
    samples = [sample(metric, repeats) for repeats in _in_common(points)]
    varying: list[Sequence[float]] = [*samples]
    if all(point.in_rounds for point in points):
        varying = [[ab + o - a - b for ab, o, a, b in zip(*samples, strict=True)]]
    means = [fmean(values) for values in samples]
    centre = means[0] + means[1] - means[2] - means[3]
    known = all(len(values) > 1 for values in varying)
    targets = {point.target for point in points}
    return Difference(
        metric,
        metric_value_of(metric, samples[1]),
        metric_value_of(metric, samples[0]),
        on_scale(metric, centre),
        repeats=(len(samples[1]), len(samples[0])),
        on_target=len(targets) > 1,
        # Ranks of four samples have no test, so a repeat far from the others widens the interval.
        test=StudentEstimate(centre, tuple(map(sample_variance, varying))) if known else None,
    )


def _in_common(points: Sequence[MeasuredPoint]) -> list[list[RepeatValue]]:
    """Return the values of each point, in rounds those of the rounds that all of them have."""
    if not all(point.in_rounds for point in points):
        return [[*point.repeats] for point in points]
    rounds = set.intersection(*({each.repeat for each in point.repeats} for point in points))
    return [[each for each in point.repeats if each.repeat in rounds] for point in points]


MAX_NAMED = 5


def phrase_point(values: Values, baseline: Values) -> str:
    """Return what a point differs in from the baseline, such as `heap 2Gi`."""
    differ = [v for v, usual in zip(values, baseline, strict=True) if v.index != usual.index]
    return ", ".join(f"{value.axis} {value.label}" for value in differ) or "the baseline"


def join_some(texts: Iterable[str]) -> str:
    """Return the first of some texts, and how many more there are."""
    listed = [*texts]
    more = len(listed) - MAX_NAMED
    return "; ".join(listed[:MAX_NAMED]) + (f"; and {more} more" if more > 0 else "")


MAX_COMPARED_POINTS = 50
"""Points beside the best one: of the nearest ones a sentence names five, and each costs tests."""


def answer_best(spec: SweepSpec, plan: SweepPlan, points: Sequence[SweepPoint]) -> Iterator[str]:
    """Yield which point is best and what it requests; then what is Same, and what is not known."""
    baseline, _ = read_measured(plan, points, spec.objective.metric)
    ranked = rank_points(spec, plan, points)
    if baseline is None or not ranked:
        return

    def name(candidate: Candidate) -> str:
        return phrase_point(candidate.measured.values, baseline.values)

    def describe(candidate: Candidate) -> str:
        shown = format_number(candidate.measured.shown_value)
        is_rate = spec.objective.metric is Metric.REQUESTS_PER_SECOND
        figure = f"{shown} requests/s" if is_rate else f"p95 {shown} ms"
        return f"{name(candidate)}, {figure} {_cost(candidate.planned)}"

    best = best_set(spec, ranked)
    if not best:
        yield f"Fastest in one run, which may be chance: {describe(ranked[0])}."
        return
    (chosen, difference), *rest = best
    fastest = ""
    if difference is not None:
        fastest = (
            f" It is the cheapest of {len(best)} points without a shown difference from the"
            f" fastest, {describe(ranked[0])}."
        )
    yield f"Best: {describe(chosen)}.{fastest}"
    same = [
        f"{name(candidate)} {_cost(candidate.planned)}"
        for candidate, difference in rest
        if difference is not None and difference.conclusion is Conclusion.SAME
    ]
    inconclusive = [
        f"{name(candidate)} ({format_more_repeats(difference)} would decide)"
        for candidate, difference in rest
        if difference is not None and difference.conclusion is Conclusion.INCONCLUSIVE
    ]
    which = "best" if difference is None else "fastest"
    if same:
        yield f"No relevant difference from the {which}: {join_some(same)}."
    if inconclusive:
        yield f"Inconclusive against the {which}: {join_some(inconclusive)}."


def _cost(planned: PlannedPoint) -> str:
    """Return what Solr and ZooKeeper of a point request."""
    cost = planned.demand.target
    cores, memory = format_number(cost.cores), format_number(cost.memory_bytes / 2**30)
    return f"({f'{cores} cores' if cost.cores else 'no CPU'} and {memory} GiB requested)"
