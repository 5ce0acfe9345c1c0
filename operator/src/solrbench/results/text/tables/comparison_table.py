"""Comparisons as a table: before, after, difference with its interval, and what it shows."""

from collections.abc import Iterable, Iterator

from solrbench.api.v1alpha1.status.comparison import BaselineComparison
from solrbench.api.v1alpha1.status.status import Status
from solrbench.api.v1alpha1.status.steps.step_result import StepResult
from solrbench.api.v1alpha1.status.summaries import Comparison, Overhead
from solrbench.results.stats.number_format import format_milliseconds, format_number
from solrbench.results.text.baseline_text import (
    NAMES,
    NUMBERS,
    comparison_head,
    comparison_notes,
    comparison_rows,
)
from solrbench.results.text.comparison_text import COMPARISON_NOTE, format_signed
from solrbench.results.text.comparison_word_text import format_word
from solrbench.results.text.tables.table import Row, Table

_HEAD = (
    "Step",
    "Request",
    "Figure",
    "Variant",
    "Before",
    "After",
    "Δ",
    "95 % interval",
    "Word",
    "Invalid",
    "Failures",
)
_TEXTS = frozenset({"Word", "Invalid"})


def comparison_table(status: Status) -> Table:
    """Return a row for each figure of each comparison; without rows if nothing is compared."""
    results = {(each.step, each.variant or "", each.request): each for each in status.results}
    rows = [row for each in status.comparisons for row in _rows(each, results)]
    if not any(each.failures for each in status.comparisons):
        rows = [(*row[:-1], "") for row in rows]
    baseline = next((each.baseline for each in status.comparisons), "the first one")
    caption = f"Before: {baseline}, after: another variant"
    table = Table(caption, _HEAD, rows, 4, _TEXTS, f"{caption}. {COMPARISON_NOTE}")
    return table.without_empty_columns()


def baseline_table(found: BaselineComparison, place: str = "step") -> Table:
    """Return a row for each figure beside that of the baseline; `place` is what figures are of."""
    head = comparison_head(place)
    texts = frozenset(each for each in head if each not in NUMBERS)
    note = " ".join(
        f"{each}." if each[-1] not in ".:" else each for each in comparison_notes(found, place)
    )
    rows = comparison_rows(found.figures)
    table = Table(f"Beside {found.baseline}", head, rows, len(NAMES), texts, note)
    return table.without_empty_columns()


_Results = dict[tuple[str, str, str], StepResult]


def _rows(comparison: Comparison, results: _Results) -> Iterator[Row]:
    before = results.get((comparison.step, comparison.baseline, comparison.request))
    after = results.get((comparison.step, comparison.variant, comparison.request))
    for name, overhead in _figures(comparison):
        if overhead is not None:
            yield (
                comparison.step,
                comparison.request,
                name,
                comparison.variant,
                _value(name, before),
                _value(name, after),
                f"{format_signed(overhead.percent)}",
                _interval(overhead),
                format_word(overhead.word, overhead.more_repeats, on_target=comparison.on_target),
                ", ".join(comparison.invalid),
                str(comparison.failures),
            )


def _figures(comparison: Comparison) -> Iterable[tuple[str, Overhead | None]]:
    return (
        ("Average", comparison.average),
        ("P95", comparison.p95),
        ("Requests/s", comparison.requests_per_second),
    )


def _value(figure: str, result: StepResult | None) -> str:
    """Return a figure of the merged repeats; the difference is that of the repeats one by one."""
    if result is None:
        return ""
    planned = result.is_open_loop
    average = result.response_average_milliseconds if planned else result.average_milliseconds
    p95 = result.response_p95_milliseconds if planned else result.p95_milliseconds
    if figure == "Requests/s":
        return format_number(result.requests_per_second)
    value = average if figure == "Average" else p95
    return "" if value is None else format_milliseconds(value)


def _interval(overhead: Overhead) -> str:
    low, high = overhead.low_percent, overhead.high_percent
    if low is None or high is None:
        return "one repeat, none"
    return f"{format_signed(low)} … {format_signed(high)}"
