"""Figures of steps, request names and indexing of points beside the baseline, in words too."""

from collections import Counter

from solrbench.analysis.metrics import read_figure
from solrbench.analysis.sentences import CONCLUSIONS, difference_sentence, name_figure
from solrbench.api.v1alpha1.comparisons import Conclusion
from solrbench.present.comparison_tables import DECIDES, FigureRow, figure_columns
from solrbench.present.sweeps.point_tables import changed_values
from solrbench.present.sweeps.report import SweepReport
from solrbench.present.sweeps.tables import MAX_ROWS, objectives_sentence
from solrbench.present.table import NameColumn, Table, build_table

_DIFFERENCES_NOTE = (
    "All figures of all points are one family, corrected by the rule of Benjamini and Hochberg: of"
    " the conclusions that stand here, few are false. Intervals are those of each figure alone."
    f" The figure with{DECIDES} is that of the objective: its conclusion and interval hold for all"
    " points together."
)


def differences_table(report: SweepReport) -> Table:
    """Return each figure of each point beside its baseline, those that differ most if many."""
    rows = _figure_rows(report)
    shown = {id(row) for row in sorted(rows, key=_rank)[:MAX_ROWS]}
    most = f"The {MAX_ROWS} of {len(rows):,} rows that differ most; -o json has all. "
    columns = [NameColumn[FigureRow]("Point", lambda row: row.point)]
    return build_table(
        "Steps beside the baseline",
        [*columns, *figure_columns(side="This point")],
        [row for row in rows if id(row) in shown],
        most * (len(rows) > MAX_ROWS) + _DIFFERENCES_NOTE,
    ).without_empty_columns()


def _figure_rows(report: SweepReport) -> list[FigureRow]:
    """Return each figure of each point beside its baseline."""
    return [
        FigureRow(stored, read_figure(stored), changed_values(point, report.baseline))
        for point in report.points
        for stored in point.figures
    ]


def _rank(row: FigureRow) -> tuple[bool, float]:
    """Return the place of a figure among others: what is better or worse first, by its size."""
    differs = row.difference.conclusion in (Conclusion.BETTER, Conclusion.WORSE)
    return not differs, -abs(row.difference.estimate)


_MAX_SENTENCES = 5


def differences_sentences(report: SweepReport) -> list[str]:
    """Return how many other figures than that of the objective differ, and by how much most do."""
    rows = [row for row in _figure_rows(report) if not row.stored.primary]
    counts = Counter(row.difference.conclusion for row in rows)
    if counts.keys() <= {None}:
        return []
    words = ", ".join(
        f"{counts[word]} {CONCLUSIONS[word]}" for word in (*Conclusion, None) if counts[word]
    )
    different = counts[Conclusion.BETTER] + counts[Conclusion.WORSE]
    furthest = sorted(rows, key=_rank)[: min(_MAX_SENTENCES, different)]
    text = f"Of {len(rows)} other figures of steps, request names and indexing: {words}."
    if furthest:
        text += " Those that differ most follow."
    return [text, *map(_figure_sentence, furthest)]


def _figure_sentence(row: FigureRow) -> str:
    stored = row.stored
    figure = name_figure(row.difference.metric.label, stored.request or "")
    where = f" in {stored.step}" if stored.step else ""
    where += f" through {stored.variant}" if stored.variant else ""
    invalid = " (Invalid)" if stored.invalid else ""
    return difference_sentence(
        f"{row.point}{invalid}: {figure}{where}", row.difference, "in the baseline"
    )


def page_answers(report: SweepReport) -> list[str]:
    """Return all sentences: those of the status, of the other figures, and of objectives."""
    answers = [*report.status.answers, *differences_sentences(report), objectives_sentence(report)]
    return [each for each in answers if each]
