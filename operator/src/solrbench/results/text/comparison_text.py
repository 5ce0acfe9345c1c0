"""Comparisons of variants in words."""

from collections.abc import Iterable, Iterator

from solrbench.api.v1alpha1.status.results import Comparison, Overhead
from solrbench.results.stats.number_format import format_number

COMPARISON_NOTE = (
    "Ratio of each repeat to the same repeat of the first variant, then the geometric mean and its"
    " 95 % confidence interval over the repeats (Student's t). If it includes 0, no"
    " difference was detected."
)


def comparison_lines(comparisons: Iterable[Comparison]) -> list[str]:
    """Return one line for each figure of each comparison."""
    return [line for comparison in comparisons for line in _lines(comparison)]


def format_overhead(overhead: Overhead) -> str:
    """Return `+12.3 % (95 % confidence: +9.8 % … +14.8 %)`, and what it shows if that is nothing.

    One repeat says nothing about another one, so its number stands without confidence.
    """
    percent = format_signed(overhead.percent)
    low, high = overhead.low_percent, overhead.high_percent
    if low is None or high is None:
        return f"{percent} (one repeat, no confidence)"
    shown = "" if low > 0 or high < 0 else ", no difference detected"
    return f"{percent} (95 % confidence: {format_signed(low)} … {format_signed(high)}){shown}"


def _lines(comparison: Comparison) -> Iterator[str]:
    sides = f"{comparison.variant} vs {comparison.baseline}"
    index = f"{comparison.step}, {comparison.request}"
    figures = {
        "average": comparison.average,
        "p95": comparison.p95,
        "requests/s": comparison.requests_per_second,
    }
    failures = f"; failed requests: {comparison.failures}" if comparison.failures else ""
    for name, overhead in figures.items():
        if overhead is not None:
            yield f"{sides}: {format_overhead(overhead)}, {name} ({index}){failures}"


def format_signed(percent: float) -> str:
    """Return a difference in per cent with its sign."""
    sign = "+" if percent > 0 else ""
    return f"{sign}{format_number(percent)} %"
