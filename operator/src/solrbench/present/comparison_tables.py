"""The benchmark beside its baseline as rows of a table and Markdown.

Comparisons as a table: before, after, difference with its interval, and what it shows.

What grew in each step, as a table.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum

from solrbench.analysis.metrics import Scale, metric_of
from solrbench.analysis.sentences import COMPARISON_NOTE, format_conclusion, format_signed
from solrbench.api.v1alpha1.comparisons import (
    MORE_THAN_50,
    BaselineComparison,
    Comparison,
    FigureComparison,
    Overhead,
)
from solrbench.api.v1alpha1.findings import Trend
from solrbench.api.v1alpha1.status import Status
from solrbench.api.v1alpha1.step_result import StepResult
from solrbench.present.table import Row, TextTable, markdown_list, markdown_table
from solrbench.stats.number_format import format_milliseconds, format_number


class ComparisonColumn(StrEnum):
    """Titles of the columns in their order."""

    STEP = "Step"
    VARIANT = "Variant"
    REQUEST = "Request"
    METRIC = "Figure"
    BEFORE = "Before"
    AFTER = "After"
    DELTA = "Delta"
    INTERVAL = "95 % interval"
    CONCLUSION = "Word"
    MORE_REPEATS = "More repeats"


NAMES = (
    ComparisonColumn.STEP,
    ComparisonColumn.VARIANT,
    ComparisonColumn.REQUEST,
    ComparisonColumn.METRIC,
)
"""Columns that identify the row."""

NUMBERS = frozenset(
    {
        ComparisonColumn.BEFORE,
        ComparisonColumn.AFTER,
        ComparisonColumn.DELTA,
        ComparisonColumn.INTERVAL,
    }
)

DECIDES = " *"
"""Behind figures that decide about their step."""

_COMPARISON_NOTE = (
    "Figures with{} decide about their {}; words on the others are details. Same: any difference is"
    " smaller than the smallest effect that matters."
)
_NO_CONCLUSION_NOTE = (
    "Without a word: a side has one repeat only, or the deviation of its repeats is not known; set"
    " load.repeats.count of both to 5 or more."
)
_TARGET_NOTE = "All repeats of one side ran on one target: words are about that target."
_MS = "ms"


def comparison_head(place: str = "step") -> Row:
    """Return the titles of the columns; `place` is what figures are of."""
    return (place.capitalize(), *list(ComparisonColumn)[1:])


def comparison_rows(figures: Iterable[FigureComparison]) -> list[Row]:
    """Return the cells of each figure, in the order of `ComparisonColumn`."""
    return [
        tuple(_CELLS[column](comparison) for column in ComparisonColumn) for comparison in figures
    ]


def comparison_notes(found: BaselineComparison, place: str = "step") -> list[str]:
    """Return what a reader must know of the table; `place` is what figures are of."""
    notes = [_COMPARISON_NOTE.format(DECIDES, place)]
    if any(each.primary and each.word is None for each in found.figures):
        notes.append(_NO_CONCLUSION_NOTE)
    if any(each.on_target for each in found.figures):
        notes.append(_TARGET_NOTE)
    notes += [f"Setting that differs: {each}" for each in found.settings]
    notes += [f"Not the same was done: {each}" for each in found.differences]
    if found.left_out:
        notes.append(f"{found.left_out} more figures: solrbench compare shows all")
    return notes


def comparison_to_markdown(found: BaselineComparison, place: str = "step") -> str:
    """Return the table and its notes; `place` is what figures are of."""
    head = comparison_head(place)
    rule = tuple("--:" if each in NUMBERS else "---" for each in head)
    rows = comparison_rows(found.figures)
    shown = [i for i in range(len(head)) if any(row[i] for row in rows)]
    lines = [[line[i] for i in shown] for line in (head, rule, *rows)]
    return f"{markdown_table(lines)}\n\n{markdown_list(comparison_notes(found, place))}"


def _figure(each: FigureComparison) -> str:
    return f"{metric_of(each.figure).label}{DECIDES if each.primary else ''}"


def _figure_value(each: FigureComparison, value: float) -> str:
    unit = metric_of(each.figure).unit
    if unit == _MS:
        return format_milliseconds(value)
    return f"{format_number(value)} {unit}".rstrip()


def _delta(each: FigureComparison) -> str:
    unit = " points" if metric_of(each.figure).scale is Scale.POINTS else " %"
    return f"{_signed(each.difference_percent)}{unit}"


def _figure_interval(each: FigureComparison) -> str:
    if each.low_percent is None or each.high_percent is None:
        return ""
    return f"{_signed(each.low_percent)} to {_signed(each.high_percent)}"


def _conclusion(each: FigureComparison) -> str:
    word = str(each.word or "")
    return f"{word} (Invalid)".lstrip() if each.invalid else word


def _more_repeats(each: FigureComparison) -> str:
    if each.more_repeats is None:
        return ""
    is_more = each.more_repeats >= MORE_THAN_50
    return "more than 50" if is_more else f"about {each.more_repeats}"


def _signed(value: float) -> str:
    return f"{'+' if value > 0 else ''}{format_number(value)}"


_CELLS: dict[ComparisonColumn, Callable[[FigureComparison], str]] = {
    ComparisonColumn.STEP: lambda each: each.step or "",
    ComparisonColumn.VARIANT: lambda each: each.variant or "",
    ComparisonColumn.REQUEST: lambda each: each.request or "",
    ComparisonColumn.METRIC: _figure,
    ComparisonColumn.BEFORE: lambda each: _figure_value(each, each.baseline),
    ComparisonColumn.AFTER: lambda each: _figure_value(each, each.value),
    ComparisonColumn.DELTA: _delta,
    ComparisonColumn.INTERVAL: _figure_interval,
    ComparisonColumn.CONCLUSION: _conclusion,
    ComparisonColumn.MORE_REPEATS: _more_repeats,
}


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


def comparison_table(status: Status) -> TextTable:
    """Return a row for each figure of each comparison; without rows if nothing is compared."""
    results = {(each.step, each.variant or "", each.request): each for each in status.results}
    rows = [row for each in status.comparisons for row in _rows(each, results)]
    if not any(each.failures for each in status.comparisons):
        rows = [(*row[:-1], "") for row in rows]
    baseline = next((each.baseline for each in status.comparisons), "the first one")
    caption = f"Before: {baseline}, after: another variant"
    table = TextTable(caption, _HEAD, rows, 4, _TEXTS, f"{caption}. {COMPARISON_NOTE}")
    return table.without_empty_columns()


def baseline_table(found: BaselineComparison, place: str = "step") -> TextTable:
    """Return a row for each figure beside that of the baseline; `place` is what figures are of."""
    head = comparison_head(place)
    texts = frozenset(each for each in head if each not in NUMBERS)
    note = " ".join(
        f"{each}." if each[-1] not in ".:" else each for each in comparison_notes(found, place)
    )
    rows = comparison_rows(found.figures)
    table = TextTable(f"Beside {found.baseline}", head, rows, len(NAMES), texts, note)
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
                _result_value(name, before),
                _result_value(name, after),
                f"{format_signed(overhead.percent)}",
                _overhead_interval(overhead),
                format_conclusion(
                    overhead.word, overhead.more_repeats, on_target=comparison.on_target
                ),
                ", ".join(comparison.invalid),
                str(comparison.failures),
            )


def _figures(comparison: Comparison) -> Iterable[tuple[str, Overhead | None]]:
    return (
        ("Average", comparison.average),
        ("P95", comparison.p95),
        ("Requests/s", comparison.requests_per_second),
    )


def _result_value(figure: str, result: StepResult | None) -> str:
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


def _overhead_interval(overhead: Overhead) -> str:
    low, high = overhead.low_percent, overhead.high_percent
    if low is None or high is None:
        return "one repeat, none"
    return f"{format_signed(low)} … {format_signed(high)}"


_TREND_NOTE = (
    "Growth of steps of five minutes and more, beside caches that fill and load that moves, with"
    " its 95 % confidence interval."
)


def trend_table(trends: Sequence[Trend]) -> TextTable:
    """Return a row for each figure of each step; without rows if no step was long enough."""
    head = ("Step", "Variant", "Figure", "Server", "Trend")
    rows = [
        (trend.step, trend.variant or "", trend.figure, trend.server or "", trend.message)
        for trend in trends
    ]
    return TextTable("Trends", head, rows, texts=frozenset(head), note=_TREND_NOTE)
