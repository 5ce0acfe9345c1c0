"""The results of all workers as one document. Everything is added, nothing is averaged.

The service times of each worker are kept beside those of all: a worker beside a noisy neighbour, or
in another zone, shifts the tail of the sum, and in the sum it cannot be seen (Treadmill, ISCA 2016,
takes percentiles per client for that reason).
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import chain
from typing import Any

from solrbench.api.v1alpha1.load import mean_rate
from solrbench.contract.load_plan import PlannedStepRun
from solrbench.contract.names import LOAD_MASTER
from solrbench.contract.request_counts import MAX_USER_SHARES, ResponseGap, UserShares, sum_counts
from solrbench.contract.second_series import SecondSeries
from solrbench.contract.server_document import ServerFigures, Telemetry
from solrbench.contract.step_document import (
    MAX_SLOW_REQUESTS,
    ConnectionResult,
    FailureKind,
    NodeResult,
    RequestResult,
    StepRunResult,
    WorkerPercentile,
    WorkerResult,
    WorkerUsage,
)
from solrbench.contract.windows import EndedEarly
from solrbench.load.master.request_windows import DIGITS, merge_request_windows
from solrbench.load.master.step_run import StepRunMetadata
from solrbench.load.recording.request_stats import failure_kinds
from solrbench.load.recording.response_gaps import longest, median_requests
from solrbench.load.recording.worker_result import WorkerRequestStats, WorkerStepResult
from solrbench.stats import histograms
from solrbench.stats.histograms import Histogram
from solrbench.stats.outliers import find_outliers, second_means, worst
from solrbench.stats.series import steady_from
from solrbench.stats.time_blocks import TimeBlocks
from solrbench.telemetry.summary import spreads_of, worst_servers


def merge_nodes(results: Iterable[WorkerStepResult]) -> list[NodeResult]:
    """Return the sums of each node, in the order of the plan; none in a closed loop."""
    by_node: dict[str, list[NodeResult]] = {}
    for part in chain.from_iterable(result.nodes for result in results):
        by_node.setdefault(part.node, []).append(part)
    return [
        NodeResult(
            node=node,
            requests=sum(part.requests for part in parts),
            failures=sum(part.failures for part in parts),
            unsent_requests=sum(part.unsent_requests for part in parts),
            response_time_histogram=_merge_histograms(
                part.response_time_histogram for part in parts
            ),
            response_sum_microseconds=sum(part.response_sum_microseconds for part in parts),
            response_max_microseconds=_highest(part.response_max_microseconds for part in parts),
        )
        for node, parts in by_node.items()
    ]


def merge_connections(results: Sequence[WorkerStepResult]) -> ConnectionResult | None:
    """Return the connections of all workers; None if one did not count them."""
    parts = [each.connections for each in results if each.connections is not None]
    if len(parts) < len(results):
        return None
    return ConnectionResult(
        opened=sum(part.opened for part in parts),
        open_time_histogram=_merge_histograms(part.open_time_histogram for part in parts),
        open_sum_microseconds=sum(part.open_sum_microseconds for part in parts),
        open_max_microseconds=_highest(part.open_max_microseconds for part in parts),
    )


def _highest(numbers: Iterable[int | None]) -> int | None:
    return max((number for number in numbers if number is not None), default=None)


PERCENTS = (50, 95, 99)


def compare_workers(results: Sequence[WorkerStepResult]) -> list[list[WorkerPercentile]]:
    """Return the percentiles of each worker in the order of `results`; none of a single worker."""
    if len(results) < 2:
        return [[] for _ in results]
    own = [
        histograms.merge(
            each.service_time_histogram for each in result.requests if not each.is_transaction
        )
        for result in results
    ]
    whole = Histogram()
    for service_times in own:
        whole.add(service_times)
    pooled = {percent: whole.percentile(percent) for percent in PERCENTS}
    return [
        [
            WorkerPercentile(percent=percent, microseconds=value, beyond=each.count_above(limit))
            for percent, limit in pooled.items()
            if limit is not None and (value := each.percentile(percent)) is not None
        ]
        for each in own
    ]


def merge_response_gaps(results: Iterable[WorkerStepResult]) -> list[ResponseGap]:
    """Return the longest waits of users, then those of nodes as each worker saw them."""
    gaps = [gap for result in results for gap in result.response_gaps]
    users = longest(gap for gap in gaps if gap.user is not None)
    return users + longest(gap for gap in gaps if gap.user is None)


def merge_user_shares(results: Iterable[WorkerStepResult]) -> UserShares | None:
    """Return how requests are spread over the users of all workers; None without any."""
    parts = [each.user_shares for each in results if each.user_shares is not None]
    if not parts:
        return None
    fewest = [share for part in parts for share in part.fewest]
    histogram = histograms.merge(part.histogram for part in parts)
    users, most = sum(part.users for part in parts), max(part.most_requests for part in parts)
    return UserShares(
        users=users,
        idle_users=sum(part.idle_users for part in parts),
        histogram=histogram.encode(),
        median_requests=median_requests(histogram, users, most),
        most_requests=most,
        fewest=sorted(fewest, key=lambda each: (each.requests, each.user))[:MAX_USER_SHARES],
    )


def add_load_pods(
    telemetry: Telemetry | None, workers: Sequence[ServerFigures | None]
) -> Telemetry | None:
    """Return what the master read, its own pod included, with the pods of `workers`.

    These read themselves; where one could not, it is None.
    """
    pods = [server for server in workers if server is not None]
    if telemetry is None or not pods:
        return telemetry
    masters = [server for server in telemetry.pods if server.component == LOAD_MASTER]
    spreads = {"load-pods": spreads_of("load-pods", [*masters, *pods])}
    shown = [*telemetry.pods, *worst_servers(pods)]
    return telemetry.model_copy(update={"pods": shown, "spreads": telemetry.spreads | spreads})


def merge_worker_results(
    planned: PlannedStepRun,
    results: Sequence[tuple[str, WorkerStepResult]],
    metadata: StepRunMetadata,
) -> StepRunResult:
    """Return the document of a step run from (name of the worker, its result).

    Workers begin to measure at the same message of the master, so seconds since then compare.
    """
    worker_results = [result for _, result in results]
    sending_seconds = _sending_seconds(worker_results, metadata.ended_early)
    duration = None if metadata.ended_early else _duration(planned, worker_results)
    widths = (each.windows.width for part in worker_results for each in part.requests)
    width = max(widths, default=1)
    requests = _merge_requests(worker_results, sending_seconds, width)
    series = second_means(request for request in requests if not request.is_transaction)
    outliers = find_outliers(series, metadata.start_time, width, sending_seconds)
    telemetry = add_load_pods(metadata.telemetry, [each.pod for each in worker_results])
    compared = zip(results, compare_workers(worker_results), strict=True)
    return StepRunResult(
        requests_per_second=_planned_rate(planned, worker_results, duration or sending_seconds),
        planned_requests=_planned(worker_results),
        queries_exhausted=any(result.queries_exhausted for result in worker_results),
        requests=requests,
        workers=[_worker(name, result, percentiles) for (name, result), percentiles in compared],
        window_seconds=width,
        duration_seconds=duration,
        thousands=merge_request_windows(worker_results),
        nodes=merge_nodes(worker_results),
        response_gaps=merge_response_gaps(worker_results),
        user_shares=merge_user_shares(worker_results),
        connections=merge_connections(worker_results),
        **replace(metadata, telemetry=telemetry).fields(planned)
        | _times(worker_results, metadata.start_time, sending_seconds),
        steady_from_second=steady_from(series),
        outlier_windows=len(outliers),
        outliers=worst(outliers),
    )


def _sending_seconds(results: Sequence[WorkerStepResult], ended: EndedEarly | None) -> float | None:
    """Return when the last worker began no more requests; None unless all are known."""
    if ended is not None:
        return ended.second
    known = [result.sending_seconds for result in results if result.sending_seconds is not None]
    return max(known) if known and len(known) == len(results) else None


def _duration(planned: PlannedStepRun, results: Sequence[WorkerStepResult]) -> float | None:
    """Return the time that rates are divided by, if it is that of the spec or of the schedule."""
    if any(result.queries_exhausted for result in results):
        return None
    if planned.step.duration_seconds is not None:
        return planned.step.duration_seconds
    scheduled = [worker.planned_seconds for worker in results if worker.planned_seconds]
    known = bool(scheduled) and len(scheduled) == len(results)
    return round(max(scheduled), DIGITS) if known else None


def _times(
    results: Sequence[WorkerStepResult], began: datetime, sending_seconds: float | None
) -> dict[str, Any]:
    """Return when the first request was sent and the last response came; `began`: measuring."""
    starts = (result.first_seconds for result in results if result.first_seconds is not None)
    ends = (result.last_seconds for result in results if result.last_seconds is not None)
    first = min(starts, default=0.0)
    last = max(ends, default=first)
    drain = None if sending_seconds is None else round(max(last - sending_seconds, 0.0), DIGITS)
    return {
        "start_time": began + timedelta(seconds=first),
        "end_time": began + timedelta(seconds=last),
        "seconds": round(last - first, DIGITS),
        "drain_seconds": drain,
    }


def _worker(
    name: str, result: WorkerStepResult, percentiles: list[WorkerPercentile]
) -> WorkerResult:
    usage = {name: getattr(result, name) for name in WorkerUsage.model_fields}
    usage |= {k: round(v, DIGITS) for k, v in usage.items() if isinstance(v, float)}
    return WorkerResult(worker=name, requests=result.measured, percentiles=percentiles, **usage)


def _planned(results: Iterable[WorkerStepResult]) -> int | None:
    plans = [result.planned_requests for result in results if result.planned_requests is not None]
    return sum(plans) if plans else None


def _planned_rate(
    planned: PlannedStepRun, results: Sequence[WorkerStepResult], seconds: float | None
) -> float | None:
    """Return the mean of the planned rate; that of a log is known when it was replayed."""
    if planned.step.replay is None:
        return mean_rate(planned.step)
    return (_planned(results) or 0) / seconds if seconds else 0.0


def _merge_requests(
    results: Iterable[WorkerStepResult], sending_seconds: float | None, width: int
) -> list[RequestResult]:
    by_name: dict[str, list[WorkerRequestStats]] = {}
    for part in chain.from_iterable(result.requests for result in results):
        by_name.setdefault(part.request, []).append(part)
    return [
        _merge_request(name, parts, sending_seconds, width)
        for name, parts in sorted(by_name.items())
    ]


def _merge_request(
    name: str, parts: Sequence[WorkerRequestStats], sending_seconds: float | None, width: int
) -> RequestResult:
    without_lag = None
    if any(part.response_time_without_lag_histogram for part in parts):
        # A worker that had no delays of its own has only the one histogram.
        without_lag = _merge_if_any(
            part.response_time_without_lag_histogram or part.response_time_histogram
            for part in parts
        )
    # A second in which no request was begun says how long stragglers took, not how the step was.
    end = math.inf if sending_seconds is None else sending_seconds
    measured = SecondSeries.merged(part.windows for part in parts)
    windows = measured.before(end).rolled_up(width)
    drained = measured.requests - windows.requests
    return RequestResult(
        request=name,
        is_transaction=any(part.is_transaction for part in parts),
        failure_kinds=_merge_kinds(chain.from_iterable(part.failure_kinds for part in parts)),
        service_time_histogram=_merge_histograms(part.service_time_histogram for part in parts),
        response_time_histogram=_merge_if_any(part.response_time_histogram for part in parts),
        service_time_blocks=_merge_blocks(part.service_time_blocks for part in parts),
        response_time_blocks=_merge_blocks(part.response_time_blocks for part in parts),
        failed_time_histogram=_merge_if_any(part.failed_time_histogram for part in parts),
        slow_requests=sorted(
            chain.from_iterable(part.slow_requests for part in parts),
            key=lambda request: (-request.service_time_microseconds, request.second),
        )[:MAX_SLOW_REQUESTS],
        response_time_without_lag_histogram=without_lag,
        windows=windows,
        **sum_counts(parts).numbers() | {"drain_requests": None if end == math.inf else drained},
    )


def _merge_histograms(stored: Iterable[str]) -> str:
    return histograms.merge(stored).encode()


def _merge_if_any(stored: Iterable[str | None]) -> str | None:
    known = [each for each in stored if each]
    return _merge_histograms(known) if known else None


def _merge_blocks(stored: Iterable[str]) -> str:
    return TimeBlocks.merged(map(TimeBlocks.decode, stored)).encode()


def _merge_kinds(kinds: Iterable[FailureKind]) -> list[FailureKind]:
    counts: Counter[str] = Counter()
    samples: dict[str, str] = {}
    for each in kinds:
        counts[each.kind] += each.count
        samples.setdefault(each.kind, each.sample)
    return failure_kinds(counts, samples)
