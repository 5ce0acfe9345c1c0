"""Two sweeps beside each other, point by point.

Points are the same if all their axes have the same values. The figure of a point is that of
`spec.objective`, known by the mean and the deviation of its repeats; all points in common are one
family, as the points of one sweep are (`solrbench.sweep.differences`). The other figure of
each point has no word, as the deviation of its repeats is not kept.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from solrbench.analysis.baseline import complete_spec, metric_comparison, primary_comparisons
from solrbench.analysis.conclusions import baseline_sentences
from solrbench.analysis.difference_tests import (
    DEFINITIONS,
    SETTINGS,
    ComparisonFinding,
    ComparisonRule,
    decide_primary,
    differing,
    settings_of_specs,
)
from solrbench.analysis.differences import MetricDifference
from solrbench.analysis.samples import ALL_REQUESTS, StepSamples
from solrbench.analysis.step_comparison import ComparedRequestMetric, ComparedStep
from solrbench.api.v1alpha1.comparisons import (
    MAX_NOTES,
    BaselineComparison,
    Conclusion,
    FigureComparison,
)
from solrbench.api.v1alpha1.objectives import PrimaryMetric
from solrbench.api.v1alpha1.sweep_spec import Metric
from solrbench.present.sweep_report import PointReport, SweepReport
from solrbench.sweep.differences import difference_of, read_point
from solrbench.sweep.state import PointState

MAX_SENTENCES = 16
"""On single points; the first sentence counts all."""

_MAX_NAMED = 5
_FRESH = "FreshTarget"
_NO_CONCLUSION = "without a word"
_METRICS: Mapping[PrimaryMetric, Metric] = {
    PrimaryMetric.P95: Metric.P95_MILLISECONDS,
    PrimaryMetric.REQUESTS_PER_SECOND: Metric.REQUESTS_PER_SECOND,
}
PRIMARY_METRICS = tuple(_METRICS)
"""Figures that points of a sweep have."""


@dataclass(frozen=True)
class _Pair:
    """A point that both sweeps measured."""

    name: str
    before: PointReport
    after: PointReport

    @property
    def is_invalid(self) -> bool:
        return any(point.result.state != PointState.VALID for point in (self.before, self.after))


def compare_sweeps(
    before: SweepReport,
    after: SweepReport,
    smallest_effect_percent: float | None = None,
    primary: PrimaryMetric | None = None,
) -> BaselineComparison:
    """Return the points that two sweeps have in common; the step of a figure is its point.

    Args:
        before: the baseline
        after: what is compared with it
        smallest_effect_percent: the difference that matters; without it that of AFTER's template
        primary: one of `PRIMARY_METRICS`; without it the objective of `after`
    """
    specs = [complete_spec(each.spec.template.spec) for each in (before, after)]
    rule = settings_of_specs(specs[0], specs[1], smallest_effect_percent).rule
    metric = after.spec.objective.metric if primary is None else _METRICS[primary]
    pairs = list(_pairs(before, after))
    other = next(each for each in Metric if each is not metric)
    return BaselineComparison.model_construct(
        baseline=before.sweep,
        figures=[
            *_figures(pairs, _decided(pairs, metric, rule, before, after), is_primary=True),
            *_figures(pairs, _details(pairs, other), is_primary=False),
        ],
        left_out=0,
        settings=differing(specs[0], specs[1], SETTINGS, MAX_NOTES),
        differences=[
            *_only(before, after),
            *_only(after, before),
            *differing(specs[0], specs[1], DEFINITIONS, MAX_NOTES),
        ][:MAX_NOTES],
    )


def sweep_sentences(found: BaselineComparison) -> Iterator[str]:
    """Yield how many points have which word, then what is known of those that differ."""
    figures = primary_comparisons(found.figures)
    if not figures:
        yield (
            "no point was measured in both: the values of all axes must be the same as in"
            f" {found.baseline}"
        )
        return
    counts = Counter(str(figure.word or _NO_CONCLUSION) for figure in figures)
    words = ", ".join(f"{number} {word}" for word, number in counts.most_common())
    yield f"{len(figures)} point{'s' if len(figures) > 1 else ''} in common: {words}"
    apart = [figure for figure in figures if figure.word in (Conclusion.BETTER, Conclusion.WORSE)]
    furthest = sorted(apart, key=lambda figure: -abs(figure.difference_percent))
    yield from baseline_sentences(furthest[:MAX_SENTENCES], found.baseline, {})


def _pairs(before: SweepReport, after: SweepReport) -> Iterator[_Pair]:
    known = {_key(point): point for point in before.points}
    for point in after.points:
        other = known.get(_key(point))
        if other is not None and point.values:
            yield _Pair(_text(point), other, point)


def _key(point: PointReport) -> frozenset[tuple[str, str]]:
    return frozenset(point.values.items())


def _text(point: PointReport) -> str:
    return ", ".join(f"{axis} {value}" for axis, value in point.values.items())


def _decided(
    pairs: Sequence[_Pair],
    metric: Metric,
    rule: ComparisonRule,
    before: SweepReport,
    after: SweepReport,
) -> list[ComparisonFinding | None]:
    """Return the word on each point; None for points without a figure."""
    known = tuple(each.spec.objective.metric is metric for each in (before, after))
    fresh = all(_is_fresh(each) for each in (before, after))
    differences = [_difference(each, metric, known, on_target=not fresh) for each in pairs]
    findings = iter(decide_primary([each for each in differences if each is not None], rule))
    return [None if each is None else next(findings) for each in differences]


def _details(pairs: Sequence[_Pair], metric: Metric) -> list[ComparisonFinding | None]:
    differences = [_difference(each, metric, (False, False)) for each in pairs]
    return [None if each is None else ComparisonFinding(each, None) for each in differences]


def _difference(
    pair: _Pair, metric: Metric, known: tuple[bool, ...], *, on_target: bool = False
) -> MetricDifference | None:
    """Return how far a figure of a point is apart.

    Args:
        pair: the point
        metric: the figure
        known: whether the deviation of each side is that of this figure
        on_target: repeats of a side were all measured on one target
    """
    sides = [read_point(point.result, (), metric) for point in (pair.before, pair.after)]
    if sides[0] is None or sides[1] is None:
        return None
    one, other = (
        point if is_known else replace(point, spread=None)
        for point, is_known in zip((sides[0], sides[1]), known, strict=True)
    )
    return replace(difference_of(metric, one, other), on_target=on_target)


def _figures(
    pairs: Sequence[_Pair], findings: Sequence[ComparisonFinding | None], *, is_primary: bool
) -> Iterator[FigureComparison]:
    for pair, finding in zip(pairs, findings, strict=True):
        if finding is not None:
            compared = ComparedStep(pair.name, "", StepSamples([]), StepSamples([]))
            figure = ComparedRequestMetric(compared, ALL_REQUESTS, finding, is_primary)
            yield metric_comparison(figure, invalid=pair.is_invalid)


def _is_fresh(report: SweepReport) -> bool:
    return report.spec.template.load_repeats.get("startOn") == _FRESH


def _only(report: SweepReport, other: SweepReport) -> list[str]:
    """Return which points only one of both has, the first ones by name."""
    known = {_key(point) for point in other.points}
    names = [_text(point) or point.name for point in report.points if _key(point) not in known]
    if not names:
        return []
    more = f" and {len(names) - _MAX_NAMED} more" if len(names) > _MAX_NAMED else ""
    count = f"{len(names)} point{'s' if len(names) > 1 else ''}"
    return [f"only {report.sweep} has {count}: {'; '.join(names[:_MAX_NAMED])}{more}"]
