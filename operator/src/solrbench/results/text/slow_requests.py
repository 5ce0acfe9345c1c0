"""The slowest requests of each name over all stored step runs, as lines of text."""

from collections.abc import Iterable
from typing import NamedTuple

from solrbench.results.model.step_result import SlowRequest, StepRunResult
from solrbench.results.stats.number_format import format_milliseconds

SLOW_NOTE = (
    "Service time, what Solr says it took (QTime), seconds since the step began to be measured,"
    " node, and what was requested; QTime and node where they are known."
)


class _Found(NamedTuple):
    request: str
    document: StepRunResult
    slow: SlowRequest


def slow_lines(documents: Iterable[StepRunResult], most: int) -> list[str]:
    """Return up to `most` lines for each request name, the slowest first."""
    by_name: dict[str, list[_Found]] = {}
    for document in documents:
        for result in document.requests:
            found = [_Found(result.request, document, slow) for slow in result.slow_requests]
            by_name.setdefault(result.request, []).extend(found)
    return [
        _line(each)
        for _, found in sorted(by_name.items())
        for each in sorted(found, key=lambda f: -f.slow.service_time_microseconds)[:most]
    ]


def _line(found: _Found) -> str:
    request, document, slow = found
    variant = f" through {document.variant}" if document.variant else ""
    failed = f", {slow.failure}" if slow.failure else ""
    qtime = "" if slow.qtime_milliseconds is None else f" (QTime {slow.qtime_milliseconds} ms)"
    node = "" if slow.node is None else f", {slow.node}"
    return (
        f"{request}: {format_milliseconds(slow.service_time_microseconds / 1000)}{qtime}{failed}"
        f" in {document.step}{variant}, repeat {document.repeat}, {slow.second:.1f} s"
        f"{node}: {slow.query}"
    )
