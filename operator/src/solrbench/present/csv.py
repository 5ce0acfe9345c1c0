"""Results as CSV: raw numbers, under names with their units.

The numbers over time as CSV: a line for each window of each request name.

The points of a sweep as CSV: raw numbers, under names with their units.
"""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence

from solrbench.api.v1alpha1.findings import StepVerdict
from solrbench.api.v1alpha1.step_result import RESULT_FIELDS, Interval, StepResult
from solrbench.contract.step_document import StepRunResult
from solrbench.present.fact_tables import verdict_of
from solrbench.present.result_tables import percents_of
from solrbench.present.sweep_report import PointReport, SweepReport

_PAIR, _LIST = "_interval", "percentiles"

Cells = dict[str, object]


def to_csv(results: Sequence[StepResult], verdicts: Sequence[StepVerdict] = ()) -> str:
    """Return raw numbers with a header line; the unit is in each column's name.

    The last two columns are the verdict on the step and its reasons, without their numbers.
    """
    out = io.StringIO()
    fields = [*csv_columns(results), "verdict", "reasons"]
    writer = csv.DictWriter(out, fields, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for result in results:
        step_verdict = verdict_of(result, verdicts)
        reasons = " ".join(reason.reason for reason in step_verdict.reasons) if step_verdict else ""
        verdict = {"verdict": step_verdict.verdict if step_verdict else "", "reasons": reasons}
        writer.writerow(csv_cells(result) | verdict)
    return out.getvalue()


def csv_columns(results: Sequence[StepResult]) -> list[str]:
    """Return the columns: of an interval two, of percentiles three for each that was chosen.

    There is a column for the variant only if there are variants.
    """
    names = [each.name for each in RESULT_FIELDS if each.name != _LIST]
    if not any(result.variant for result in results):
        names.remove("variant")
    flat = [column for name in names for column in _columns(name)]
    return flat + [column for each in percents_of(results) for column in _percentile(each)]


def csv_cells(result: StepResult) -> Cells:
    """Return the cells of a result by column."""
    cells: Cells = {}
    for name in (field.name for field in RESULT_FIELDS if field.name != _LIST):
        value = getattr(result, name)
        if isinstance(value, Interval):
            cells |= dict(zip(_columns(name), (value.lower, value.upper), strict=True))
        elif not name.endswith(_PAIR):
            cells[name] = value
    for percentile in result.percentiles:
        numbers = (
            percentile.milliseconds,
            percentile.lower_milliseconds,
            percentile.upper_milliseconds,
        )
        cells |= dict(zip(_percentile(percentile.percent), numbers, strict=True))
    return cells


def _columns(name: str) -> Iterable[str]:
    stem = name.removesuffix(_PAIR)
    return (f"{stem}_lower", f"{stem}_upper") if name.endswith(_PAIR) else (name,)


def _percentile(percent: float) -> tuple[str, str, str]:
    stem = f"percentile_{percent:g}".replace(".", "_")
    return f"{stem}_milliseconds", f"{stem}_lower_milliseconds", f"{stem}_upper_milliseconds"


COLUMNS = (
    "step",
    "variant",
    "repeat",
    "request",
    "second",
    "seconds",
    "requests",
    "failures",
    "mean_microseconds",
    "max_microseconds",
)
"""`second` is when the window began, counted from the begin of measuring, `seconds` its width."""


def windows_to_csv(documents: Iterable[StepRunResult]) -> str:
    """Return every window with a header line; windows without requests are left out."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for document in documents:
        writer.writerows(_lines(document))
    return out.getvalue()


def _lines(document: StepRunResult) -> Iterator[tuple[object, ...]]:
    names = (document.step, document.variant, document.repeat)
    for result in document.requests:
        for window in result.windows:
            yield (
                *names,
                result.request,
                window.second,
                document.window_seconds,
                window.requests,
                window.failures,
                window.mean_microseconds,
                window.max_microseconds,
            )


_METRICS = (
    "requests_per_second",
    "p95_milliseconds",
    "failed_percent",
    "repeats",
    "deviation_percent",
)
_DIFFERENCES = ("difference_percent", "difference_lower_percent", "difference_upper_percent")
_COST = ("cores", "memory_bytes")


def points_to_csv(report: SweepReport) -> str:
    """Return a line for each point; the columns of axes begin with `axis_`."""
    axes = [f"axis_{name}" for name in report.axes]
    head = ["point", "benchmark", *axes, "is_baseline", "state", "reason", "word"]
    out = io.StringIO()
    writer = csv.DictWriter(out, [*head, *_DIFFERENCES, *_METRICS, *_COST], lineterminator="\n")
    writer.writeheader()
    for point in report.points:
        writer.writerow(_cells(point, report))
    return out.getvalue()


def _cells(point: PointReport, report: SweepReport) -> dict[str, object]:
    result = point.result
    return {
        "point": point.name,
        "benchmark": point.benchmark,
        **{f"axis_{name}": point.values.get(name, "") for name in report.axes},
        "is_baseline": str(point.is_baseline).lower(),
        "state": result.state,
        "reason": result.reason,
        "word": result.word,
        **{name: getattr(point, name) for name in (*_DIFFERENCES, *_COST)},
        **{name: getattr(result, name) for name in _METRICS},
    }
