"""Variants of a target against the first of them, repeat by repeat.

Each repeat is a round: the variant and the baseline, measured right after each other with the same
requests. What changes from repeat to repeat hits both sides and cancels out.
"""

from collections.abc import Iterable, Mapping, Sequence

from solrbench.api.v1alpha1 import Spec
from solrbench.api.v1alpha1.status.status import MAX_COMPARISONS
from solrbench.api.v1alpha1.status.summaries import Comparison, Overhead
from solrbench.api.v1alpha1.status.verdicts import VALID, StepVerdict
from solrbench.plan.step_runs import variant_names
from solrbench.results.comparison.compared_steps import ComparedFigure, ComparedStep, compare_steps
from solrbench.results.comparison.comparison_settings import settings_of_spec
from solrbench.results.comparison.findings import Finding, is_decided
from solrbench.results.comparison.metric import AVERAGE, RATE, Metric, percentile_metric
from solrbench.results.comparison.repeat_figures import results_of
from solrbench.results.model.step_result import StepRunResult
from solrbench.results.summary.grouping import RunsByStep, StepRuns, group_step_runs

_DIGITS = 2
"""Decimals of percent kept."""

P95 = percentile_metric(95)


def compare_variants(spec: Spec, documents: Sequence[StepRunResult]) -> list[Comparison]:
    """Return one comparison for each step, variant but the first, and request name.

    Only repeats count in which both sides sent the request; without any there is no comparison.

    Raises:
        ValueError: as `merge_steps`.

    """
    figures = _figures(spec, documents)
    by_name: dict[tuple[int, str], list[ComparedFigure]] = {}
    for each in figures:
        by_name.setdefault((id(each.compared), each.request), []).append(each)
    return [_comparison(spec, each) for each in by_name.values()][:MAX_COMPARISONS]


def variants_decided(spec: Spec, documents: Sequence[StepRunResult]) -> bool:
    """Say whether the primary figure of each step and variant has a word."""
    primary = [each.finding for each in _figures(spec, documents) if each.is_primary]
    return bool(primary) and is_decided(primary)


def _figures(spec: Spec, documents: Sequence[StepRunResult]) -> list[ComparedFigure]:
    settings = settings_of_spec(spec)
    percents = sorted({95.0, settings.percent or 95.0})
    compared_steps = variant_steps(spec, documents)
    return compare_steps(compared_steps, percents, settings.rule, settings.metric)


def variant_steps(spec: Spec, documents: Sequence[StepRunResult]) -> list[ComparedStep]:
    """Return each step of each variant beside that of the first variant.

    Raises:
        ValueError: as `merge_steps`.

    """
    baseline, *others = variant_names(spec)
    runs_by_step = group_step_runs(spec, documents)
    return [
        ComparedStep(
            step.name,
            variant,
            *_common(runs_by_step, step.name, baseline, variant),
            in_rounds=True,
            baseline_variant=baseline,
        )
        for step in spec.load.steps
        for variant in others
    ]


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


def _common(
    runs_by_step: RunsByStep, step: str, baseline: str, variant: str
) -> tuple[StepRuns, StepRuns]:
    """Return the repeats that both have."""
    before, after = runs_by_step[step, baseline], runs_by_step[step, variant]
    repeats = {each.repeat for each in before} & {each.repeat for each in after}
    return (
        [each for each in before if each.repeat in repeats],
        [each for each in after if each.repeat in repeats],
    )


def _comparison(spec: Spec, figures: Sequence[ComparedFigure]) -> Comparison:
    first = figures[0]
    found = {each.metric: each.finding for each in figures}
    return Comparison(
        step=first.compared.step,
        variant=first.compared.variant,
        baseline=variant_names(spec)[0],
        request=first.request,
        repeats=max(each.finding.difference.repeats[1] for each in figures),
        on_target=any(each.finding.difference.on_target for each in figures),
        failures=sum(_failures(each, first.request) for each in first.compared.both),
        average=_overhead(found, AVERAGE),
        p95=_overhead(found, P95),
        requests_per_second=_overhead(found, RATE),
    )


def _failures(document: StepRunResult, request: str) -> int:
    return sum(each.failures for each in results_of(document, request))


def _overhead(found: Mapping[Metric, Finding], metric: Metric) -> Overhead | None:
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
