"""The benchmark beside its baseline as rows of a table and Markdown."""

from collections.abc import Callable, Iterable
from enum import StrEnum

from solrbench.api.v1alpha1.status.comparison import BaselineComparison, FigureComparison
from solrbench.api.v1alpha1.status.comparison_word import MORE_THAN_50
from solrbench.results.comparison.metric import Scale, metric_of
from solrbench.results.stats.number_format import format_milliseconds, format_number
from solrbench.results.text.markdown import markdown_list, markdown_table


class ComparisonColumn(StrEnum):
    """Titles of the columns in their order."""

    STEP = "Step"
    VARIANT = "Variant"
    REQUEST = "Request"
    FIGURE = "Figure"
    BEFORE = "Before"
    AFTER = "After"
    DELTA = "Delta"
    INTERVAL = "95 % interval"
    WORD = "Word"
    MORE_REPEATS = "More repeats"


NAMES = (
    ComparisonColumn.STEP,
    ComparisonColumn.VARIANT,
    ComparisonColumn.REQUEST,
    ComparisonColumn.FIGURE,
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

_NOTE = (
    "Figures with{} decide about their {}; words on the others are details. Same: any difference is"
    " smaller than the smallest effect that matters."
)
_NO_WORD_NOTE = (
    "Without a word: a side has one repeat only, or the deviation of its repeats is not known; set"
    " load.repeats.count of both to 5 or more."
)
_TARGET_NOTE = "All repeats of one side ran on one target: words are about that target."
_MS = "ms"

Row = tuple[str, ...]


def comparison_head(place: str = "step") -> Row:
    """Return the titles of the columns; `place` is what figures are of."""
    return (place.capitalize(), *list(ComparisonColumn)[1:])


def comparison_rows(figures: Iterable[FigureComparison]) -> list[Row]:
    """Return the cells of each figure, in the order of `ComparisonColumn`."""
    return [tuple(_CELLS[column](each) for column in ComparisonColumn) for each in figures]


def comparison_notes(found: BaselineComparison, place: str = "step") -> list[str]:
    """Return what a reader must know of the table; `place` is what figures are of."""
    notes = [_NOTE.format(DECIDES, place)]
    if any(each.primary and each.word is None for each in found.figures):
        notes.append(_NO_WORD_NOTE)
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


def _value(each: FigureComparison, value: float) -> str:
    unit = metric_of(each.figure).unit
    if unit == _MS:
        return format_milliseconds(value)
    return f"{format_number(value)} {unit}".rstrip()


def _delta(each: FigureComparison) -> str:
    unit = " points" if metric_of(each.figure).scale is Scale.POINTS else " %"
    return f"{_signed(each.difference_percent)}{unit}"


def _interval(each: FigureComparison) -> str:
    if each.low_percent is None or each.high_percent is None:
        return ""
    return f"{_signed(each.low_percent)} to {_signed(each.high_percent)}"


def _word(each: FigureComparison) -> str:
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
    ComparisonColumn.FIGURE: _figure,
    ComparisonColumn.BEFORE: lambda each: _value(each, each.baseline),
    ComparisonColumn.AFTER: lambda each: _value(each, each.value),
    ComparisonColumn.DELTA: _delta,
    ComparisonColumn.INTERVAL: _interval,
    ComparisonColumn.WORD: _word,
    ComparisonColumn.MORE_REPEATS: _more_repeats,
}
