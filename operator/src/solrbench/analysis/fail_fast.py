"""Which steps are omitted after one that missed an objective, failed too often, or ended early.

Each step run is looked at alone, as soon as it is measured: the load master and the operator come
to the same conclusion from the same document, also when one of them is started again.
"""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

from solrbench.analysis.objectives import evaluate, evaluate_objectives, failed_percent
from solrbench.analysis.samples import BenchmarkSamples, RunSamples, StepSamples
from solrbench.api.v1alpha1 import Spec, Status
from solrbench.api.v1alpha1.findings import NotRun, ObjectiveConclusion
from solrbench.api.v1alpha1.load import StopRules
from solrbench.api.v1alpha1.objectives import Objective
from solrbench.api.v1alpha1.status import DatasetStatus
from solrbench.contract.step_runs import StepRunId
from solrbench.contract.windows import EndedEarly
from solrbench.stats.number_format import count_noun, format_number, format_percent


def describe_early_end(ended: EndedEarly, stop: StopRules) -> str:
    """Return when it was ended, since when nothing was good, and the limit or the reason."""
    second, last_good = format_number(ended.second), format_number(ended.last_good_second)
    failures = count_noun(ended.failures, "request")
    if ended.reason is None:
        return (
            f"the step was stopped at second {second}, because no response had succeeded since"
            f" second {last_good}; {failures} failed in that time"
            f" (load.stop.collapseSeconds, limit {stop.collapse_seconds} s)"
        )
    failed = f", {failures} failed since" if ended.failures else ""
    return (
        f"the step was stopped at second {second} ({ended.reason}: {ended.message}); the last good"
        f" response came at second {last_good}{failed}. What was measured until then is kept, over"
        " all request names"
    )


def stop_reason(objectives: Iterable[Objective], stop: StopRules, run: RunSamples) -> str | None:
    """Return why the steps after this step run are left out; None if they are not."""
    document, samples = run.document, StepSamples([run])
    failed = failed_percent(samples)
    if stop.max_failed_percent is not None and failed > stop.max_failed_percent:
        return (
            f"{document.id}: {format_percent(failed)} of the requests failed"
            f" (load.stop.maxFailedPercent: {format_percent(stop.max_failed_percent)})"
        )
    if document.ended_early is not None:
        return f"{document.id}: {describe_early_end(document.ended_early, stop)}"
    for objective in objectives:
        in_step = not objective.steps or document.step in objective.steps
        if not objective.fail_fast or objective.is_of_dataset or not in_step:
            continue
        # Inconclusive is no reason to stop: the intervals of a single step run are wide.
        result = evaluate(objective, document.step, document.variant, samples)
        if result.conclusion is ObjectiveConclusion.MISSED:
            return f"{document.id} missed objective {objective.name} (failFast). {result.message}"
    return None


def stop_reasons(samples: BenchmarkSamples) -> dict[str, str]:
    """Return why step runs are the last of their ladders, by id, of those that are."""
    spec = samples.spec
    return {
        run.document.id: reason
        for run in samples.runs
        # A trial that misses its objective is what the search for the capacity needs.
        if run.document.trial is None
        and (reason := stop_reason(spec.objectives, spec.load.stop, run)) is not None
    }


def left_out(
    spec: Spec,
    step_runs: Sequence[StepRunId],
    stored: Container[str],
    stops: Mapping[str, str],
    dataset: DatasetStatus,
) -> dict[str, str]:
    """Return why step runs are not run; `stops` has the `stop_reason` of each stored one."""
    missing = [step_run for step_run in step_runs if str(step_run) not in stored]
    whole = missed_by_indexing(spec, dataset)
    if whole is not None:
        return {str(step_run): whole for step_run in missing}
    # Of each variant the lowest step counts, whatever the repeat: no repeat goes beyond it.
    reasons: dict[str, tuple[int, str]] = {}
    for step_run in step_runs:
        reason = stops.get(str(step_run))
        known = reasons.get(step_run.variant)
        if reason is not None and (known is None or step_run.step_index < known[0]):
            reasons[step_run.variant] = step_run.step_index, reason
    return {
        str(step_run): reasons[step_run.variant][1]
        for step_run in missing
        if step_run.variant in reasons and step_run.step_index > reasons[step_run.variant][0]
    }


def missed_by_indexing(spec: Spec, dataset: DatasetStatus) -> str | None:
    """Return why no load is run at all; None if it is."""
    fast = [each for each in spec.objectives if each.fail_fast and each.indexing_time is not None]
    of_dataset = BenchmarkSamples(spec.model_copy(update={"objectives": fast}), [])
    objectives = evaluate_objectives(of_dataset, dataset)
    for result in objectives.results if objectives is not None else []:
        if result.conclusion is ObjectiveConclusion.MISSED:
            return f"objective {result.name}: {result.message}"
    return None


def summarise_omitted(step_runs: Sequence[StepRunId], reasons: Mapping[str, str]) -> list[NotRun]:
    """Return an entry for each step and variant that has step runs left out."""
    grouped: dict[tuple[str, str], list[str]] = {}
    for step_run in step_runs:
        if str(step_run) in reasons:
            grouped.setdefault((step_run.step, step_run.variant), []).append(reasons[str(step_run)])
    return [
        NotRun(step=step, variant=variant or None, step_runs=len(texts), reason=texts[0])
        for (step, variant), texts in grouped.items()
    ]


def answer_early_ends(status: Status) -> Iterator[str]:
    """Yield `Step soak: the step was stopped at second 812 …` for each such step, and why."""
    for verdict in status.verdicts:
        through = f" through {verdict.variant}" if verdict.variant else ""
        for reason in verdict.reasons:
            if reason.reason == "EndedEarly":
                yield f"Step {verdict.step}{through}: {reason.message}"
