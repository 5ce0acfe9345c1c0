"""Whether each objective is met: its number with the 95 % interval beside the limit."""

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from solrbench.analysis.arrivals import MILLISECOND
from solrbench.analysis.metrics import MIN_REPEATS
from solrbench.analysis.samples import (
    ALL_REQUESTS,
    BenchmarkSamples,
    RequestSamples,
    StepSamples,
    filled_indexes,
)
from solrbench.analysis.sentences import CONFIDENCE, describe_measure, is_least, limit_of
from solrbench.analysis.server_metrics import slowest_percentile
from solrbench.api.v1alpha1 import Spec, Status
from solrbench.api.v1alpha1.findings import (
    ObjectiveConclusion,
    ObjectiveResult,
    ObjectivesStatus,
    overall_conclusion,
)
from solrbench.api.v1alpha1.objectives import MAX_OBJECTIVE_RESULTS, Objective
from solrbench.api.v1alpha1.status import DatasetStatus
from solrbench.contract.step_runs import variant_names
from solrbench.stats.distributions import (
    STANDARD_ERRORS,
    ConfidenceBounds,
    confidence_interval,
    student_t,
)
from solrbench.stats.intervals import design_effect, share_interval
from solrbench.stats.number_format import format_number, format_percent, round_decimals
from solrbench.stats.times import Times


@dataclass(frozen=True)
class MeasuredValue:
    """A number in the unit of its limit, with its 95 % interval if the steps allow one.

    A time until found that is longer than what was waited for is infinite, as are such bounds.
    """

    value: float
    interval: ConfidenceBounds | None


def measure(objective: Objective, samples: StepSamples) -> MeasuredValue | None:
    """Return the number that an objective limits, over all step runs; None without requests."""
    found = _measure(objective, samples)
    # What repeats differ by is no part of the interval of failures.
    if objective.failures is not None or not 1 < len(samples.runs) < MIN_REPEATS:
        return found
    return _no_wider(found, [_measure(objective, StepSamples([run])) for run in samples.runs])


def _no_wider(
    found: MeasuredValue | None, alone: Sequence[MeasuredValue | None]
) -> MeasuredValue | None:
    """Return the number of two repeats with an interval no wider than from one's to the other's.

    Student's t of two repeats is 12.7: a server that is twice as fast as its limit, and whose
    repeats differ by 4 %, would be undecided in one of four benchmarks. But what each repeat meets
    alone, both meet, with the dispersion that a single one is taken to have.
    """
    own = [each.interval for each in alone if each is not None and each.interval is not None]
    if found is None or len(own) < len(alone):
        return found
    # So wide a percentile has no interval at all.
    of_both = found.interval or ConfidenceBounds(0.0, math.inf)
    lower = max(of_both.lower, min(each.lower for each in own))
    upper = min(of_both.upper, max(each.upper for each in own))
    return MeasuredValue(found.value, ConfidenceBounds(lower, upper))


def _measure(objective: Objective, samples: StepSamples) -> MeasuredValue | None:
    name = objective.request or ALL_REQUESTS
    requests = samples.of(name)
    counts = requests.counts
    weight = samples.documents_per_request(name) if objective.is_of_documents else 1.0
    # None of them may have been good: that is 0 documents per second.
    indexes = any(each.batch_size for each in samples.documents)
    is_measured = not objective.is_of_dataset and (indexes or not objective.is_of_documents)
    if not counts.due or not samples.seconds or not is_measured:
        return None
    if objective.failures is not None:
        of_all = samples.documents if name == ALL_REQUESTS else []
        repeats = [(each.counts.unanswered, each.counts.due) for each in samples.repeats(name)]
        effects = [each.failure_effect for each in of_all]
        return _failed_percent(requests, [*effects, _effect_of_repeats(repeats)])
    if objective.throughput is None and objective.goodput is None:
        found = _measure_time(objective, samples, requests.perceived)
        return _allow_for_repeats(found, len(samples.runs))
    share, interval = weight, ConfidenceBounds(weight, weight)
    if objective.goodput is not None:
        within = objective.goodput.within_milliseconds * MILLISECOND
        repeats = [
            (min(each.good_within(within), each.counts.requests), each.counts.requests)
            for each in samples.repeats(name)
        ]
        good, whole = requests.good_within(within), counts.requests
        effect = _effect_of_repeats(repeats)
        interval = share_interval(min(good, whole), whole, effect) or ConfidenceBounds(0.0, 1.0)
        share = good / whole if whole else 0.0
    rate, error = samples.rate(name), requests.service.rate_error()
    if error is None:
        return MeasuredValue(rate * share, None)
    # Both errors are added, which is rather too wide.
    lower = rate * max(1 - error, 0.0) * interval.lower
    bounds = ConfidenceBounds(lower, rate * (1 + error) * interval.upper)
    found = MeasuredValue(rate * share, bounds)
    # A planned rate is the same in each repeat.
    return found if requests.is_planned else _allow_for_repeats(found, len(samples.runs))


def _effect_of_repeats(counted: Sequence[tuple[int, int]]) -> float:
    """Return how much more shares, each `part` of `whole`, differ between repeats than by chance.

    Few repeats know that badly, which Student's t adds; with too few it is assumed for all.
    """
    # One failure is in one repeat, however alike they are.
    if len(counted) < MIN_REPEATS or sum(part for part, _ in counted) == 1:
        return 1.0
    effect = design_effect([part for part, _ in counted], [whole for _, whole in counted])
    if effect == 1.0:
        return effect
    return effect * (student_t(len(counted) - 1) / STANDARD_ERRORS) ** 2


REPEATS_DIFFER = 0.05
"""Relative standard deviation that repeats are taken to have where they are too few to show it."""

_ASSUMED = (
    f" With fewer than {MIN_REPEATS} repeats, the interval assumes that they differ by"
    f" {format_percent(100 * REPEATS_DIFFER)}."
)


def _allow_for_repeats(found: MeasuredValue | None, repeats: int) -> MeasuredValue | None:
    """Return a number of few repeats with an interval that allows for how far repeats differ."""
    if found is None or found.interval is None or repeats >= MIN_REPEATS or math.isinf(found.value):
        return found
    value, (lower, upper) = found.value, found.interval
    margin = STANDARD_ERRORS * REPEATS_DIFFER / math.sqrt(repeats) * value
    bounds = value - math.hypot(value - lower, margin), value + math.hypot(upper - value, margin)
    return MeasuredValue(value, ConfidenceBounds(max(bounds[0], 0.0), bounds[1]))


def failed_percent(samples: StepSamples) -> float:
    """Return the share of all planned requests that failed or were dropped, in per cent."""
    requests = samples.of(ALL_REQUESTS)
    if not requests.counts.due or not samples.seconds:
        return 0.0
    return _failed_percent(requests).value


def _time(microseconds: float | None, interval: ConfidenceBounds | None) -> MeasuredValue | None:
    if microseconds is None:
        return None
    bounds = interval and ConfidenceBounds(*(each / MILLISECOND for each in interval))
    return MeasuredValue(microseconds / MILLISECOND, bounds)


def _measure_time(objective: Objective, samples: StepSamples, times: Times) -> MeasuredValue | None:
    """Return the time that is limited, without what is allowed for repeats."""
    if objective.response_time is not None:
        percent = objective.response_time.percentile
        return _time(times.percentile(percent), times.percentile_interval(percent))
    if objective.time_until_found is None:
        return _time(times.average, times.mean_interval())
    found = slowest_percentile(
        (each for document in samples.documents for each in document.visibility),
        objective.time_until_found.percentile,
    )
    if found is None:
        return None
    _, lower, upper = found
    bounds = None if lower is None or upper is None else ConfidenceBounds(lower, upper)
    return MeasuredValue(found.value, bounds)


def _failed_percent(
    requests: RequestSamples, effects: Sequence[float | None] = ()
) -> MeasuredValue:
    counts = requests.counts
    # Failures come together: an outage of a second is not a hundred independent failures.
    known = (*effects, *(each.failure_effect for each in requests.results))
    effect = max((each or 1.0 for each in known), default=1.0)
    interval = share_interval(counts.unanswered, counts.due, effect)
    percents = interval and ConfidenceBounds(*(100 * each for each in interval))
    return MeasuredValue(100 * counts.unanswered / counts.due, percents)


def evaluate_objectives(
    samples: BenchmarkSamples, dataset: DatasetStatus, not_run: Collection[str] = ()
) -> ObjectivesStatus | None:
    """Return the word of each objective, in each step and variant that has results, if any.

    They are not met together if one of them holds for a step of `not_run`, which may have missed.
    """
    spec = samples.spec
    if not spec.objectives:
        return None
    results, limited = list[ObjectiveResult](), set[str]()
    for objective in spec.objectives:
        if objective.is_of_dataset:
            results += _of_dataset(objective, samples, dataset)
            continue
        steps = [
            step
            for step in spec.load.steps
            if not objective.steps or step.name in objective.steps
            if step.indexing is not None or not objective.is_of_documents
        ]
        limited |= {step.name for step in steps}
        if objective.is_of_documents and not steps:
            # Without a result it would count as met.
            text = "None of its steps has indexing, so that no documents per second are measured."
            results.append(_result(objective, None).model_copy(update={"message": text}))
        results += [
            evaluate(objective, step.name, variant, step_samples)
            for step in steps
            for variant in variant_names(spec)
            if (step_samples := samples.of(step.name, variant))
        ]
    del results[MAX_OBJECTIVE_RESULTS:]
    conclusion = overall_conclusion([result.conclusion for result in results])
    if conclusion is ObjectiveConclusion.MET and not limited.isdisjoint(not_run):
        conclusion = ObjectiveConclusion.INCONCLUSIVE
    return ObjectivesStatus(conclusion=conclusion, results=results)


def _of_dataset(
    objective: Objective, samples: BenchmarkSamples, dataset: DatasetStatus
) -> Iterator[ObjectiveResult]:
    """Yield the result of an objective of the index; none before it is filled."""
    size = dataset.index_bytes
    if objective.index_size is not None:
        if size is not None:  # it is counted: it is its own interval
            yield _result(objective, MeasuredValue(size, ConfidenceBounds(size, size)))
        return
    if dataset.seconds is None:
        return
    filled = [record for _, record in filled_indexes(samples.runs)]
    seconds = [each.indexing_seconds for each in filled if each.indexing_is_valid]
    known = [each for each in seconds if each is not None]
    # Of the present index there may be no step run yet.
    if dataset.is_valid and dataset.seconds not in known:
        known.append(dataset.seconds)
    if not known:
        why = " ".join(each.message for each in dataset.reasons)
        message = f"No indexing time is Solr's: {why or dataset.verdict}."
        yield _result(objective, None).model_copy(update={"message": message})
        return
    mean, count = fmean(known), len(known)
    own = confidence_interval(known) if count >= MIN_REPEATS else (mean, mean)
    found = _allow_for_repeats(MeasuredValue(mean, ConfidenceBounds(max(own[0], 0), own[1])), count)
    result = _result(objective, found)
    note = _ASSUMED if count < MIN_REPEATS else f" It was filled {count} times."
    yield result.model_copy(update={"message": result.message + note})


def evaluate(
    objective: Objective, step: str, variant: str, samples: StepSamples
) -> ObjectiveResult:
    """Return the word of one objective in one step and variant."""
    result = _result(objective, measure(objective, samples), step, variant)
    notes = "".join(_notes(objective, result, samples))
    return result.model_copy(update={"message": result.message + notes})


def _notes(objective: Objective, result: ObjectiveResult, samples: StepSamples) -> Iterator[str]:
    """Yield what the interval does not hold."""
    if result.upper is not None and len(samples.runs) < MIN_REPEATS:
        is_rate = objective.throughput is not None or objective.goodput is not None
        if objective.failures is not None:
            yield " The interval does not allow for how far repeats differ."
        elif not (is_rate and samples.of(objective.request or ALL_REQUESTS).is_planned):
            yield _ASSUMED
    if objective.failures is not None and result.conclusion is ObjectiveConclusion.MET:
        # The rule of three, for outages instead of requests: what comes less often than three times
        # in the time measured may not have come.
        rarest = format_number(samples.seconds / 3)
        measured = format_number(samples.seconds)
        yield f" An outage less often than once in {rarest} s may not show in {measured} s."


def conclusion_of(
    interval: ConfidenceBounds | None, limit: float, *, least: bool
) -> ObjectiveConclusion:
    """Return what an interval says of a limit, which is the least or the most."""
    if interval is None:
        return ObjectiveConclusion.INCONCLUSIVE
    lower, upper = interval
    # The whole interval decides: a number that equals its limit in truth then gets either word in
    # at most 2.5 of 100 cases.
    kept, broken = (lower >= limit, upper < limit) if least else (upper <= limit, lower > limit)
    if kept:
        return ObjectiveConclusion.MET
    return ObjectiveConclusion.MISSED if broken else ObjectiveConclusion.INCONCLUSIVE


def _result(
    objective: Objective, found: MeasuredValue | None, step: str = "", variant: str = ""
) -> ObjectiveResult:
    limit, unit = limit_of(objective)
    interval = None if found is None else found.interval
    return ObjectiveResult(
        name=objective.name,
        step=step or None,
        variant=variant or None,
        conclusion=conclusion_of(interval, limit, least=is_least(objective)),
        limit=limit,
        value=None if found is None else _stored(found.value),
        lower=None if interval is None else _stored(interval.lower),
        upper=None if interval is None else _stored(interval.upper),
        unit=unit,
        message=_message(objective, found, limit, unit),
    )


_TOO_LONG = "longer than load.visibility.timeoutSeconds"


def _stored(value: float) -> float | None:
    return None if math.isinf(value) else round_decimals(value)


def _message(objective: Objective, found: MeasuredValue | None, limit: float, unit: str) -> str:
    what = describe_measure(objective)
    if objective.failures is not None:
        what = what.replace("failures", "share of failed requests", 1)
    if found is None and objective.time_until_found is not None:
        return "No time until a document was found was measured. See status.visibility."
    if found is None:
        sent = f"requests named {objective.request}" if objective.request else "requests"
        return f"No {sent} were measured. Check the name."
    least = "at least " if is_least(objective) else ""
    lower, upper = found.interval or (0.0, 0.0)
    if found.interval is None:
        interval = f" (no {CONFIDENCE}, as the step is too short)"
    elif math.isinf(lower) or lower >= upper:
        interval = ""
    elif math.isinf(upper):
        interval = f" ({CONFIDENCE} {format_number(lower)} {unit} or more)"
    else:
        interval = f" ({CONFIDENCE} {format_number(lower)} to {format_number(upper)} {unit})"
    value = f"{format_number(found.value)} {unit}" if math.isfinite(found.value) else _TOO_LONG
    return f"The {what} is {value}{interval}; the limit is {least}{format_number(limit)} {unit}."


_UNDECIDED = ObjectiveConclusion.INCONCLUSIVE
_ORDER = (ObjectiveConclusion.MISSED, _UNDECIDED, ObjectiveConclusion.MET)


def answer_objectives(spec: Spec, status: Status) -> Iterator[str]:
    """Yield one sentence for each objective: the steps that missed it first, or how many met it."""
    for objective in spec.objectives:
        results = status.objectives.results if status.objectives is not None else []
        own = [result for result in results if result.name == objective.name]
        if own:
            yield _sentence(objective.name, own)


def _sentence(name: str, results: list[ObjectiveResult]) -> str:
    # Of those that meet it, the one that is closest to its limit.
    distances = [abs((each.value or 0.0) - each.limit) for each in results]
    ranks = [_ORDER.index(each.conclusion) for each in results]
    *_, first = min(zip(ranks, distances, range(len(results)), results, strict=True))
    alike = sum(result.conclusion is first.conclusion for result in results)
    word = "undecided" if first.conclusion is _UNDECIDED else first.conclusion.lower()
    kinds = {
        "steps": {result.step for result in results},
        "variants": {result.variant for result in results},
    }
    parts = " and ".join(kind for kind, names in kinds.items() if len(names) > 1)
    steps = f" in {alike} of {len(results)} {parts}" if parts else ""
    through = f" through {first.variant}" if first.variant else ""
    place = f"At {first.step}{through}: " if first.step else ""
    # Without a number, the message has said why.
    is_measured = first.value is not None or first.lower is not None
    is_open = first.conclusion is _UNDECIDED and is_measured
    advice = " Add repeats or lengthen the step." if is_open else ""
    return f"Objective {name} is {word}{steps}. {place}{first.message}{advice}"
