"""Whether each objective is met: its number with the 95 % interval beside the limit."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from solrbench.analysis.arrivals import MILLISECOND
from solrbench.analysis.samples import (
    ALL_REQUESTS,
    BenchmarkSamples,
    RequestSamples,
    StepSamples,
)
from solrbench.analysis.sentences import describe_measure, is_least, limit_of
from solrbench.api.v1alpha1 import Spec, Status
from solrbench.api.v1alpha1.findings import ObjectiveConclusion, ObjectiveResult, ObjectivesStatus
from solrbench.api.v1alpha1.objectives import MAX_OBJECTIVE_RESULTS, Objective
from solrbench.api.v1alpha1.status import DatasetStatus
from solrbench.contract.step_runs import variant_names
from solrbench.stats.intervals import ConfidenceBounds, share_interval
from solrbench.stats.number_format import format_number


@dataclass(frozen=True)
class MeasuredValue:
    """A number in the unit of its limit.

    Attributes:
        interval: its 95 % interval; None if the steps were too short for one
    """

    value: float
    interval: ConfidenceBounds | None


@dataclass(frozen=True)
class _Requests:
    """All requests that an objective is for."""

    samples: RequestSamples
    rate: float


def measure(objective: Objective, samples: StepSamples) -> MeasuredValue | None:
    """Return the number that an objective limits, over all step runs of one step.

    None if they have no such requests, or if the objective is of the dataset.
    """
    requests = _requests(objective.request, samples)
    if requests is None:
        return None
    if objective.response_time is not None:
        return _percentile(requests, objective.response_time.percentile)
    if objective.goodput is not None:
        return _goodput(requests, objective.goodput.within_milliseconds)
    simple: list[tuple[object, Callable[[_Requests], MeasuredValue | None]]] = [
        (objective.mean_response_time, _mean),
        (objective.failures, _failed_percent),
        (objective.throughput, _throughput),
    ]
    return next((read(requests) for limit, read in simple if limit is not None), None)


def failed_percent(samples: StepSamples) -> float:
    """Return the share of all planned requests that failed or were dropped, in per cent."""
    requests = _requests(None, samples)
    return 0.0 if requests is None else _failed_percent(requests).value


def _requests(request: str | None, samples: StepSamples) -> _Requests | None:
    name = request or ALL_REQUESTS
    if not samples.of(name).counts.due or not samples.seconds:
        return None
    return _Requests(samples.of(name), samples.rate(name))


def _percentile(found: _Requests, percent: float) -> MeasuredValue | None:
    times = found.samples.perceived
    value = times.percentile(percent)
    if value is None:
        return None
    return MeasuredValue(value / MILLISECOND, _milliseconds(times.percentile_interval(percent)))


def _mean(found: _Requests) -> MeasuredValue | None:
    times = found.samples.perceived
    if times.average is None:
        return None
    return MeasuredValue(times.average / MILLISECOND, _milliseconds(times.mean_interval()))


def _failed_percent(found: _Requests) -> MeasuredValue:
    counts = found.samples.counts
    effect = max((each.failure_effect or 1.0 for each in found.samples.results), default=1.0)
    interval = share_interval(counts.unanswered, counts.due, effect)
    percents = None if interval is None else ConfidenceBounds(*(100 * each for each in interval))
    return MeasuredValue(100 * counts.unanswered / counts.due, percents)


def _throughput(found: _Requests) -> MeasuredValue:
    return _rate(found, 1.0, ConfidenceBounds(1.0, 1.0))


def _goodput(found: _Requests, within_milliseconds: int) -> MeasuredValue:
    good = found.samples.good_within(within_milliseconds * MILLISECOND)
    whole = found.samples.counts.requests
    share = share_interval(min(good, whole), whole) or ConfidenceBounds(0.0, 1.0)
    return _rate(found, good / whole if whole else 0.0, share)


def _rate(found: _Requests, share: float, interval: ConfidenceBounds) -> MeasuredValue:
    """Return a share of the rate; both errors are added, which is rather too wide."""
    error = found.samples.service.rate_error()
    if error is None:
        return MeasuredValue(found.rate * share, None)
    lower = found.rate * max(1 - error, 0.0) * interval.lower
    upper = found.rate * (1 + error) * interval.upper
    return MeasuredValue(found.rate * share, ConfidenceBounds(lower, upper))


def _milliseconds(found: ConfidenceBounds | None) -> ConfidenceBounds | None:
    return None if found is None else ConfidenceBounds(*(each / MILLISECOND for each in found))


_DIGITS = 3


def evaluate_objectives(
    samples: BenchmarkSamples, dataset: DatasetStatus
) -> ObjectivesStatus | None:
    """Return the word of each objective, in each step and variant that has results.

    None without objectives.
    """
    spec = samples.spec
    if not spec.objectives:
        return None
    results: list[ObjectiveResult] = []
    for objective in spec.objectives:
        if objective.is_of_dataset:
            results += _of_dataset(objective, dataset)
            continue
        results += [
            evaluate(objective, step.name, variant, step_samples)
            for step in spec.load.steps
            if not objective.steps or step.name in objective.steps
            for variant in variant_names(spec)
            if (step_samples := samples.of(step.name, variant))
        ]
    results = [*results, *_missing(spec)][:MAX_OBJECTIVE_RESULTS]
    return ObjectivesStatus(
        word=overall_conclusion([result.word for result in results]), results=results
    )


def evaluate(
    objective: Objective, step: str, variant: str, samples: StepSamples
) -> ObjectiveResult:
    """Return the word of one objective in one step and variant."""
    return _result(objective, measure(objective, samples), step, variant)


def overall_conclusion(words: Sequence[ObjectiveConclusion]) -> ObjectiveConclusion:
    """Return Missed if one is, Met if there are some and all are, else Unclear."""
    if ObjectiveConclusion.MISSED in words:
        return ObjectiveConclusion.MISSED
    all_met = bool(words) and set(words) == {ObjectiveConclusion.MET}
    return ObjectiveConclusion.MET if all_met else ObjectiveConclusion.UNCLEAR


def conclusion_of(
    interval: ConfidenceBounds | None, limit: float, *, least: bool
) -> ObjectiveConclusion:
    """Return what an interval says of a limit, which is the least or the most."""
    if interval is None:
        return ObjectiveConclusion.UNCLEAR
    lower, upper = interval
    kept, broken = (lower >= limit, upper < limit) if least else (upper <= limit, lower > limit)
    if kept:
        return ObjectiveConclusion.MET
    return ObjectiveConclusion.MISSED if broken else ObjectiveConclusion.UNCLEAR


def _missing(spec: Spec) -> Iterator[ObjectiveResult]:
    """Yield results for steps that the load does not have; admission cannot know default names."""
    known = {step.name for step in spec.load.steps}
    for objective in spec.objectives:
        for step in objective.steps:
            if step not in known:
                text = f"load.steps has no step {step}"
                yield _result(objective, None, step).model_copy(update={"message": text})


def _of_dataset(objective: Objective, dataset: DatasetStatus) -> list[ObjectiveResult]:
    """Return the result of an objective of the dataset; none before it is known.

    Such a number is counted, or timed once: it is its own interval.
    """
    value: float | None = (
        dataset.index_bytes if objective.index_size is not None else dataset.seconds
    )
    if value is None:
        return []
    return [_result(objective, MeasuredValue(value, ConfidenceBounds(value, value)))]


def _result(
    objective: Objective, found: MeasuredValue | None, step: str = "", variant: str = ""
) -> ObjectiveResult:
    limit, unit = limit_of(objective)
    interval = None if found is None else found.interval
    return ObjectiveResult(
        name=objective.name,
        step=step or None,
        variant=variant or None,
        word=conclusion_of(interval, limit, least=is_least(objective)),
        limit=limit,
        value=None if found is None else round(found.value, _DIGITS),
        lower=None if interval is None else round(interval.lower, _DIGITS),
        upper=None if interval is None else round(interval.upper, _DIGITS),
        unit=unit,
        message=_message(objective, found, limit, unit),
    )


def _message(objective: Objective, found: MeasuredValue | None, limit: float, unit: str) -> str:
    what = describe_measure(objective)
    if found is None:
        sent = f"requests of {objective.request}" if objective.request else "requests"
        return f"{what}: no {sent} were measured"
    sign = "at least" if is_least(objective) else "at most"
    return (
        f"{what} is {format_number(found.value)} {unit}{_interval_text(found)}"
        f" (limit: {sign} {format_number(limit)} {unit})"
    )


def _interval_text(found: MeasuredValue) -> str:
    if found.interval is None:
        return ", without an interval: the step is too short for its own swings"
    lower, upper = found.interval
    if lower == upper:
        return ""
    return f" (95 %: {format_number(lower)} to {format_number(upper)})"


_ORDER = (ObjectiveConclusion.MISSED, ObjectiveConclusion.UNCLEAR, ObjectiveConclusion.MET)


def answer_objectives(spec: Spec, status: Status) -> Iterator[str]:
    """Yield one sentence for each objective: the steps that missed it first, or how many met it."""
    for objective in spec.objectives:
        results = status.objectives.results if status.objectives is not None else []
        own = [result for result in results if result.name == objective.name]
        if own:
            yield _sentence(objective.name, own)


def objectives_conclusion(status: Status) -> ObjectiveConclusion | None:
    """Return the word of all objectives, which decides an exit code; None without objectives."""
    return None if status.objectives is None else status.objectives.word


def _sentence(name: str, results: list[ObjectiveResult]) -> str:
    first = min(results, key=lambda result: _ORDER.index(result.word))
    alike = sum(result.word is first.word for result in results)
    at_step = f" at {first.step}" if first.step else ""
    through = f" through {first.variant}" if first.variant else ""
    others = f"; {first.word} in {alike} of {len(results)} steps" if len(results) > 1 else ""
    return f"objective {name}: {first.word}{at_step}{through}: {first.message}{others}"
