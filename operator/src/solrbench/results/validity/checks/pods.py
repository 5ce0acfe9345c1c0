"""Whether workers were lost, throttled or restarted."""

from solrbench.api.v1alpha1.load.load import Load, OnWorkerLoss
from solrbench.results.model.step_result import StepRunResult, WorkerResult
from solrbench.results.stats.number_format import (
    format_number,
    format_percent,
)
from solrbench.results.validity.checks.finding import (
    Finding,
    NotEvaluated,
    Outcome,
    measured_seconds,
    worst,
)


def check_workers_lost(document: StepRunResult, load: Load) -> Outcome:
    """Count the workers that were lost or never took part."""
    missing = load.workers - len(document.workers) if document.workers else 0
    if load.on_worker_loss is OnWorkerLoss.REDISTRIBUTE:
        # Steps after a loss may be run by those that are left, whole from begin to end.
        missing = 0
    lost = max(len(document.lost_workers), missing)
    if not lost:
        return None
    names = f": {', '.join(document.lost_workers[:3])}" if document.lost_workers else ""
    return Finding(lost, f"{lost} of {load.workers} workers were lost{names} (limit 0)")


def check_pod_throttled(document: StepRunResult, load: Load) -> Outcome:
    """Compare the time that the CPU limit stopped each worker with the measured time."""
    limit = load.validity.max_throttled_percent
    unknown = [each.worker for each in document.workers if each.throttled_seconds is None]
    found = worst(
        Finding(
            throttled / seconds,
            f"worker {worker.worker} was CPU-throttled for {format_number(throttled)} s of"
            f" {format_number(seconds)} s{_cores(worker)}"
            f" ({format_percent(100 * throttled / seconds)}, limit {format_percent(limit)})",
        )
        for worker in document.workers
        if (throttled := worker.throttled_seconds or 0.0) * 100
        > limit * (seconds := measured_seconds(worker, document))
        and seconds > 0
    )
    if found is None and unknown:
        return NotEvaluated(f"no cpu.stat of the control group of {', '.join(unknown[:3])}")
    return found if document.workers else NotEvaluated("no worker reported its CPU time")


def _cores(worker: WorkerResult) -> str:
    limit = worker.cpu_limit_cores
    return "" if limit is None else f" at {format_number(limit)} cores"


def check_pod_restarted(document: StepRunResult, load: Load) -> Outcome:
    """Look for restarts and losses of the benchmark's pods."""
    del load
    if document.pods is None:
        return NotEvaluated("pod state was not recorded")
    problems = [(pod, each) for pod in document.pods for each in pod.troubles]
    if not problems:
        return None
    pod, first = min(problems, key=lambda found: found[1].time)
    container = f"container {first.container} of " if first.container else ""
    return Finding(
        len(problems),
        f"restarts or losses of pods: {len(problems)}, first {container}pod {pod.pod}, {first.kind}"
        f" at {first.time:%H:%M:%S} UTC (limit 0)",
    )
