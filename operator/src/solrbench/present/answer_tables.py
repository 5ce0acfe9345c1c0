"""Answers of two sides as tables: how many differ by kind, and the queries that changed most."""

from collections.abc import Callable, Sequence

from solrbench.analysis.answers.comparison import AnswerExample, ComparedAnswers
from solrbench.api.v1alpha1.comparisons import AnswerComparison
from solrbench.present.table import (
    Cell,
    Column,
    NameColumn,
    NumberColumn,
    Table,
    TextColumn,
    build_table,
)
from solrbench.stats.number_format import format_share

ANSWERS = "Answers to queries"
_NOTE = (
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
        *(NumberColumn(title, _reader(field), "{:,}".format) for title, field in _KINDS.items()),
        NumberColumn("Not compared", lambda each: each.skipped or None, "{:,}".format),
    ]
    notes = [note for each in compared for note in (*each.notes, each.not_compared) if note]
    text = " ".join([_NOTE, *(f"{note}." for note in dict.fromkeys(notes))])
    return build_table(ANSWERS, columns, compared, text).without_empty_columns()


_KINDS = {
    "Errors": "errors",
    "numFound": "num_found",
    "Missing documents": "missing_documents",
    "Order": "order",
    "Facets": "facets",
    "Scores": "scores",
}


def _reader(field: str) -> Callable[[AnswerComparison], int | None]:
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
