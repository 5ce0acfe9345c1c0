"""Tables of results: all steps at a glance, and each step with its request names and totals.

Cells of the page's tables: a text, and below it what qualifies it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from solrbench.api.v1alpha1 import Spec
from solrbench.api.v1alpha1.findings import Bottleneck
from solrbench.api.v1alpha1.server_metrics import StepTelemetry
from solrbench.api.v1alpha1.status import Status
from solrbench.api.v1alpha1.step_result import Interval, PercentileResult, ResultColumn, StepResult
from solrbench.present.fact_tables import step_text, verdict_of
from solrbench.present.result_tables import INTERVAL_NOTE, percent_label, percents_of, table_note
from solrbench.present.table import TextTable, format_cell
from solrbench.stats.number_format import (
    format_milliseconds,
    format_number,
    format_percent,
    format_share,
)


@dataclass(frozen=True)
class Cell:
    """A cell.

    Attributes:
        text: what it shows
        detail: what stands below it in smaller letters
        mark: class of the style sheet, such as `invalid`
    """

    text: str
    detail: str = ""
    mark: str = ""


@dataclass(frozen=True)
class HtmlColumn:
    """A column: its title, and whether its cells are numbers."""

    title: str
    is_number: bool = True


@dataclass(frozen=True)
class HtmlTable:
    """A table of the page.

    Attributes:
        caption: what it shows
        columns: the columns
        rows: the cells
        names: how many columns, from the first on, are heads of their rows
        note: what a reader has to know
        totals: rows that sum up the others, by index
    """

    caption: str
    columns: Sequence[HtmlColumn]
    rows: Sequence[Sequence[Cell]]
    names: int = 1
    note: str = ""
    totals: frozenset[int] = frozenset()

    def without_empty_columns(self) -> "HtmlTable":
        """Return the table without the columns that are empty in every row."""
        kept = [i for i in range(len(self.columns)) if any(row[i].text for row in self.rows)]
        return HtmlTable(
            self.caption,
            [self.columns[i] for i in kept],
            [[row[i] for i in kept] for row in self.rows],
            sum(i < self.names for i in kept),
            self.note,
            self.totals,
        )


_CONCLUSION_TITLES = frozenset({"Word", "Verdict", "Result", "State"})
"""Columns of such words."""

_MARKS = {
    "Invalid": "bad",
    "Valid": "good",
    "Worse": "bad",
    "Better": "good",
    "Missed": "bad",
    "Met": "good",
    "Failed": "bad",
}
"""Marks of cells that consist of such a word, which says it to readers without colours, too."""


def conclusion_cell(text: str) -> Cell:
    """Return the cell of a verdict or another word, such as `Worse on this target`."""
    return Cell(text, mark=_MARKS.get(text.partition(" ")[0], ""))


def html_table(table: TextTable) -> HtmlTable:
    """Return a table of texts."""
    columns = [HtmlColumn(title, table.is_number(i)) for i, title in enumerate(table.head)]
    words = {i for i, title in enumerate(table.head) if title in _CONCLUSION_TITLES}
    rows = [
        [conclusion_cell(text) if i in words else Cell(text) for i, text in enumerate(row)]
        for row in table.rows
    ]
    return HtmlTable(table.caption, columns, rows, table.names, table.note)


def rate_cell(result: StepResult) -> Cell:
    """Return the rate with its interval."""
    requests_per_second_interval = result.requests_per_second_interval
    detail = "" if requests_per_second_interval is None else _range(requests_per_second_interval)
    return Cell(format_number(result.requests_per_second), detail)


def average_cell(result: StepResult) -> Cell:
    """Return the mean of the times that users see, with its interval."""
    if result.is_open_loop:
        value = result.response_average_milliseconds
        return _time(value, result.response_average_milliseconds_interval)
    return _time(result.average_milliseconds, result.average_milliseconds_interval)


def max_cell(result: StepResult) -> Cell:
    """Return the longest of the times that users see."""
    longest = result.response_max_milliseconds if result.is_open_loop else result.max_milliseconds
    return _time(longest, None)


def percentile_cell(result: StepResult, percent: float) -> Cell:
    """Return one of the chosen percentiles with its interval; empty if the result lacks it."""
    percentile = next(
        (
            percentile_result
            for percentile_result in result.percentiles
            if percentile_result.percent == percent
        ),
        None,
    )
    return Cell("") if percentile is None else _time(percentile.milliseconds, _bounds(percentile))


def _bounds(found: PercentileResult) -> Interval | None:
    lower, upper = found.lower_milliseconds, found.upper_milliseconds
    return None if lower is None or upper is None else Interval(lower=lower, upper=upper)


def _time(milliseconds: float | None, interval: Interval | None) -> Cell:
    if milliseconds is None:
        return Cell("")
    if interval is None:
        return Cell(format_milliseconds(milliseconds))
    # One unit for both bounds.
    unit, scale = ("s", 1000) if interval.upper >= 1000 else ("ms", 1)
    scaled = Interval(lower=interval.lower / scale, upper=interval.upper / scale)
    return Cell(format_milliseconds(milliseconds), f"{_range(scaled)} {unit}")


def _range(interval: Interval) -> str:
    return f"{format_number(interval.lower)}-{format_number(interval.upper)}"


_INTERVALS = INTERVAL_NOTE.replace("In brackets 95 %", "Below the numbers 95 %").split(";")[0]


def overview_table(spec: Spec, status: Status) -> HtmlTable | None:
    """Return one row for each step and variant; None before the first one is stored."""
    if not status.totals:
        return None
    loads = {step.name: step_text(step) for step in spec.load.steps}
    rows = [
        [
            Cell(total.step, loads.get(total.step, "")),
            Cell(total.variant or ""),
            _verdict(total, status),
            _bottleneck(total, status),
            *_count_cells(total),
            *_time_cells(total, percents_of(status.totals)),
            _deviation(total),
            _cores(total, status),
        ]
        for total in status.totals
    ]
    columns = [
        HtmlColumn("Step", is_number=False),
        HtmlColumn("Variant", is_number=False),
        HtmlColumn("Verdict", is_number=False),
        HtmlColumn("Held back by", is_number=False),
        *_count_columns(),
        *_time_columns(percents_of(status.totals)),
        HtmlColumn("± rate"),
        HtmlColumn("Solr CPU"),
    ]
    cores = " Solr CPU: cores used by all its nodes." if status.telemetry else ""
    note = f"{table_note(status.totals)} ± rate: of the requests/s.{cores} {_INTERVALS}."
    return HtmlTable("All requests of each step", columns, rows, 2, note).without_empty_columns()


def _cores(result: StepResult, status: Status) -> Cell:
    """Return the cores that Solr used; empty if not measured."""
    used_cores = [each.cpu_cores for each in status.telemetry if _is_of(each, result)]
    cores = [format_number(each) for each in used_cores if each is not None]
    return Cell(cores[0] if cores else "")


def _bottleneck(result: StepResult, status: Status) -> Cell:
    """Return what held the step back, and where; empty if servers were not read."""
    bottlenecks = [bottleneck for bottleneck in status.bottlenecks if _is_of(bottleneck, result)]
    return Cell(bottlenecks[0].resource, bottlenecks[0].server or "") if bottlenecks else Cell("")


def _is_of(found: StepTelemetry | Bottleneck, result: StepResult) -> bool:
    return (found.step, found.variant) == (result.step, result.variant)


def step_table(status: Status, step: str) -> HtmlTable:
    """Return one row for each request name of a step, then the totals of each variant."""
    results = [result for result in status.results if result.step == step]
    totals = [result for result in status.totals if result.step == step]
    names = {result.request for result in results if not result.is_transaction}
    if len(names) < 2:
        totals = []  # one name is its own total
    shown = [*results, *totals]
    percents = percents_of(shown)
    rows = [
        [
            Cell(result.request, "transaction" if result.is_transaction else ""),
            Cell(result.variant or ""),
            *_count_cells(result),
            *_time_cells(result, percents),
        ]
        for result in shown
    ]
    columns = [
        HtmlColumn("Request", is_number=False),
        HtmlColumn("Variant", is_number=False),
        *_count_columns(),
        *_time_columns(percents),
    ]
    sums = frozenset(range(len(results), len(shown)))
    table = HtmlTable(f"Requests of step {step}", columns, rows, 2, totals=sums)
    return table.without_empty_columns()


def _count_columns() -> list[HtmlColumn]:
    return [
        HtmlColumn("Requests"),
        HtmlColumn("Failures"),
        HtmlColumn("Late"),
        HtmlColumn("Dropped"),
    ]


def _count_cells(result: StepResult) -> list[Cell]:
    failures = Cell(
        f"{result.failures:,}",
        format_share(result.failures, result.requests) if result.failures else "",
        "bad" if result.failures else "",
    )
    late, dropped = (
        format_cell(result, column) for column in (ResultColumn.LATE, ResultColumn.DROPPED)
    )
    return [
        Cell(f"{result.requests:,}"),
        failures,
        Cell(late),
        Cell(dropped),
    ]


def _time_columns(percents: Sequence[float]) -> list[HtmlColumn]:
    labels = ("Requests/s", "Average", *(percent_label(percent) for percent in percents), "Max")
    return [HtmlColumn(label) for label in labels]


def _time_cells(result: StepResult, percents: Sequence[float]) -> list[Cell]:
    return [
        rate_cell(result),
        average_cell(result),
        *(percentile_cell(result, percent) for percent in percents),
        max_cell(result),
    ]


def _deviation(result: StepResult) -> Cell:
    deviation = result.requests_per_second_deviation_percent
    return Cell("" if deviation is None else format_percent(deviation))


def _verdict(result: StepResult, status: Status) -> Cell:
    verdict = verdict_of(result, status.verdicts)
    if verdict is None:
        return Cell("")
    return Cell(
        verdict.verdict,
        ", ".join(e.reason for e in verdict.reasons),
        conclusion_cell(verdict.verdict).mark,
    )
