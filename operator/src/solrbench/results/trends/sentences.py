"""Trends in words."""

from collections.abc import Iterable

from solrbench.api.v1alpha1.status.trends import Trend, TrendWord
from solrbench.results.stats.number_format import format_number

_MEBIBYTE = 1 << 20
_NOT_GROWING = (TrendWord.STEADY, TrendWord.UNCLEAR, TrendWord.ROSE_ONCE)


def trend_message(trend: Trend, *, caches_fill: bool = False) -> str:
    """Return the numbers of a trend, such as `HeapGrows 41 MiB/h (95 %: 37 to 45), full in 9 h`."""
    growth = trend.growth_per_hour, trend.lower_per_hour, trend.upper_per_hour
    text = f"{trend.word} {per_hour(*growth, trend.unit)}"
    if trend.full_in_hours is not None:
        text += f", full in {format_number(trend.full_in_hours)} h"
    if caches_fill:
        text += "; Solr's caches filled to the end, and a leak looks the same: measure for longer"
    elif trend.word == TrendWord.UNCLEAR:
        text += "; measure for longer"
    return text


def per_hour(growth: float, lower: float, upper: float, unit: str) -> str:
    """Return `41 MiB/h (95 %: 37 to 45)`."""
    shown, low, high = (_amount(each, unit) for each in (growth, lower, upper))
    return f"{shown} {_unit(unit)}/h (95 %: {low} to {high})"


def trend_sentences(trends: Iterable[Trend]) -> list[str]:
    """Return a sentence for each figure that grows."""
    return [
        f"{_step(each)}: {each.message}{f' ({each.server})' if each.server else ''}"
        for each in trends
        if each.word not in _NOT_GROWING
    ]


def _step(trend: Trend) -> str:
    return f"{trend.step} ({trend.variant})" if trend.variant else trend.step


def _amount(number: float, unit: str) -> str:
    return format_number(number / _MEBIBYTE if unit == "bytes" else number)


def _unit(unit: str) -> str:
    return {"bytes": "MiB", "milliseconds": "ms", "percent": "percentage points"}[unit]
