"""Whether the load generator itself was the bottleneck."""

from solrbench.api.v1alpha1.load.load import Load
from solrbench.results.model.failure_kinds import CONNECTIONS_RAN_OUT
from solrbench.results.model.step_result import StepRunResult, WorkerResult
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
    """
    limit = load.validity.max_worker_cpu_percent
    if not document.workers:
        return NotEvaluated("no worker reported its CPU time")
    used = worst(
        Finding(
            percent,
            f"worker {worker.worker} used {format_percent(percent)} of {_share(worker)} in"
            f" {format_number(measured_seconds(worker, document))} s,"
            f" limit {format_percent(limit)}",
        )
        for worker in document.workers
        if (percent := _cpu_percent(worker, document)) > limit
    )
    return used or worst(
        Finding(
            busy,
            f"the sending thread of worker {worker.worker} ran or waited for a CPU in"
            f" {format_percent(busy)} of {format_number(measured_seconds(worker, document))} s"
            f" ({format_number(worker.core_cpu_seconds or 0)} s on a CPU),"
            f" limit {format_percent(limit)}",
        )
        for worker in document.workers
        if (busy := worker.core_busy_percent or 0.0) > limit
    )


def _cpu_percent(worker: WorkerResult, document: StepRunResult) -> float:
    seconds = measured_seconds(worker, document) * min(1.0, worker.cpu_limit_cores or 1.0)
    return 100 * worker.cpu_seconds / seconds if seconds > 0 else 0.0


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
    return Finding(count, f"{count} of {whole} requests found no free connection, limit 0")
