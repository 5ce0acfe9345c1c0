"""A day of a step with many workers and request names: memory and heartbeats of the load master.

Workers and master are the product's own recording, messages and merging, at whatever pace they
take: each worker records two requests of each name in each second of the day and sends its result
as a message. Every figure is of a process of its own.
"""

import gc
import json
import os
import random
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from bench.harness.table import Row
from solrbench.analysis.step_results import with_metrics
from solrbench.api.v1alpha1.load import Step
from solrbench.contract.load_plan import PlannedStepRun
from solrbench.contract.storage import ChunkedDocument, from_chunks, to_chunks
from solrbench.load.master.merge import merge_worker_results
from solrbench.load.master.partial_result import StepRunMetadata
from solrbench.load.master.step_run_documents import limit_series
from solrbench.load.recording.recorder import SECOND_NS, StepRunRecorder
from solrbench.load.recording.request_stats import RequestTotals
from solrbench.load.recording.worker_result import WorkerStepResult
from solrbench.load.workload.requests import PreparedRequest

PERCENTS = (50, 75, 90, 95, 99, 99.9)
_PAGE = os.sysconf("SC_PAGE_SIZE")
_BEAT_SECONDS = 0.01
_SHARE_BYTES = 20 << 20
MIB = 1 << 20


def resident_bytes() -> int:
    """Return the resident memory of this process."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * _PAGE


def peak_bytes() -> int:
    """Return the most resident memory that this process ever had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def slope_mib_per_hour(points: list[tuple[float, int]]) -> float:
    """Return the growth of the second half of (hours, bytes), by least squares."""
    late = points[len(points) // 2 :]
    mean_x = sum(x for x, _ in late) / len(late)
    mean_y = sum(y for _, y in late) / len(late)
    over = sum((x - mean_x) * (y - mean_y) for x, y in late)
    return over / sum((x - mean_x) ** 2 for x, _ in late) / MIB


def record_day(names: int, seconds: int) -> tuple[StepRunRecorder, list[tuple[float, int]]]:
    """Record a day; return the recorder, and hours and resident memory at 100 moments."""
    draw = random.Random(1)
    recorder = StepRunRecorder(tuple(f"name-{each}" for each in range(names)), 0)
    recorder.measure_from(0)
    requests = [PreparedRequest(b"q=any", each, is_json=True) for each in range(names)]
    points = []
    for second in range(seconds):
        for index, request in enumerate(requests):
            for half in (0, 1):
                ended = second * SECOND_NS + half * SECOND_NS // 2 + 7 * index
                taken = int(1e6 * draw.lognormvariate(2, 0.6))
                recorder.record(request, max(ended - taken, 0), ended, 550, None)
        recorder.take_finished_seconds((second + 1) * SECOND_NS)
        if second % (seconds // 100) == 0:
            points.append((second / 3600, resident_bytes()))
    return recorder, points


def result_of(recorder: StepRunRecorder, seconds: int) -> WorkerStepResult:
    """Return what a worker sends of a day."""
    return WorkerStepResult(
        key="r1-s0-day",
        users=1,
        cpu_seconds=1.0,
        first_seconds=recorder.first_seconds,
        last_seconds=recorder.last_seconds,
        sending_seconds=float(seconds),
        requests=recorder.results(),
    )


def _worker(folder: Path, names: int, seconds: int) -> dict[str, float]:
    before = resident_bytes()
    recorder, points = record_day(names, seconds)
    message = result_of(recorder, seconds).model_dump_json()
    (folder / "result.json").write_text(message)
    return {
        "grown": peak_bytes() - before,
        "peak": peak_bytes(),
        "slope": slope_mib_per_hour(points),
        "message": len(message),
    }


def _master(folder: Path, workers: int, seconds: int) -> dict[str, float]:
    """Take the same message from every worker and add the results in a thread, as the master."""
    message = (folder / "result.json").read_text()
    longest, ended = 0.0, threading.Event()

    def beat() -> None:
        nonlocal longest
        last = time.monotonic()
        while not ended.wait(_BEAT_SECONDS):
            longest, last = max(longest, time.monotonic() - last), time.monotonic()

    beats = threading.Thread(target=beat)
    beats.start()
    results = [
        (f"worker-{each}", WorkerStepResult.model_validate_json(message)) for each in range(workers)
    ]
    step = Step(name="day", users=workers, duration_seconds=seconds)
    planned = PlannedStepRun(id="r1-s0-day", repeat=1, step=step)
    began = time.process_time()
    document = merge_worker_results(
        planned, results, StepRunMetadata(1, datetime(2026, 1, 1, tzinfo=UTC))
    )
    document = limit_series(with_metrics(document, PERCENTS), _SHARE_BYTES)
    spent = time.process_time() - began
    ended.set()
    beats.join()
    stored = to_chunks(document)
    (folder / "stored").write_bytes(b"".join(stored.chunks))
    (folder / "sha256").write_text(stored.sha256)
    return {"peak": peak_bytes(), "silent": longest, "cpu": spent, "stored": len(stored.chunks[0])}


def _operator(folder: Path) -> dict[str, float]:
    """Read the stored document back, as the operator does."""
    stored = ChunkedDocument(
        ((folder / "stored").read_bytes(),), (folder / "sha256").read_text().strip()
    )
    gc.collect()
    before = resident_bytes()
    document = from_chunks(stored)
    return {"grown": max(peak_bytes() - before, 0), "windows": len(document.requests[0].windows)}


def _page(_folder: Path, names: int, seconds: int) -> dict[str, float]:
    """Take the statistics of a worker each second, as the master does for Locust's page."""
    from locust.stats import RequestStats  # noqa: PLC0415 - patches the process

    from solrbench.load.locust_scaling import CHECK_SECONDS, limit_stats  # noqa: PLC0415
    from solrbench.load.worker.worker import add_to_locust_stats  # noqa: PLC0415

    stats, points = RequestStats(), []
    second_stats = RequestTotals(requests=100, sum_microseconds=10**6, min_microseconds=9000)
    second_stats.buckets.update({5000 + each: 10 for each in range(10)})
    for second in range(seconds):
        for index in range(names):
            add_to_locust_stats(stats, "day", f"name-{index}", second_stats, 1e9 + second)
        stats.history.append({"time": second, "user_count": [second, 1]})
        if second % int(CHECK_SECONDS) == 0:
            limit_stats(stats)
            points.append((second / 3600, resident_bytes()))
    return {"slope": slope_mib_per_hour(points)}


_ROLES: dict[str, Callable[..., dict[str, float]]] = {
    "worker": _worker,
    "master": _master,
    "operator": _operator,
    "page": _page,
}


def _in_process(role: str, *arguments: object) -> dict[str, float]:
    command = [sys.executable, "-m", "bench.load.long_step", role, *map(str, arguments)]
    found = subprocess.run(command, check=True, capture_output=True, text=True)
    return {name: float(number) for name, number in json.loads(found.stdout).items()}


def day(folder: Path, names: int, workers: int, seconds: int) -> list[Row]:
    """Return the rows of a day: memory, heartbeats, slopes."""
    worker = _in_process("worker", folder, names, seconds)
    master = _in_process("master", folder, workers, seconds)
    operator = _in_process("operator", folder)
    page = _in_process("page", folder, names, min(seconds, 4 * 3600))["slope"]
    slope = worker["slope"]
    scale = f"{seconds / 3600:g} h, {names} names, {workers} workers"
    sent = f"result of {worker['message'] / MIB:.1f} MiB, peak {worker['peak'] / MIB:.0f} MiB"
    took = f"{scale}, {master['cpu']:.1f} CPU-seconds to add them"
    silent, windows = master["silent"], f"{operator['windows']:.0f} windows of a name"
    return [
        _memory("load master", master["peak"], 300, took),
        _memory("operator, more", operator["grown"], 50, windows),
        Row("longest silence", "<= 2 s", f"{silent:.2f} s", silent <= 2, scale),
        Row("load master's slope", "<= 0.2 MiB/h", f"{page:.3f} MiB/h", page <= 0.2, "live page"),
        Row("worker's slope", "<= 0.2 MiB/h", f"{slope:.3f} MiB/h", slope <= 0.2, sent),
    ]


def _memory(what: str, taken: float, bar: int, detail: str) -> Row:
    return Row(what, f"<= {bar} MiB", f"{taken / MIB:.0f} MiB", taken <= bar * MIB, detail)


if __name__ == "__main__":
    role, where, *numbers = sys.argv[1:]
    print(json.dumps(_ROLES[role](Path(where), *map(int, numbers))))
