"""What the master makes of a step run: its document."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from solrbench.load.master.list_offsets import ListOffsets
from solrbench.load.master.merging.merge_results import merge_worker_results
from solrbench.load.master.merging.series_limit import limit_series
from solrbench.load.master.merging.step_run_metadata import StepRunMetadata, WarmUpResult
from solrbench.load.master.merging.unfinished import unfinished_result
from solrbench.load.master.step_run_executor import CompletedStepRun, TelemetryReader
from solrbench.load.master.worker_pool.running_totals import RunningTotals
from solrbench.load.recording.name_limit import NameLimiter
from solrbench.load.recording.worker_result import WorkerStepResult
from solrbench.plan.load_plan import LoadPlan, PlannedStepRun
from solrbench.results.model.step_result import StepRunResult
from solrbench.results.summary.step_run_figures import with_figures


class StepRunDocuments:
    """Makes the documents of the step runs of a plan.

    `utc_now` gives the time that documents carry, `now` monotonic seconds.
    """

    def __init__(
        self,
        plan: LoadPlan,
        *,
        utc_now: Callable[[], datetime],
        now: Callable[[], float],
        telemetry: TelemetryReader | None,
    ) -> None:
        self._plan = plan
        self._utc_now = utc_now
        self._now = now
        self._telemetry = telemetry
        self._names = NameLimiter(plan.max_request_names)

    def completed(
        self,
        planned: PlannedStepRun,
        completed: CompletedStepRun,
        warm_up: WarmUpResult,
        offsets: ListOffsets,
    ) -> StepRunResult:
        """Return the document of a step run that ended, at most as long as the plan allows.

        Args:
            planned: the step run
            completed: what its workers measured
            warm_up: the warm-up right before
            offsets: where the lists of the workload go on behind it

        """
        record = StepRunMetadata(
            self._plan.attempt,
            completed.start_time,
            warm_up,
            completed.caches,
            completed.lost_workers,
            offsets.offsets,
            completed.may_repeat,
            completed.telemetry,
            completed.diagnostics,
            completed.ended_early,
        )
        document = merge_worker_results(planned, self._limit_names(completed.results), record)
        document = with_figures(document, self._plan.percentiles)
        return limit_series(document, self._plan.max_result_bytes)

    def unfinished(self, planned: PlannedStepRun, so_far: RunningTotals) -> StepRunResult | None:
        """Return the document of a step run as far as it is measured; None without a request."""
        if so_far.began is None or not so_far.requests:
            return None
        record = StepRunMetadata(
            self._plan.attempt,
            self._utc_now() - timedelta(seconds=self._now() - so_far.began),
            telemetry=self._telemetry.so_far() if self._telemetry is not None else None,
        )
        seconds = so_far.reported - so_far.began
        document = unfinished_result(planned, so_far, seconds, record)
        return with_figures(document, self._plan.percentiles)

    def _limit_names(
        self, results: Sequence[tuple[str, WorkerStepResult]]
    ) -> Sequence[tuple[str, WorkerStepResult]]:
        """Return them with few names: each worker of a custom locustfile met others first."""
        if self._plan.workload.locustfile is None:
            return results
        return [(worker, _renamed(each, self._names)) for worker, each in results]


def _renamed(result: WorkerStepResult, names: NameLimiter) -> WorkerStepResult:
    requests = [
        each.model_copy(update={"request": names.limit(each.request)}) for each in result.requests
    ]
    return result.model_copy(update={"requests": requests})
