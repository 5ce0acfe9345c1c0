"""What four workers counted, merged, is what one would have counted."""

import random
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from solrbench.load.master.merging.merge_results import merge_worker_results
from solrbench.load.master.merging.step_run_metadata import StepRunMetadata
from solrbench.load.recording.recorder import SECOND_NS, StepRunRecorder
from solrbench.load.recording.worker_result import WorkerStepResult
from solrbench.load.workload.prepared_request import PreparedRequest
from solrbench.plan.load_plan import PlannedStepRun
from solrbench.results.stats.histograms import Histogram, decode

NAMES = ("search", "suggest")
BEGAN = 5 * SECOND_NS
PLANNED = PlannedStepRun.model_validate(
    {"id": "r1-s0-any", "repeat": 1, "step": {"name": "any", "users": 4, "requests": 1}}
)

SHAPES: dict[str, Callable[[random.Random], float]] = {
    "constant": lambda draw: 0.04,
    "bimodal": lambda draw: 0.25 if draw.random() < 0.05 else 0.02,
    "heavy tail": lambda draw: 0.001 * draw.paretovariate(1.1),
    "all magnitudes": lambda draw: 10 ** draw.uniform(-7, 4),
}


def worker(samples: list[tuple[int, int]]) -> WorkerStepResult:
    """Return what arrives at the master from a worker that saw (request name, ns)."""
    recorder = StepRunRecorder(NAMES, BEGAN)
    recorder.measure_from(BEGAN)
    for name, taken_ns in samples:
        request = PreparedRequest(b"q=a", name, is_json=True)
        recorder.record(request, BEGAN, BEGAN + taken_ns, 550, None)
    recorder.take_finished_seconds(BEGAN, last=True)
    result = WorkerStepResult(key="k", users=1, cpu_seconds=0.1, requests=recorder.results())
    return WorkerStepResult.model_validate_json(result.model_dump_json())


@pytest.mark.parametrize("shape", SHAPES)
def test_merged_histograms_are_those_of_all_samples(shape: str) -> None:
    draw = random.Random(3)
    sizes = (4001, 2000, 257, 0)
    by_worker = [
        [(draw.randrange(2), int(1e9 * SHAPES[shape](draw))) for _ in range(size)] for size in sizes
    ]
    results = [(f"w{index}", worker(samples)) for index, samples in enumerate(by_worker)]
    record = StepRunMetadata(attempt=1, start_time=datetime(2026, 1, 1, tzinfo=UTC))
    document = merge_worker_results(PLANNED, results, record)
    assert [each.request for each in document.requests] == list(NAMES)
    for index, result in enumerate(document.requests):
        times = [ns // 1000 for samples in by_worker for name, ns in samples if name == index]
        direct = Histogram()
        for microseconds in times:
            direct.record(microseconds)
        assert result.requests == len(times) == decode(result.service_time_histogram).count
        assert result.service_time_histogram == direct.encode()
        assert result.sum_microseconds == sum(times)
        assert (result.min_microseconds, result.max_microseconds) == (min(times), max(times))
