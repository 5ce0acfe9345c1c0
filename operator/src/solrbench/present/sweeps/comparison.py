"""Two sweeps beside each other, point by point.

Points are the same if all their axes have the same values. The metric of a point is that of
`spec.objective`, known by the values of its repeats; all points in common are one family, as the
points of one sweep are (`solrbench.sweep.differences`). On rate and p95 beside it nothing is
concluded, as the values of its repeats are not kept.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from solrbench.analysis.baseline import complete_spec, is_drift_unknown, primary_comparisons
from solrbench.analysis.conclusions import baseline_sentences
from solrbench.analysis.differences import (
    ComparisonRule,
    RepeatValue,
    conclude_primary,
    estimate_difference,
)
from solrbench.analysis.metrics import ComparedMetric, Difference, store_figure
from solrbench.analysis.samples import ALL_REQUESTS
from solrbench.analysis.sentences import CONCLUSIONS
from solrbench.analysis.step_comparison import DEFINITIONS, SETTINGS, differing
from solrbench.api.v1alpha1.comparisons import MAX_NOTES, BaselineComparison, Conclusion
from solrbench.api.v1alpha1.objectives import PrimaryMetric
from solrbench.api.v1alpha1.sweep_objective import Metric
from solrbench.present.sweeps.point_tables import name_point
from solrbench.present.sweeps.report import PointReport, SweepReport
from solrbench.stats.number_format import count_noun
from solrbench.sweep.differences import read_point, rule_of
from solrbench.sweep.objective_figure import ObjectiveFigure, figure_of
from solrbench.sweep.points import DesignError, read_values
from solrbench.sweep.state import PointState

MAX_SENTENCES = 16
"""On single points; the first sentence counts all."""

_MAX_NAMED = 5
_FRESH = "FreshTarget"
_METRICS: Mapping[PrimaryMetric, Metric] = {
    PrimaryMetric.P95: Metric.P95_MILLISECONDS,
    PrimaryMetric.REQUESTS_PER_SECOND: Metric.REQUESTS_PER_SECOND,
}
PRIMARY_METRICS = tuple(_METRICS)
"""Metrics that points of a sweep have."""


@dataclass(frozen=True)
class _Pair:
    """A point that both sweeps measured."""

    name: str
    baseline: PointReport
    candidate: PointReport

    @property
    def is_invalid(self) -> bool:
        return any(
            point.result.state == PointState.INVALID for point in (self.baseline, self.candidate)
        )


def compare_sweeps(
    baseline: SweepReport,
    candidate: SweepReport,
    smallest_effect_percent: float | None = None,
    primary: PrimaryMetric | None = None,
) -> BaselineComparison:
    """Return the points that two sweeps have in common; the step of a metric is its point.

    Without a smallest effect that of the template of `candidate` counts, and without a primary
    metric, one of `PRIMARY_METRICS`, its objective.
    """
    specs = [complete_spec(each.spec.template.spec) for each in (baseline, candidate)]
    # Rounds were looked at beside the baseline of their own sweep, not beside another sweep.
    effect = smallest_effect_percent or rule_of(candidate.spec).smallest_effect_percent
    rule = ComparisonRule(effect)
    figure = figure_of(candidate.spec) if primary is None else ObjectiveFigure(_METRICS[primary])
    known = {_key(point): point for point in baseline.points}
    pairs = [
        _Pair(name_point(point), known[_key(point)], point)
        for point in candidate.points
        if point.values and _key(point) in known
    ]
    decisive = _compare_primary(pairs, figure, rule, (baseline, candidate))
    details = [
        (pair, difference)
        for metric in _METRICS.values()
        if (other := ObjectiveFigure(metric)) != figure
        for pair in pairs
        if (difference := _estimate(pair, other, (False, False))) is not None
    ]
    return BaselineComparison.model_construct(
        baseline=baseline.sweep,
        figures=[
            store_figure(
                ComparedMetric(difference, pair.name, ALL_REQUESTS, is_primary=is_primary),
                is_invalid=pair.is_invalid,
            )
            for found, is_primary in ((decisive, True), (details, False))
            for pair, difference in found
        ],
        left_out=0,
        drift_unknown=is_drift_unknown(difference for _, difference in decisive),
        settings=differing(specs[0], specs[1], SETTINGS, MAX_NOTES),
        differences=[
            *_redefined(baseline, candidate),
            *_only(baseline, candidate),
            *_only(candidate, baseline),
            *differing(specs[0], specs[1], DEFINITIONS, MAX_NOTES),
        ][:MAX_NOTES],
    )


def _redefined(baseline: SweepReport, candidate: SweepReport) -> Iterator[str]:
    """Yield the values that have one name in both sweeps, and set something else."""
    axes = {axis.name: axis for axis in baseline.spec.axes}
    for axis in candidate.spec.axes:
        before = axes.get(axis.name)
        try:
            known = {} if before is None else {e.label: e.identity for e in read_values(before)}
            values = read_values(axis)
        except DesignError:  # such a sweep has no points
            continue
        yield from (
            f"{axis.name} {value.label} sets other values"
            for value in values
            if known.get(value.label, value.identity) != value.identity
        )


def sweep_sentences(found: BaselineComparison) -> Iterator[str]:
    """Yield how many points have which conclusion, then what is known of those that differ."""
    figures = primary_comparisons(found.figures)
    if not figures:
        yield (
            "No point was measured in both: the values of all axes, and the objective, must be the"
            f" same as in {found.baseline}."
        )
        return
    counts = Counter(CONCLUSIONS[figure.conclusion] for figure in figures)
    words = ", ".join(f"{number} {word}" for word, number in counts.most_common())
    yield f"{count_noun(len(figures), 'point')} in common: {words}."
    different = [
        each for each in figures if each.conclusion in (Conclusion.BETTER, Conclusion.WORSE)
    ]
    furthest = sorted(different, key=lambda figure: -abs(figure.difference_percent))
    yield from baseline_sentences(furthest[:MAX_SENTENCES], found.baseline, {})


def _key(point: PointReport) -> frozenset[tuple[str, str]]:
    return frozenset(point.values.items())


def _compare_primary(
    pairs: Sequence[_Pair],
    figure: ObjectiveFigure,
    rule: ComparisonRule,
    reports: tuple[SweepReport, SweepReport],
) -> list[tuple[_Pair, Difference]]:
    """Return the primary metric of each point that has it; all are one family."""
    # A sweep keeps the repeats of its own objective only.
    keep = tuple(figure_of(each.spec) == figure for each in reports)
    is_fresh = all(
        each.spec.template.part("load", "repeats").get("startOn") == _FRESH
        or (each.spec.rounds is not None and each.spec.start_on == _FRESH)
        for each in reports
    )
    estimated = [(pair, _estimate(pair, figure, keep)) for pair in pairs]
    known = [
        (pair, replace(difference, on_target=not is_fresh))
        for pair, difference in estimated
        if difference is not None
    ]
    differences = conclude_primary([difference for _, difference in known], rule)
    return [(pair, each) for (pair, _), each in zip(known, differences, strict=True)]


def _estimate(
    pair: _Pair, figure: ObjectiveFigure, keep_repeats: tuple[bool, ...]
) -> Difference | None:
    """Return the difference of a point; the repeats of a side count if they are of this figure."""
    sides: list[Sequence[RepeatValue]] = []
    for point, has_repeats in zip((pair.baseline, pair.candidate), keep_repeats, strict=True):
        measured = read_point(point.result, (), figure)
        # Any other figure is in the field of the objective, which is another one.
        if measured is None or not (has_repeats or figure.has_field):
            return None
        sides.append(
            measured.repeats if has_repeats else [RepeatValue(1, "", measured.shown_value)]
        )
    return estimate_difference(figure.comparison, *sides)


def _only(report: SweepReport, other: SweepReport) -> list[str]:
    """Return which points only one of both has, the first ones by name."""
    known = {_key(point) for point in other.points}
    names = [name_point(point) for point in report.points if _key(point) not in known]
    if not names:
        return []
    more = f" and {len(names) - _MAX_NAMED} more" if len(names) > _MAX_NAMED else ""
    count = count_noun(len(names), "point")
    return [f"only {report.sweep} has {count}: {'; '.join(names[:_MAX_NAMED])}{more}"]
