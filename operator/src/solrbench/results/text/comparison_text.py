"""Comparisons of variants in words."""

from collections.abc import Iterable, Iterator

from solrbench.api.v1alpha1.status.summaries import Comparison, Overhead
from solrbench.results.stats.number_format import format_number, round_significant
from solrbench.results.text.comparison_word_text import format_word

COMPARISON_NOTE = (
    "Ratio of each repeat to the same repeat of the first variant, then the geometric mean and its"
    " 95 % confidence interval over the repeats. Same: any difference is smaller than the smallest"
    " effect that matters. Words are made from the p95 of each step; those of other figures count"
    " only below it. docs/method.md has the tests."
)

_TIMES_FROM_PERCENT = 1000.0
_DIGITS_OF_TIMES = 3


def comparison_lines(comparisons: Iterable[Comparison]) -> list[str]:
    """Return one line for each figure of each comparison."""
    return [line for comparison in comparisons for line in _lines(comparison)]


def format_overhead(overhead: Overhead, *, on_target: bool = False) -> str:
    """Return `+12.3 % (95 % confidence: +9.8 % … +14.8 %), Worse`.

    One repeat says nothing about another one, so its number stands without confidence.
    """
    percent = format_signed(overhead.percent)
    low, high = overhead.low_percent, overhead.high_percent
    if low is None or high is None:
        return f"{percent} (one repeat, no confidence)"
    interval = f"(95 % confidence: {format_signed(low)} … {format_signed(high)})"
    if overhead.word is None:  # written by an older version
        return f"{percent} {interval}"
    word = format_word(overhead.word, overhead.more_repeats, on_target=on_target)
    return f"{percent} {interval}, {word}"


def format_signed(percent: float) -> str:
    """Return a difference in per cent with its sign; from 1,000 % on as `16700 times`."""
    if _is_in_times(percent):
        return f"{format_bound(percent, percent)} times"
    sign = "+" if percent > 0 else ""
    return f"{sign}{format_number(percent)} %"


def format_bound(bound: float, percent: float) -> str:
    """Return a bound of the interval of a difference, in the unit in which that is shown."""
    if _is_in_times(percent):
        return format_number(round_significant(1 + bound / 100, _DIGITS_OF_TIMES))
    return format_number(bound)


def _is_in_times(percent: float) -> bool:
    return percent >= _TIMES_FROM_PERCENT


def _lines(comparison: Comparison) -> Iterator[str]:
    sides = f"{comparison.variant} vs {comparison.baseline}"
    index = f"{comparison.step}, {comparison.request}"
    figures = {
        "average": comparison.average,
        "p95": comparison.p95,
        "requests/s": comparison.requests_per_second,
    }
    failures = f"; failed requests: {comparison.failures}" if comparison.failures else ""
    invalid = f"; Invalid: {', '.join(comparison.invalid)}" if comparison.invalid else ""
    for name, overhead in figures.items():
        if overhead is not None:
            shown = format_overhead(overhead, on_target=comparison.on_target)
            yield f"{sides}: {shown}, {name} ({index}){failures}{invalid}"
