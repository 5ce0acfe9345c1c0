"""The points of a sweep as CSV: raw numbers, under names with their units."""

import csv
import io

from solrbench.report.sweep.model import PointReport, SweepReport

_FIGURES = (
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
    writer = csv.DictWriter(out, [*head, *_DIFFERENCES, *_FIGURES, *_COST], lineterminator="\n")
    writer.writeheader()
    for each in report.points:
        writer.writerow(_cells(each, report))
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
        **{name: getattr(result, name) for name in _FIGURES},
    }
