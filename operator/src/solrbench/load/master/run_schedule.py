"""What is measured next: the step runs of the plan that are not left out, then trials."""

from collections.abc import Iterator

from solrbench.plan.load_plan import LoadPlan, PlannedStepRun, StoredTrial
from solrbench.results.capacity.trials import next_trial, read_trial
from solrbench.results.model.step_result import StepRunResult
from solrbench.results.objectives.fail_fast import stop_reason


class RunSchedule:
    """The step runs of a plan in their order, by what those before them have shown.

    Each document must be noted before the next step run is asked for.
    """

    def __init__(self, plan: LoadPlan) -> None:
        self._plan = plan
        self._stops: dict[str, int] = {}
        """The first step, by variant, after which none is run."""
        self._trials: list[StoredTrial] = list(plan.search.stored) if plan.search else []

    def __iter__(self) -> Iterator[PlannedStepRun]:
        for planned in self._plan.step_runs:
            if planned.step_index <= self._stops.get(planned.variant, planned.step_index):
                yield planned
        search = self._plan.search
        if search is not None:
            while (trial := next_trial(search, self._trials)) is not None:
                yield trial

    def note(self, document: StepRunResult) -> None:
        """Take note of what was measured."""
        if document.trial is not None:
            objectives = self._plan.search.objectives if self._plan.search else []
            self._trials.append(read_trial(document, objectives))
        elif stop_reason(self._plan.objectives, self._plan.stop, document) is not None:
            index = _step_index(self._plan, document.id)
            before = self._stops.get(document.variant, index)
            self._stops[document.variant] = min(index, before)


def _step_index(plan: LoadPlan, step_run_id: str) -> int:
    return next(each.step_index for each in plan.step_runs if each.id == step_run_id)
