"""Words, points and figures of answers, as text."""

from collections.abc import Iterable

from solrbench.api.v1alpha1.status.comparison_word import Word
from solrbench.api.v1alpha1.sweep.spec import Metric
from solrbench.results.comparison.findings import Finding
from solrbench.results.stats.number_format import format_number
from solrbench.results.text.comparison_text import format_bound, format_signed
from solrbench.results.text.comparison_word_text import NO_WORD, format_more_repeats
from solrbench.sweep.points import Values

MOST_NAMED = 5


def phrase_finding(finding: Finding) -> str:
    """Return `Same (-1 %, 95 %: -6 to 4)`, or why there is no word."""
    percent, interval = format_signed(finding.percent), finding.interval_percent
    if finding.word is None:
        return f"{percent} ({NO_WORD})"
    if interval is None:
        return f"{finding.word} ({percent})"
    low, high = (format_bound(each, finding.percent) for each in interval)
    return f"{finding.word} ({percent}, 95 %: {low} to {high})"


def phrase_need(finding: Finding) -> str:
    """Return how many more repeats an Unclear word needs, such as `about 3 more repeats`."""
    if finding.word is not Word.UNCLEAR:
        return ""
    return format_more_repeats(finding.more_repeats).removeprefix(": ")


def phrase_point(values: Values, baseline: Values) -> str:
    """Return what a point differs in from the baseline, such as `heap 2Gi`."""
    differ = [v for v, usual in zip(values, baseline, strict=True) if v.index != usual.index]
    return ", ".join(f"{each.axis} {each.label}" for each in differ) or "the baseline"


def phrase_figure(figure: float, metric: Metric) -> str:
    """Return `p95 70 ms`, or the rate."""
    if metric is Metric.REQUESTS_PER_SECOND:
        return f"{format_number(figure)} requests/s"
    return f"p95 {format_number(figure)} ms"


def join_some(texts: Iterable[str]) -> str:
    """Return the first of some texts, and how many more there are."""
    found = [*texts]
    more = len(found) - MOST_NAMED
    return "; ".join(found[:MOST_NAMED]) + (f"; and {more} more" if more > 0 else "")
