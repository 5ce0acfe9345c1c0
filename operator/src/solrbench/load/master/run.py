"""The order of a run: workers, then every step run of the plan with its warm-up, then trials."""

from collections.abc import Callable, Iterator
from dataclasses import KW_ONLY, dataclass, field, replace

from solrbench.analysis.capacity_trials import next_trial, read_trial
from solrbench.analysis.fail_fast import stop_reason
from solrbench.analysis.samples import RunSamples
from solrbench.contract.answers import StoredAnswers
from solrbench.contract.load_plan import LoadPlan, PlannedStepRun, StoredTrial
from solrbench.contract.step_document import StepRunResult
from solrbench.contract.windows import EmptiedCaches
from solrbench.contract.workload_files import once_only_entries
from solrbench.load.errors import LoadError
from solrbench.load.master.request_windows import merge_request_windows
from solrbench.load.master.result_store import ListOffsets, ResultStore, resumed
from solrbench.load.master.step_run import (
    IMMEDIATE_SPAWN_RATE,
    CompletedStepRun,
    RunStage,
    StepRunExecutor,
    WarmUpResult,
)
from solrbench.load.master.step_run_documents import StepRunDocuments
from solrbench.load.schedule.messages import step_assignment, warm_up_assignment
from solrbench.reasons.load import LoadReason


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
        run = RunSamples(document)
        if document.trial is not None:
            limits = self._plan.search.limits if self._plan.search else []
            self._trials.append(read_trial(run, limits))
        elif stop_reason(self._plan.objectives, self._plan.stop, run) is not None:
            steps = self._plan.step_runs
            index = next(each.step_index for each in steps if each.id == document.id)
            self._stops[document.variant] = min(index, self._stops.get(document.variant, index))


@dataclass(eq=False, repr=False)
class RunCoordinator:
    """Runs the plan of an executor.

    `prepare` is called once when all workers are there and raises `LoadError` if the run cannot
    begin; `empty_caches` is called where the plan empties Solr's caches, and raises it if they
    cannot be emptied; `ask_queries` returns the answers through a variant where the plan asks for
    them; `in_background` calls what takes seconds, while heartbeats go on, and returns its result.
    """

    executor: StepRunExecutor
    store: ResultStore
    prepare: Callable[[], None]
    _: KW_ONLY
    empty_caches: Callable[[], EmptiedCaches]
    ask_queries: Callable[[str], StoredAnswers] | None
    in_background: Callable[[Callable[[], StepRunResult]], StepRunResult] = lambda work: work()
    _under_way: PlannedStepRun | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        executor, answers = self.executor, self.executor.plan.answers
        self.plan, self.workers, self.status = executor.plan, executor.workers, executor.status
        self._once_only = once_only_entries(self.plan.workload)
        self._unasked = set(answers.variants) if answers and self.ask_queries else set[str]()
        self._schedule = RunSchedule(self.plan)
        self._documents = StepRunDocuments(
            self.plan, executor.utc_now, executor.now, executor.telemetry
        )

    def run(self) -> None:
        """Measure every step run of the plan.

        It raises `LoadError` if the run cannot go on; finished documents stay in the store.
        """
        self.workers.wait_for_workers()
        self.prepare()
        ladder, repeat = None, 0
        for planned in self._schedule:
            # The results before are in the store: users that stay, or a worker lost now, cost none.
            self.executor.wait_until_free()
            self._wait_until_stored(planned, begins_repeat=planned.repeat != repeat)
            self.status.step_run = planned
            self.status.restart_counting()
            warmed_up, repeat = WarmUpResult(), planned.repeat
            # The trials of a variant are a ladder of their own.
            profile = planned.repeat, planned.variant, planned.trial is not None
            begins = profile != ladder
            if begins:
                # Only the first ladder goes on where a lost attempt ended; the others begin anew.
                self.executor.offsets = (
                    resumed(self.plan) if ladder is None else ListOffsets(self._once_only)
                )
                ladder = profile
            answers = None
            if self.ask_queries is not None and planned.variant in self._unasked:
                self._unasked.discard(planned.variant)
                self.status.enter(RunStage.SENDING_QUERIES)
                answers = self.ask_queries(planned.variant)
            if begins or self.plan.prepares_each_step:
                emptied = None
                if self.plan.empties_caches:
                    self.status.enter(RunStage.EMPTYING_CACHES)
                    emptied = self.empty_caches()
                warmed_up = replace(self._warm_up(planned), emptied_caches=emptied)
            warmed_up = replace(warmed_up, answers=answers)
            self._under_way = planned
            rate = planned.step.spawn_rate or IMMEDIATE_SPAWN_RATE
            assignment = step_assignment(self.plan, planned)
            completed = self.executor.run(assignment, rate, RunStage.MEASURING)
            self._schedule.note(self._store_result(planned, completed, warmed_up))
        self.status.step_run = None
        self.status.enter(RunStage.FINISHED)

    def stop(self) -> None:
        """End the run as failed, as Stop on Locust's page does; nothing if it is over."""
        if not self.status.is_over:
            text = "the run was stopped from the Locust web UI"
            self.workers.fail(LoadError(LoadReason.STOPPED_BY_USER, text))

    def unfinished(self) -> StepRunResult | None:
        """Return the step run that is or was under way as far as it is measured; None without."""
        planned = self._under_way
        if planned is None:
            return None
        return self._documents.unfinished(planned, self.workers.reports.so_far)

    def _warm_up(self, planned: PlannedStepRun) -> WarmUpResult:
        assignment = warm_up_assignment(self.plan, planned)
        if assignment is None:
            return WarmUpResult()
        until = self.plan.warm_up.until_steady if self.plan.warm_up else None
        if until is not None and planned.batch_size is not None:
            # A mean over an update is one over its documents.
            needed = -(-until.window_requests // planned.batch_size)
            until = until.model_copy(update={"window_requests": needed})
        offsets = self.executor.offsets
        has_own_queries = self.plan.workload.warm_up_queries is not None
        if has_own_queries:  # they begin anew, and the lists of the steps stay where they are
            self.executor.offsets = ListOffsets((False,))
        completed = self.executor.run(assignment, IMMEDIATE_SPAWN_RATE, RunStage.WARMING_UP, until)
        self.executor.wait_until_free()
        if has_own_queries:
            self.executor.offsets = offsets
        results = [result for _, result in completed.results]
        return WarmUpResult(
            warm_up_requests=sum(result.measured for result in results),
            warm_up_steady=completed.steady,
            warm_up_thousands=merge_request_windows(results),
            warm_up_caches=completed.metadata.caches,
        )

    def _wait_until_stored(self, planned: PlannedStepRun, *, begins_repeat: bool) -> None:
        """Begin no step run of a list that is gone through once before the last one is stored.

        If this master is lost, the next one knows that way which step run may have been started.
        Nor a repeat that may not be needed.
        """
        waits_from = self.plan.waits_from_repeat
        may_be_last = begins_repeat and waits_from is not None and planned.repeat >= waits_from
        if (any(self._once_only) or may_be_last) and self.store.unacknowledged:
            self.status.step_run = None
            self.status.enter(RunStage.STORING)
            self.workers.wait(lambda: not self.store.unacknowledged)

    def _store_result(
        self, planned: PlannedStepRun, completed: CompletedStepRun, warmed_up: WarmUpResult
    ) -> StepRunResult:
        document = self.in_background(
            lambda: self._documents.completed(planned, completed, warmed_up)
        )
        self.store.add(document)
        # Not before it is stored: a step run that just ended is never missing from both.
        self._under_way = None
        return document
