"""What workers report of a step run, and the document that the master makes of it."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from solrbench.api.v1alpha1.load import Step
from solrbench.contract.load_plan import PlannedStepRun
from solrbench.contract.second_series import SecondSeries, SecondSums
from solrbench.contract.step_document import StepRunResult
from solrbench.load.master.merge import merge_worker_results
from solrbench.load.master.step_run import StepRunMetadata, WarmUpResult
from solrbench.load.recording.worker_result import WorkerRequestStats, WorkerStepResult
from solrbench.stats.histograms import Histogram

BEGAN = datetime(2026, 11, 1, 12, tzinfo=UTC)
PLANNED = PlannedStepRun(
    id="r2-s1-storm", repeat=2, step=Step(name="storm", users=8, duration_seconds=9)
)


def histogram(values: list[int]) -> str:
    made = Histogram()
    for value in values:
        made.record(value)
    return made.encode()


def part(
    values: list[int], name: str = "query", windows: Iterable[SecondSums] = (), **fields: Any
) -> WorkerRequestStats:
    return WorkerRequestStats(
        **{
            "request": name,
            "requests": len(values),
            "failures": 0,
            "bytes_received": 10 * len(values),
            "sum_microseconds": sum(values),
            "min_microseconds": min(values, default=None),
            "max_microseconds": max(values, default=None),
            "service_time_histogram": histogram(values),
            "windows": SecondSeries(windows),
            **fields,
        }
    )


def outcome(
    *parts: WorkerRequestStats, first: float | None = 0.0, last: float = 1.0, **fields: Any
) -> WorkerStepResult:
    return WorkerStepResult(
        key=PLANNED.id,
        users=4,
        cpu_seconds=0.5,
        first_seconds=first,
        last_seconds=None if first is None else last,
        requests=list(parts),
        **fields,
    )


def merged(*results: WorkerStepResult, step: Step = PLANNED.step) -> Any:
    named = [(f"worker-{index}", each) for index, each in enumerate(results)]
    record = StepRunMetadata(3, BEGAN, WarmUpResult(77), lost_workers=("worker-9",))
    return merge_worker_results(PLANNED.model_copy(update={"step": step}), named, record)


def merged_document(step_run_id: str) -> StepRunResult:
    made: StepRunResult = merged(outcome(part([1, 2])))
    return made.model_copy(update={"id": step_run_id})
