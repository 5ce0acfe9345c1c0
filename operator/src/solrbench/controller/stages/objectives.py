"""Objectives, the search for the capacity and what is left out, as the status shows them."""

from collections.abc import Mapping

from solrbench.api.v1alpha1.status.objectives import ObjectiveWord
from solrbench.controller.context import ReconcileContext
from solrbench.decide.conditions import OBJECTIVES_MET, Truth
from solrbench.plan.capacity_trials import most_trials
from solrbench.plan.load_plan import CapacitySearch
from solrbench.plan.step_runs import all_step_runs
from solrbench.reasons.load import LoadReason
from solrbench.results.capacity.summary import capacity_results, capacity_search, headline
from solrbench.results.capacity.trials import next_trial
from solrbench.results.capacity.user_scaling import scalability
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


def search_to_run(context: ReconcileContext) -> CapacitySearch | None:
    """Return the search for the capacity as far as it is stored; None if there is none to run."""
    spec = context.benchmark.spec
    if missed_by_indexing(spec, context.status.dataset) is not None:
        return None
    return capacity_search(spec, context.reports.documents(context.benchmark).values())


def count_trials(context: ReconcileContext) -> int:
    """Return how many trials are stored, or may be while the search goes on."""
    search = search_to_run(context)
    if search is None:
        return 0
    going_on = next_trial(search, search.stored) is not None
    return most_trials(context.benchmark.spec) if going_on else len(search.stored)


def update_objectives(context: ReconcileContext) -> None:
    """Put what the stored results say of objectives and capacity into the status."""
    spec, reports = context.benchmark.spec, context.reports
    ordered = list(reports.documents(context.benchmark).values())
    capacity = capacity_results(spec, ordered, reports.disturbances(context.benchmark))
    if not spec.load.steps:
        context.update(summary=headline(capacity))
    context.update(
        objectives=evaluate_objectives(spec, ordered, context.status.dataset),
        not_run=summarise_left_out(all_step_runs(spec), left_out_step_runs(context)),
        capacity=capacity,
        scalability=scalability(spec, ordered, context.status.totals),
    )


def conclude_objectives(context: ReconcileContext) -> None:
    """Set the condition, when nothing more is measured."""
    found = context.status.objectives
    if found is None:
        return
    status, reason = _OUTCOMES[found.word]
    context.conditions.set(OBJECTIVES_MET, status, reason, completion_text(found))


def left_out_step_runs(context: ReconcileContext) -> dict[str, str]:
    """Return the ids of step runs that are not run, with the reason."""
    spec, reports = context.benchmark.spec, context.reports
    return left_out(
        spec,
        all_step_runs(spec),
        reports.documents(context.benchmark),
        reports.stop_reasons(context.benchmark),
        context.status.dataset,
    )
