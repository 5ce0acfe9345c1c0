"""Differences as tables: beside a baseline, between variants, and what grew within a step."""

from collections.abc import Sequence
from typing import NamedTuple

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
from solrbench.present.table import (
    Cell,
    Column,
    NameColumn,
    NumberColumn,
    Table,
    TextColumn,
    build_table,
    conclusion,
    markdown_list,
    table_to_markdown,
)
from solrbench.stats.number_format import format_milliseconds, format_number

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


def baseline_table(found: BaselineComparison, place: str = "step") -> Table:
    """Return a row for each figure beside that of the baseline; `place` is what figures are of."""
    columns: list[Column[FigureComparison]] = [
        NameColumn(place.capitalize(), lambda each: each.step),
        NameColumn("Variant", lambda each: each.variant),
        NameColumn("Request", lambda each: each.request),
        NameColumn(
            "Figure",
            lambda each: metric_of(each.figure).label + (DECIDES if each.primary else ""),
        ),
        NumberColumn("Before", lambda each: _figure_value(each, each.baseline)),
        NumberColumn("After", lambda each: _figure_value(each, each.value)),
        NumberColumn("Delta", _delta),
        NumberColumn("95 % interval", _figure_interval),
        TextColumn("Word", _conclusion),
        TextColumn("More repeats", _more_repeats),
    ]
    note = " ".join(
        f"{each}." if each[-1] not in ".:" else each for each in comparison_notes(found, place)
    )
    table = build_table(f"Beside {found.baseline}", columns, found.figures, note)
    return table.without_empty_columns()


def comparison_to_markdown(found: BaselineComparison, place: str = "step") -> str:
    """Return the table and its notes; `place` is what figures are of."""
    notes = markdown_list(comparison_notes(found, place))
    return f"{table_to_markdown(baseline_table(found, place))}\n\n{notes}"


def _figure_value(each: FigureComparison, value: float) -> str:
    unit = metric_of(each.figure).unit
    if unit == _MS:
        return format_milliseconds(value)
    return f"{format_number(value)} {unit}".rstrip()


def _delta(each: FigureComparison) -> str:
    unit = " points" if metric_of(each.figure).scale is Scale.POINTS else " %"
    return f"{_signed(each.difference_percent)}{unit}"


def _figure_interval(each: FigureComparison) -> str | None:
    if each.low_percent is None or each.high_percent is None:
        return None
    return f"{_signed(each.low_percent)} to {_signed(each.high_percent)}"


def _conclusion(each: FigureComparison) -> Cell:
    word = str(each.word or "")
    return conclusion(f"{word} (Invalid)".lstrip() if each.invalid else word)


def _more_repeats(each: FigureComparison) -> str | None:
    if each.more_repeats is None:
        return None
    is_more = each.more_repeats >= MORE_THAN_50
    return "more than 50" if is_more else f"about {each.more_repeats}"


def _signed(value: float) -> str:
    return f"{'+' if value > 0 else ''}{format_number(value)}"


class _Row(NamedTuple):
    """One figure of a variant beside the same of the first variant."""

    figure: str
    overhead: Overhead
    comparison: Comparison
    before: StepResult | None
    after: StepResult | None


_COMPARISON_COLUMNS: Sequence[Column[_Row]] = (
    NameColumn("Step", lambda row: row.comparison.step),
    NameColumn("Request", lambda row: row.comparison.request),
    NameColumn("Figure", lambda row: row.figure),
    NameColumn("Variant", lambda row: row.comparison.variant),
    NumberColumn("Before", lambda row: _result_value(row.figure, row.before)),
    NumberColumn("After", lambda row: _result_value(row.figure, row.after)),
    NumberColumn("Δ", lambda row: format_signed(row.overhead.percent)),
    NumberColumn("95 % interval", lambda row: _overhead_interval(row.overhead)),
    TextColumn(
        "Word",
        lambda row: conclusion(
            format_conclusion(
                row.overhead.word, row.overhead.more_repeats, on_target=row.comparison.on_target
            )
        ),
    ),
    TextColumn("Invalid", lambda row: ", ".join(row.comparison.invalid)),
)
_FAILURES = NumberColumn[_Row]("Failures", lambda row: row.comparison.failures)


def comparison_table(status: Status) -> Table:
    """Return a row for each figure of each comparison; without rows if nothing is compared."""
    results = {(each.step, each.variant or "", each.request): each for each in status.results}
    rows = [
        _Row(figure, overhead, each, before, after)
        for each in status.comparisons
        for before in [results.get((each.step, each.baseline, each.request))]
        for after in [results.get((each.step, each.variant, each.request))]
        for figure, overhead in (
            ("Average", each.average),
            ("P95", each.p95),
            ("Requests/s", each.requests_per_second),
        )
        if overhead is not None
    ]
    failed = any(each.failures for each in status.comparisons)
    columns = [*_COMPARISON_COLUMNS, *([_FAILURES] if failed else [])]
    baseline = next((each.baseline for each in status.comparisons), "the first one")
    caption = f"Before: {baseline}, after: another variant"
    table = build_table(caption, columns, rows, f"{caption}. {COMPARISON_NOTE}")
    return table.without_empty_columns()


def _result_value(figure: str, result: StepResult | None) -> str | None:
    """Return a figure of the merged repeats; the difference is that of the repeats one by one."""
    if result is None:
        return None
    if figure == "Requests/s":
        return format_number(result.requests_per_second)
    planned = result.is_open_loop
    average = result.response_average_milliseconds if planned else result.average_milliseconds
    p95 = result.response_p95_milliseconds if planned else result.p95_milliseconds
    value = average if figure == "Average" else p95
    return None if value is None else format_milliseconds(value)


def _overhead_interval(overhead: Overhead) -> str:
    low, high = overhead.low_percent, overhead.high_percent
    if low is None or high is None:
        return "one repeat, none"
    return f"{format_signed(low)} … {format_signed(high)}"


_TREND_COLUMNS: Sequence[Column[Trend]] = (
    NameColumn("Step", lambda trend: trend.step),
    TextColumn("Variant", lambda trend: trend.variant),
    TextColumn("Figure", lambda trend: trend.figure),
    TextColumn("Server", lambda trend: trend.server),
    TextColumn("Trend", lambda trend: trend.message),
)
_TREND_NOTE = (
    "Growth of steps of five minutes and more, beside caches that fill and load that moves, with"
    " its 95 % confidence interval."
)


def trend_table(trends: Sequence[Trend]) -> Table:
    """Return a row for each figure of each step; without rows if no step was long enough."""
    return build_table("Trends", _TREND_COLUMNS, trends, _TREND_NOTE)
