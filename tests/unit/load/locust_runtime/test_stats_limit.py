"""Locust's statistics stay small; its own classes would patch the process."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from solrbench.load.locust_runtime.stats_limit import KEPT_SECONDS, MOST_HISTORY, limit_stats


@dataclass
class Entry:
    last_request_timestamp: float | None = None
    num_reqs_per_sec: dict[int, int] = field(default_factory=dict)
    num_fail_per_sec: dict[int, int] = field(default_factory=dict)


@dataclass
class Stats:
    total: Entry = field(default_factory=Entry)
    entries: Mapping[tuple[str, str], Entry] = field(default_factory=dict)
    history: list[dict[str, Any]] = field(default_factory=list)


def counted(seconds: int) -> Entry:
    return Entry(seconds - 0.5, dict.fromkeys(range(seconds), 7), {0: 1, seconds - 1: 2})


def test_seconds_that_the_page_no_longer_shows_are_dropped() -> None:
    stats = Stats(counted(4000), {("query", "step"): counted(4000)})
    limit_stats(stats)
    for entry in (stats.total, stats.entries["query", "step"]):
        assert min(entry.num_reqs_per_sec) == 4000 - KEPT_SECONDS
        assert max(entry.num_reqs_per_sec) == 3999
        assert entry.num_fail_per_sec == {3999: 2}


def test_history_gets_thinner_and_keeps_its_ends() -> None:
    stats = Stats()
    for second in range(17_280):
        stats.history.append({"second": second})
        limit_stats(stats)
    history = [each["second"] for each in stats.history]
    assert len(history) <= MOST_HISTORY
    assert (history[0], history[-1]) == (0, 17_279)
    assert history == sorted(history)


def test_statistics_without_requests_stay() -> None:
    stats = Stats(history=[{"second": 1}])
    limit_stats(stats)
    assert stats == Stats(history=[{"second": 1}])
