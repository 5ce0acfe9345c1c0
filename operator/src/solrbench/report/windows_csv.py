"""The numbers over time as CSV: a line for each window of each request name."""

import csv
import io
from collections.abc import Iterable, Iterator

from solrbench.results.model.step_result import StepRunResult

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
