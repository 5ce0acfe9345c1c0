"""Objectives, the search for the capacity and what is left out, as the status shows them."""

from collections.abc import Iterable, Mapping

from solrbench.api.v1alpha1.status.objectives import ObjectiveWord
from solrbench.controller.context import ReconcileContext
from solrbench.decide.conditions import OBJECTIVES_MET, Truth
from solrbench.plan.capacity_trials import most_trials
from solrbench.plan.load_plan import CapacitySearch
from solrbench.plan.step_runs import (
    StepRunId,
    all_step_runs,
    measured_on_target,
    remaining_step_runs,
)
from solrbench.reasons.load import LoadReason
from solrbench.results.capacity.scaling import scalability
from solrbench.results.capacity.summary import capacity_results, capacity_search
from solrbench.results.capacity.trials import next_trial
from solrbench.results.objectives.evaluation import evaluate_objectives
from solrbench.results.objectives.fail_fast import (
    left_out,
    missed_by_indexing,
    summarise_left_out,
)
from solrbench.results.objectives.wording import completion_text

_OUTCOMES: Mapping[ObjectiveWord, tuple[Truth, LoadReason]] = {
    ObjectiveWord.MET: ("True", LoadReason.OBJECTIVES_MET),
    ObjectiveWord.MISSED: ("False", LoadReason.OBJECTIVES_MISSED),
    ObjectiveWord.UNCLEAR: ("Unknown", LoadReason.OBJECTIVES_UNCLEAR),
}


def remaining_ladder(context: ReconcileContext) -> tuple[StepRunId, ...]:
    """Return the step runs of the ladders that are neither stored nor left out, in order."""
    stored = frozenset(context.reports.documents(context.benchmark))
    return remaining_step_runs(context.benchmark.spec, stored | frozenset(_left_out(context)))


def step_runs_on_target(
    context: ReconcileContext, remaining: Iterable[StepRunId]
) -> tuple[StepRunId, ...]:
    """Return those of the `remaining` step runs that the present target is for."""
    repeat = context.status.attempts.repeat
    return measured_on_target(context.benchmark.spec, remaining, repeat)


def count_left(context: ReconcileContext) -> int:
    """Return how many step runs are left for the present target, trials as many as there may be.

    By the numbers of the status, which follow every change of what is stored.
    """
    remaining, report = remaining_ladder(context), context.status.report
    on_target = len(step_runs_on_target(context, remaining))
    if on_target < len(remaining):
        return on_target
    return max(report.total_steps - report.stored_steps, 0)


def search_to_run(context: ReconcileContext) -> CapacitySearch | None:
    """Return the search for the capacity as far as it is stored; None if there is none to run."""
    spec = context.benchmark.spec
    if missed_by_indexing(spec, context.status.dataset) is not None:
        return None
    return capacity_search(spec, context.reports.documents(context.benchmark).values())


def count_step_runs(context: ReconcileContext) -> int:
    """Return how many step runs there will be, trials at most as many as may be run."""
    spec, documents = context.benchmark.spec, context.reports.documents(context.benchmark)
    trials = sum(each.trial is not None for each in documents.values())
    search = search_to_run(context)
    if search is not None and next_trial(search, search.stored) is not None:
        trials = most_trials(spec)
    return len(all_step_runs(spec)) - len(_left_out(context)) + trials


def update_objectives(context: ReconcileContext) -> None:
    """Put what the stored results say of objectives and capacity into the status."""
    spec, reports = context.benchmark.spec, context.reports
    ordered = list(reports.documents(context.benchmark).values())
    context.update(
        objectives=evaluate_objectives(spec, ordered, context.status.dataset),
        not_run=summarise_left_out(all_step_runs(spec), _left_out(context)),
        capacity=capacity_results(spec, ordered, reports.disturbances(context.benchmark)),
        scalability=scalability(spec, ordered, context.status.totals),
    )


def conclude_objectives(context: ReconcileContext) -> None:
    """Set the condition, when nothing more is measured."""
    found = context.status.objectives
    if found is None:
        return
    status, reason = _OUTCOMES[found.word]
    context.conditions.set(OBJECTIVES_MET, status, reason, completion_text(found))


def _left_out(context: ReconcileContext) -> dict[str, str]:
    spec, reports = context.benchmark.spec, context.reports
    return left_out(
        spec,
        all_step_runs(spec),
        reports.documents(context.benchmark),
        reports.stop_reasons(context.benchmark),
        context.status.dataset,
    )
