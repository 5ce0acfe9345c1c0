"""What happened within step runs, as tables: cold start, steadiness, outliers, visibility."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from functools import partial

from solrbench.analysis.cold_start import CurvePoint, cold_start
from solrbench.api.v1alpha1.step_details import StepVisibility
from solrbench.contract.step_document import StepRunResult
from solrbench.contract.windows import OutlierWindow
from solrbench.present.result_tables import percentile_of, with_bounds
from solrbench.present.table import Column, NameColumn, NumberColumn, Table, TextColumn, build_table
from solrbench.stats.number_format import format_milliseconds, format_number, format_percent
from solrbench.stats.outliers import worst

_FIRST_ROWS, _LATER_ROWS = 30, 20
"""Rows of the curve: the first ones, and as many as that spread over the rest."""

_MAX_OUTLIERS = 50
_BAR = 20
"""Characters of the longest bar."""


def _warm_up(document: StepRunResult) -> str:
    emptied = "" if document.emptied_caches is None else "caches emptied"
    if not document.warm_up_requests:
        return emptied
    ended = {None: "", True: ", steady", False: ", never steady"}[document.warm_up_steady]
    sent = f"{document.warm_up_requests} requests{ended}"
    return f"{emptied}, {sent}" if emptied else sent


def _second(time: datetime) -> str:
    return f"{time.astimezone(UTC):%Y-%m-%d %H:%M:%S}"


_STEADINESS_COLUMNS: Sequence[Column[StepRunResult]] = (
    NameColumn("Step run", lambda document: document.id),
    TextColumn("Started (UTC)", lambda document: document.start_time, _second),
    TextColumn("Warm-up", _warm_up),
    NumberColumn("Steady from", lambda document: document.steady_from_second, "{} s".format),
    NumberColumn("Outliers", lambda document: document.outlier_windows),
)
_STEADINESS_NOTE = (
    "Steady from: second from which service times were stationary (MSER); empty where they"
    " never became so, or where the step run was too short to decide."
)


def steadiness_table(documents: Sequence[StepRunResult]) -> Table:
    """Return a row for each step run that has windows."""
    known = [document for document in documents if document.outlier_windows is not None]
    return build_table("Steadiness", _STEADINESS_COLUMNS, known, _STEADINESS_NOTE)


def whole_note(documents: Iterable[StepRunResult]) -> str:
    """Return where series and files of trimmed step runs are; empty if none was trimmed."""
    whole = next((each.exported for each in documents if each.exported is not None), None)
    if whole is None:
        return ""
    return (
        f"Series over time and diagnostic files are only in the export {whole.location}"
        f" (SHA-256 of its SHA256SUMS: {whole.sha256}). Read a copy of this folder in place of the"
        " cluster: solrbench report ./FOLDER"
    )


def cold_start_columns(caches: Sequence[str]) -> list[Column[CurvePoint]]:
    """Return the columns of the first requests, thousand by thousand, and of Solr's caches."""
    return [
        NameColumn("Thousand", lambda point: point.number),
        TextColumn("Part", lambda point: "warm-up" if point.warm_up else "step"),
        NumberColumn("Time", lambda point: 1000 * point.window.seconds, format_milliseconds),
        NumberColumn("Mean", lambda e: e.window.mean_microseconds / 1000, format_milliseconds),
        NumberColumn("Max", lambda e: e.window.max_microseconds / 1000, format_milliseconds),
        NumberColumn("Failures", lambda point: point.window.failures),
        *(
            NumberColumn(cache, partial(_hits, cache), lambda ratio: format_percent(100 * ratio))
            for cache in caches
        ),
    ]


def _hits(cache: str, point: CurvePoint) -> float | None:
    return point.hit_ratios.get(cache)


def thinned(points: Sequence[CurvePoint], first: int, later: int) -> list[CurvePoint]:
    """Return the first points, where caches fill, and about `later` of the many others."""
    rest = points[first:]
    stride = -(-len(rest) // later) or 1
    return [*points[:first], *rest[stride - 1 :: stride]]


def cold_start_table(document: StepRunResult) -> Table:
    """Return the first thousands of requests of a step run, and some of the later ones."""
    points = cold_start(document)
    caches = sorted({cache for point in points for cache in point.hit_ratios})
    # As if the last window had been whole: it may be shorter.
    times = {e.number: e.window.seconds * 1000 / e.window.requests for e in points}
    longest = max(times.values(), default=0.0)

    def bar(point: CurvePoint) -> str:
        seconds = times[point.number]
        length = round(_BAR * seconds / longest) if longest else 0
        return f"{'█' * length} {format_milliseconds(1000 * seconds)}"

    columns = [*cold_start_columns(caches), TextColumn[CurvePoint]("Time per 1000", bar)]
    note = (
        f"From the first request of {document.id} on, its warm-up included. The columns of"
        " caches are hits in percent of the lookups in the seconds around."
    )
    return build_table("Cold start", columns, thinned(points, _FIRST_ROWS, _LATER_ROWS), note)


_OUTLIER_COLUMNS: Sequence[Column[tuple[StepRunResult, OutlierWindow]]] = (
    NameColumn("Step run", lambda pair: pair[0].id),
    TextColumn("Time (UTC)", lambda pair: pair[1].time, _second),
    NumberColumn("Second", lambda pair: pair[1].second),
    NumberColumn("Requests", lambda pair: pair[1].requests),
    NumberColumn("Mean", lambda pair: _mean(pair[1].mean_microseconds)),
    NumberColumn("Median", lambda pair: pair[1].median_microseconds / 1000, format_milliseconds),
    NumberColumn("Deviations", lambda pair: pair[1].deviations, format_number),
)


def _mean(microseconds: float | None) -> str:
    return "no responses" if microseconds is None else format_milliseconds(microseconds / 1000)


def outlier_table(documents: Sequence[StepRunResult]) -> Table:
    """Return a row for each of the farthest outliers; without rows if there is none."""
    outliers = [(document, outlier) for document in documents for outlier in document.outliers]
    # By identity: equal outliers of two repeats are two rows.
    chosen = {id(each) for each in worst([outlier for _, outlier in outliers], _MAX_OUTLIERS)}
    shown = [(document, outlier) for document, outlier in outliers if id(outlier) in chosen]
    total = sum(document.outlier_windows or 0 for document in documents)
    note = (
        f"{len(shown)} of {total} outliers: seconds, of steps of more than an hour windows of 10 s"
        " and longer, in which the mean service time is more than 5 scaled median absolute"
        " deviations from the median of the step run, or no request completed."
    )
    return build_table("Outliers", _OUTLIER_COLUMNS, shown, note)


VISIBILITY_NOTE = (
    "From the response to an update until a replica finds the document by itself, with 95 %"
    " intervals, over all repeats. Not found: within timeoutSeconds; these count as longer,"
    " so that percentiles and bounds beyond the share that was found are absent."
    " Known to: by how much 95 % of the times may be wrong at most, as replicas are asked now and"
    " then; the intervals hold it."
)


def _percentile(percent: float, entry: StepVisibility) -> str | None:
    found = percentile_of(entry, percent)
    if found is None:
        return None
    bounds = found.lower_milliseconds, found.upper_milliseconds
    return with_bounds(found.milliseconds, *bounds, show=format_milliseconds)


_VISIBILITY_COLUMNS: Sequence[Column[StepVisibility]] = (
    NameColumn("Step", lambda entry: entry.step),
    NameColumn("Variant", lambda entry: entry.variant),
    NameColumn("Replicas", lambda entry: entry.replica_type),
    NumberColumn("Found", lambda entry: entry.documents),
    NumberColumn("Not found", lambda entry: entry.not_found),
    TextColumn("p50", partial(_percentile, 50)),
    TextColumn("p95", partial(_percentile, 95)),
    TextColumn("p99", partial(_percentile, 99)),
    NumberColumn("Max", lambda entry: entry.max_milliseconds, format_milliseconds),
    NumberColumn("Known to", lambda entry: entry.error_milliseconds, format_milliseconds),
    TextColumn("Problem", lambda entry: entry.problem),
)


def visibility_table(entries: Sequence[StepVisibility]) -> Table:
    """Return a row for each step, variant and replica type, with the columns that have a text."""
    table = build_table("Time until found", _VISIBILITY_COLUMNS, entries, VISIBILITY_NOTE)
    return table.without_empty_columns()
