"""Objectives, the search for the capacity and what is left out, as the status shows them."""

from collections.abc import Mapping

from solrbench.api.v1alpha1.status.objectives import ObjectiveWord
from solrbench.controller.context import ReconcileContext
from solrbench.decide.conditions import OBJECTIVES_MET, Truth
from solrbench.plan.capacity_trials import most_trials
from solrbench.plan.load_plan import CapacitySearch, PlannedStepRun
from solrbench.plan.step_runs import all_step_runs
from solrbench.reasons.load import LoadReason
from solrbench.results.capacity.scaling import scalability
from solrbench.results.capacity.summary import capacity_results, capacity_search
from solrbench.results.capacity.trials import next_trial
from solrbench.results.model.step_result import StepRunResult
from solrbench.results.objectives.evaluation import evaluate_objectives
from solrbench.results.objectives.fail_fast import (
    left_out,
    missed_by_indexing,
    summarise_left_out,
)
from solrbench.results.objectives.wording import completion_text

Documents = Mapping[str, StepRunResult]

_OUTCOMES: Mapping[ObjectiveWord, tuple[Truth, LoadReason]] = {
    ObjectiveWord.MET: ("True", LoadReason.OBJECTIVES_MET),
    ObjectiveWord.MISSED: ("False", LoadReason.OBJECTIVES_MISSED),
    ObjectiveWord.UNCLEAR: ("Unknown", LoadReason.OBJECTIVES_UNCLEAR),
}


def search_to_run(context: ReconcileContext, documents: Documents) -> CapacitySearch | None:
    """Return the search for the capacity as far as it is stored; None if there is none to run."""
    spec = context.benchmark.spec
    if missed_by_indexing(spec, context.status.dataset) is not None:
        return None
    return capacity_search(spec, documents.values())


def next_planned_trial(context: ReconcileContext, documents: Documents) -> PlannedStepRun | None:
    """Return the trial to run next; None if there is no search, or it is over."""
    search = search_to_run(context, documents)
    return None if search is None else next_trial(search, search.stored)


def count_step_runs(context: ReconcileContext, documents: Documents) -> int:
    """Return how many step runs there will be, trials at most as many as may be run."""
    spec = context.benchmark.spec
    step_runs = all_step_runs(spec)
    left = left_out(spec, step_runs, documents, context.status.dataset)
    trials = sum(each.trial is not None for each in documents.values())
    if next_planned_trial(context, documents) is not None:
        trials = most_trials(spec)
    return len(step_runs) - len(left) + trials


def update_objectives(context: ReconcileContext, documents: Documents) -> None:
    """Put what the stored results say of objectives and capacity into the status."""
    spec, ordered = context.benchmark.spec, list(documents.values())
    step_runs = all_step_runs(spec)
    left = left_out(spec, step_runs, documents, context.status.dataset)
    context.update(
        objectives=evaluate_objectives(spec, ordered, context.status.dataset),
        not_run=summarise_left_out(step_runs, left),
        capacity=capacity_results(spec, ordered, context.reports.disturbances(context.benchmark)),
        scalability=scalability(spec, ordered, context.status.totals),
    )


def conclude_objectives(context: ReconcileContext) -> None:
    """Set the condition, when nothing more is measured."""
    found = context.status.objectives
    if found is None:
        return
    status, reason = _OUTCOMES[found.word]
    context.conditions.set(OBJECTIVES_MET, status, reason, completion_text(found))
