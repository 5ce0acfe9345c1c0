"""What a comparison is asked; its steps compared: a primary metric of each, then its details.

Variants of one target are compared repeat by repeat: each repeat is a round in which both were
measured right after each other with the same requests, so what changes from repeat to repeat hits
both and cancels out. The primary metrics of all compared steps are the family that is decided
together; single request names and further metrics are details, which have a conclusion only where
the primary metric has one.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import orjson

from solrbench.analysis.differences import (
    DEFAULT_RULE,
    SMALLEST_EFFECT_PERCENT,
    ComparisonRule,
    conclude_details,
    conclude_primary,
    estimate_difference,
)
from solrbench.analysis.metrics import (
    AVERAGE,
    DOCUMENTS,
    P95,
    RATE,
    TIME_UNTIL_FOUND,
    ComparedMetric,
    ComparisonMetric,
    percentile_metric,
    store_overhead,
)
from solrbench.analysis.samples import ALL_REQUESTS, BenchmarkSamples, StepSamples
from solrbench.api.v1alpha1 import Spec
from solrbench.api.v1alpha1.comparisons import Comparison, Conclusion
from solrbench.api.v1alpha1.findings import INVALID, StepVerdict, steps_that_are
from solrbench.api.v1alpha1.load import DEFAULT_PERCENTILES
from solrbench.api.v1alpha1.objectives import PrimaryMetric
from solrbench.api.v1alpha1.repeats import DEFAULT_MAX, DEFAULT_MIN
from solrbench.api.v1alpha1.status import MAX_COMPARISONS
from solrbench.contract.foreign import ForeignDataError
from solrbench.contract.step_runs import variant_names
from solrbench.stats.tests import Looks

_PERCENTILES = {
    PrimaryMetric.P50: 50.0,
    PrimaryMetric.P90: 90.0,
    PrimaryMetric.P95: 95.0,
    PrimaryMetric.P99: 99.0,
}
_OTHERS = {
    PrimaryMetric.AVERAGE: AVERAGE,
    PrimaryMetric.REQUESTS_PER_SECOND: RATE,
    PrimaryMetric.DOCUMENTS_PER_SECOND: DOCUMENTS,
    PrimaryMetric.TIME_UNTIL_FOUND: TIME_UNTIL_FOUND,
}


@dataclass(frozen=True)
class ComparisonSettings:
    """What is asked of a comparison; the primary metric of each step decides about it."""

    rule: ComparisonRule = DEFAULT_RULE
    primary: PrimaryMetric = PrimaryMetric.P95
    percentiles: Sequence[float] = DEFAULT_PERCENTILES

    @property
    def percent(self) -> float | None:
        """Return which percentile the primary metric is, None if it is none."""
        return _PERCENTILES.get(self.primary)

    @property
    def metric(self) -> ComparisonMetric:
        """Return the primary metric."""
        if self.percent is not None:
            return percentile_metric(self.percent)
        return _OTHERS[self.primary]


def settings_of_spec(spec: Spec) -> ComparisonSettings:
    """Return what a spec asks of its variants and of its baseline.

    Repeats that go on until it is decided go on until both are, so both were looked at after each.
    """
    comparison, repeats = spec.comparison, spec.load.repeats
    looks = None if repeats.until is None else Looks(repeats.least, repeats.most)
    return ComparisonSettings(
        ComparisonRule(comparison.smallest_effect_percent, looks),
        comparison.primary,
        spec.load.percentiles,
    )


def settings_of_candidate(
    candidate: Mapping[str, Any],
    baseline_name: str,
    smallest_effect_percent: float | None = None,
    primary: PrimaryMetric | None = None,
) -> ComparisonSettings:
    """Return what to ask about a candidate, whose `comparison` counts where nothing else is given.

    `candidate` is its spec as JSON, and `baseline_name` the name of the benchmark that it is
    compared with, empty if that is not known. It raises `ForeignDataError` if another version wrote
    the spec and says there what none of this one would.
    """
    try:
        wanted = candidate.get("comparison", {})
        effect = wanted.get("smallestEffectPercent", SMALLEST_EFFECT_PERCENT)
        looks = _stored_looks(candidate, baseline_name)
        rule = ComparisonRule(smallest_effect_percent or float(effect), looks)
        decisive = primary or PrimaryMetric(wanted.get("primary", PrimaryMetric.P95))
        percentiles = candidate.get("load", {}).get("percentiles", ComparisonSettings.percentiles)
        return ComparisonSettings(rule, decisive, [*map(float, percentiles)])
    except (AttributeError, TypeError, ValueError) as error:
        raise ForeignDataError(f"another version wrote its spec ({error})") from error


def _stored_looks(candidate: Mapping[str, Any], baseline_name: str) -> Looks | None:
    """Return the looks of repeats that went on until they were decided beside this baseline."""
    repeats = candidate.get("load", {}).get("repeats")
    # A report of another version is compared as it is, whatever stands there.
    if not isinstance(repeats, Mapping) or "until" not in repeats:
        return None
    beside = candidate.get("comparison", {}).get("baseline")
    # A baseline that is a kept report is not named by its benchmark: it may be this one.
    if beside is None or beside.get("benchmark", {}).get("name", baseline_name) != baseline_name:
        return None
    return Looks(repeats.get("min", DEFAULT_MIN), repeats.get("max", DEFAULT_MAX))


SETTINGS = ("target", "collection", "podOptions")
"""Parts of a spec whose differences are what is compared."""

DEFINITIONS = ("dataset", "workload", "warmUp", "load.steps", "load.between", "seed")
"""Parts that say what is done: with other documents or requests, other values mean nothing."""

_MAX_CHARACTERS = 60
"""Of a value that is named."""


def differing(
    baseline: Mapping[str, Any], candidate: Mapping[str, Any], parts: Sequence[str], most: int
) -> list[str]:
    """Return the fields of `parts` in which two specs differ, at most `most` lines.

    A line is `collection.shards: 1, then 2`; where there are more, the last one says how many.
    """
    lines = [
        line
        for part in parts
        for line in _compare(part, _value(baseline, part), _value(candidate, part))
    ]
    if len(lines) <= most:
        return lines
    return [*lines[: most - 1], f"{len(lines) - most + 1} more"]


def _value(spec: Mapping[str, Any], path: str) -> Any:
    value: Any = spec
    for name in path.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def _compare(path: str, before: Any, after: Any) -> Iterator[str]:
    if before == after:
        return
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for name in dict.fromkeys([*before, *after]):
            yield from _compare(f"{path}.{name}", before.get(name), after.get(name))
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for index, (one, other) in enumerate(zip(before, after, strict=True)):
            yield from _compare(f"{path}[{index}]", one, other)
    else:
        yield f"{path}: {_text(before)}, then {_text(after)}"


def _text(value: Any) -> str:
    if value is None:
        return "not set"
    text = value if isinstance(value, str) else orjson.dumps(value).decode()
    return text if len(text) <= _MAX_CHARACTERS else f"{text[: _MAX_CHARACTERS - 1]}…"


@dataclass(frozen=True)
class ComparedStep:
    """A step as both sides measured it, with their variants as a `ComparedMetric` has them.

    It was measured in rounds if repeats with one number were measured in one round.
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
            known[index] = difference
            if difference.is_decided and not is_shown and not is_nothing:
                known[index] = replace(difference, conclusion=Conclusion.INCONCLUSIVE)
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
    marked = []
    for each in comparisons:
        sides = [side for side in (each.baseline, each.variant) if (each.step, side) in invalid]
        marked.append(each.model_copy(update={"invalid": sides}))
    return marked


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
    request, sides = metrics[0].request, (compared.baseline, compared.candidate)
    found = {each.difference.metric: each.difference for each in metrics}
    # The others have fields of their own.
    decisive = None if primary in (AVERAGE, P95, RATE) else found.get(primary)
    return Comparison(
        step=compared.step,
        variant=compared.variant,
        baseline=compared.baseline_variant,
        request=request,
        repeats=max(each.repeats[1] for each in found.values()),
        on_target=any(each.on_target for each in found.values()),
        failures=sum(side.of(request).counts.failures for side in sides),
        figure=primary.name,
        percentile=store_overhead(decisive),
        average=store_overhead(found.get(AVERAGE)),
        p95=store_overhead(found.get(P95)),
        requests_per_second=store_overhead(found.get(RATE)),
    )
