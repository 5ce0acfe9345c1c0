"""Rates and mix of a query log."""

import math
from collections import Counter
from dataclasses import dataclass, field

from solrbench.query_log.entry import LogEntry

MOST_SHAPES = 10_000
"""Kinds of requests that are counted apart; all further ones are counted together."""

OTHERS = "others"


@dataclass(frozen=True)
class BusiestTime:
    """The time in which most requests came.

    Attributes:
        begin_seconds: Unix time at which it began
        requests_per_second: rate in it

    """

    begin_seconds: float
    requests_per_second: float


@dataclass
class LogStatistics:
    """Counts of a log, of which only one number for each second is kept.

    Attributes:
        requests: all of them
        first_seconds: Unix time of the first
        last_seconds: Unix time of the last

    """

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
        known = shape in self._shapes or len(self._shapes) < MOST_SHAPES
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
        quiet = self.seconds - len(self._by_second)
        if rank <= quiet:
            return 0
        return sorted(self._by_second.values())[rank - quiet - 1]

    def busiest(self, width_seconds: int) -> BusiestTime:
        """Return the busiest time of so many seconds, which begins with a request."""
        seconds = sorted(self._by_second)
        best, best_begin, inside, tail = 0, 0, 0, 0
        for second in seconds:
            inside += self._by_second[second]
            while seconds[tail] <= second - width_seconds:
                inside -= self._by_second[seconds[tail]]
                tail += 1
            if inside > best:
                best, best_begin = inside, seconds[tail]
        return BusiestTime(float(best_begin), best / width_seconds)

    def mix(self, most: int) -> list[tuple[str, int]]:
        """Return the most frequent kinds of requests and their numbers, most frequent first."""
        return self._shapes.most_common(most)
