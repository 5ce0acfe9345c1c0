"""Steps of a baseline and a candidate compared: a primary metric of each, then its details.

Variants of one target are compared repeat by repeat: each repeat is a round in which both were
measured right after each other with the same requests, so what changes from repeat to repeat hits
both and cancels out. The primary metrics of all compared steps are the family that is decided
together; single request names and further metrics are details, which have a conclusion only where
the primary metric has one.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from solrbench.analysis.comparison_settings import settings_of_spec
from solrbench.analysis.differences import (
    ComparisonRule,
    conclude_details,
    conclude_primary,
    estimate_difference,
)
from solrbench.analysis.metrics import (
    AVERAGE,
    P95,
    RATE,
    ComparedMetric,
    ComparisonMetric,
    store_overhead,
)
from solrbench.analysis.samples import ALL_REQUESTS, BenchmarkSamples, StepSamples
from solrbench.api.v1alpha1.comparisons import Comparison, Conclusion
from solrbench.api.v1alpha1.findings import INVALID, StepVerdict, steps_that_are
from solrbench.api.v1alpha1.status import MAX_COMPARISONS
from solrbench.contract.step_runs import variant_names


@dataclass(frozen=True)
class ComparedStep:
    """A step as both sides measured it.

    Attributes:
        variant: name of the variant of the candidate, empty without variants
        baseline_variant: name of the variant of the baseline, as `variant`
        in_rounds: repeats with one number were measured in one round
    """

    step: str
    variant: str
    baseline: StepSamples
    candidate: StepSamples
    in_rounds: bool = False
    baseline_variant: str = ""


def compare_steps(
    compared_steps: Sequence[ComparedStep],
    percents: Sequence[float],
    rule: ComparisonRule,
    primary: ComparisonMetric = P95,
) -> list[ComparedMetric]:
    """Return all metrics that both sides have, step by step.

    Percentiles are compared beside means, rates and failures; if the primary metric is a
    percentile, it must be one of them.
    """
    compared = [each for step in compared_steps for each in _estimate(step, percents, primary)]
    first = [index for index, each in enumerate(compared) if each.is_primary]
    concluded = conclude_primary([compared[index].difference for index in first], rule)
    known = dict(zip(first, concluded, strict=True))
    decided = {_key(compared[index]) for index in first if known[index].is_decided}
    for is_shown in (True, False):
        # Details of undecided steps are no part of the family: they may not cost the others power.
        details = [
            index
            for index, each in enumerate(compared)
            if not each.is_primary and (_key(each) in decided) is is_shown
        ]
        concluded = conclude_details([compared[index].difference for index in details], rule)
        for index, difference in zip(details, concluded, strict=True):
            # Nothing beside nothing, such as no failures on both sides, is the same without a test.
            is_nothing = difference.baseline == difference.candidate == 0
            is_withheld = difference.is_decided and not is_shown and not is_nothing
            known[index] = (
                replace(difference, conclusion=Conclusion.INCONCLUSIVE)
                if is_withheld
                else difference
            )
    return [replace(each, difference=known[index]) for index, each in enumerate(compared)]


def _key(compared: ComparedMetric) -> tuple[str, str]:
    return compared.step, compared.variant


def _estimate(
    compared: ComparedStep, percents: Sequence[float], primary: ComparisonMetric
) -> Iterator[ComparedMetric]:
    """Yield the differences without conclusions."""
    names = compared.baseline.names & compared.candidate.names
    requests = [ALL_REQUESTS, *sorted(names)] if len(names) > 1 else sorted(names)
    for request in requests:
        baseline = compared.baseline.values(request, percents)
        candidate = compared.candidate.values(request, percents)
        for metric in [each for each in baseline if each in candidate]:
            difference = estimate_difference(
                metric, baseline[metric], candidate[metric], in_rounds=compared.in_rounds
            )
            if difference is not None:
                # The first one is all requests together, unless there is only one name.
                is_primary = request == requests[0] and metric == primary
                yield ComparedMetric(
                    difference,
                    compared.step,
                    request,
                    compared.variant,
                    compared.baseline_variant,
                    is_primary,
                )


def compare_variants(samples: BenchmarkSamples) -> list[Comparison]:
    """Return one comparison for each step, variant but the first, and request name.

    Only repeats count in which both sides sent the request; without any there is no comparison.
    """
    by_name: dict[tuple[str, str, str], list[ComparedMetric]] = {}
    for each in _compared_metrics(samples):
        by_name.setdefault((each.step, each.variant, each.request), []).append(each)
    steps = {(each.step, each.variant): each for each in _compared_steps(samples)}
    primary = settings_of_spec(samples.spec).metric
    return [
        _comparison(steps[step, variant], metrics, primary)
        for (step, variant, _), metrics in by_name.items()
    ][:MAX_COMPARISONS]


def variants_decided(samples: BenchmarkSamples) -> bool:
    """Say whether the primary metric of each step and variant has a conclusion."""
    primary = [each.difference for each in _compared_metrics(samples) if each.is_primary]
    return bool(primary) and all(each.is_decided for each in primary)


def _compared_metrics(samples: BenchmarkSamples) -> list[ComparedMetric]:
    def compare() -> list[ComparedMetric]:
        settings = settings_of_spec(samples.spec)
        percents = sorted({95.0, settings.percent or 95.0})
        return compare_steps(_compared_steps(samples), percents, settings.rule, settings.metric)

    return samples.once("variants", compare)


def _compared_steps(samples: BenchmarkSamples) -> list[ComparedStep]:
    """Return each step of each variant beside that of the first variant."""
    baseline, *others = variant_names(samples.spec)
    return [
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


def mark_invalid(
    comparisons: Sequence[Comparison], verdicts: Iterable[StepVerdict]
) -> list[Comparison]:
    """Return the comparisons with the sides whose step is Invalid by these verdicts."""
    invalid = {(each.step, each.variant) for each in steps_that_are(INVALID, verdicts)}
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


def _common(baseline: StepSamples, candidate: StepSamples) -> tuple[StepSamples, StepSamples]:
    """Return the repeats that both have."""
    repeats = {each.repeat for each in baseline.documents}
    repeats &= {each.repeat for each in candidate.documents}
    return (
        StepSamples(run for run in baseline.runs if run.document.repeat in repeats),
        StepSamples(run for run in candidate.runs if run.document.repeat in repeats),
    )


def _comparison(
    compared: ComparedStep, metrics: Sequence[ComparedMetric], primary: ComparisonMetric
) -> Comparison:
    request = metrics[0].request
    found = {each.difference.metric: each.difference for each in metrics}
    return Comparison(
        step=compared.step,
        variant=compared.variant,
        baseline=compared.baseline_variant,
        request=request,
        repeats=max(each.repeats[1] for each in found.values()),
        on_target=any(each.on_target for each in found.values()),
        failures=sum(
            side.of(request).counts.failures for side in (compared.baseline, compared.candidate)
        ),
        figure=primary.name,
        # The others have fields of their own.
        percentile=(
            None if primary in (AVERAGE, P95, RATE) else store_overhead(found.get(primary))
        ),
        average=store_overhead(found.get(AVERAGE)),
        p95=store_overhead(found.get(P95)),
        requests_per_second=store_overhead(found.get(RATE)),
    )
