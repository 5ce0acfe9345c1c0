"""Results as CSV: raw numbers, under names with their units."""

import csv
import io
from collections.abc import Iterable, Sequence

from solrbench.api.v1alpha1.status.steps.intervals import Interval
from solrbench.api.v1alpha1.status.steps.step_result import RESULT_FIELDS, StepResult
from solrbench.api.v1alpha1.status.verdicts import StepVerdict
from solrbench.results.text.interval_table import percents_of
from solrbench.results.text.verdict_text import verdict_of

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
        found = verdict_of(result, verdicts)
        reasons = " ".join(each.reason for each in found.reasons) if found else ""
        verdict = {"verdict": found.verdict if found else "", "reasons": reasons}
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
    for name in (each.name for each in RESULT_FIELDS if each.name != _LIST):
        value = getattr(result, name)
        if isinstance(value, Interval):
            cells |= dict(zip(_columns(name), (value.lower, value.upper), strict=True))
        elif not name.endswith(_PAIR):
            cells[name] = value
    for found in result.percentiles:
        numbers = (found.milliseconds, found.lower_milliseconds, found.upper_milliseconds)
        cells |= dict(zip(_percentile(found.percent), numbers, strict=True))
    return cells


def _columns(name: str) -> Iterable[str]:
    stem = name.removesuffix(_PAIR)
    return (f"{stem}_lower", f"{stem}_upper") if name.endswith(_PAIR) else (name,)


def _percentile(percent: float) -> tuple[str, str, str]:
    stem = f"percentile_{percent:g}".replace(".", "_")
    return f"{stem}_milliseconds", f"{stem}_lower_milliseconds", f"{stem}_upper_milliseconds"
