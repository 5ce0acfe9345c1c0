"""The results of all workers as one document. Everything is added, nothing is averaged."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import chain
from typing import Any

from solrbench.load.master.request_windows import merge_request_windows
from solrbench.load.recording.worker_result import SecondSums, WorkerRequestStats, WorkerStepResult
from solrbench.plan.load_plan import PlannedStepRun
from solrbench.results.model.request_counts import sum_counts
from solrbench.results.model.step_result import (
    MOST_SLOW,
    FailureKind,
    RequestResult,
    SlowRequest,
    StepRunResult,
    Window,
    WorkerResult,
    WorkerUsage,
)
from solrbench.results.model.windows import CacheSample, RequestWindow
from solrbench.results.stats import histograms
from solrbench.results.stats.outliers import find_outliers, worst
from solrbench.results.stats.per_second import second_means
from solrbench.results.stats.steadiness import steady_from
from solrbench.results.stats.time_blocks import TimeBlocks

_DIGITS = 6
"""Decimals of seconds kept: microseconds."""


@dataclass(frozen=True)
class WarmUpResult:
    """A warm-up as it is kept.

    Attributes:
        requests: requests of it; 0 without a warm-up
        steady: whether it became steady; None unless it was to go on until then
        request_windows: its windows
        caches: Solr's caches during that time

    """

    requests: int = 0
    steady: bool | None = None
    request_windows: list[RequestWindow] = field(default_factory=list)
    caches: list[CacheSample] = field(default_factory=list)


@dataclass(frozen=True)
class StepRunMetadata:
    """What the master knows of a step run besides the results.

    Attributes:
        attempt: attempt of the load
        start_time: when measuring began; aware
        warm_up: the warm-up right before
        caches: Solr's caches during that time
        lost_workers: names of workers whose measurements are missing
        list_offsets: where the lists of the workload go on
        queries_may_repeat: whether queries that are to be sent once may have been sent before

    """

    attempt: int
    start_time: datetime
    warm_up: WarmUpResult = field(default_factory=WarmUpResult)
    caches: list[CacheSample] = field(default_factory=list)
    lost_workers: tuple[str, ...] = ()
    list_offsets: tuple[int, ...] = ()
    queries_may_repeat: bool = False


def merge_worker_results(
    planned: PlannedStepRun,
    results: Sequence[tuple[str, WorkerStepResult]],
    metadata: StepRunMetadata,
) -> StepRunResult:
    """Return the document of a step run from (name of the worker, its result).

    Workers begin to measure at the same message of the master, so seconds since then compare.
    """
    found = [result for _, result in results]
    requests = _merge_requests(found)
    return StepRunResult(
        id=planned.id,
        repeat=planned.repeat,
        variant=planned.variant,
        step=planned.step.name,
        users=planned.step.users,
        requests_per_second=planned.step.requests_per_second,
        planned_requests=_planned(found),
        queries_exhausted=any(result.queries_exhausted for result in found),
        requests=requests,
        workers=[_worker(name, result) for name, result in results],
        thousands=merge_request_windows(found),
        **_metadata_fields(metadata),
        **_times(found, metadata.start_time),
        **_steadiness(requests, metadata.start_time),
    )


def _metadata_fields(metadata: StepRunMetadata) -> dict[str, Any]:
    """Return what the master knows of a step run besides the results."""
    return {
        "attempt": metadata.attempt,
        "warm_up_requests": metadata.warm_up.requests,
        "warm_up_steady": metadata.warm_up.steady,
        "warm_up_thousands": metadata.warm_up.request_windows,
        "warm_up_caches": metadata.warm_up.caches,
        "caches": metadata.caches,
        "lost_workers": list(metadata.lost_workers),
        "list_offsets": list(metadata.list_offsets),
        "queries_may_repeat": metadata.queries_may_repeat,
    }


def _times(results: Sequence[WorkerStepResult], began: datetime) -> dict[str, Any]:
    """Return when the first request was sent and the last response came; `began`: measuring."""
    starts = (each.first_seconds for each in results if each.first_seconds is not None)
    ends = (each.last_seconds for each in results if each.last_seconds is not None)
    first = min(starts, default=0.0)
    last = max(ends, default=first)
    return {
        "start_time": began + timedelta(seconds=first),
        "end_time": began + timedelta(seconds=last),
        "seconds": round(last - first, _DIGITS),
    }


def _steadiness(requests: Sequence[RequestResult], began: datetime) -> dict[str, Any]:
    """Return from when on the seconds were steady, and which were unlike the others."""
    series = second_means(each for each in requests if not each.is_transaction)
    outliers = find_outliers(series, began)
    return {
        "steady_from_second": steady_from(series),
        "outlier_windows": len(outliers),
        "outliers": worst(outliers),
    }


def _worker(name: str, result: WorkerStepResult) -> WorkerResult:
    usage = {each: _rounded(getattr(result, each)) for each in WorkerUsage.model_fields}
    return WorkerResult(worker=name, requests=result.measured, **usage)


def _rounded(number: Any) -> Any:
    return round(number, _DIGITS) if isinstance(number, float) else number


def _planned(results: Iterable[WorkerStepResult]) -> int | None:
    plans = [each.planned_requests for each in results if each.planned_requests is not None]
    return sum(plans) if plans else None


def _merge_requests(results: Iterable[WorkerStepResult]) -> list[RequestResult]:
    by_name: dict[str, list[WorkerRequestStats]] = {}
    for part in chain.from_iterable(result.requests for result in results):
        by_name.setdefault(part.request, []).append(part)
    return [_merge_request(name, parts) for name, parts in sorted(by_name.items())]


def _merge_request(name: str, parts: Sequence[WorkerRequestStats]) -> RequestResult:
    responses = [each for part in parts if (each := part.response_time_histogram)]
    return RequestResult(
        request=name,
        is_transaction=any(part.is_transaction for part in parts),
        failure_kinds=_merge_kinds(chain.from_iterable(part.failure_kinds for part in parts)),
        service_time_histogram=_merge_histograms(part.service_time_histogram for part in parts),
        response_time_histogram=_merge_histograms(responses) if responses else None,
        service_time_blocks=_merge_blocks(part.service_time_blocks for part in parts),
        response_time_blocks=_merge_blocks(part.response_time_blocks for part in parts),
        slow_requests=_slowest(chain.from_iterable(part.slow_requests for part in parts)),
        windows=_merge_windows(chain.from_iterable(part.windows for part in parts)),
        **sum_counts(parts).numbers(),
    )


def _merge_histograms(stored: Iterable[str]) -> str:
    return histograms.merge(stored).encode()


def _merge_blocks(stored: Iterable[str]) -> str:
    return TimeBlocks.merged(map(TimeBlocks.decode, stored)).encode()


def _slowest(requests: Iterable[SlowRequest]) -> list[SlowRequest]:
    ordered = sorted(requests, key=lambda each: (-each.service_time_microseconds, each.second))
    return ordered[:MOST_SLOW]


def _merge_kinds(kinds: Iterable[FailureKind]) -> list[FailureKind]:
    counts: dict[str, int] = {}
    samples: dict[str, str] = {}
    for each in kinds:
        counts[each.kind] = counts.get(each.kind, 0) + each.count
        samples.setdefault(each.kind, each.sample)
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [FailureKind(kind=kind, count=n, sample=samples[kind]) for kind, n in ordered]


def _merge_windows(windows: Iterable[SecondSums]) -> list[Window]:
    by_second: dict[int, list[SecondSums]] = {}
    for each in windows:
        by_second.setdefault(each.second, []).append(each)
    return [_window(second, parts) for second, parts in sorted(by_second.items())]


def _window(second: int, parts: Sequence[SecondSums]) -> Window:
    requests = sum(part.requests for part in parts)
    return Window(
        second=second,
        requests=requests,
        failures=sum(part.failures for part in parts),
        mean_microseconds=sum(part.sum_microseconds for part in parts) // requests,
        max_microseconds=max(part.max_microseconds for part in parts),
    )
