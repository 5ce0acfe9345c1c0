"""Whether the load generator itself was the bottleneck."""

from collections.abc import Iterator

from solrbench.api.v1alpha1.load.load import Load
from solrbench.results.model.failure_kinds import CONNECTIONS_RAN_OUT
from solrbench.results.model.step_result import StepRunResult, UsageSlice, WorkerResult
from solrbench.results.stats.number_format import (
    format_number,
    format_percent,
)
from solrbench.results.validity.checks.finding import (
    Finding,
    NotEvaluated,
    Outcome,
    count_of_kind,
    measured_seconds,
    worst,
)


def check_worker_saturated(document: StepRunResult, load: Load) -> Outcome:
    """Compare the CPU time of each worker with what it can get, and its demand with the clock.

    A worker is one Python process: whatever the number of its threads, it runs on little more than
    one core, and on less if its control group may not have one. Where others take the CPU, it
    gets less than it wants: the time that its sending thread waits for its turn counts as busy.
    An average over a step hides that half of it was saturated, so the worst slice counts as well.
    """
    limit = load.validity.max_worker_cpu_percent
    if not document.workers:
        return NotEvaluated("no worker reported its CPU time")
    used = worst(
        Finding(
            percent,
            f"worker {worker.worker} used {format_percent(percent)} of {_share(worker)} for"
            f" {period} (limit {format_percent(limit)})",
        )
        for worker in document.workers
        for percent, period in _cpu_percents(worker, document)
        if percent > limit
    )
    return used or worst(
        Finding(
            busy,
            f"the engine thread of worker {worker.worker} was busy or runnable for"
            f" {format_percent(busy)} of {period} ({format_number(on_cpu)} s on a CPU,"
            f" limit {format_percent(limit)})",
        )
        for worker in document.workers
        for busy, on_cpu, period in _busy_percents(worker, document)
        if busy > limit
    )


def _cpu_percents(worker: WorkerResult, document: StepRunResult) -> Iterator[tuple[float, str]]:
    """Yield the share of what a worker can get that it used: in all, and in its worst slice."""
    cores = min(1.0, worker.cpu_limit_cores or 1.0)
    seconds = measured_seconds(worker, document)
    if seconds > 0:
        yield 100 * worker.cpu_seconds / seconds / cores, f"{format_number(seconds)} s"
    if worker.most_cpu is not None:
        used = worker.most_cpu.cpu_seconds / worker.most_cpu.seconds
        yield 100 * used / cores, _period(worker.most_cpu)


def _busy_percents(
    worker: WorkerResult, document: StepRunResult
) -> Iterator[tuple[float, float, str]]:
    """Yield how busy the sending thread was, and its CPU time: in all, and in its worst slice."""
    seconds = measured_seconds(worker, document)
    if worker.core_busy_percent is not None:
        on_cpu = worker.core_cpu_seconds or 0.0
        yield worker.core_busy_percent, on_cpu, f"{format_number(seconds)} s"
    found = worker.most_busy
    if found is not None:
        busy = 100 * found.core_busy_seconds / found.seconds
        yield busy, found.core_cpu_seconds, _period(found)


def _period(found: UsageSlice) -> str:
    return f"{format_number(found.seconds)} s from second {found.begin_seconds:.0f} on"


def _share(worker: WorkerResult) -> str:
    limit = worker.cpu_limit_cores
    if limit is None or limit >= 1:
        return "a core"
    return f"its CPU limit of {format_number(limit)} cores"


def check_connections_ran_out(document: StepRunResult, load: Load) -> Outcome:
    """Look for requests that found no free port, file or memory in the load generator."""
    del load
    sent = [each for each in document.requests if not each.is_transaction]
    count = count_of_kind(sent, CONNECTIONS_RAN_OUT)
    if not count:
        return None
    whole = sum(each.requests for each in sent)
    return Finding(
        count, f"{count} of {whole} requests found no free port, file or memory (limit 0)"
    )
