"""Tables of results: all steps at a glance, and each step with its request names and totals."""

from collections.abc import Sequence

from solrbench.api.v1alpha1 import Spec
from solrbench.api.v1alpha1.status.bottleneck import Bottleneck
from solrbench.api.v1alpha1.status.status import Status
from solrbench.api.v1alpha1.status.steps.step_result import Column as Titles
from solrbench.api.v1alpha1.status.steps.step_result import StepResult
from solrbench.api.v1alpha1.status.telemetry import StepTelemetry
from solrbench.report.page.cells import (
    Cell,
    Column,
    HtmlTable,
    average_cell,
    max_cell,
    percentile_cell,
    rate_cell,
    word_cell,
)
from solrbench.results.stats.number_format import format_number, format_percent, format_share
from solrbench.results.text.benchmark_facts import step_text
from solrbench.results.text.columns import format_cell
from solrbench.results.text.interval_table import INTERVAL_NOTE, percent_label, percents_of
from solrbench.results.text.results_markdown import table_note
from solrbench.results.text.verdict_text import verdict_of

_INTERVALS = INTERVAL_NOTE.replace("In brackets 95 %", "Below the numbers 95 %").split(";")[0]


def overview_table(spec: Spec, status: Status) -> HtmlTable | None:
    """Return one row for each step and variant; None before the first one is stored."""
    if not status.totals:
        return None
    loads = {step.name: step_text(step) for step in spec.load.steps}
    rows = [
        [
            Cell(each.step, loads.get(each.step, "")),
            Cell(each.variant or ""),
            _verdict(each, status),
            _bottleneck(each, status),
            *_count_cells(each),
            *_time_cells(each, percents_of(status.totals)),
            _deviation(each),
            _cores(each, status),
        ]
        for each in status.totals
    ]
    columns = [
        Column("Step", is_number=False),
        Column("Variant", is_number=False),
        Column("Verdict", is_number=False),
        Column("Held back by", is_number=False),
        *_count_columns(),
        *_time_columns(percents_of(status.totals)),
        Column("± rate"),
        Column("Solr CPU"),
    ]
    cores = " Solr CPU: cores used by all its nodes." if status.telemetry else ""
    note = f"{table_note(status.totals)} ± rate: of the requests/s.{cores} {_INTERVALS}."
    return HtmlTable("All requests of each step", columns, rows, 2, note).without_empty_columns()


def _cores(result: StepResult, status: Status) -> Cell:
    """Return the cores that Solr used; empty if not measured."""
    found = [each.cpu_cores for each in status.telemetry if _is_of(each, result)]
    cores = [format_number(each) for each in found if each is not None]
    return Cell(cores[0] if cores else "")


def _bottleneck(result: StepResult, status: Status) -> Cell:
    """Return what held the step back, and where; empty if servers were not read."""
    found = [each for each in status.bottlenecks if _is_of(each, result)]
    return Cell(found[0].resource, found[0].server or "") if found else Cell("")


def _is_of(found: StepTelemetry | Bottleneck, result: StepResult) -> bool:
    return (found.step, found.variant) == (result.step, result.variant)


def step_table(status: Status, step: str) -> HtmlTable:
    """Return one row for each request name of a step, then the totals of each variant."""
    results = [each for each in status.results if each.step == step]
    totals = [each for each in status.totals if each.step == step]
    names = {each.request for each in results if not each.is_transaction}
    if len(names) < 2:
        totals = []  # one name is its own total
    shown = [*results, *totals]
    percents = percents_of(shown)
    rows = [
        [
            Cell(each.request, "transaction" if each.is_transaction else ""),
            Cell(each.variant or ""),
            *_count_cells(each),
            *_time_cells(each, percents),
        ]
        for each in shown
    ]
    columns = [
        Column("Request", is_number=False),
        Column("Variant", is_number=False),
        *_count_columns(),
        *_time_columns(percents),
    ]
    sums = frozenset(range(len(results), len(shown)))
    table = HtmlTable(f"Requests of step {step}", columns, rows, 2, totals=sums)
    return table.without_empty_columns()


def _count_columns() -> list[Column]:
    return [Column("Requests"), Column("Failures"), Column("Late"), Column("Dropped")]


def _count_cells(result: StepResult) -> list[Cell]:
    failures = Cell(
        f"{result.failures:,}",
        format_share(result.failures, result.requests) if result.failures else "",
        "bad" if result.failures else "",
    )
    late, dropped = (format_cell(result, each) for each in (Titles.LATE, Titles.DROPPED))
    return [
        Cell(f"{result.requests:,}"),
        failures,
        Cell(late),
        Cell(dropped),
    ]


def _time_columns(percents: Sequence[float]) -> list[Column]:
    labels = ("Requests/s", "Average", *(percent_label(each) for each in percents), "Max")
    return [Column(label) for label in labels]


def _time_cells(result: StepResult, percents: Sequence[float]) -> list[Cell]:
    return [
        rate_cell(result),
        average_cell(result),
        *(percentile_cell(result, each) for each in percents),
        max_cell(result),
    ]


def _deviation(result: StepResult) -> Cell:
    found = result.requests_per_second_deviation_percent
    return Cell("" if found is None else format_percent(found))


def _verdict(result: StepResult, status: Status) -> Cell:
    found = verdict_of(result, status.verdicts)
    if found is None:
        return Cell("")
    return Cell(
        found.verdict, ", ".join(e.reason for e in found.reasons), word_cell(found.verdict).mark
    )
