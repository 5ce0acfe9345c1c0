"""After which time replicas found the marked documents of each step."""

from collections.abc import Callable, Sequence

from solrbench.api.v1alpha1.findings import StepVisibility
from solrbench.api.v1alpha1.step_result import PercentileResult
from solrbench.present.table import Column, NameColumn, NumberColumn, Table, TextColumn, build_table
from solrbench.stats.number_format import format_milliseconds

VISIBILITY_NOTE = (
    "From the response to an update until a replica finds the document by itself, with 95 %"
    " intervals, over all repeats. Not found: within timeoutSeconds; these are in no percentile."
    " Known to: by how much 95 % of the times may be wrong at most, as replicas are asked now and"
    " then; the intervals hold it."
)


def _percentile(percent: float) -> Callable[[StepVisibility], str]:
    def text(entry: StepVisibility) -> str:
        found = next((each for each in entry.percentiles if each.percent == percent), None)
        return "" if found is None else _with_interval(found)

    return text


def _with_interval(found: PercentileResult) -> str:
    shown = format_milliseconds(found.milliseconds)
    lower, upper = found.lower_milliseconds, found.upper_milliseconds
    if lower is None or upper is None:
        return shown
    return f"{shown} ({format_milliseconds(lower)} to {format_milliseconds(upper)})"


_COLUMNS: Sequence[Column[StepVisibility]] = (
    NameColumn("Step", lambda entry: entry.step),
    NameColumn("Variant", lambda entry: entry.variant),
    NameColumn("Replicas", lambda entry: entry.replica_type),
    NumberColumn("Found", lambda entry: entry.documents),
    NumberColumn("Not found", lambda entry: entry.not_found),
    TextColumn("p50", _percentile(50)),
    TextColumn("p95", _percentile(95)),
    TextColumn("p99", _percentile(99)),
    NumberColumn("Max", lambda entry: entry.max_milliseconds, format_milliseconds),
    NumberColumn("Known to", lambda entry: entry.error_milliseconds, format_milliseconds),
    TextColumn("Problem", lambda entry: entry.problem),
)


def visibility_table(entries: Sequence[StepVisibility]) -> Table:
    """Return a row for each step, variant and replica type, with the columns that have a text."""
    table = build_table("Time until found", _COLUMNS, entries, VISIBILITY_NOTE)
    return table.without_empty_columns()
