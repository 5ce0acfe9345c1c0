"""Whether requests of an open loop were sent as planned, and each query once."""

from solrbench.api.v1alpha1.load.load import Load
from solrbench.results.model.step_result import RequestResult, StepRunResult
from solrbench.results.stats import histograms
from solrbench.results.stats.number_format import (
    format_milliseconds,
    format_percent,
    format_share,
)
from solrbench.results.summary import arrivals
from solrbench.results.summary.grouping import response_percentile
from solrbench.results.validity.checks.finding import (
    Finding,
    NotEvaluated,
    Outcome,
    worst,
)

_LAG_PERCENT = 99

_LEAST_DELAY_MICROSECONDS = 1000
"""A delay of less than a millisecond is that of a system call, at whatever service time."""


def check_schedule_lag(document: StepRunResult, load: Load) -> Outcome:
    """Compare the lag of each worker, which only the worker itself causes, with the limit."""
    if document.requests_per_second is None:
        return None
    limit = load.validity.max_lag_milliseconds
    unknown = [each.worker for each in document.workers if each.lag_p99_microseconds is None]
    found = worst(
        Finding(
            lag,
            f"worker {worker.worker} delayed requests by {format_milliseconds(lag / 1000)}"
            f" (p{_LAG_PERCENT}, limit {limit} ms)",
        )
        for worker in document.workers
        if (lag := worker.lag_p99_microseconds or 0) > 1000 * limit
    )
    return found or (NotEvaluated(f"no lag of {', '.join(unknown[:3])}") if unknown else None)


def check_generator_delay(document: StepRunResult, load: Load) -> Outcome:
    """Compare response times with what they were without the workers' own delays.

    A worker that stood still for a moment sends all that was due at once, so its delay is the tail.
    """
    percent, limit = load.validity.percentile, load.validity.max_own_delay_percent
    return worst(
        finding
        for each in document.requests
        if (finding := _own_delay(each, percent, limit)) is not None
    )


def _own_delay(result: RequestResult, percent: int, limit: float) -> Finding | None:
    stored = result.response_time_without_lag_histogram
    if stored is None:
        return None
    delayed = response_percentile([result], percent)
    without = histograms.decode(stored).percentile(percent)
    if delayed is None or without is None:
        return None
    above = delayed - without
    if above < _LEAST_DELAY_MICROSECONDS or 100 * above <= limit * without:
        return None
    share = 100 * above / without
    return Finding(
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
    return Finding(
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
    return Finding(
        part / planned,
        f"{part} of {planned} planned requests {what} ({share}, limit {format_percent(limit)})",
    )
