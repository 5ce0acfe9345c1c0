"""Windows as Markdown: cold start, steadiness and outliers of the stored step runs."""

from collections.abc import Sequence
from datetime import UTC

from solrbench.analysis.cold_start import CurvePoint, cold_start, first_step_run
from solrbench.contract.step_document import StepRunResult
from solrbench.contract.windows import OutlierWindow
from solrbench.present.table import TextTable, table_to_markdown
from solrbench.stats.number_format import format_milliseconds, format_number, format_percent
from solrbench.stats.series import worst

_FIRST_ROWS, _LATER_ROWS = 30, 20
"""Rows of the curve: the first ones, and as many as that spread over the rest."""

_MAX_OUTLIERS = 50
_CURVE_TEXTS = frozenset({"Part", "Time per 1000"})
_BAR = 20
"""Characters of the longest bar."""


def windows_to_markdown(documents: Sequence[StepRunResult]) -> list[str]:
    """Return the sections on windows; none where no step run has any."""
    first = first_step_run(documents)
    if first is None:
        return []
    outliers = outlier_table(documents)
    return [
        *_section("## Steadiness", steadiness_table(documents)),
        *_curve(first),
        *(_section("## Outliers", outliers) if outliers.rows else []),
    ]


def _section(title: str, table: TextTable) -> list[str]:
    return [title, table_to_markdown(table), table.note]


def steadiness_table(documents: Sequence[StepRunResult]) -> TextTable:
    """Return a row for each step run that has windows."""
    head = ("Step run", "Started (UTC)", "Warm-up", "Steady from", "Outlier seconds")
    rows = [
        (
            document.id,
            f"{document.start_time.astimezone(UTC):%Y-%m-%d %H:%M:%S}",
            _warm_up(document),
            "" if document.steady_from_second is None else f"{document.steady_from_second} s",
            str(document.outlier_windows),
        )
        for document in documents
        if document.outlier_windows is not None
    ]
    note = (
        "Steady from: second from which service times were stationary (MSER); empty where they"
        " never became so, or where the step run was too short to decide."
    )
    return TextTable("Steadiness", head, rows, texts=frozenset(head[1:3]), note=note)


def _warm_up(document: StepRunResult) -> str:
    emptied = "" if document.emptied_caches is None else "caches emptied"
    if not document.warm_up_requests:
        return emptied
    ended = {None: "", True: ", steady", False: ", never steady"}[document.warm_up_steady]
    sent = f"{document.warm_up_requests} requests{ended}"
    return f"{emptied}, {sent}" if emptied else sent


def _curve(document: StepRunResult) -> list[str]:
    points = cold_start(document)
    if not points:
        return []
    caches = sorted({cache for point in points for cache in point.hit_ratios})
    longest = max(_seconds_per_thousand(point) for point in points)
    head = ("Thousand", "Part", "Time", "Mean", "Max", "Failures", *caches, "Time per 1000")
    rows = [_point(point, caches, longest) for point in _thinned(points)]
    note = (
        f"From the first request of `{document.id}` on, its warm-up included. The columns of"
        " caches are hits in percent of the lookups in the seconds around."
    )
    return _section(
        "## Cold start", TextTable("Cold start", head, rows, texts=_CURVE_TEXTS, note=note)
    )


def _point(point: CurvePoint, caches: Sequence[str], longest: float) -> tuple[str, ...]:
    window = point.window
    seconds = _seconds_per_thousand(point)
    length = round(_BAR * seconds / longest) if longest else 0
    ratios = (point.hit_ratios.get(cache) for cache in caches)
    return (
        str(point.number),
        "warm-up" if point.warm_up else "step",
        format_milliseconds(1000 * window.seconds),
        format_milliseconds(window.mean_microseconds / 1000),
        format_milliseconds(window.max_microseconds / 1000),
        str(window.failures),
        *("" if ratio is None else format_percent(100 * ratio) for ratio in ratios),
        f"{'█' * length} {format_milliseconds(1000 * seconds)}",
    )


def _seconds_per_thousand(point: CurvePoint) -> float:
    """Return the time of a window as if it had been whole: the last one may be shorter."""
    return point.window.seconds * 1000 / point.window.requests


def _thinned(points: Sequence[CurvePoint]) -> list[CurvePoint]:
    """Return the first points, where caches fill, and some of the many others."""
    rest = points[_FIRST_ROWS:]
    stride = -(-len(rest) // _LATER_ROWS) or 1
    return [*points[:_FIRST_ROWS], *rest[stride - 1 :: stride]]


def outlier_table(documents: Sequence[StepRunResult]) -> TextTable:
    """Return a row for each of the farthest outlier seconds; without rows if there is none."""
    outliers = [(document, outlier) for document in documents for outlier in document.outliers]
    chosen = {id(each) for each in worst([outlier for _, outlier in outliers], _MAX_OUTLIERS)}
    shown = [(document, outlier) for document, outlier in outliers if id(outlier) in chosen]
    total = sum(document.outlier_windows or 0 for document in documents)
    head = ("Step run", "Time (UTC)", "Second", "Requests", "Mean", "Median", "Deviations")
    note = (
        f"{len(shown)} of {total} outlier seconds: the mean service time is more than 5 scaled"
        " median absolute deviations from the median of the step run, or no request completed."
    )
    rows = [_outlier(*each) for each in shown]
    return TextTable("Outliers", head, rows, texts=frozenset(head[1:2]), note=note)


def _outlier(document: StepRunResult, outlier: OutlierWindow) -> tuple[str, ...]:
    mean, deviations = outlier.mean_microseconds, outlier.deviations
    return (
        document.id,
        f"{outlier.time.astimezone(UTC):%Y-%m-%d %H:%M:%S}",
        str(outlier.second),
        str(outlier.requests),
        "no responses" if mean is None else format_milliseconds(mean / 1000),
        format_milliseconds(outlier.median_microseconds / 1000),
        "" if deviations is None else format_number(deviations),
    )
