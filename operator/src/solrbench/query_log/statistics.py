"""Rates and mix of a query log, and the file that a step replays.

Requests are sorted by time in bounded memory; the file has one line of JSON for each.
"""

import heapq
import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, NamedTuple

from solrbench.query_log.formats import LogEntry

MAX_SHAPES = 10_000
"""Kinds of requests that are counted apart; all further ones are counted together."""

OTHERS = "others"


class BusiestTime(NamedTuple):
    """The time in which most requests came, and their rate; it begins at a Unix time."""

    begin_seconds: float
    requests_per_second: float


@dataclass
class LogStatistics:
    """Counts of a log, of which only one number for each second is kept; times are Unix times."""

    requests: int = 0
    first_seconds: float = math.inf
    last_seconds: float = -math.inf
    _by_second: Counter[int] = field(default_factory=Counter)
    _shapes: Counter[str] = field(default_factory=Counter)

    def add(self, entry: LogEntry) -> None:
        """Count a request."""
        self.requests += 1
        self.first_seconds = min(self.first_seconds, entry.time_seconds)
        self.last_seconds = max(self.last_seconds, entry.time_seconds)
        self._by_second[math.floor(entry.time_seconds)] += 1
        shape = entry.shape
        # Each request may have names of its own: what is kept must not grow with the log.
        known = shape in self._shapes or len(self._shapes) < MAX_SHAPES
        self._shapes[shape if known else OTHERS] += 1

    @property
    def seconds(self) -> int:
        """Whole seconds from the first request to the last, both included."""
        if not self.requests:
            return 0
        return math.floor(self.last_seconds) - math.floor(self.first_seconds) + 1

    @property
    def mean_requests_per_second(self) -> float:
        """Mean over all seconds."""
        return self.requests / self.seconds if self.requests else 0.0

    def rate_quantile(self, percent: float) -> int:
        """Return the requests of a second that so many per cent of all seconds do not exceed."""
        rank = math.ceil(percent / 100 * self.seconds)
        # Seconds without a request are not counted one by one, but they come first in the order.
        quiet = self.seconds - len(self._by_second)
        if rank <= quiet:
            return 0
        return sorted(self._by_second.values())[rank - quiet - 1]

    def busiest(self, width_seconds: int) -> BusiestTime:
        """Return the busiest time of so many seconds, or of a log that is shorter than these.

        It begins with a request.
        """
        seconds = sorted(self._by_second)
        best, best_begin, inside, tail = 0, 0, 0, 0
        for second in seconds:
            inside += self._by_second[second]
            while seconds[tail] <= second - width_seconds:
                inside -= self._by_second[seconds[tail]]
                tail += 1
            if inside > best:
                best, best_begin = inside, seconds[tail]
        # What came before and after a log is unknown, not nothing.
        return BusiestTime(float(best_begin), best / max(min(width_seconds, self.seconds), 1))

    def mix(self, most: int) -> list[tuple[str, int]]:
        """Return the most frequent kinds of requests and their numbers, most frequent first."""
        return self._shapes.most_common(most)


WINDOW_SECONDS = 120.0
"""Lines that are out of order by no more than this are sorted; a request is logged when it ends."""

MAX_HELD_REQUESTS = 1_000_000


def sort_by_time(
    entries: Iterable[LogEntry],
    window_seconds: float = WINDOW_SECONDS,
    max_held: int = MAX_HELD_REQUESTS,
) -> Iterator[LogEntry]:
    """Yield requests in the order of their times.

    Those of the last `window_seconds` are held, at most so many. One that comes even later gets the
    time of the request before it.
    """
    # The number keeps requests of one time in their order, and entries from being compared.
    held: list[tuple[float, int, LogEntry]] = []
    newest = last = float("-inf")
    for number, entry in enumerate(chain(entries, (None,))):
        if entry is not None:
            heapq.heappush(held, (entry.time_seconds, number, entry))
            newest = max(newest, entry.time_seconds)
        oldest = newest - window_seconds
        while held and (entry is None or held[0][0] < oldest or len(held) > max_held):
            following = heapq.heappop(held)[2]
            if following.time_seconds < last:
                following = replace(following, time_seconds=last)
            last = following.time_seconds
            yield following


_TRANSPORT = frozenset({"wt", "indent", "NOW", "rid", "shards.purpose", "_"})
"""Parameters that belong to the client that was logged, not to the query."""

_LONGEST_GET = 600
"""Characters of parameters, of up to 12 bytes each when encoded: Solr takes 8 KiB in an address."""


def query_lines(entries: Iterable[LogEntry]) -> Iterator[str]:
    """Yield a line for each request, with its time in seconds since the first one."""
    first = None
    for entry in entries:
        first = entry.time_seconds if first is None else first
        by_name: dict[str, list[str]] = {}
        for name, value in entry.parameters:
            if name not in _TRANSPORT:
                by_name.setdefault(name, []).append(value)
        single = {name: texts[0] if len(texts) == 1 else texts for name, texts in by_name.items()}
        line: dict[str, Any] = {"time": round(entry.time_seconds - first, 6), "params": single}
        line |= entry.rest or {}
        if "json" not in line and sum(map(len, chain(*entry.parameters))) > _LONGEST_GET:
            line.setdefault("method", "POST")
        yield json.dumps(line, ensure_ascii=False, separators=(",", ":"))
