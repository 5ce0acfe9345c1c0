import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solrbench.query_log.entry import LogEntry
from solrbench.query_log.ordering import sort_by_time
from solrbench.query_log.query_file import query_lines
from solrbench.query_log.statistics import LogStatistics


def entries(*times: float) -> list[LogEntry]:
    return [LogEntry(time, "/select", (("q", f"{time:g}"),)) for time in times]


def count(*times: float) -> LogStatistics:
    found = LogStatistics()
    for entry in entries(*times):
        found.add(entry)
    return found


def test_quiet_seconds_count_in_quantiles_and_mean() -> None:
    found = count(10, 10.5, 10.9, 13.2)
    assert (found.requests, found.seconds, found.mean_requests_per_second) == (4, 4, 1)
    assert [found.rate_quantile(q) for q in (25, 50, 75, 99, 100)] == [0, 0, 1, 3, 3]


@settings(max_examples=50)
@given(st.lists(st.integers(0, 200), min_size=1), st.integers(1, 60))
def test_busiest_time_holds_the_most_requests(times: list[int], width: int) -> None:
    most = max(sum(begin <= time < begin + width for time in times) for begin in times)
    assert count(*times).busiest(width).requests_per_second * width == pytest.approx(most)


def test_busiest_time_says_when() -> None:
    assert count(0, 100, 101, 102, 200).busiest(3).begin_seconds == 100


def test_shapes_are_bounded() -> None:
    found = LogStatistics()
    for number in range(10_010):
        found.add(LogEntry(number, f"/h{number}", ()))
    assert found.mix(1) == [("others", 10)]


def test_lines_out_of_order_are_sorted_within_the_window() -> None:
    times = [number * 0.1 for number in range(500)]
    shuffled = sorted(times, key=lambda time: time + random.Random(time).random() * 5)
    assert shuffled != times
    found = [entry.time_seconds for entry in sort_by_time(entries(*shuffled), window_seconds=10)]
    assert found == times


def test_what_comes_too_late_gets_the_time_of_the_one_before() -> None:
    found = [entry.time_seconds for entry in sort_by_time(entries(0, 100, 1), window_seconds=10)]
    assert found == [0, 1, 100]
    found = [entry.time_seconds for entry in sort_by_time(entries(5, 100, 1), window_seconds=10)]
    assert found == [5, 5, 100]


def test_few_requests_are_held() -> None:
    found = list(sort_by_time(entries(*range(100)), window_seconds=1e9, most_held=10))
    assert [entry.time_seconds for entry in found] == list(range(100))


def test_query_file_begins_at_zero_and_leaves_out_what_is_not_the_query() -> None:
    entry = LogEntry(7.5, "/select", (("q", "a"), ("fq", "b"), ("fq", "c"), ("wt", "json")))
    lines = list(query_lines([*entries(5), entry]))
    assert [json.loads(line) for line in lines] == [
        {"time": 0, "params": {"q": "5"}},
        {"time": 2.5, "params": {"q": "a", "fq": ["b", "c"]}},
    ]
