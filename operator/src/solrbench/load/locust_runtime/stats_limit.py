"""Keeps the statistics behind Locust's page small.

Locust keeps the requests of every second and a line of history every five seconds for as long as
it runs: of a day with ten names, 200 MB.
"""

from collections.abc import Callable, Mapping
from itertools import chain
from typing import Any, NoReturn, Protocol

KEPT_SECONDS = 120
"""Seconds of which single counts are kept; the page's current rate looks at the last twelve."""

MOST_HISTORY = 720
"""Lines of history; with more, every second one of the older half is dropped."""

CHECK_SECONDS = 30.0


class NameStats(Protocol):
    """`locust.stats.StatsEntry`: one name of a step."""

    last_request_timestamp: float | None
    num_reqs_per_sec: dict[int, int]
    num_fail_per_sec: dict[int, int]


class PageStats(Protocol):
    """`locust.stats.RequestStats`: all that the page shows. Importing it patches the process."""

    history: list[dict[str, Any]]

    @property
    def total(self) -> NameStats:
        """All names together."""

    @property
    def entries(self) -> Mapping[tuple[str, str], NameStats]:
        """Each name of each step."""


def limit_stats_forever(stats: PageStats, sleep: Callable[[float], object]) -> NoReturn:
    """Limit the statistics again and again; `sleep` waits for some seconds."""
    while True:
        limit_stats(stats)
        sleep(CHECK_SECONDS)


def limit_stats(stats: PageStats) -> None:
    """Drop what is older than the page shows."""
    for entry in chain([stats.total], stats.entries.values()):
        last = entry.last_request_timestamp
        if last is not None:
            for counts in (entry.num_reqs_per_sec, entry.num_fail_per_sec):
                for second in [each for each in counts if each < last - KEPT_SECONDS]:
                    del counts[second]
    if len(stats.history) > MOST_HISTORY:
        half = len(stats.history) // 2
        stats.history[:half] = stats.history[:half:2]
