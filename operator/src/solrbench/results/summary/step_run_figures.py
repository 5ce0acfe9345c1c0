"""Means, percentiles and rates of one step run with their intervals, as they are stored."""

from collections.abc import Iterable

from solrbench.results.model.figures import Figure, PercentileFigure, TimeFigures
from solrbench.results.model.step_result import RequestResult, StepRunResult
from solrbench.results.stats.intervals import Interval, TimedSamples
from solrbench.results.stats.shares import design_effect
from solrbench.results.summary.grouping import bounded
from solrbench.results.summary.timed_samples import response_samples, service_samples

_DIGITS = 3


def with_figures(document: StepRunResult, percents: Iterable[float]) -> StepRunResult:
    """Return a step run with the figures of every request name.

    Raises:
        ValueError: if its histograms or blocks are none.

    """
    chosen = list(percents)
    requests = [_with_figures(each, chosen) for each in document.requests]
    return document.model_copy(update={"requests": requests})


def _with_figures(result: RequestResult, percents: list[float]) -> RequestResult:
    service = service_samples([[result]], result)
    rate_error = service.rate_error()
    figures = {
        "rate_error_percent": None if rate_error is None else round(100 * rate_error, _DIGITS),
        "failure_effect": _failure_effect(result),
        "service_times": _figures(service, percents),
        "response_times": _figures(response_samples([[result]], result), percents),
    }
    return result.model_copy(update=figures)


def _failure_effect(result: RequestResult) -> float | None:
    if not result.failures:
        return None
    failed = [each.failures for each in result.windows]
    return round(design_effect(failed, [each.requests for each in result.windows]), _DIGITS)


def _figures(samples: TimedSamples, percents: list[float]) -> TimeFigures | None:
    count = samples.histogram.count
    if not count:
        return None
    mean = Figure(
        microseconds=round(samples.sum_microseconds / count, _DIGITS),
        **_bounds(samples.mean_interval()),
    )
    percentiles = [
        PercentileFigure(
            percent=percent,
            microseconds=bounded(samples.histogram, percent, samples.max_microseconds) or 0,
            **_bounds(samples.percentile_interval(percent)),
        )
        for percent in percents
    ]
    return TimeFigures(mean=mean, percentiles=percentiles)


def _bounds(interval: Interval | None) -> dict[str, float]:
    if interval is None:
        return {}
    return {
        "lower_microseconds": round(interval.lower, _DIGITS),
        "upper_microseconds": round(interval.upper, _DIGITS),
    }
