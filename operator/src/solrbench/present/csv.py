"""Results, windows and the points of a sweep as CSV: raw numbers, under names with their units."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from operator import attrgetter

from solrbench.api.v1alpha1.status import Status
from solrbench.api.v1alpha1.step_result import RESULT_FIELDS, StepResult
from solrbench.contract.second_series import SecondSums
from solrbench.contract.step_document import RequestResult, StepRunResult
from solrbench.present.fact_tables import verdict_of
from solrbench.present.result_tables import percentile_of, percents_of, results_with_totals
from solrbench.present.sweeps.report import PointReport, SweepReport
from solrbench.present.sweeps.tables import axis_column
from solrbench.present.table import Column, items_to_csv

_PAIR, _LIST = "_interval", "percentiles"
_TIMES = ("milliseconds", "lower_milliseconds", "upper_milliseconds")


def to_csv(status: Status) -> str:
    """Return a line for each result: two columns for an interval, three for a percentile."""
    results, verdicts = results_with_totals(status), status.verdicts
    columns: list[Column[StepResult]] = []
    for name in (field.name for field in RESULT_FIELDS):
        if name.endswith(_PAIR):
            columns += [_bound(name, side) for side in ("lower", "upper")]
        elif name != _LIST and (name != "variant" or any(each.variant for each in results)):
            columns.append(Column(name, attrgetter(name)))
    for percent in percents_of(results):
        columns += [_percentile(percent, field) for field in _TIMES]

    def reasons(result: StepResult) -> str:
        found = verdict_of(result, verdicts)
        return " ".join(reason.reason for reason in found.reasons) if found else ""

    columns += [
        Column("verdict", lambda each: getattr(verdict_of(each, verdicts), "verdict", "")),
        Column("reasons", reasons),
    ]
    return items_to_csv(columns, results)


def _bound(name: str, side: str) -> Column[StepResult]:
    title = f"{name.removesuffix(_PAIR)}_{side}"
    return Column(title, lambda result: getattr(getattr(result, name), side, None))


def _percentile(percent: float, field: str) -> Column[StepResult]:
    title = f"percentile_{percent:g}_".replace(".", "_") + field
    return Column(title, lambda result: getattr(percentile_of(result, percent), field, None))


_WINDOW_COLUMNS: Sequence[Column[tuple[StepRunResult, RequestResult, SecondSums]]] = (
    Column("step", lambda part: part[0].step),
    Column("variant", lambda part: part[0].variant),
    Column("repeat", lambda part: part[0].repeat),
    Column("request", lambda part: part[1].request),
    Column("second", lambda part: part[2].second),
    Column("seconds", lambda part: part[0].window_seconds),
    Column("requests", lambda part: part[2].requests),
    Column("failures", lambda part: part[2].failures),
    Column("mean_microseconds", lambda part: part[2].mean_microseconds),
    Column("max_microseconds", lambda part: part[2].max_microseconds),
)
"""`second` is when the window began, counted from the begin of measuring, `seconds` its width."""


def windows_to_csv(documents: Iterable[StepRunResult]) -> str:
    """Return a line for each window of each request name; those without requests are left out."""
    parts = (
        (document, result, window)
        for document in documents
        for result in document.requests
        for window in result.windows
    )
    return items_to_csv(_WINDOW_COLUMNS, parts)


_DIFFERENCE = ("difference_percent", "difference_lower_percent", "difference_upper_percent")
_RESULT = (
    *("value", "requests_per_second", "p95_milliseconds", "failed_percent", "repeats"),
    "deviation_percent",
)
_COST = (
    *("cores", "memory_bytes", "price_per_hour", "cost_per_million_requests"),
    *("cost_per_million_requests_lower", "cost_per_million_requests_upper"),
)


def points_to_csv(report: SweepReport) -> str:
    """Return a line for each point; the columns of axes begin with `axis_`."""
    columns: list[Column[PointReport]] = [
        Column("point", lambda point: point.name),
        Column("benchmark", lambda point: point.benchmark),
        *(replace(axis_column(axis), title=f"axis_{axis}") for axis in report.axes),
        Column("baseline", lambda point: point.baseline),
        Column("is_baseline", lambda point: str(point.is_baseline).lower()),
        *(Column(name, attrgetter(f"result.{name}")) for name in ("state", "reason", "conclusion")),
        Column("on_target", lambda point: "true" if point.result.on_target else ""),
        *(Column(name, attrgetter(name)) for name in _DIFFERENCE),
        *(Column(name, attrgetter(f"result.{name}")) for name in _RESULT),
        *(Column(name, attrgetter(name)) for name in _COST),
    ]
    return items_to_csv(columns, report.points)
