"""The document of a step run, its series short enough for its share of the report.

Steadiness, outliers and histograms come from every second and every request before that; only what
is kept to be looked at later gets coarser.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import groupby

from solrbench.analysis.samples import ALL_REQUESTS
from solrbench.analysis.step_results import with_metrics
from solrbench.api.v1alpha1.load import mean_rate
from solrbench.contract.load_plan import LoadPlan, PlannedStepRun
from solrbench.contract.step_document import RequestResult, StepRunResult
from solrbench.contract.windows import CacheSample, EndedEarly
from solrbench.load.master.distributed_step_run import RunningTotals
from solrbench.load.master.merge import merge_worker_results
from solrbench.load.master.step_run import CompletedStepRun, StepRunMetadata, WarmUpResult
from solrbench.load.master.telemetry import TelemetrySampler
from solrbench.load.recording.recorder import NameLimiter
from solrbench.load.recording.worker_result import WorkerStepResult
from solrbench.stats.histograms import Histogram, lowest_of

RECORD_BYTES = 44 << 10
"""What a request name takes beside its windows. Measured, compressed: 8 KiB for a histogram of
response times over three powers of ten, of which there may be two; as much as both for the blocks
of their intervals; 4 KiB for the slow requests."""

POINT_BYTES = 25
"""What a window, a thousand or a sample takes. Measured, compressed: 12 to 22 bytes."""

WORKER_BYTES = 300
"""What one worker takes."""

MAX_POINTS = 25_000
"""Points of one step run, whatever its share: while it is read, each takes up to 1 KB of memory."""

STORED_SECONDS = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600, 21_600, 86_400)
"""Widths of the windows of a stored step run."""


def limit_series(document: StepRunResult, max_bytes: int) -> StepRunResult:
    """Return a document that takes at most about `max_bytes` of the report.

    Half of the room is for the windows of the request names, whose width grows until they fit; the
    rest is for the cold-start curve, which is cut at its end, and for Solr's caches, whose samples
    get fewer.
    """
    fixed = len(document.requests) * RECORD_BYTES + len(document.workers) * WORKER_BYTES
    points = max(min((max_bytes - fixed) // POINT_BYTES, MAX_POINTS), 0)
    width = _width(document, points // 2)
    eighth = points // 8
    return document.model_copy(
        update={
            "window_seconds": width,
            "requests": [
                request.model_copy(update={"windows": request.windows.rolled_up(width)})
                for request in document.requests
            ],
            "thousands": document.thousands[:eighth],
            "warm_up_thousands": document.warm_up_thousands[:eighth],
            "caches": _thinned(document.caches, eighth),
            "warm_up_caches": _thinned(document.warm_up_caches, eighth),
        }
    )


def _width(document: StepRunResult, most: int) -> int:
    """Return the smallest width of windows of which there are at most so many, or the largest."""
    present = document.window_seconds
    possible = [each for each in STORED_SECONDS if each % present == 0]
    for width in possible[:-1]:
        if sum(len(each.windows.rolled_up(width)) for each in document.requests) <= most:
            return width
    return possible[-1]


def _thinned(samples: Sequence[CacheSample], most: int) -> list[CacheSample]:
    """Return the samples of every n-th moment, so that there are at most `most`."""
    if len(samples) <= most:
        return list(samples)
    moments = [list(each) for _, each in groupby(samples, lambda sample: sample.second)]
    stride = -(-len(samples) // most) if most else len(moments) + 1
    return [sample for moment in moments[stride - 1 :: stride] for sample in moment]


def partial_result(
    planned: PlannedStepRun, so_far: RunningTotals, seconds: float, metadata: StepRunMetadata
) -> StepRunResult:
    """Return the document of a step run of which so many `seconds` were measured."""
    seconds = round(seconds, 1)
    ended = EndedEarly(
        second=seconds, last_good_second=so_far.last_good_second, failures=so_far.failures_since
    )
    is_open_loop, windows = planned.step.users is None, so_far.windows
    histogram, rate = so_far.histogram, mean_rate(planned.step)
    counts = zip(histogram.buckets.tolist(), histogram.counts.tolist(), strict=True)
    spent, times = sum(lowest_of(each) * count for each, count in counts), histogram.encode()
    if planned.step.replay is not None:
        rate = so_far.requests / seconds if seconds else 0.0
    request = RequestResult(
        request=ALL_REQUESTS,  # reports of a step run under way have no names
        requests=so_far.requests,
        failures=so_far.failures,
        sum_microseconds=so_far.sum_microseconds,
        # The reports of an open loop have response times, and of service times only the sum.
        service_time_histogram=Histogram().encode() if is_open_loop else times,
        response_time_histogram=times if is_open_loop else None,
        response_sum_microseconds=spent if is_open_loop else 0,
        windows=windows.rolled_up(windows.width),
    )
    return StepRunResult(
        requests_per_second=rate,
        end_time=metadata.start_time + timedelta(seconds=seconds),
        seconds=seconds,
        requests=[request],
        workers=[],
        window_seconds=windows.width,
        **replace(metadata, ended_early=ended).fields(planned),
    )


@dataclass(eq=False, repr=False)
class StepRunDocuments:
    """Makes the documents of the step runs of a plan.

    `utc_now` gives the time that documents carry, `now` monotonic seconds.
    """

    plan: LoadPlan
    utc_now: Callable[[], datetime]
    now: Callable[[], float]
    telemetry: TelemetrySampler | None

    def __post_init__(self) -> None:
        self._names = NameLimiter(self.plan.max_request_names)

    def completed(
        self, planned: PlannedStepRun, completed: CompletedStepRun, warm_up: WarmUpResult
    ) -> StepRunResult:
        """Return the document of a step run that ended, at most as long as the plan allows."""
        metadata, results, _ = completed
        if self.plan.workload.locustfile is not None:
            # Each worker of a custom locustfile met other names first.
            results = [(worker, self._renamed(result)) for worker, result in results]
        document = merge_worker_results(planned, results, replace(metadata, warm_up=warm_up))
        document = with_metrics(document, self.plan.percentiles)
        return limit_series(document, self.plan.max_result_bytes)

    def unfinished(self, planned: PlannedStepRun, so_far: RunningTotals) -> StepRunResult | None:
        """Return the document of a step run as far as it is measured; None without a request."""
        if so_far.began is None or not so_far.requests:
            return None
        record = StepRunMetadata(
            self.plan.attempt,
            self.utc_now() - timedelta(seconds=self.now() - so_far.began),
            telemetry=self.telemetry.so_far() if self.telemetry is not None else None,
        )
        seconds = so_far.reported - so_far.began
        document = partial_result(planned, so_far, seconds, record)
        return with_metrics(document, self.plan.percentiles)

    def _renamed(self, result: WorkerStepResult) -> WorkerStepResult:
        requests = [
            request.model_copy(update={"request": self._names.limit(request.request)})
            for request in result.requests
        ]
        return result.model_copy(update={"requests": requests})
