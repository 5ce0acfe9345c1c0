"""Steps of two sides compared: a primary figure of each, then the details below it.

A point is a step as both sides measured it. Its primary figure is one metric of all requests
together; those of all points are the family that is decided together. Single request names and
further metrics are details: they have a word only where the primary figure has one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from solrbench.api.v1alpha1.status.word import Word
from solrbench.results.comparison.difference import Difference, compare_figures
from solrbench.results.comparison.findings import Finding, Rule, decide_details, decide_primary
from solrbench.results.comparison.metric import Metric, percentile_metric
from solrbench.results.comparison.repeat_figures import read_figures
from solrbench.results.model.step_result import StepRunResult
from solrbench.results.summary.step_results import ALL_REQUESTS

PRIMARY = percentile_metric(95)


@dataclass(frozen=True)
class Point:
    """A step as both sides measured it.

    Attributes:
        step: name of the step
        variant: name of the variant of the second side, empty without
        before: repeats of the baseline
        after: repeats of what is compared with it
        in_rounds: repeats with one number were measured in one round
        baseline_variant: name of the variant of the baseline, empty without

    """

    step: str
    variant: str
    before: Sequence[StepRunResult]
    after: Sequence[StepRunResult]
    in_rounds: bool = False
    baseline_variant: str = ""

    @property
    def both(self) -> list[StepRunResult]:
        """Return the repeats of both sides."""
        return [*self.before, *self.after]

    @property
    def requests(self) -> list[str]:
        """Return the request names of both sides, below all requests if there are several."""
        names = _names(self.before) & _names(self.after)
        return [ALL_REQUESTS, *sorted(names)] if len(names) > 1 else sorted(names)


@dataclass(frozen=True)
class ComparedFigure:
    """One figure of one request name at a point.

    Attributes:
        point: the step
        request: name of the request, or `ALL_REQUESTS`
        finding: what was found of the figure
        is_primary: whether it is the primary figure of its point

    """

    point: Point
    request: str
    finding: Finding
    is_primary: bool

    @property
    def metric(self) -> Metric:
        """Return what is compared."""
        return self.finding.difference.metric


@dataclass(frozen=True)
class _Asked:
    point: Point
    request: str
    difference: Difference
    is_primary: bool


def compare_points(
    points: Sequence[Point], percents: Sequence[float], rule: Rule, primary: Metric = PRIMARY
) -> list[ComparedFigure]:
    """Return all figures that both sides have, point by point.

    Args:
        points: the steps
        percents: percentiles that are compared beside means, rates and failures
        rule: how words are found
        primary: metric of the primary figure; if it is a percentile, one of `percents`

    """
    asked = [each for point in points for each in _ask(point, percents, primary)]
    first = [each for each in asked if each.is_primary]
    words = decide_primary([each.difference for each in first], rule)
    decided = {id(each.point) for each, found in zip(first, words, strict=True) if found.is_decided}
    details = [each for each in asked if not each.is_primary]
    shown = [each for each in details if id(each.point) in decided]
    withheld = [each for each in details if id(each.point) not in decided]
    findings = dict(zip(map(id, first), words, strict=True))
    findings |= zip(map(id, shown), _details(shown, rule), strict=True)
    findings |= zip(map(id, withheld), map(_withheld, _details(withheld, rule)), strict=True)
    return [
        ComparedFigure(each.point, each.request, findings[id(each)], each.is_primary)
        for each in asked
    ]


def _names(step_runs: Sequence[StepRunResult]) -> set[str]:
    return {each.request for document in step_runs for each in document.requests}


def _ask(point: Point, percents: Sequence[float], primary: Metric) -> Iterator[_Asked]:
    for place, request in enumerate(point.requests):
        before = read_figures(point.before, request, percents)
        after = read_figures(point.after, request, percents)
        for metric in [each for each in before if each in after]:
            difference = compare_figures(
                metric, before[metric], after[metric], in_rounds=point.in_rounds
            )
            if difference is not None:
                yield _Asked(point, request, difference, place == 0 and metric == primary)


def _details(asked: Sequence[_Asked], rule: Rule) -> list[Finding]:
    return decide_details([each.difference for each in asked], rule)


def _withheld(finding: Finding) -> Finding:
    """Return the finding without a word other than that it is unclear."""
    return replace(finding, word=Word.UNCLEAR) if finding.is_decided else finding
