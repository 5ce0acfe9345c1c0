"""Points beside the baseline, axes that act together, and the best point, with their conclusions.

A point is known by the mean and the deviation of its repeats, on the logarithmic scale: the
deviation of a log-normal metric with the relative deviation v is sqrt(ln(1 + v²)). The tests are
those of all comparisons (`analysis.difference_tests`); all points of a sweep are one family, so
that of all their conclusions hardly ever one is false.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from solrbench.analysis.difference_tests import (
    DEFAULT_RULE,
    SMALLEST_EFFECT_PERCENT,
    ComparisonFinding,
    ComparisonRule,
    decide_primary,
)
from solrbench.analysis.differences import MetricDifference
from solrbench.analysis.metrics import RATE, ComparisonMetric, percentile_metric
from solrbench.analysis.sentences import (
    NO_CONCLUSION,
    format_bound,
    format_more_repeats,
    format_signed,
)
from solrbench.api.v1alpha1.comparisons import Conclusion, Summary
from solrbench.api.v1alpha1.sweep import BestPoint, SweepPoint
from solrbench.api.v1alpha1.sweep_spec import Metric, SweepSpec
from solrbench.stats.number_format import format_number
from solrbench.stats.tests import MIN_DEVIATION, Looks, SampleVariance, StudentEstimate
from solrbench.sweep.plan import PlannedPoint, SweepPlan
from solrbench.sweep.points import AxisValue, Values
from solrbench.sweep.state import PointState, is_valid


def metric_value(point: SweepPoint | Summary, metric: Metric) -> float | None:
    """Return the figure of a point, or of one of its benchmarks, that points are compared by."""
    if metric is Metric.REQUESTS_PER_SECOND:
        return point.requests_per_second
    return point.p95_milliseconds


def find_best(spec: SweepSpec, plan: SweepPlan, points: Sequence[SweepPoint]) -> BestPoint | None:
    """Return the best valid point; of equal ones the cheaper, then the earlier one.

    Args:
        spec: of the sweep
        plan: its plan
        points: the points of the plan, in its order
    """
    metric = spec.objective.metric
    candidates = [
        (_rank(figure, metric, planned, index), planned, point)
        for index, (planned, point) in enumerate(zip(plan.points, points, strict=True))
        if is_valid(point) and (figure := metric_value(point, metric)) is not None
    ]
    if not candidates:
        return None
    _, planned, best = min(candidates, key=lambda candidate: candidate[0])
    return _describe(planned, best)


def _rank(
    figure: float, metric: Metric, planned: PlannedPoint, place: int
) -> tuple[float, int, float, int]:
    worse = -figure if metric is Metric.REQUESTS_PER_SECOND else figure
    cost = planned.demand.target
    return worse, cost.memory_bytes, cost.cores, place


def _describe(planned: PlannedPoint, point: SweepPoint) -> BestPoint:
    cost = planned.demand.target
    return BestPoint(
        name=point.name,
        values=planned.point.text,
        requests_per_second=point.requests_per_second,
        p95_milliseconds=point.p95_milliseconds,
        cores=round(cost.cores, 3),
        memory_bytes=cost.memory_bytes,
    )


METRICS: Mapping[Metric, ComparisonMetric] = {
    Metric.P95_MILLISECONDS: percentile_metric(95),
    Metric.REQUESTS_PER_SECOND: RATE,
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
    finding: ComparisonFinding


def read_measured(
    plan: SweepPlan, points: Iterable[SweepPoint], metric: Metric
) -> tuple[MeasuredPoint | None, list[MeasuredPoint]]:
    """Return the baseline, if it has a figure, and all other points that have one."""
    baseline: MeasuredPoint | None = None
    others: list[MeasuredPoint] = []
    for planned, point in zip(plan.points, points, strict=True):
        measured = read_point(point, planned.point.values, metric)
        if measured is None:
            continue
        if planned.point.is_baseline:
            baseline = measured
        else:
            others.append(measured)
    return baseline, others


def read_point(point: SweepPoint, values: Values, metric: Metric) -> MeasuredPoint | None:
    """Return a point with its figure; None if it has none."""
    figure = metric_value(point, metric)
    if not figure or point.state == PointState.FAILED:
        return None
    return MeasuredPoint(point.name, values, figure, _spread(point), is_valid(point))


def _spread(point: SweepPoint) -> SampleVariance | None:
    if point.deviation_percent is None or (point.repeats or 0) < 2:
        return None
    variance = math.log1p((point.deviation_percent / 100) ** 2)
    return SampleVariance(max(variance, MIN_DEVIATION**2), point.repeats or 0)


def rule_of(spec: SweepSpec) -> ComparisonRule:
    """Return how words are found: with rounds, by levels that allow for a look after each."""
    repeats, comparison = spec.repeats, spec.template.spec.get("comparison") or {}
    effect = comparison.get("smallestEffectPercent", SMALLEST_EFFECT_PERCENT)
    if repeats is None:
        return ComparisonRule(effect)
    # All points of a sweep in rounds have as many repeats as the template.
    every = int(spec.template.load_repeats.get("count", 1))
    return ComparisonRule(effect, Looks(repeats.min, repeats.max, every))


def compare_all(
    baseline: MeasuredPoint,
    others: Sequence[MeasuredPoint],
    metric: Metric,
    rule: ComparisonRule = DEFAULT_RULE,
) -> list[ComparisonFinding]:
    """Return the word on each point beside the baseline."""
    return decide_primary([difference_of(metric, baseline, point) for point in others], rule)


def difference_of(metric: Metric, before: MeasuredPoint, after: MeasuredPoint) -> MetricDifference:
    """Return how far the figures of two points are apart."""
    centre = math.log(after.figure / before.figure)
    return _difference(metric, before, after, [before, after], centre)


def _difference(
    metric: Metric,
    before: MeasuredPoint,
    after: MeasuredPoint,
    sides: Sequence[MeasuredPoint],
    centre: float,
) -> MetricDifference:
    spreads = [point.spread for point in sides if point.spread is not None]
    known = len(spreads) == len(sides)
    estimate = StudentEstimate(centre, tuple(spreads)) if known else None
    counts = [1 if point.spread is None else point.spread.size for point in (before, after)]
    return MetricDifference(
        METRICS[metric], before.figure, after.figure, (counts[0], counts[1]), centre, estimate
    )


def find_interactions(
    baseline: MeasuredPoint,
    others: Sequence[MeasuredPoint],
    metric: Metric,
    rule: ComparisonRule = DEFAULT_RULE,
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


def _size(finding: ComparisonFinding) -> float:
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
        changed = [index for index in range(len(key)) if key[index] != base[index]]
        if len(changed) != 2:
            continue
        alone = [known.get(_with(base, index, key[index])) for index in changed]
        if alone[0] is not None and alone[1] is not None:
            yield both, alone[0], alone[1], baseline


def _with(key: tuple[int, ...], place: int, index: int) -> tuple[int, ...]:
    return (*key[:place], index, *key[place + 1 :])


def _key(values: Values) -> tuple[int, ...]:
    return tuple(value.index for value in values)


def _changed(values: Values, base: Values) -> AxisValue:
    return next(a for a, b in zip(values, base, strict=True) if a.index != b.index)


def _contrast(
    metric: Metric,
    both: MeasuredPoint,
    first: MeasuredPoint,
    second: MeasuredPoint,
    base: MeasuredPoint,
) -> MetricDifference:
    centre = math.log(both.figure * base.figure / (first.figure * second.figure))
    return _difference(metric, base, both, [both, first, second, base], centre)


MAX_NAMED = 5


def phrase_finding(finding: ComparisonFinding) -> str:
    """Return `Same (-1 %, 95 %: -6 to 4)`, or why there is no word."""
    percent, interval = format_signed(finding.percent), finding.interval_percent
    if finding.word is None:
        return f"{percent} ({NO_CONCLUSION})"
    if interval is None:
        return f"{finding.word} ({percent})"
    low, high = (format_bound(each, finding.percent) for each in interval)
    return f"{finding.word} ({percent}, 95 %: {low} to {high})"


def phrase_need(finding: ComparisonFinding) -> str:
    """Return how many more repeats an Unclear word needs, such as `about 3 more repeats`."""
    if finding.word is not Conclusion.UNCLEAR:
        return ""
    return format_more_repeats(finding.more_repeats).removeprefix(": ")


def phrase_point(values: Values, baseline: Values) -> str:
    """Return what a point differs in from the baseline, such as `heap 2Gi`."""
    differ = [v for v, usual in zip(values, baseline, strict=True) if v.index != usual.index]
    return ", ".join(f"{value.axis} {value.label}" for value in differ) or "the baseline"


def format_metric_value(figure: float, metric: Metric) -> str:
    """Return `p95 70 ms`, or the rate."""
    if metric is Metric.REQUESTS_PER_SECOND:
        return f"{format_number(figure)} requests/s"
    return f"p95 {format_number(figure)} ms"


def join_some(texts: Iterable[str]) -> str:
    """Return the first of some texts, and how many more there are."""
    listed = [*texts]
    more = len(listed) - MAX_NAMED
    return "; ".join(listed[:MAX_NAMED]) + (f"; and {more} more" if more > 0 else "")


MAX_COMPARED_POINTS = 50
"""Points beside the best one: of the nearest ones a sentence names five, and each costs tests."""


def answer_best(
    spec: SweepSpec, plan: SweepPlan, points: Sequence[SweepPoint], rule: ComparisonRule
) -> Iterator[str]:
    """Yield which point is best and what it requests; then what is Same, and what is not known.

    Args:
        spec: of the sweep
        plan: its plan
        points: the points of the plan, in its order
        rule: how words are found
    """
    baseline, others = read_measured(plan, points, spec.objective.metric)
    best = find_best(spec, plan, points)
    if baseline is None or best is None:
        return
    measured = [baseline, *others]
    chosen = next(point for point in measured if point.name == best.name)
    rest = _nearest(chosen, measured)
    pairs = [*zip(rest, compare_all(chosen, rest, spec.objective.metric, rule), strict=True)]
    planned = {point.point.name: point for point in plan.points}
    same = [
        f"{phrase_point(point.values, baseline.values)} {_cost(planned[point.name])}"
        for point, finding in pairs
        if finding.word is Conclusion.SAME
    ]
    unclear = [
        f"{phrase_point(point.values, baseline.values)} {phrase_finding(finding)},"
        f" {phrase_need(finding)}"
        for point, finding in pairs
        if finding.word is Conclusion.UNCLEAR
    ]
    name = phrase_point(chosen.values, baseline.values)
    figure = format_metric_value(chosen.figure, spec.objective.metric)
    yield f"best: {name}, {figure} {_cost(planned[chosen.name])}"
    if same:
        yield f"Same as the best: {join_some(same)}"
    if unclear:
        yield f"not distinguished from the best: {join_some(unclear)}"


def _nearest(best: MeasuredPoint, measured: Sequence[MeasuredPoint]) -> list[MeasuredPoint]:
    """Return the Valid points whose figures are nearest to that of the best one."""
    rest = [point for point in measured if point.is_valid and point.name != best.name]
    return sorted(rest, key=lambda point: abs(math.log(point.figure / best.figure)))[
        :MAX_COMPARED_POINTS
    ]


def _cost(planned: PlannedPoint) -> str:
    """Return what Solr and ZooKeeper of a point request."""
    cost = planned.demand.target
    cores, memory = format_number(cost.cores), format_number(cost.memory_bytes / 2**30)
    return f"({f'{cores} cores' if cost.cores else 'no CPU'} and {memory} GiB requested)"
