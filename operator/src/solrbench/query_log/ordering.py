"""Requests sorted by time, in bounded memory."""

import heapq
from collections.abc import Iterable, Iterator
from dataclasses import replace

from solrbench.query_log.entry import LogEntry

WINDOW_SECONDS = 120.0
"""Lines that are out of order by no more than this are sorted; a request is logged when it ends."""

MOST_HELD = 1_000_000


def sort_by_time(
    entries: Iterable[LogEntry],
    window_seconds: float = WINDOW_SECONDS,
    most_held: int = MOST_HELD,
) -> Iterator[LogEntry]:
    """Yield requests in the order of their times.

    Those of the last `window_seconds` are held, at most so many. One that comes even later gets the
    time of the request before it.
    """
    held: list[tuple[float, int, LogEntry]] = []
    newest = last = float("-inf")
    for number, entry in enumerate(entries):
        heapq.heappush(held, (entry.time_seconds, number, entry))
        newest = max(newest, entry.time_seconds)
        while held and (held[0][0] < newest - window_seconds or len(held) > most_held):
            following = _not_before(heapq.heappop(held)[2], last)
            last = following.time_seconds
            yield following
    while held:
        following = _not_before(heapq.heappop(held)[2], last)
        last = following.time_seconds
        yield following


def _not_before(entry: LogEntry, time_seconds: float) -> LogEntry:
    if entry.time_seconds >= time_seconds:
        return entry
    return replace(entry, time_seconds=time_seconds)
