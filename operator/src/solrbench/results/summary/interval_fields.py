"""Intervals as fields of the status."""

from collections.abc import Iterable

from solrbench.api.v1alpha1.status.steps.intervals import Interval, PercentileResult
from solrbench.results.stats import intervals
from solrbench.results.stats.intervals import TimedSamples
from solrbench.results.stats.number_format import milliseconds
from solrbench.results.summary.grouping import bounded
from solrbench.results.summary.latency_fields import DIGITS


def mean_interval(samples: TimedSamples) -> Interval | None:
    """Return the interval of the mean in ms; None if the step was too short for it."""
    return _milliseconds(samples.mean_interval())


def rate_interval(samples: TimedSamples, rate: float) -> Interval | None:
    """Return the interval of a rate; None if the step was too short for it."""
    error = samples.rate_error()
    if error is None:
        return None
    lower, upper = rate * max(1 - error, 0.0), rate * (1 + error)
    return Interval(lower=round(lower, DIGITS), upper=round(upper, DIGITS))


def percentile_interval(samples: TimedSamples, percent: float) -> Interval | None:
    """Return the interval of a percentile in ms; None if the step was too short for it."""
    return _milliseconds(samples.percentile_interval(percent))


def percentile_results(samples: TimedSamples, percents: Iterable[float]) -> list[PercentileResult]:
    """Return percentiles with their intervals; none without samples."""
    return [
        PercentileResult(
            percent=percent,
            milliseconds=found,
            lower_milliseconds=interval.lower if interval else None,
            upper_milliseconds=interval.upper if interval else None,
        )
        for percent in percents
        if (found := milliseconds(bounded(samples.histogram, percent, samples.max_microseconds)))
        is not None
        for interval in [percentile_interval(samples, percent)]
    ]


def _milliseconds(found: intervals.Interval | None) -> Interval | None:
    if found is None:
        return None
    return Interval(lower=milliseconds(found.lower), upper=milliseconds(found.upper))
