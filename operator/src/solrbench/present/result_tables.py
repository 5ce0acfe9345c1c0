"""The results of a benchmark as tables: every figure, intervals, and the rows of the page."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from operator import attrgetter
from typing import NamedTuple

from solrbench.api.v1alpha1 import Spec
from solrbench.api.v1alpha1.conditions import ResultField, Unit
from solrbench.api.v1alpha1.findings import Bottleneck, StepVerdict
from solrbench.api.v1alpha1.server_metrics import StepTelemetry
from solrbench.api.v1alpha1.status import Status
from solrbench.api.v1alpha1.step_details import StepVisibility
from solrbench.api.v1alpha1.step_result import (
    RESULT_FIELDS,
    ColumnGroup,
    Interval,
    PercentileResult,
    ResultColumn,
    StepResult,
)
from solrbench.present.fact_tables import step_text, verdict_of
from solrbench.present.table import (
    Cell,
    Column,
    NameColumn,
    NumberColumn,
    Table,
    TextColumn,
    build_table,
    conclusion,
)
from solrbench.stats.number_format import (
    format_milliseconds,
    format_number,
    format_percent,
    format_range,
    format_share,
)

_CLOSED: Mapping[str, ResultField] = {each.shown.columns.closed: each for each in RESULT_FIELDS}
_OPEN: Mapping[str, ResultField] = {each.shown.columns.open: each for each in RESULT_FIELDS}

_HIDEABLE = frozenset(
    column
    for column in ResultColumn
    if column in {ResultColumn.VARIANT, ResultColumn.DOCUMENTS, ResultColumn.GOODPUT}
    or (column in _CLOSED) is not (column in _OPEN)
)
"""Columns that are left out where they are empty: what not all benchmarks, or loops, have."""

INTERVAL_NOTE = (
    "In brackets: 95 % confidence interval, from how blocks of time and repeats differ; none where"
    " too few seconds or requests of the step are independent"
)

_FEW = 2
"""Repeats whose difference says next to nothing of a third: Student's t is 12.7."""


def name_resource(found: Bottleneck) -> str:
    """Return what held a step back; of what a single repeat shows, that it perhaps did."""
    return found.resource if found.suspected is None else f"perhaps {found.suspected}"


def results_with_totals(status: Status) -> list[StepResult]:
    """Return the results of each step, then its totals if they are not those of its only name.

    Where a status has no room for single request names, totals are all that it has.
    """
    steps = dict.fromkeys(result.step for result in (*status.results, *status.totals))
    return [result for step in steps for part in _step_results(status, step) for result in part]


def _step_results(status: Status, step: str) -> tuple[list[StepResult], list[StepResult]]:
    """Return the results of a step, and its totals unless it has a single request name."""
    results, totals = (
        [each for each in found if each.step == step] for found in (status.results, status.totals)
    )
    # One name is its own total.
    names = {result.request for result in results if not result.is_transaction}
    return results, [] if len(names) == 1 else totals


def results_table(results: Sequence[StepResult], verdicts: Sequence[StepVerdict] = ()) -> Table:
    """Return a row for each result with every figure, and the verdict on its step."""

    def read(result: StepResult, column: ResultColumn) -> str | None:
        if column is not ResultColumn.VERDICT:
            return format_cell(result, column)
        verdict = verdict_of(result, verdicts)
        return None if verdict is None else verdict.verdict

    columns = [
        _column_type(column)(
            column, partial(read, column=column), part=list(ColumnGroup).index(column.group)
        )
        for column in ResultColumn
    ]
    table = build_table("Results", columns, results, results_note(results))
    return table.without_empty_columns(_HIDEABLE)


def _column_type(column: ResultColumn) -> type[Column[StepResult]]:
    if column.group is ColumnGroup.NAMES:
        return NameColumn
    return NumberColumn if column.is_number else TextColumn


def format_cell(result: StepResult, column: ResultColumn) -> str:
    """Return what a column shows of a result, with its unit; empty if it was not measured."""
    field = (_OPEN if result.is_open_loop else _CLOSED).get(column)
    value = None if field is None else getattr(result, field.name)
    if field is None or value is None:
        return ""
    match field.shown.unit:
        case Unit.NONE:
            return str(value)
        case Unit.MILLISECONDS | Unit.SECONDS as unit:
            return format_milliseconds(value * 1000 / unit.divisor)
        case Unit.PERCENT:
            return format_percent(value)
        case Unit.FAILURES:
            return format_share(value, result.requests)
        case _:
            return format_number(value)


def results_note(results: Sequence[StepResult]) -> str:
    """Return what a reader has to know of the times in a table."""
    kinds = {result.is_open_loop for result in results}
    times, start = "Times are service times", "response times, from the intended start of each"
    if kinds == {True}:
        times = f"Times are {start} request"
    elif kinds != {False}:
        times += f"; in steps with a planned rate {start} request"
    deviation = " SD: standard deviation between repeats, in % of their mean."
    return (
        f"{times}. Percentiles come from merged histograms."
        f"{deviation if any(each.repeats > 1 for each in results) else ''}"
    )


def percents_of(results: Iterable[StepResult]) -> list[float]:
    """Return the percentiles that any result has, ascending."""
    return sorted({percentile.percent for result in results for percentile in result.percentiles})


def percent_label(percent: float) -> str:
    """Return the title of a percentile, such as P99.9."""
    return f"P{percent:g}"


def percentile_of(found: StepResult | StepVisibility, percent: float) -> PercentileResult | None:
    """Return one of the chosen percentiles; None if there is none of it."""
    return next((each for each in found.percentiles if each.percent == percent), None)


def with_bounds(
    value: float | None,
    lower: float | None,
    upper: float | None,
    *,
    show: Callable[[float], str] = format_number,
) -> str | None:
    """Return `12 (10 to 15)`, or the value alone without bounds; None without a value."""
    if value is None:
        return None
    bounds = format_range(lower, upper, show)
    return f"{show(value)} ({bounds})" if bounds else show(value)


class _Estimated(NamedTuple):
    """What has an interval: the title of its column, and how both are read; None is not known."""

    title: str
    read: Callable[[StepResult], tuple[float | None, Interval | None]]
    is_time: bool = True
    """Whether it is a time, in milliseconds."""


def _average(result: StepResult) -> tuple[float | None, Interval | None]:
    if result.is_open_loop:
        average = result.response_average_milliseconds
        return average, result.response_average_milliseconds_interval
    return result.average_milliseconds, result.average_milliseconds_interval


def _percentile(percent: float, result: StepResult) -> tuple[float | None, Interval | None]:
    found = percentile_of(result, percent)
    return (None, None) if found is None else (found.milliseconds, found.interval)


def _estimated(percents: Iterable[float]) -> list[_Estimated]:
    rate = attrgetter("requests_per_second", "requests_per_second_interval")
    documents = attrgetter("documents_per_second", "documents_per_second_interval")
    return [
        _Estimated("Requests/s", rate, is_time=False),
        _Estimated(ResultColumn.DOCUMENTS, documents, is_time=False),
        _Estimated("Mean", _average),
        *(_Estimated(percent_label(each), partial(_percentile, each)) for each in percents),
    ]


def intervals_table(results: Sequence[StepResult]) -> Table:
    """Return rates, means and percentiles with their intervals in brackets behind them."""
    percents = percents_of(results)
    columns: list[Column[StepResult]] = [
        NameColumn(ResultColumn.STEP, lambda result: result.step),
        NameColumn(ResultColumn.VARIANT, lambda result: result.variant),
        NameColumn(ResultColumn.REQUEST, lambda result: result.request),
        *(NumberColumn(e.title, partial(_with_interval, e)) for e in _estimated(percents)),
    ]
    # Without a request there are no percentiles, and no intervals.
    few = f", ({_FEW} repeats) where two repeats differ too much for a useful one"
    note = INTERVAL_NOTE + (few if any(each.repeats == _FEW for each in results) else "") + "."
    table = build_table("Intervals", columns, results if percents else (), note)
    return table.without_empty_columns({ResultColumn.VARIANT, ResultColumn.DOCUMENTS})


def _with_interval(figure: _Estimated, result: StepResult) -> str | None:
    value, interval = figure.read(result)
    if value is None:
        return None
    few = ""
    # With two repeats Student's t is 12.7: the interval would be wider than the number.
    if interval is not None and result.repeats == _FEW and interval.upper - interval.lower > value:
        few, interval = f" ({_FEW} repeats)", None
    number, bounds, unit = _texts(value, interval, is_time=figure.is_time)
    return f"{number}{f' ({bounds})' if bounds else few}{unit}"


def _texts(value: float, interval: Interval | None, *, is_time: bool) -> tuple[str, str, str]:
    """Return number, bounds if there are any, and the unit of all: seconds if they reach one."""
    highest = value if interval is None else interval.upper
    divisor, unit = (1000.0, " s") if highest >= 1000 else (1.0, " ms")
    if not is_time:
        divisor, unit = 1.0, ""
    bounds = ""
    if interval is not None:
        bounds = format_range(interval.lower / divisor, interval.upper / divisor)
    return format_number(value / divisor), bounds, unit


_DETAIL_NOTE = INTERVAL_NOTE.replace("In brackets", "Below the numbers").split(";")[0]


def summary_table(status: Status) -> Table:
    """Return a row for each step and variant with what is asked first; 100 columns hold it."""
    results = status.totals or status.results
    names = "Step", "Variant", "Requests", "Failures", "Verdict"
    kept = {*names, "Requests/s", "SD requests/s", "Documents/s", "Mean"}
    figures = results_table(results, status.verdicts).with_columns(kept)
    percents = percents_of(results)
    if not percents:
        return figures.without_empty_columns()
    # `load.percentiles` need not have the p95.
    tail = percent_label(min(percents, key=lambda percent: abs(percent - 95)))
    tails = intervals_table(results).with_columns({tail})
    titles = {
        "Requests/s": "Req/s",
        "SD requests/s": "SD",
        "Documents/s": "Docs/s",
        tail: f"{tail} (95 % CI)",
    }
    columns = [
        replace(each, part=0, title=titles.get(each.title, each.title))
        for each in (*figures.columns, *tails.columns)
    ]
    rows = [[*row, *tail] for row, tail in zip(figures.rows, tails.rows, strict=True)]
    table = Table("Results", columns, rows).without_empty_columns()
    deviation = " SD: of requests/s over repeats." if "SD" in table.head else ""
    return replace(table, note=f"{figures.note.partition('. ')[0]}.{deviation}")


def overview_table(spec: Spec, status: Status) -> Table:
    """Return all steps at a glance: a row for each step and variant that is stored."""
    loads = {step.name: step_text(step) for step in spec.load.steps}

    def verdict(result: StepResult) -> Cell | None:
        found = verdict_of(result, status.verdicts)
        if found is None:
            return None
        return conclusion(found.verdict, ", ".join(each.reason for each in found.reasons))

    def bottleneck(result: StepResult) -> Cell | None:
        found = [each for each in status.bottlenecks if _is_of(each, result)]
        return Cell(name_resource(found[0]), found[0].server or "") if found else None

    def cores(result: StepResult) -> float | None:
        found = (each.cpu_cores for each in status.telemetry if _is_of(each, result))
        return next((each for each in found if each is not None), None)

    columns: list[Column[StepResult]] = [
        NameColumn("Step", lambda total: Cell(total.step, loads.get(total.step, ""))),
        NameColumn("Variant", lambda total: total.variant),
        TextColumn("Verdict", verdict),
        TextColumn("Bottleneck", bottleneck),
        *_figure_columns(status.totals),
        NumberColumn("SD rate", lambda e: e.requests_per_second_deviation_percent, format_percent),
        NumberColumn("Solr CPU", cores, format_number),
    ]
    used = " Solr CPU: cores used by all its nodes." if status.telemetry else ""
    note = f"{results_note(status.totals)} SD rate: of the requests/s.{used} {_DETAIL_NOTE}."
    caption = "All requests of each step"
    return build_table(caption, columns, status.totals, note).without_empty_columns()


def _is_of(found: StepTelemetry | Bottleneck, result: StepResult) -> bool:
    return (found.step, found.variant) == (result.step, result.variant)


def step_table(status: Status, step: str) -> Table:
    """Return a row for each request name of a step, then the totals of each variant."""
    results, totals = _step_results(status, step)
    shown = [*results, *totals]
    columns: list[Column[StepResult]] = [
        NameColumn(
            "Request",
            lambda result: Cell(result.request, "transaction" if result.is_transaction else ""),
        ),
        NameColumn("Variant", lambda result: result.variant),
        *_figure_columns(shown),
    ]
    table = build_table(f"Requests of step {step}", columns, shown).without_empty_columns()
    return replace(table, totals=frozenset(range(len(results), len(shown))))


def _figure_columns(results: Iterable[StepResult]) -> Iterator[Column[StepResult]]:
    """Yield counts, the rate and times; intervals stand below the numbers."""
    yield NumberColumn("Requests", lambda result: f"{result.requests:,}")
    yield NumberColumn("Failures", _failures)
    yield NumberColumn("Late", lambda result: format_cell(result, ResultColumn.LATE))
    yield NumberColumn("Dropped", lambda result: format_cell(result, ResultColumn.DROPPED))
    for figure in _estimated(percents_of(results)):
        yield NumberColumn(figure.title, partial(_above_interval, figure))
    yield NumberColumn(
        "Max",
        lambda result: (
            result.response_max_milliseconds if result.is_open_loop else result.max_milliseconds
        ),
        format_milliseconds,
    )


def _failures(result: StepResult) -> Cell:
    if not result.failures:
        return Cell("0")
    return Cell(f"{result.failures:,}", format_share(result.failures, result.requests), "bad")


def _above_interval(figure: _Estimated, result: StepResult) -> Cell | None:
    value, interval = figure.read(result)
    if value is None:
        return None
    number, bounds, unit = _texts(value, interval, is_time=figure.is_time)
    return Cell(f"{number}{unit}", f"{bounds}{unit}" if bounds else "")
