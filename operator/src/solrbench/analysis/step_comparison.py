"""Steps of a baseline and a candidate compared: a primary metric of each, then its details.

Variants of one target are compared repeat by repeat: each repeat is a round in which both were
measured right after each other with the same requests, so what changes from repeat to repeat hits
both and cancels out. The primary metrics of all compared steps are the family that is decided
together; single request names and further metrics are details, which have a conclusion only where
the primary metric has one.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from solrbench.analysis.difference_tests import (
    ComparisonFinding,
    ComparisonRule,
    decide_details,
    decide_primary,
    is_decided,
    settings_of_spec,
)
from solrbench.analysis.differences import MetricDifference, compare_metrics
from solrbench.analysis.metrics import AVERAGE, RATE, ComparisonMetric, percentile_metric
from solrbench.analysis.samples import ALL_REQUESTS, BenchmarkSamples, StepSamples
from solrbench.api.v1alpha1.comparisons import Comparison, Conclusion, Overhead
from solrbench.api.v1alpha1.findings import VALID, StepVerdict
from solrbench.api.v1alpha1.status import MAX_COMPARISONS
from solrbench.contract.step_runs import variant_names

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
    before: StepSamples
    after: StepSamples
    in_rounds: bool = False
    baseline_variant: str = ""

    @property
    def requests(self) -> list[str]:
        """Return the request names of both sides, below all requests if there are several."""
        names = self.before.names & self.after.names
        return [ALL_REQUESTS, *sorted(names)] if len(names) > 1 else sorted(names)


@dataclass(frozen=True)
class ComparedRequestMetric:
    """One figure of one request name in a compared step.

    Attributes:
        compared: the step
        request: name of the request, or `ALL_REQUESTS`
        finding: what was found of the figure
        is_primary: whether it is the primary figure of its step
    """

    compared: ComparedStep
    request: str
    finding: ComparisonFinding
    is_primary: bool

    @property
    def metric(self) -> ComparisonMetric:
        """Return what is compared."""
        return self.finding.difference.metric


@dataclass(frozen=True)
class _Asked:
    compared: ComparedStep
    request: str
    difference: MetricDifference
    is_primary: bool


def compare_steps(
    compared_steps: Sequence[ComparedStep],
    percents: Sequence[float],
    rule: ComparisonRule,
    primary: ComparisonMetric = PRIMARY,
) -> list[ComparedRequestMetric]:
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
        id(each.compared) for each, finding in zip(first, words, strict=True) if finding.is_decided
    }
    details = [each for each in asked if not each.is_primary]
    shown = [each for each in details if id(each.compared) in decided]
    withheld = [each for each in details if id(each.compared) not in decided]
    findings = dict(zip(map(id, first), words, strict=True))
    findings |= zip(map(id, shown), _details(shown, rule), strict=True)
    findings |= zip(map(id, withheld), map(_withheld, _details(withheld, rule)), strict=True)
    return [
        ComparedRequestMetric(each.compared, each.request, findings[id(each)], each.is_primary)
        for each in asked
    ]


def _ask(
    compared: ComparedStep, percents: Sequence[float], primary: ComparisonMetric
) -> Iterator[_Asked]:
    for index, request in enumerate(compared.requests):
        before = compared.before.values(request, percents)
        after = compared.after.values(request, percents)
        for metric in [figure for figure in before if figure in after]:
            difference = compare_metrics(
                metric, before[metric], after[metric], in_rounds=compared.in_rounds
            )
            if difference is not None:
                yield _Asked(compared, request, difference, index == 0 and metric == primary)


def _details(asked: Sequence[_Asked], rule: ComparisonRule) -> list[ComparisonFinding]:
    return decide_details([each.difference for each in asked], rule)


def _withheld(finding: ComparisonFinding) -> ComparisonFinding:
    """Return the finding without a word other than that it is unclear."""
    return replace(finding, word=Conclusion.UNCLEAR) if finding.is_decided else finding


_DIGITS = 2
"""Decimals of percent kept."""

P95 = percentile_metric(95)


def compare_variants(samples: BenchmarkSamples) -> list[Comparison]:
    """Return one comparison for each step, variant but the first, and request name.

    Only repeats count in which both sides sent the request; without any there is no comparison.
    """
    by_name: dict[tuple[int, str], list[ComparedRequestMetric]] = {}
    for each in _figures(samples):
        by_name.setdefault((id(each.compared), each.request), []).append(each)
    return [_comparison(each) for each in by_name.values()][:MAX_COMPARISONS]


def variants_decided(samples: BenchmarkSamples) -> bool:
    """Say whether the primary figure of each step and variant has a word."""
    primary = [compared.finding for compared in _figures(samples) if compared.is_primary]
    return bool(primary) and is_decided(primary)


def _figures(samples: BenchmarkSamples) -> list[ComparedRequestMetric]:
    return samples.once("variants", lambda: _compare_variants(samples))


def _compare_variants(samples: BenchmarkSamples) -> list[ComparedRequestMetric]:
    """Compare each step of each variant with that of the first variant."""
    settings = settings_of_spec(samples.spec)
    baseline, *others = variant_names(samples.spec)
    compared_steps = [
        ComparedStep(
            step.name,
            variant,
            *_common(samples.of(step.name, baseline), samples.of(step.name, variant)),
            in_rounds=True,
            baseline_variant=baseline,
        )
        for step in samples.spec.load.steps
        for variant in others
    ]
    percents = sorted({95.0, settings.percent or 95.0})
    return compare_steps(compared_steps, percents, settings.rule, settings.metric)


def mark_invalid(
    comparisons: Sequence[Comparison], verdicts: Iterable[StepVerdict]
) -> list[Comparison]:
    """Return the comparisons with the sides whose step is Invalid by these verdicts."""
    invalid = {(each.step, each.variant) for each in verdicts if each.verdict != VALID}
    return [
        each.model_copy(
            update={
                "invalid": [
                    side for side in (each.baseline, each.variant) if (each.step, side) in invalid
                ]
            }
        )
        for each in comparisons
    ]


def _common(before: StepSamples, after: StepSamples) -> tuple[StepSamples, StepSamples]:
    """Return the repeats that both have."""
    repeats = {each.repeat for each in before.documents} & {each.repeat for each in after.documents}
    return (
        StepSamples(run for run in before.runs if run.document.repeat in repeats),
        StepSamples(run for run in after.runs if run.document.repeat in repeats),
    )


def _comparison(figures: Sequence[ComparedRequestMetric]) -> Comparison:
    first = figures[0]
    findings = {each.metric: each.finding for each in figures}
    return Comparison(
        step=first.compared.step,
        variant=first.compared.variant,
        baseline=first.compared.baseline_variant,
        request=first.request,
        repeats=max(each.finding.difference.repeats[1] for each in figures),
        on_target=any(each.finding.difference.on_target for each in figures),
        failures=sum(
            side.of(first.request).counts.failures
            for side in (first.compared.before, first.compared.after)
        ),
        average=_overhead(findings, AVERAGE),
        p95=_overhead(findings, P95),
        requests_per_second=_overhead(findings, RATE),
    )


def _overhead(
    found: Mapping[ComparisonMetric, ComparisonFinding], metric: ComparisonMetric
) -> Overhead | None:
    finding = found.get(metric)
    if finding is None:
        return None
    interval = finding.interval_percent
    return Overhead(
        percent=round(finding.percent, _DIGITS),
        low_percent=None if interval is None else round(interval.lower, _DIGITS),
        high_percent=None if interval is None else round(interval.upper, _DIGITS),
        word=finding.word,
        more_repeats=finding.more_repeats,
    )
