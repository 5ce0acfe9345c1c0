"""What may be wrong with one pass: each check finds the worst of its kind, or nothing.

A check that lacks its evidence says so. It never takes silence for health.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from solrbench.api.v1alpha1.load import Load, OnWorkerLoss
from solrbench.results import arrivals
from solrbench.results.document import RequestResult, StepDocument, WorkerResult
from solrbench.results.figures import (
    format_milliseconds,
    format_number,
    format_percent,
    format_share,
)

RAN_OUT = "ConnectionsRanOut"
"""Kind of failure of an attempt to connect for which the generator lacked the means."""

PARTIAL_RESULTS = "PartialResults"
"""Kind of failure: an answer without what some shard or the time would have added."""

_LAG_PERCENT = 99
_MOST_NAMED = 3


@dataclass(frozen=True)
class Finding:
    """A bound that was passed.

    Attributes:
        number: what was measured, to find the worst repeat
        text: number and bound with their units, and whom it is about

    """

    number: float
    text: str


@dataclass(frozen=True)
class Unmeasured:
    """A check that could not be made, and why."""

    text: str


Outcome = Finding | Unmeasured | None
Check = Callable[[StepDocument, Load], Outcome]


def _worker_saturated(document: StepDocument, load: Load) -> Outcome:
    """Compare the CPU time of each worker with what it can get, and its demand with the clock.

    A worker is one Python process: whatever the number of its threads, it runs on little more than
    one core, and on less if its control group may not have one. Where others take the CPU, it
    gets less than it wants: the time that its sending thread waits for its turn counts as busy.
    """
    bound = load.validity.max_worker_cpu_percent
    if not document.workers:
        return Unmeasured("no worker told its CPU time")
    used = _worst(
        Finding(
            percent,
            f"worker {worker.worker} used {format_percent(percent)} of {_share(worker)} in"
            f" {format_number(_seconds(worker, document))} s, bound {bound} %",
        )
        for worker in document.workers
        if (percent := _cpu_percent(worker, document)) > bound
    )
    return used or _worst(
        Finding(
            busy,
            f"the sending thread of worker {worker.worker} ran or waited for a CPU in"
            f" {format_percent(busy)} of {format_number(_seconds(worker, document))} s"
            f" ({format_number(worker.core_cpu_seconds or 0)} s on a CPU), bound {bound} %",
        )
        for worker in document.workers
        if (busy := worker.core_busy_percent or 0.0) > bound
    )


def _cpu_percent(worker: WorkerResult, document: StepDocument) -> float:
    seconds = _seconds(worker, document) * min(1.0, worker.cpu_limit_cores or 1.0)
    return 100 * worker.cpu_seconds / seconds if seconds > 0 else 0.0


def _share(worker: WorkerResult) -> str:
    limit = worker.cpu_limit_cores
    if limit is None or limit >= 1:
        return "a core"
    return f"its CPU limit of {format_number(limit)} cores"


def _seconds(worker: WorkerResult, document: StepDocument) -> float:
    """Return the time that a worker's CPU time was spent in; older documents know that of all."""
    return document.seconds if worker.measured_seconds is None else worker.measured_seconds


def _schedule_lag(document: StepDocument, load: Load) -> Outcome:
    if document.requests_per_second is None:
        return None
    bound = load.validity.max_lag_milliseconds
    silent = [each.worker for each in document.workers if each.lag_p99_microseconds is None]
    found = _worst(
        Finding(
            lag,
            f"worker {worker.worker} sent late by {format_milliseconds(lag / 1000)}"
            f" (p{_LAG_PERCENT}), bound {bound} ms",
        )
        for worker in document.workers
        if (lag := worker.lag_p99_microseconds or 0) > 1000 * bound
    )
    return found or (Unmeasured(f"no lag of {', '.join(silent[:3])}") if silent else None)


def _workers_lost(document: StepDocument, load: Load) -> Outcome:
    missing = load.workers - len(document.workers) if document.workers else 0
    if load.on_worker_loss is OnWorkerLoss.REDISTRIBUTE:
        # Steps after a loss may be run by those that are left, whole from begin to end.
        missing = 0
    lost = max(len(document.lost_workers), missing)
    if not lost:
        return None
    who = f" ({', '.join(document.lost_workers[:3])})" if document.lost_workers else ""
    return Finding(lost, f"{lost} of {load.workers} workers were lost{who}, bound 0")


def _pod_throttled(document: StepDocument, load: Load) -> Outcome:
    bound = load.validity.max_throttled_permille
    silent = [each.worker for each in document.workers if each.throttled_seconds is None]
    found = _worst(
        Finding(
            throttled / seconds,
            f"worker {worker.worker} stood still for {format_number(throttled)} s of"
            f" {format_number(seconds)} s, its CPU limit{_limit(worker)} was used up"
            f" ({_permille(throttled / seconds)}), bound {bound} ‰",
        )
        for worker in document.workers
        if (throttled := worker.throttled_seconds or 0.0) * 1000
        > bound * (seconds := _seconds(worker, document))
        and seconds > 0
    )
    if found is None and silent:
        return Unmeasured(f"no cpu.stat of the control group of {', '.join(silent[:3])}")
    return found if document.workers else Unmeasured("no worker told its CPU time")


def _limit(worker: WorkerResult) -> str:
    limit = worker.cpu_limit_cores
    return "" if limit is None else f" of {format_number(limit)} cores"


def _pod_restarted(document: StepDocument, load: Load) -> Outcome:
    del load
    if document.pods is None:
        return Unmeasured("nobody looked at the pods")
    troubles = [(pod, each) for pod in document.pods for each in pod.troubles]
    if not troubles:
        return None
    pod, first = min(troubles, key=lambda found: found[1].time)
    container = f"container {first.container} of " if first.container else ""
    return Finding(
        len(troubles),
        f"{len(troubles)} times, first {container}pod {pod.pod}: {first.kind} at"
        f" {first.time:%H:%M:%S} UTC, bound 0",
    )


def _connections_ran_out(document: StepDocument, load: Load) -> Outcome:
    del load
    sent = [each for each in document.requests if not each.is_transaction]
    count = _of_kind(sent, RAN_OUT)
    if not count:
        return None
    whole = sum(each.requests for each in sent)
    return Finding(count, f"{count} of {whole} requests found no free connection, bound 0")


def _requests_failed(document: StepDocument, load: Load) -> Outcome:
    """Look at requests and at seconds.

    Who gets no answer asks seldom: few failures may be all that there was for a long time.
    """
    bound = load.validity.max_failed_permille
    found = _worst_share(document, "requests failed", lambda each: each.failures, bound)
    if found is not None:
        return found
    seconds: dict[int, Counter[str]] = {}
    for window in (window for result in document.requests for window in result.windows):
        counts = {"requests": window.requests, "failures": window.failures}
        seconds.setdefault(window.second, Counter()).update(counts)
    bad = sum(each["failures"] * 1000 > bound * each["requests"] for each in seconds.values())
    if bad * 1000 <= bound * len(seconds):
        return None
    return Finding(
        bad / len(seconds),
        f"in {bad} of {len(seconds)} s ({format_share(bad, len(seconds))}) more than {bound} ‰ of"
        f" the requests failed, bound {bound} ‰ of the seconds",
    )


def _partial_answers(document: StepDocument, load: Load) -> Outcome:
    def partial(result: RequestResult) -> int:
        # They have always been failures of their own kind.
        return max(result.partial_answers or 0, _of_kind([result], PARTIAL_RESULTS))

    found = _worst_share(
        document, "answers were partial", partial, load.validity.max_partial_permille
    )
    return found or _uncounted(document, "partial answers", lambda each: each.partial_answers)


def _empty_answers(document: StepDocument, load: Load) -> Outcome:
    found = _worst_share(
        document,
        "answers found no document",
        lambda each: each.empty_answers or 0,
        load.validity.max_empty_permille,
    )
    return found or _uncounted(document, "empty answers", lambda each: each.empty_answers)


def _uncounted(
    document: StepDocument, what: str, count: Callable[[RequestResult], int | None]
) -> Unmeasured | None:
    sent = [each for each in document.requests if each.requests]
    silent = [each.request for each in sent if count(each) is None]
    if not silent:
        return None
    more = f" and {len(silent) - _MOST_NAMED} more" if len(silent) > _MOST_NAMED else ""
    of = "" if len(silent) == len(sent) else f" of {', '.join(silent[:_MOST_NAMED])}{more}"
    return Unmeasured(f"{what}{of} were not counted")


def _requests_dropped(document: StepDocument, load: Load) -> Outcome:
    bound = load.validity.max_dropped_permille
    return _share_of_plan(document, arrivals.dropped(document), "were never sent", bound)


def _requests_late(document: StepDocument, load: Load) -> Outcome:
    bound = load.validity.max_late_permille
    return _share_of_plan(document, arrivals.late(document), "were sent late", bound)


def _queries_may_repeat(document: StepDocument, load: Load) -> Outcome:
    del load
    if not document.queries_may_repeat:
        return None
    return Finding(
        1,
        "load pods were lost, and nobody knows how many queries of a list with order EachOnce they"
        " had sent; some may have been sent twice, bound 0",
    )


def _share_of_plan(document: StepDocument, part: int, what: str, bound: int) -> Outcome:
    planned = document.planned_requests
    if document.requests_per_second is None:
        return None
    if planned is None:
        return Unmeasured("nobody told how many requests were planned")
    if part * 1000 <= bound * planned:
        return None
    share = format_share(part, planned)
    return Finding(
        part / planned,
        f"{part} of {planned} planned requests {what} ({share}), bound {bound} ‰",
    )


def _worst_share(
    document: StepDocument, what: str, count: Callable[[RequestResult], int], bound: int
) -> Finding | None:
    """Return the request name with the largest share above `bound` ‰ of its requests."""
    return _worst(
        Finding(
            part / result.requests,
            f"{part} of {result.requests} {what} ({format_share(part, result.requests)}) of"
            f" request {result.request}, bound {bound} ‰",
        )
        for result in document.requests
        if (part := count(result)) * 1000 > bound * result.requests and result.requests
    )


def _of_kind(results: Iterable[RequestResult], kind: str) -> int:
    return sum(
        each.count for result in results for each in result.failure_kinds if each.kind == kind
    )


def _permille(share: float) -> str:
    return f"{format_number(1000 * share)} ‰"


def _worst(findings: Iterable[Finding]) -> Finding | None:
    return max(findings, key=lambda each: each.number, default=None)


CHECKS: Mapping[str, Check] = {
    "WorkerSaturated": _worker_saturated,
    "ScheduleLag": _schedule_lag,
    "WorkersLost": _workers_lost,
    "PodThrottled": _pod_throttled,
    "PodRestarted": _pod_restarted,
    RAN_OUT: _connections_ran_out,
    "RequestsFailed": _requests_failed,
    "PartialAnswers": _partial_answers,
    "EmptyAnswers": _empty_answers,
    "RequestsDropped": _requests_dropped,
    "RequestsLate": _requests_late,
    "QueriesMayRepeat": _queries_may_repeat,
}
"""Checks of one pass by the reason that they give."""
