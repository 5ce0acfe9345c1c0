"""Differences as tables: beside a baseline, between variants, within a step, and of answers."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

from solrbench.analysis.answers import FIELDS_OF_KINDS, AnswerExample, ComparedAnswers
from solrbench.analysis.metrics import (
    AVERAGE,
    DOCUMENTS,
    MIN_REPEATS,
    P95,
    RATE,
    ComparisonMetric,
    Difference,
    read_figure,
    read_overheads,
)
from solrbench.analysis.sentences import (
    COMPARISON_NOTE,
    CONCLUSIONS,
    DRIFT_NOTE,
    format_conclusion,
    format_estimate,
    format_interval,
)
from solrbench.api.v1alpha1.comparisons import (
    MORE_THAN_50,
    AnswerComparison,
    BaselineComparison,
    Comparison,
    FigureComparison,
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
from solrbench.stats.number_format import format_milliseconds, format_number, format_share

_Row = TypeVar("_Row")

DECIDES = " *"
"""Behind figures that decide about their step."""

_COMPARISON_NOTE = (
    "{} decides about its {}; other rows are details. No relevant difference: smaller than"
    " smallestEffectPercent."
)
_NO_CONCLUSION_NOTE = (
    f"Not compared: one side has fewer than {MIN_REPEATS} repeats, or their values are not known."
    " Set load.repeats.count to 5 on both."
)
_TARGET_NOTE = (
    "All repeats of a side ran on one target. Use startOn: FreshTarget to compare topologies."
)


def difference_columns(
    difference: Callable[[_Row], Difference | None],
    word: Callable[[_Row], str],
    no_interval: str = "",
) -> tuple[Column[_Row], Column[_Row], Column[_Row]]:
    """Return the columns of the difference, of its interval, and of the conclusion, a `word`."""
    return (
        NumberColumn("Difference", difference, format_estimate),
        NumberColumn("95 % CI", difference, lambda each: format_interval(each) or no_interval),
        TextColumn("Conclusion", lambda row: conclusion(word(row))),
    )


def comparison_notes(found: BaselineComparison, place: str = "step") -> list[str]:
    """Return what a reader must know of the table; `place` is what metrics are of."""
    notes = [_COMPARISON_NOTE.format(DECIDES.strip(), place)]
    if any(each.primary and each.conclusion is None for each in found.figures):
        notes.append(_NO_CONCLUSION_NOTE)
    if any(each.on_target for each in found.figures):
        notes.append(_TARGET_NOTE)
    if found.drift_unknown:
        notes.append(DRIFT_NOTE)
    notes += [f"Compared setting: {each}" for each in found.settings]
    notes += [f"Caution, different work: {each}" for each in found.differences]
    if found.left_out:
        notes.append(f"{found.left_out} more figures: solrbench compare shows all")
    return notes


class FigureRow(NamedTuple):
    """A figure beside that of its baseline; `point` names the point of a sweep that it is of."""

    stored: FigureComparison
    difference: Difference
    point: str = ""


def figure_columns(
    place: str = "step", sides: tuple[str, str] = ("Baseline", "This run")
) -> list[Column[FigureRow]]:
    """Return the columns of figures of steps or other places, of these two sides."""
    return [
        NameColumn(place.capitalize(), lambda row: row.stored.step),
        NameColumn("Variant", lambda row: row.stored.variant),
        NameColumn("Request", lambda row: row.stored.request),
        NameColumn("Figure", lambda r: r.difference.metric.label + DECIDES * r.stored.primary),
        NumberColumn(sides[0], lambda r: _format_value(r.difference.metric, r.stored.baseline)),
        NumberColumn(sides[1], lambda r: _format_value(r.difference.metric, r.stored.value)),
        *difference_columns(lambda row: row.difference, _conclusion_on_figure),
        TextColumn("More repeats", lambda row: _more_repeats(row.difference)),
    ]


def baseline_table(found: BaselineComparison, place: str = "step") -> Table:
    """Return a row for each metric beside that of the baseline; `place` is what metrics are of."""
    rows = [FigureRow(each, read_figure(each)) for each in found.figures]
    note = " ".join(
        f"{each}." if each[-1] not in ".:" else each for each in comparison_notes(found, place)
    )
    return build_table(
        f"Compared with {found.baseline}", figure_columns(place), rows, note
    ).without_empty_columns()


def _conclusion_on_figure(row: FigureRow) -> str:
    word = row.difference.conclusion
    if row.stored.invalid:
        return f"{CONCLUSIONS[word]} (Invalid)"
    if row.difference.is_decided:
        return format_conclusion(row.difference)
    return "" if word is None else CONCLUSIONS[word]


def comparison_to_markdown(found: BaselineComparison, place: str = "step") -> str:
    """Return the table and its notes; `place` is what metrics are of."""
    notes = markdown_list(comparison_notes(found, place))
    return f"{table_to_markdown(baseline_table(found, place))}\n\n{notes}"


def _format_value(metric: ComparisonMetric, value: float) -> str:
    if metric.unit == "ms":
        return format_milliseconds(value)
    return f"{format_number(value)} {metric.unit}".rstrip()


def _more_repeats(difference: Difference) -> str | None:
    more = difference.more_repeats
    if more is None:
        return None
    return "more than 50" if more >= MORE_THAN_50 else f"about {more}"


class _VariantRow(NamedTuple):
    """One metric of a variant beside the same of the first variant."""

    difference: Difference
    comparison: Comparison
    baseline: StepResult | None
    candidate: StepResult | None


def _conclusion_on_variant(row: _VariantRow) -> str:
    return format_conclusion(row.difference)


_COMPARISON_COLUMNS: Sequence[Column[_VariantRow]] = (
    NameColumn("Step", lambda row: row.comparison.step),
    NameColumn("Request", lambda row: row.comparison.request),
    NameColumn("Figure", lambda row: row.difference.metric.label.capitalize()),
    NameColumn("Variant", lambda row: row.comparison.variant),
    NumberColumn("Baseline", lambda row: _result_value(row, row.baseline)),
    NumberColumn("This variant", lambda row: _result_value(row, row.candidate)),
    *difference_columns(
        lambda row: row.difference, _conclusion_on_variant, no_interval="none: too few repeats"
    ),
    TextColumn[_VariantRow]("Invalid", lambda row: ", ".join(row.comparison.invalid)),
)


def comparison_table(status: Status) -> Table:
    """Return a row for each metric of each comparison; without rows if nothing is compared."""
    every = (*status.results, *status.totals)
    results = {(each.step, each.variant or "", each.request): each for each in every}
    rows = [
        _VariantRow(
            difference,
            each,
            results.get((each.step, each.baseline, each.request)),
            results.get((each.step, each.variant, each.request)),
        )
        for each in status.comparisons
        for difference in read_overheads(each)
    ]
    columns = [*_COMPARISON_COLUMNS]
    if any(each.failures for each in status.comparisons):
        columns.append(NumberColumn("Failures", lambda row: row.comparison.failures))
    baseline = next((each.baseline for each in status.comparisons), "the first one")
    caption = f"Variants compared with {baseline}"
    table = build_table(caption, columns, rows, f"{caption}. {COMPARISON_NOTE}")
    return table.without_empty_columns()


def _result_value(row: _VariantRow, result: StepResult | None) -> str | None:
    """Return a metric of the merged repeats; the difference is that of the repeats one by one."""
    if result is None:
        return None
    if row.difference.metric is RATE:
        return format_number(result.requests_per_second)
    if row.difference.metric is DOCUMENTS:
        return format_number(result.documents_per_second or 0)
    planned = result.is_open_loop
    average = result.response_average_milliseconds if planned else result.average_milliseconds
    p95 = result.response_p95_milliseconds if planned else result.p95_milliseconds
    times = {AVERAGE.label: average, P95.label: p95}
    percentiles = {f"p{each.percent:g}": each.milliseconds for each in result.percentiles}
    value = (percentiles | times).get(row.difference.metric.label)
    return None if value is None else format_milliseconds(value)


TREND_COLUMNS: Sequence[Column[Trend]] = (
    NameColumn("Step", lambda trend: trend.step),
    TextColumn("Variant", lambda trend: trend.variant),
    TextColumn("Figure", lambda trend: trend.figure),
    TextColumn("Server", lambda trend: trend.server),
    TextColumn("Conclusion", lambda trend: trend.conclusion),
    TextColumn("Trend", lambda trend: trend.message),
)
TREND_NOTE = (
    "Growth in steps of five minutes and more, after correction for filling caches and changing"
    " load, with its 95 % confidence interval."
)


def trend_table(trends: Sequence[Trend]) -> Table:
    """Return a row for each figure of each step; without rows if no step was long enough."""
    return build_table("Trends", TREND_COLUMNS, trends, TREND_NOTE).without_empty_columns()


ANSWERS = "Answers to queries"
_ANSWERS_NOTE = (
    "Each query counts as the first kind that applies. Ties, rounding of scores, and what a side"
    " does not answer the same twice are no difference (docs/method/answers.md)."
)


def answers_tables(
    stored: Sequence[AnswerComparison], detailed: Sequence[ComparedAnswers]
) -> list[Table]:
    """Return the counts of all comparisons, and the examples of each that was read again."""
    examples = [_examples_table(each) for each in detailed]
    return [each for each in (_counts_table(stored or detailed), *examples) if each]


def _counts_table(compared: Sequence[AnswerComparison]) -> Table:
    columns: list[Column[AnswerComparison]] = [
        NameColumn("Candidate", lambda each: each.candidate),
        NameColumn("Baseline", lambda each: each.baseline),
        TextColumn("Conclusion", _conclusion),
        NumberColumn("Queries", lambda each: each.queries, "{:,}".format),
        NumberColumn("Different", _different),
        *(
            NumberColumn(
                kind.capitalize() if kind.islower() else kind, _count_of(field), "{:,}".format
            )
            for kind, field in FIELDS_OF_KINDS.items()
        ),
        NumberColumn("Not compared", lambda each: each.skipped or None, "{:,}".format),
    ]
    notes = [note for each in compared for note in (*each.notes, each.not_compared) if note]
    text = " ".join([_ANSWERS_NOTE, *(f"{note}." for note in dict.fromkeys(notes))])
    return build_table(ANSWERS, columns, compared, text).without_empty_columns()


def _count_of(field: str) -> Callable[[AnswerComparison], int | None]:
    return lambda each: getattr(each, field) or None


def _conclusion(each: AnswerComparison) -> Cell:
    if each.conclusion is None:
        return Cell("NotCompared")
    return Cell(each.conclusion, mark="bad" if each.different else "good")


def _different(each: AnswerComparison) -> str | None:
    if not each.queries:
        return None
    return f"{each.different:,} ({format_share(each.different, each.queries)})"


def _examples_table(compared: ComparedAnswers) -> Table:
    columns: list[Column[AnswerExample]] = [
        TextColumn("Query", lambda each: each.query),
        TextColumn("Kind", lambda each: each.kind),
        TextColumn(compared.baseline, lambda each: each.baseline),
        TextColumn(compared.candidate, lambda each: each.candidate),
    ]
    caption = f"Queries that {compared.candidate} answers most differently than {compared.baseline}"
    return build_table(caption, columns, compared.examples)
