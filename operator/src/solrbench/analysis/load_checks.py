"""Checks of the load generator: saturated or lost workers, late or repeated requests."""

from collections.abc import Iterator, Sequence
from statistics import median

from solrbench.analysis.arrivals import dropped, late
from solrbench.analysis.checks import (
    NotEvaluated,
    Outcome,
    ValidityFinding,
    count_of_kind,
    measured_seconds,
    worst,
    worst_share_of_time,
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
from solrbench.stats.distributions import share_difference_error
from solrbench.stats.number_format import (
    format_milliseconds,
    format_number,
    format_percent,
    format_share,
)


def check_worker_saturated(document: StepRunResult, load: Load) -> Outcome:
    """Compare the CPU time of each worker with what it can get, and its demand with the clock."""
    limit = load.validity.max_worker_cpu_percent
    if not document.workers:
        return NotEvaluated("no worker reported its CPU time")
    used, busy = [], []
    # A worker that had nothing to send ends within microseconds, all of which it may have used.
    for worker in (each for each in document.workers if each.requests):
        for percent, what in _cpu_percents(worker, document):
            text = f"load worker {worker.worker} used {format_percent(percent)} of {what}"
            used.append(ValidityFinding(percent, f"{text} (limit {format_percent(limit)})"))
        for percent, what in _busy_percents(worker, document):
            text = f"the engine thread of load worker {worker.worker} was busy or runnable for"
            text += f" {format_percent(percent)} of {what}, limit {format_percent(limit)})"
            busy.append(ValidityFinding(percent, text))
    # Where others take the CPU, a worker uses less than it wants: the time that its sending thread
    # waits for its turn counts as busy.
    return worst(each for each in used if each.number > limit) or worst(
        each for each in busy if each.number > limit
    )


def _cpu_percents(worker: WorkerResult, document: StepRunResult) -> Iterator[tuple[float, str]]:
    """Yield the share of what a worker can get that it used: in all, and in its worst slice."""
    # A worker is one Python process: whatever the number of its threads, it runs on little more
    # than one core, and on less if its control group may not have one.
    cores = min(1.0, worker.cpu_limit_cores or 1.0)
    what = "a core" if cores == 1 else f"its CPU limit of {format_number(cores)} cores"
    seconds, most = measured_seconds(worker, document), worker.most_cpu
    if seconds > 0:
        used = 100 * worker.cpu_seconds / seconds / cores
        yield used, f"{what} for {format_number(seconds)} s"
    if most is not None:  # an average over a step hides that half of it was saturated
        yield 100 * most.cpu_seconds / most.seconds / cores, f"{what} for {_period(most)}"


def _period(found: UsageSlice) -> str:
    return f"{format_number(found.seconds)} s, starting at second {found.begin_seconds:.0f}"


def _busy_percents(worker: WorkerResult, document: StepRunResult) -> Iterator[tuple[float, str]]:
    """Yield how busy the sending thread was, and its CPU time: in all, and in its worst slice."""
    seconds, most = format_number(measured_seconds(worker, document)), worker.most_busy
    if worker.core_busy_percent is not None:
        on_cpu = format_number(worker.core_cpu_seconds or 0.0)
        yield worker.core_busy_percent, f"{seconds} s ({on_cpu} s on a CPU"
    if most is not None:
        on_cpu = format_number(most.core_cpu_seconds)
        busy = 100 * most.core_busy_seconds / most.seconds
        yield busy, f"{_period(most)} ({on_cpu} s on a CPU"


def check_connections_ran_out(document: StepRunResult, load: Load) -> Outcome:
    """Look for requests that found no free port, file or memory in the load generator."""
    del load
    count = count_of_kind(document.single_requests, CONNECTIONS_RAN_OUT)
    if not count:
        return None
    whole = sum(request.requests for request in document.single_requests)
    text = f"{count} of {whole} requests found no free port, file or memory (limit 0)"
    return ValidityFinding(count, text)


# A delay of less than a millisecond is that of a system call, at whatever service time.
_MIN_DELAY_MICROSECONDS = 1000


def check_schedule_lag(document: StepRunResult, load: Load) -> Outcome:
    """Compare the lag of each worker, which only the worker itself causes, with the limit."""
    if document.requests_per_second is None:
        return None
    limit = load.validity.max_lag_milliseconds
    unknown = [each.worker for each in document.workers if each.lag_p99_microseconds is None]
    findings = []
    for worker in document.workers:
        if (lag := worker.lag_p99_microseconds or 0) > 1000 * limit:
            delay = f"{format_milliseconds(lag / 1000)} (p99, limit {limit} ms)"
            text = f"load worker {worker.worker} delayed requests by {delay}"
            findings.append(ValidityFinding(lag, text))
    if unknown and not findings:
        return NotEvaluated(f"no lag of {', '.join(unknown[:3])}")
    return worst(findings)


def check_generator_delay(document: StepRunResult, load: Load) -> Outcome:
    """Compare response times with what they were without the workers' own delays."""
    # A worker that stood still for a moment sends all that was due at once: its delay is the tail.
    percent, limit = load.validity.percentile, load.validity.max_own_delay_percent
    return worst(_own_delay(request, percent, limit) for request in document.requests)


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
    return _share_of_plan(document, dropped(document), "were never sent", limit)


def check_requests_late(document: StepRunResult, load: Load) -> Outcome:
    """Compare the share of planned requests that were sent late with the limit."""
    limit = load.validity.max_late_percent
    return _share_of_plan(document, late(document), "were sent late", limit)


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


# With fewer requests beyond its percentile, a worker's percentile is that of single requests.
_SUPPORT = 10

# A difference of less than a millisecond is that of two machines, not of a bad one.
_MIN_MICROSECONDS = 1000

# Requests of one worker resemble each other, which makes chance differences larger than those of
# independent ones: so many standard errors of a share.
_ERRORS = 5.0

_Seen = tuple[WorkerResult, WorkerPercentile]


def check_workers_differ(document: StepRunResult, load: Load) -> Outcome:
    """Compare a percentile of each worker with the median of the others."""
    if len(document.workers) < 2:
        return None
    supported: list[_Seen] = []
    for worker in document.workers:
        # The lowest percentile that was kept and is not below the one of the verdict.
        kept = [each for each in worker.percentiles if each.percent >= load.validity.percentile]
        if kept and worker.requests * (100 - kept[0].percent) >= 100 * _SUPPORT:
            supported.append((worker, kept[0]))
    if len(supported) < 2:
        return NotEvaluated("too few requests of each worker to compare their percentiles")
    limit = load.validity.max_worker_difference_percent
    return worst(
        _compare(each, [other for other in supported if other is not each], limit)
        for each in supported
    )


def _compare(seen: _Seen, others: Sequence[_Seen], limit: float) -> ValidityFinding | None:
    worker, own = seen
    # A locustfile may report times of 0.
    usual = max(median(percentile.microseconds for _, percentile in others), 1)
    above = own.microseconds - usual
    if above < _MIN_MICROSECONDS or 100 * above <= limit * usual:
        return None
    # Where a few stalls make up the tail, percentiles of equal workers differ widely. So the share
    # of the worker's requests beyond the percentile of all must differ, too.
    errors = _errors(seen, others)
    if errors <= _ERRORS:
        return None
    percent = 100 * above / usual
    value = format_milliseconds(own.microseconds / 1000)
    return ValidityFinding(
        percent,
        f"the p{own.percent} of load worker {worker.worker} is {value},"
        f" {format_percent(percent)} above the {format_milliseconds(usual / 1000)} of the others"
        f" (limit {format_percent(limit)}; by"
        f" {format_number(errors)} standard errors more of its requests are that slow)",
    )


def _errors(seen: _Seen, others: Sequence[_Seen]) -> float:
    """Return by how many standard errors the shares of slow requests differ."""
    worker, own = seen
    requests = sum(other.requests for other, _ in others)
    beyond = sum(percentile.beyond for _, percentile in others)
    error = share_difference_error(own.beyond, worker.requests, beyond, requests)
    return (own.beyond / worker.requests - beyond / requests) / error if error else 0.0


def check_workers_lost(document: StepRunResult, load: Load) -> Outcome:
    """Count the workers that were lost or never took part."""
    missing = load.workers - len(document.workers) if document.workers else 0
    if load.on_worker_loss is OnWorkerLoss.REDISTRIBUTE:
        # Steps after a loss may be run by those that are left, complete from begin to end.
        missing = 0
    lost = max(len(document.lost_workers), missing)
    if not lost:
        return None
    names = f": {', '.join(document.lost_workers[:3])}" if document.lost_workers else ""
    return ValidityFinding(lost, f"{lost} of {load.workers} workers were lost{names} (limit 0)")


def check_pod_throttled(document: StepRunResult, load: Load) -> Outcome:
    """Compare the time that the CPU limit stopped each worker with the measured time."""
    if not document.workers:
        return NotEvaluated("no worker reported its CPU time")
    return worst_share_of_time(
        document,
        "throttled_seconds",
        load.validity.max_throttled_percent,
        "load worker {worker} was CPU-throttled for {lost} s of {whole} s{at_cores}",
        "cpu.stat of the control group of {}",
    )


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
    times = "once" if len(problems) == 1 else f"{len(problems)} times"
    return ValidityFinding(
        len(problems),
        f"pods restarted or were lost {times}, first {container}pod {pod.pod} at"
        f" {first.time:%H:%M:%S} UTC ({first.kind}; limit 0)",
    )
