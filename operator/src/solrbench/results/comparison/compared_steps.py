"""Steps of two sides compared: a primary figure of each, then the details below it.

A compared step is one that both sides measured. Its primary figure is one metric of all requests
together; those of all compared steps are the family that is decided together. Single request
names and further metrics are details: they have a word only where the primary figure has one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from solrbench.api.v1alpha1.status.comparison_word import Word
from solrbench.results.comparison.findings import Finding, Rule, decide_details, decide_primary
from solrbench.results.comparison.metric import Metric, percentile_metric
from solrbench.results.comparison.repeat_figures import read_figures
from solrbench.results.comparison.side_difference import SideDifference, compare_figures
from solrbench.results.model.step_result import StepRunResult
from solrbench.results.summary.timed_samples import ALL_REQUESTS

PRIMARY = percentile_metric(95)


@dataclass(frozen=True)
class ComparedStep:
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
    """One figure of one request name in a compared step.

    Attributes:
        compared: the step
        request: name of the request, or `ALL_REQUESTS`
        finding: what was found of the figure
        is_primary: whether it is the primary figure of its step

    """

    compared: ComparedStep
    request: str
    finding: Finding
    is_primary: bool

    @property
    def metric(self) -> Metric:
        """Return what is compared."""
        return self.finding.difference.metric


@dataclass(frozen=True)
class _Asked:
    compared: ComparedStep
    request: str
    difference: SideDifference
    is_primary: bool


def compare_steps(
    compared_steps: Sequence[ComparedStep],
    percents: Sequence[float],
    rule: Rule,
    primary: Metric = PRIMARY,
) -> list[ComparedFigure]:
    """Return all figures that both sides have, step by step.

    Args:
        compared_steps: the steps
        percents: percentiles that are compared beside means, rates and failures
        rule: how words are found
        primary: metric of the primary figure; if it is a percentile, one of `percents`

    """
    asked = [each for compared in compared_steps for each in _ask(compared, percents, primary)]
    first = [each for each in asked if each.is_primary]
    words = decide_primary([each.difference for each in first], rule)
    decided = {
        id(each.compared) for each, found in zip(first, words, strict=True) if found.is_decided
    }
    details = [each for each in asked if not each.is_primary]
    shown = [each for each in details if id(each.compared) in decided]
    withheld = [each for each in details if id(each.compared) not in decided]
    findings = dict(zip(map(id, first), words, strict=True))
    findings |= zip(map(id, shown), _details(shown, rule), strict=True)
    findings |= zip(map(id, withheld), map(_withheld, _details(withheld, rule)), strict=True)
    return [
        ComparedFigure(each.compared, each.request, findings[id(each)], each.is_primary)
        for each in asked
    ]


def _names(step_runs: Sequence[StepRunResult]) -> set[str]:
    return {each.request for document in step_runs for each in document.requests}


def _ask(compared: ComparedStep, percents: Sequence[float], primary: Metric) -> Iterator[_Asked]:
    for place, request in enumerate(compared.requests):
        before = read_figures(compared.before, request, percents)
        after = read_figures(compared.after, request, percents)
        for metric in [each for each in before if each in after]:
            difference = compare_figures(
                metric, before[metric], after[metric], in_rounds=compared.in_rounds
            )
            if difference is not None:
                yield _Asked(compared, request, difference, place == 0 and metric == primary)


def _details(asked: Sequence[_Asked], rule: Rule) -> list[Finding]:
    return decide_details([each.difference for each in asked], rule)


def _withheld(finding: Finding) -> Finding:
    """Return the finding without a word other than that it is unclear."""
    return replace(finding, word=Word.UNCLEAR) if finding.is_decided else finding
