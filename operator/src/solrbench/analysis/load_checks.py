"""Checks of the load generator: saturated or lost workers, late or repeated requests."""

import math
from collections.abc import Iterator, Sequence
from statistics import median

from solrbench.analysis import arrivals
from solrbench.analysis.checks import (
    NotEvaluated,
    Outcome,
    ValidityFinding,
    count_of_kind,
    measured_seconds,
    worst,
)
from solrbench.api.v1alpha1.load import Load, OnWorkerLoss
from solrbench.contract.step_document import (
    CONNECTIONS_RAN_OUT,
    RequestResult,
    StepRunResult,
    UsageSlice,
    WorkerPercentile,
    WorkerResult,
)
from solrbench.stats import histograms
from solrbench.stats.number_format import (
    format_milliseconds,
    format_number,
    format_percent,
    format_share,
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
        ValidityFinding(
            percent,
            f"worker {worker.worker} used {format_percent(percent)} of {_share(worker)} for"
            f" {period} (limit {format_percent(limit)})",
        )
        for worker in document.workers
        for percent, period in _cpu_percents(worker, document)
        if percent > limit
    )
    return used or worst(
        ValidityFinding(
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
    most_busy = worker.most_busy
    if most_busy is not None:
        busy = 100 * most_busy.core_busy_seconds / most_busy.seconds
        yield busy, most_busy.core_cpu_seconds, _period(most_busy)


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
    sent = [request for request in document.requests if not request.is_transaction]
    count = count_of_kind(sent, CONNECTIONS_RAN_OUT)
    if not count:
        return None
    whole = sum(request.requests for request in sent)
    return ValidityFinding(
        count, f"{count} of {whole} requests found no free port, file or memory (limit 0)"
    )


_LAG_PERCENT = 99

_MIN_DELAY_MICROSECONDS = 1000
"""A delay of less than a millisecond is that of a system call, at whatever service time."""


def check_schedule_lag(document: StepRunResult, load: Load) -> Outcome:
    """Compare the lag of each worker, which only the worker itself causes, with the limit."""
    if document.requests_per_second is None:
        return None
    limit = load.validity.max_lag_milliseconds
    unknown = [
        worker_result.worker
        for worker_result in document.workers
        if worker_result.lag_p99_microseconds is None
    ]
    finding = worst(
        ValidityFinding(
            lag,
            f"worker {worker.worker} delayed requests by {format_milliseconds(lag / 1000)}"
            f" (p{_LAG_PERCENT}, limit {limit} ms)",
        )
        for worker in document.workers
        if (lag := worker.lag_p99_microseconds or 0) > 1000 * limit
    )
    return finding or (NotEvaluated(f"no lag of {', '.join(unknown[:3])}") if unknown else None)


def check_generator_delay(document: StepRunResult, load: Load) -> Outcome:
    """Compare response times with what they were without the workers' own delays.

    A worker that stood still for a moment sends all that was due at once, so its delay is the tail.
    """
    percent, limit = load.validity.percentile, load.validity.max_own_delay_percent
    return worst(
        finding
        for request in document.requests
        if (finding := _own_delay(request, percent, limit)) is not None
    )


def _own_delay(result: RequestResult, percent: int, limit: float) -> ValidityFinding | None:
    stored = result.response_time_histogram, result.response_time_without_lag_histogram
    if not all(stored):
        return None
    delayed, without = (histograms.read(each or "").percentile(percent) for each in stored)
    if delayed is None or without is None:
        return None
    if result.response_max_microseconds is not None:
        # Rounding up within its bucket must not pass the exact maximum.
        delayed = min(delayed, result.response_max_microseconds)
    above = delayed - without
    if above < _MIN_DELAY_MICROSECONDS or 100 * above <= limit * without:
        return None
    share = 100 * above / without
    return ValidityFinding(
        share,
        f"the workers' own delays raised p{percent} of the response times of {result.request} from"
        f" {format_milliseconds(without / 1000)} to {format_milliseconds(delayed / 1000)}"
        f" ({format_percent(share)}, limit {format_percent(limit)})",
    )


def check_requests_dropped(document: StepRunResult, load: Load) -> Outcome:
    """Compare the share of planned requests that were never sent with the limit."""
    limit = load.validity.max_dropped_percent
    return _share_of_plan(document, arrivals.dropped(document), "were never sent", limit)


def check_requests_late(document: StepRunResult, load: Load) -> Outcome:
    """Compare the share of planned requests that were sent late with the limit."""
    limit = load.validity.max_late_percent
    return _share_of_plan(document, arrivals.late(document), "were sent late", limit)


def check_queries_may_repeat(document: StepRunResult, load: Load) -> Outcome:
    """Look for lost load pods that may have sent queries of a once-only list."""
    del load
    if not document.queries_may_repeat:
        return None
    return ValidityFinding(
        1,
        "load pods were lost; how many queries of a list with order Once they had sent is"
        " unknown, so some may have been sent twice (limit 0)",
    )


def _share_of_plan(document: StepRunResult, part: int, what: str, limit: float) -> Outcome:
    planned = document.planned_requests
    if document.requests_per_second is None:
        return None
    if planned is None:
        return NotEvaluated("the number of planned requests was not recorded")
    if part * 100 <= limit * planned:
        return None
    share = format_share(part, planned)
    return ValidityFinding(
        part / planned,
        f"{part} of {planned} planned requests {what} ({share}, limit {format_percent(limit)})",
    )


_SUPPORT = 10
"""Requests of a worker that must be expected beyond its percentile."""

_MIN_MICROSECONDS = 1000
"""A difference of less than a millisecond is that of two machines, not of a bad one."""

_ERRORS = 5.0
"""Standard errors of a share beyond chance: requests of one worker resemble each other, which makes
chance differences larger than those of independent ones."""

_Seen = tuple[WorkerResult, WorkerPercentile]


def check_workers_differ(document: StepRunResult, load: Load) -> Outcome:
    """Compare a percentile of each worker with the median of the others.

    Where a few stalls make up the tail, percentiles of equal workers differ widely. So the share of
    the worker's requests beyond the percentile of all must differ, too.
    """
    if len(document.workers) < 2:
        return None
    seen = [
        (worker, percentile)
        for worker in document.workers
        if (percentile := _percentile(worker, load.validity.percentile))
    ]
    supported = [
        each for each in seen if each[0].requests * (100 - each[1].percent) >= 100 * _SUPPORT
    ]
    if len(supported) < 2:
        return NotEvaluated("too few requests of each worker to compare their percentiles")
    limit = load.validity.max_worker_difference_percent
    return worst(
        finding
        for each in supported
        if (finding := _compare(each, [other for other in supported if other is not each], limit))
    )


def _percentile(worker: WorkerResult, percent: int) -> WorkerPercentile | None:
    """Return the lowest percentile that was kept and is not below `percent`."""
    return next(
        (percentile for percentile in worker.percentiles if percentile.percent >= percent), None
    )


def _compare(seen: _Seen, others: Sequence[_Seen], limit: float) -> ValidityFinding | None:
    worker, worker_percentile = seen
    usual = median(percentile.microseconds for _, percentile in others)
    above = worker_percentile.microseconds - usual
    if above < _MIN_MICROSECONDS or 100 * above <= limit * usual:
        return None
    errors = _errors(seen, others)
    if errors <= _ERRORS:
        return None
    percent = 100 * above / usual
    return ValidityFinding(
        percent,
        f"p{worker_percentile.percent} of worker {worker.worker} is"
        f" {format_milliseconds(worker_percentile.microseconds / 1000)}, {format_percent(percent)}"
        " above the"
        f" {format_milliseconds(usual / 1000)} of the others (limit {format_percent(limit)}; by"
        f" {format_number(errors)} standard errors more of its requests are that slow)",
    )


def _errors(seen: _Seen, others: Sequence[_Seen]) -> float:
    """Return by how many standard errors the shares of slow requests differ (two proportions)."""
    worker, worker_percentile = seen
    requests = sum(other.requests for other, _ in others)
    beyond = sum(percentile.beyond for _, percentile in others)
    whole = (worker_percentile.beyond + beyond) / (worker.requests + requests)
    error = math.sqrt(whole * (1 - whole) * (1 / worker.requests + 1 / requests))
    return (
        (worker_percentile.beyond / worker.requests - beyond / requests) / error if error else 0.0
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
    return ValidityFinding(lost, f"{lost} of {load.workers} workers were lost{names} (limit 0)")


def check_pod_throttled(document: StepRunResult, load: Load) -> Outcome:
    """Compare the time that the CPU limit stopped each worker with the measured time."""
    limit = load.validity.max_throttled_percent
    unknown = [
        worker_result.worker
        for worker_result in document.workers
        if worker_result.throttled_seconds is None
    ]
    finding = worst(
        ValidityFinding(
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
    if finding is None and unknown:
        return NotEvaluated(f"no cpu.stat of the control group of {', '.join(unknown[:3])}")
    return finding if document.workers else NotEvaluated("no worker reported its CPU time")


def _cores(worker: WorkerResult) -> str:
    limit = worker.cpu_limit_cores
    return "" if limit is None else f" at {format_number(limit)} cores"


def check_pod_restarted(document: StepRunResult, load: Load) -> Outcome:
    """Look for restarts and losses of the benchmark's pods."""
    del load
    if document.pods is None:
        return NotEvaluated("pod state was not recorded")
    problems = [(pod, trouble) for pod in document.pods for trouble in pod.troubles]
    if not problems:
        return None
    pod, first = min(problems, key=lambda problem: problem[1].time)
    container = f"container {first.container} of " if first.container else ""
    return ValidityFinding(
        len(problems),
        f"restarts or losses of pods: {len(problems)}, first {container}pod {pod.pod}, {first.kind}"
        f" at {first.time:%H:%M:%S} UTC (limit 0)",
    )
