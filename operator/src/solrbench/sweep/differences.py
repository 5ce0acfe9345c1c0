"""Points beside the baseline, and axes that act together: the words on their differences.

A point is known by the mean and the deviation of its repeats, on the logarithmic scale: the
deviation of a log-normal figure with the relative deviation v is sqrt(ln(1 + v²)). The tests are
those of all comparisons (`results.comparison`); all points of a sweep are one family, so that of
all their words hardly ever one is false.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from solrbench.api.v1alpha1.sweep.spec import Metric as ObjectiveMetric
from solrbench.api.v1alpha1.sweep.spec import SweepSpec
from solrbench.api.v1alpha1.sweep.status import SweepPoint
from solrbench.results.comparison.estimates import LEAST_DEVIATION, SampleVariance, StudentEstimate
from solrbench.results.comparison.findings import (
    DEFAULT_RULE,
    SMALLEST_EFFECT_PERCENT,
    Finding,
    Rule,
    decide_primary,
)
from solrbench.results.comparison.looks import Looks
from solrbench.results.comparison.metric import RATE, Metric, percentile_metric
from solrbench.results.comparison.side_difference import SideDifference
from solrbench.sweep.axis_values import AxisValue
from solrbench.sweep.plan import SweepPlan
from solrbench.sweep.points import Values
from solrbench.sweep.results.best_point import figure_of
from solrbench.sweep.states import PointState, is_valid

METRICS: Mapping[ObjectiveMetric, Metric] = {
    ObjectiveMetric.P95_MILLISECONDS: percentile_metric(95),
    ObjectiveMetric.REQUESTS_PER_SECOND: RATE,
}


@dataclass(frozen=True)
class MeasuredPoint:
    """A point with its figure.

    Attributes:
        name: of the point
        values: a value for each axis
        figure: that of the objective
        spread: variance of its logarithm, and repeats; None with one repeat
        is_valid: whether all its steps are Valid

    """

    name: str
    values: Values
    figure: float
    spread: SampleVariance | None
    is_valid: bool


@dataclass(frozen=True)
class Interaction:
    """Two axes that act together otherwise than each alone.

    Attributes:
        values: the value of either axis
        finding: how far the figure of both is from what each alone would give

    """

    values: Values
    finding: Finding


def read_measured(
    plan: SweepPlan, points: Iterable[SweepPoint], metric: ObjectiveMetric
) -> tuple[MeasuredPoint | None, list[MeasuredPoint]]:
    """Return the baseline, if it has a figure, and all other points that have one."""
    baseline: MeasuredPoint | None = None
    others: list[MeasuredPoint] = []
    for planned, each in zip(plan.points, points, strict=True):
        measured = read_point(each, planned.point.values, metric)
        if measured is None:
            continue
        if planned.point.is_baseline:
            baseline = measured
        else:
            others.append(measured)
    return baseline, others


def read_point(point: SweepPoint, values: Values, metric: ObjectiveMetric) -> MeasuredPoint | None:
    """Return a point with its figure; None if it has none."""
    figure = figure_of(point, metric)
    if not figure or point.state == PointState.FAILED:
        return None
    return MeasuredPoint(point.name, values, figure, _spread(point), is_valid(point))


def _spread(point: SweepPoint) -> SampleVariance | None:
    if point.deviation_percent is None or (point.repeats or 0) < 2:
        return None
    variance = math.log1p((point.deviation_percent / 100) ** 2)
    return SampleVariance(max(variance, LEAST_DEVIATION**2), point.repeats or 0)


def rule_of(spec: SweepSpec) -> Rule:
    """Return how words are found: with rounds, by levels that allow for a look after each."""
    repeats, comparison = spec.repeats, spec.template.spec.get("comparison") or {}
    effect = comparison.get("smallestEffectPercent", SMALLEST_EFFECT_PERCENT)
    if repeats is None:
        return Rule(effect)
    # All points of a sweep in rounds have as many repeats as the template.
    every = int(spec.template.load_repeats.get("count", 1))
    return Rule(effect, Looks(repeats.min, repeats.max, every))


def compare_all(
    baseline: MeasuredPoint,
    others: Sequence[MeasuredPoint],
    metric: ObjectiveMetric,
    rule: Rule = DEFAULT_RULE,
) -> list[Finding]:
    """Return the word on each point beside the baseline."""
    return decide_primary([difference_of(metric, baseline, each) for each in others], rule)


def difference_of(
    metric: ObjectiveMetric, before: MeasuredPoint, after: MeasuredPoint
) -> SideDifference:
    """Return how far the figures of two points are apart."""
    centre = math.log(after.figure / before.figure)
    return _difference(metric, before, after, [before, after], centre)


def _difference(
    metric: ObjectiveMetric,
    before: MeasuredPoint,
    after: MeasuredPoint,
    sides: Sequence[MeasuredPoint],
    centre: float,
) -> SideDifference:
    spreads = [each.spread for each in sides if each.spread is not None]
    known = len(spreads) == len(sides)
    estimate = StudentEstimate(centre, tuple(spreads)) if known else None
    counts = [1 if each.spread is None else each.spread.size for each in (before, after)]
    return SideDifference(
        METRICS[metric], before.figure, after.figure, (counts[0], counts[1]), centre, estimate
    )


def find_interactions(
    baseline: MeasuredPoint,
    others: Sequence[MeasuredPoint],
    metric: ObjectiveMetric,
    rule: Rule = DEFAULT_RULE,
) -> list[Interaction]:
    """Return, for each two axes that are crossed, the values that act together most.

    The contrast of two values is ln y(a, b) - ln y(a) - ln y(b) + ln y(baseline), 0 if either has
    the same effect whatever the other is (Montgomery, Design and Analysis of Experiments, 5.1).
    """
    by_values = {_key(each.values): each for each in (baseline, *others)}
    crossed = list(_crossed(baseline, others, by_values))
    differences = [_contrast(metric, *each) for each in crossed]
    findings = decide_primary(differences, rule)
    strongest: dict[tuple[str, str], Interaction] = {}
    for (_, first, second, base), finding in zip(crossed, findings, strict=True):
        values = (_changed(first.values, base.values), _changed(second.values, base.values))
        pair = (values[0].axis, values[1].axis)
        known = strongest.get(pair)
        if known is None or _size(finding) > _size(known.finding):
            strongest[pair] = Interaction(values, finding)
    return list(strongest.values())


def _size(finding: Finding) -> float:
    return abs(finding.difference.centre)


def _crossed(
    baseline: MeasuredPoint,
    others: Sequence[MeasuredPoint],
    known: Mapping[tuple[int, ...], MeasuredPoint],
) -> Iterator[tuple[MeasuredPoint, MeasuredPoint, MeasuredPoint, MeasuredPoint]]:
    """Yield the points that change two axes, those that change either alone, and the baseline."""
    base = _key(baseline.values)
    for both in others:
        key = _key(both.values)
        changed = [place for place in range(len(key)) if key[place] != base[place]]
        if len(changed) != 2:
            continue
        alone = [known.get(_with(base, place, key[place])) for place in changed]
        if alone[0] is not None and alone[1] is not None:
            yield both, alone[0], alone[1], baseline


def _with(key: tuple[int, ...], place: int, index: int) -> tuple[int, ...]:
    return (*key[:place], index, *key[place + 1 :])


def _key(values: Values) -> tuple[int, ...]:
    return tuple(each.index for each in values)


def _changed(values: Values, base: Values) -> AxisValue:
    return next(a for a, b in zip(values, base, strict=True) if a.index != b.index)


def _contrast(
    metric: ObjectiveMetric,
    both: MeasuredPoint,
    first: MeasuredPoint,
    second: MeasuredPoint,
    base: MeasuredPoint,
) -> SideDifference:
    centre = math.log(both.figure * base.figure / (first.figure * second.figure))
    return _difference(metric, base, both, [both, first, second, base], centre)
