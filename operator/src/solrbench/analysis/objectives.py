"""The word of each objective: what its number and the 95 % interval say of the limit."""

from collections.abc import Iterable, Iterator, Sequence

from solrbench.api.v1alpha1 import Spec
from solrbench.api.v1alpha1.objectives import MAX_OBJECTIVE_RESULTS, Objective
from solrbench.api.v1alpha1.status.objectives import (
    ObjectiveResult,
    ObjectivesStatus,
    ObjectiveWord,
)
from solrbench.api.v1alpha1.status.target import DatasetStatus
from solrbench.plan.step_runs import variant_names
from solrbench.results.model.step_result import StepRunResult
from solrbench.results.objectives.measures import MeasuredValue, measure
from solrbench.results.objectives.wording import describe_measure, is_least, limit_of
from solrbench.results.stats.intervals import Interval
from solrbench.results.stats.number_format import format_number
from solrbench.results.summary.grouping import StepRuns, group_step_runs

_DIGITS = 3


def evaluate_objectives(
    spec: Spec, documents: Iterable[StepRunResult], dataset: DatasetStatus
) -> ObjectivesStatus | None:
    """Return the word of each objective, in each step and variant that has results.

    None without objectives.

    Raises:
        ValueError: as `group_step_runs`.

    """
    if not spec.objectives:
        return None
    runs_by_step = group_step_runs(spec, documents)
    results: list[ObjectiveResult] = []
    for objective in spec.objectives:
        if objective.is_of_dataset:
            results += _of_dataset(objective, dataset)
            continue
        results += [
            evaluate(objective, step.name, variant, step_runs)
            for step in spec.load.steps
            if not objective.steps or step.name in objective.steps
            for variant in variant_names(spec)
            if (step_runs := runs_by_step[step.name, variant])
        ]
    results = [*results, *_missing(spec)][:MAX_OBJECTIVE_RESULTS]
    return ObjectivesStatus(word=overall_word([each.word for each in results]), results=results)


def evaluate(objective: Objective, step: str, variant: str, step_runs: StepRuns) -> ObjectiveResult:
    """Return the word of one objective in one step and variant."""
    return _result(objective, measure(objective, step_runs), step, variant)


def overall_word(words: Sequence[ObjectiveWord]) -> ObjectiveWord:
    """Return Missed if one is, Met if there are some and all are, else Unclear."""
    if ObjectiveWord.MISSED in words:
        return ObjectiveWord.MISSED
    all_met = bool(words) and set(words) == {ObjectiveWord.MET}
    return ObjectiveWord.MET if all_met else ObjectiveWord.UNCLEAR


def word_of(interval: Interval | None, limit: float, *, least: bool) -> ObjectiveWord:
    """Return what an interval says of a limit, which is the least or the most."""
    if interval is None:
        return ObjectiveWord.UNCLEAR
    lower, upper = interval
    kept, broken = (lower >= limit, upper < limit) if least else (upper <= limit, lower > limit)
    if kept:
        return ObjectiveWord.MET
    return ObjectiveWord.MISSED if broken else ObjectiveWord.UNCLEAR


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
    return [_result(objective, MeasuredValue(value, Interval(value, value)))]


def _result(
    objective: Objective, found: MeasuredValue | None, step: str = "", variant: str = ""
) -> ObjectiveResult:
    limit, unit = limit_of(objective)
    interval = None if found is None else found.interval
    return ObjectiveResult(
        name=objective.name,
        step=step or None,
        variant=variant or None,
        word=word_of(interval, limit, least=is_least(objective)),
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
