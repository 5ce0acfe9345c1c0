"""A step run that broke off, made of what its workers had reported of it."""

from dataclasses import replace
from datetime import timedelta

from solrbench.load.master.merging.step_run_metadata import StepRunMetadata
from solrbench.load.master.worker_pool.running_totals import RunningTotals
from solrbench.load.recording.window_sums import SecondSums
from solrbench.plan.load_plan import PlannedStepRun
from solrbench.results.model.step_result import RequestResult, StepRunResult
from solrbench.results.model.window_series import WindowSeries
from solrbench.results.model.windows import EndedEarly
from solrbench.results.stats.histograms import Histogram

ALL_REQUESTS = "all requests"
"""Stands for every request name: reports of a step run under way have none."""

_DIGITS = 1


def unfinished_result(
    planned: PlannedStepRun, so_far: RunningTotals, seconds: float, metadata: StepRunMetadata
) -> StepRunResult:
    """Return the document of a step run of which so many `seconds` were measured."""
    seconds = round(seconds, _DIGITS)
    ended = EndedEarly(
        second=seconds,
        last_good_second=so_far.last_good_second,
        failures=so_far.failures_since,
    )
    width = so_far.windows.width
    return StepRunResult(
        id=planned.id,
        repeat=planned.repeat,
        variant=planned.variant,
        step=planned.step.name,
        trial=planned.trial,
        users=planned.step.users,
        requests_per_second=planned.step.requests_per_second,
        end_time=metadata.start_time + timedelta(seconds=seconds),
        seconds=seconds,
        requests=[_request(so_far, is_open_loop=planned.step.users is None)],
        workers=[],
        window_seconds=width,
        **replace(metadata, ended_early=ended).fields(),
        start_time=metadata.start_time,
    )


def _request(so_far: RunningTotals, *, is_open_loop: bool) -> RequestResult:
    times, none = so_far.histogram.encode(), Histogram().encode()
    return RequestResult(
        request=ALL_REQUESTS,
        requests=so_far.requests,
        failures=so_far.failures,
        sum_microseconds=so_far.sum_microseconds,
        # The reports of an open loop have response times, and of service times only the sum.
        service_time_histogram=none if is_open_loop else times,
        response_time_histogram=times if is_open_loop else None,
        windows=WindowSeries.of_rows(map(_row, so_far.windows)).rolled_up(so_far.windows.width),
    )


def _row(sums: SecondSums) -> tuple[int, ...]:
    mean = sums.sum_microseconds // sums.requests
    return sums.second, sums.requests, sums.failures, mean, sums.max_microseconds
