"""The outcomes of all workers as one document. Everything is added, nothing is averaged."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import chain

from solrbench.load.outcome import RequestOutcome, WindowSums, WorkerOutcome
from solrbench.plan.load_plan import PlannedPass
from solrbench.results import histograms
from solrbench.results.document import (
    FailureKind,
    RequestResult,
    StepDocument,
    Window,
    WorkerResult,
)

_DIGITS = 6
"""Decimals of seconds kept: microseconds."""


@dataclass(frozen=True)
class PassRecord:
    """What the master knows of a pass besides the outcomes.

    Attributes:
        attempt: attempt of the load
        began: when measuring began; aware
        warm_up_requests: requests of the warm-up right before
        lost_workers: names of workers whose measurements are missing

    """

    attempt: int
    began: datetime
    warm_up_requests: int
    lost_workers: tuple[str, ...] = ()


def merge_outcomes(
    planned: PlannedPass, outcomes: Sequence[tuple[str, WorkerOutcome]], record: PassRecord
) -> StepDocument:
    """Return the document of a pass from (name of the worker, its outcome).

    Workers begin to measure at the same message of the master, so seconds since then compare.
    """
    found = [outcome for _, outcome in outcomes]
    first = min((o.first_seconds for o in found if o.first_seconds is not None), default=0.0)
    last = max((o.last_seconds for o in found if o.last_seconds is not None), default=first)
    return StepDocument(
        id=planned.id,
        repeat=planned.repeat,
        variant=planned.variant,
        step=planned.step.name,
        users=planned.step.users,
        attempt=record.attempt,
        start_time=record.began + timedelta(seconds=first),
        end_time=record.began + timedelta(seconds=last),
        seconds=round(last - first, _DIGITS),
        warm_up_requests=record.warm_up_requests,
        requests=_merge_requests(found),
        workers=[_worker(name, outcome) for name, outcome in outcomes],
        lost_workers=list(record.lost_workers),
    )


def _worker(name: str, outcome: WorkerOutcome) -> WorkerResult:
    return WorkerResult(
        worker=name,
        requests=outcome.measured,
        cpu_seconds=round(outcome.cpu_seconds, _DIGITS),
        users=outcome.users,
    )


def _merge_requests(outcomes: Iterable[WorkerOutcome]) -> list[RequestResult]:
    by_name: dict[str, list[RequestOutcome]] = {}
    for part in chain.from_iterable(outcome.requests for outcome in outcomes):
        by_name.setdefault(part.request, []).append(part)
    return [_merge_request(name, parts) for name, parts in sorted(by_name.items())]


def _merge_request(name: str, parts: Sequence[RequestOutcome]) -> RequestResult:
    stored = (part.service_time_histogram for part in parts)
    return RequestResult(
        request=name,
        requests=sum(part.requests for part in parts),
        failures=sum(part.failures for part in parts),
        failure_kinds=_merge_kinds(chain.from_iterable(part.failure_kinds for part in parts)),
        ramp_requests=sum(part.ramp_requests for part in parts),
        ramp_failures=sum(part.ramp_failures for part in parts),
        retried_requests=sum(part.retried_requests for part in parts),
        bytes_received=sum(part.bytes_received for part in parts),
        sum_microseconds=sum(part.sum_microseconds for part in parts),
        min_microseconds=min(
            (part.min_microseconds for part in parts if part.min_microseconds is not None),
            default=None,
        ),
        max_microseconds=max(
            (part.max_microseconds for part in parts if part.max_microseconds is not None),
            default=None,
        ),
        service_time_histogram=histograms.merge(stored).encode(),
        windows=_merge_windows(chain.from_iterable(part.windows for part in parts)),
    )


def _merge_kinds(kinds: Iterable[FailureKind]) -> list[FailureKind]:
    counts: dict[str, int] = {}
    samples: dict[str, str] = {}
    for each in kinds:
        counts[each.kind] = counts.get(each.kind, 0) + each.count
        samples.setdefault(each.kind, each.sample)
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [FailureKind(kind=kind, count=n, sample=samples[kind]) for kind, n in ordered]


def _merge_windows(windows: Iterable[WindowSums]) -> list[Window]:
    by_second: dict[int, list[WindowSums]] = {}
    for each in windows:
        by_second.setdefault(each.second, []).append(each)
    return [_window(second, parts) for second, parts in sorted(by_second.items())]


def _window(second: int, parts: Sequence[WindowSums]) -> Window:
    requests = sum(part.requests for part in parts)
    return Window(
        second=second,
        requests=requests,
        failures=sum(part.failures for part in parts),
        mean_microseconds=sum(part.sum_microseconds for part in parts) // requests,
        max_microseconds=max(part.max_microseconds for part in parts),
    )
