"""Times and their spread as fields of `StepResult`."""

from collections.abc import Iterable
from statistics import fmean

from solrbench.results.stats import repeat_statistics
from solrbench.results.stats.histograms import Histogram
from solrbench.results.stats.number_format import milliseconds
from solrbench.results.summary.grouping import bounded

PERCENTILES = (50, 75, 95, 99)
"""Those of `StepResult`."""

DIGITS = 3
"""Decimals kept: thousandths of a request per second and of a percent."""


def time_fields(
    prefix: str, histogram: Histogram, total_microseconds: int, highest_microseconds: int | None
) -> dict[str, float | None]:
    """Return average, maximum and percentiles under names with a prefix; none without samples."""
    if not histogram.count:
        return {}
    percentiles = {
        f"{prefix}p{percent}_milliseconds": milliseconds(
            bounded(histogram, percent, highest_microseconds)
        )
        for percent in PERCENTILES
    }
    return {
        f"{prefix}average_milliseconds": milliseconds(total_microseconds / histogram.count),
        f"{prefix}max_milliseconds": milliseconds(highest_microseconds),
        **percentiles,
    }


def deviation_percent(values: Iterable[float | None]) -> float | None:
    """Return how far repeats differ, None with fewer than two that were measured."""
    measured = [value for value in values if value is not None]
    if len(measured) < 2:
        return None
    percent = repeat_statistics.relative_deviation_percent(measured)
    return None if percent is None else round(percent, DIGITS)


def mean(values: Iterable[float | None]) -> float | None:
    """Return the mean over repeats, None with fewer than two that were measured."""
    measured = [value for value in values if value is not None]
    return fmean(measured) if len(measured) >= 2 else None
