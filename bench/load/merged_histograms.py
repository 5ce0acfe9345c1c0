"""The histogram of four workers against that of all their samples."""

import random
import time
from pathlib import Path

from bench.harness.table import Row
from solrbench.load.recording.recorder import StepRunRecorder
from solrbench.load.recording.worker_result import WorkerRequestStats
from solrbench.load.workload.requests import PreparedRequest
from solrbench.stats.histograms import Histogram, merge

WORKERS = 4
_REQUEST = PreparedRequest(b"q=any", 0, is_json=True)


def recorded(samples_ns: list[int]) -> WorkerRequestStats:
    """Return what a worker sends that saw these service times, through its own recording."""
    began = time.perf_counter_ns()
    recorder = StepRunRecorder(("any",), began)
    recorder.measure_from(began)
    for sample in samples_ns:
        recorder.record(_REQUEST, began, began + sample, 550, None)
    recorder.take_finished_seconds(began, last=True)
    (result,) = recorder.results()
    return WorkerRequestStats.model_validate_json(result.model_dump_json())


def samples(seed: int, count: int) -> list[int]:
    """Return service times in ns from 1 µs to beyond an hour."""
    draw = random.Random(seed)
    return [int(1e3 * 10 ** draw.uniform(0, 9.6)) for _ in range(count)]


def merged(folder: Path, count: int) -> list[Row]:
    """Compare the stored forms, byte by byte."""
    del folder
    by_worker = [samples(seed, count // WORKERS) for seed in range(WORKERS)]
    together = merge(recorded(each).service_time_histogram for each in by_worker)
    direct = Histogram()
    for sample in (sample for each in by_worker for sample in each):
        direct.record(sample // 1000)
    same = together.encode() == direct.encode()
    detail = f"{together.count:,} samples, stored forms compared"
    return [Row("histogram of 4 workers", "identical", str(same).lower(), same, detail)]
