import json
import random
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solrbench.query_log.formats import (
    LogEntry,
    LogFormat,
    guess_format,
    parse_access,
    parse_json,
    parse_lines,
    parse_solr,
)
from solrbench.query_log.statistics import LogStatistics, query_lines, sort_by_time
from support.narrowing import not_none
from support.solr.log_lines import ACCESS, SOLR

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC).timestamp()


def test_solr_request_came_its_query_time_before_it_was_logged() -> None:
    found = not_none(parse_solr(SOLR))
    assert found.time_seconds == pytest.approx(NOON)
    assert found.handler == "/select"
    assert found.parameters == (("q", "a b"), ("fq", "x:1"), ("fq", "y:{2}"), ("wt", "json"))
    assert found.shape == "/select fq&q&wt"


def test_handlers_whose_names_only_begin_like_those_of_solr_are_queries() -> None:
    assert parse_solr(SOLR.replace("path=/select", "path=/get-books")) is not None
    assert parse_solr(SOLR.replace("path=/select", "path=/get")) is None


def test_a_request_may_have_any_number_of_parameters() -> None:
    found = not_none(parse_solr(SOLR.replace("q=a+b", "q=a" + "&fq=x:1" * 1500)))
    assert len(found.parameters) == 1504


@pytest.mark.parametrize(
    "line",
    [
        "",
        "2026-05-01 12:00:00.250 INFO  (main) [] o.a.s.c.CoreContainer started",
        SOLR.replace("q=a+b", "q=a&isShard=true"),
        SOLR.replace("q=a+b", "q=a&distrib=false"),
        SOLR.replace("path=/select", "path=/update"),
        SOLR.replace("path=/select", "path=/admin/ping"),
        SOLR.replace("2026-05-01", "2026-05-41"),
        SOLR.replace("QTime=250", f"QTime={10**17}"),
        SOLR.replace("QTime=250", f"QTime={10**400}"),
    ],
)
def test_lines_that_are_no_query_of_a_client_are_left_out(line: str) -> None:
    assert parse_solr(line) is None


def test_query_of_an_access_log_has_handler_parameters_and_zone() -> None:
    assert parse_access(ACCESS) == LogEntry(NOON, "/select", (("q", "a"), ("rows", "5")))


@pytest.mark.parametrize(
    "line",
    [
        ACCESS.replace("GET", "POST"),
        ACCESS.replace("/solr/films/select?q=a&rows=5", "/"),
        ACCESS.replace("/solr/films", "//[/solr/films"),
        ACCESS.replace("/select?", "/update?"),
        ACCESS.replace("/solr/films/select", "/solr/admin/metrics"),
        ACCESS.replace("01/May/2026", "yesterday"),
        ACCESS.replace("q=a", "distrib=false"),
    ],
)
def test_other_lines_of_an_access_log_are_left_out(line: str) -> None:
    assert parse_access(line) is None


def test_requests_of_one_second_are_spread_over_it() -> None:
    later = ACCESS.replace("14:00:00", "14:00:01")
    found = list(parse_lines([ACCESS, ACCESS, later], LogFormat.COMBINED))
    assert [entry.time_seconds - NOON for entry in found] == [0, 0.5, 1]


def test_json_line_has_time_and_parameters() -> None:
    line = '{"time": "2026-05-01T12:00:00Z", "params": {"q": "a", "fq": ["b", "c"], "facet": true}}'
    # As a replay sends them.
    wanted = (("q", "a"), ("fq", "b"), ("fq", "c"), ("facet", "true"))
    assert parse_json(line) == LogEntry(NOON, "/select", wanted)
    assert parse_json('{"params": {"q": "a"}}') is None
    assert parse_json("[]") is None
    assert parse_json('{"time": "yesterday", "params": {"q": "a"}}') is None
    assert parse_json(f'{{"time": 1{"0" * 400}, "params": {{"q": "a"}}}}') is None
    assert parse_json('{"time": 1, "params": ' + "[" * 100_000) is None


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        (SOLR, LogFormat.SOLR),
        (ACCESS, LogFormat.COMBINED),
        ('{"time": 1, "params": {"q": "a"}}', LogFormat.JSONL),
        ("hello", None),
    ],
)
def test_format_is_found_out(line: str, kind: LogFormat | None) -> None:
    assert guess_format(["something else", line]) is kind


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
    found = count(*times)
    width = min(width, found.seconds)
    assert found.busiest(width).requests_per_second * width == pytest.approx(most)


def test_busiest_time_says_when() -> None:
    assert count(0, 100, 101, 102, 200).busiest(3).begin_seconds == 100


def test_busiest_time_of_a_shorter_log_is_not_below_its_mean() -> None:
    found = count(0, 0.4, 0.9, 1.3)
    assert found.busiest(60).requests_per_second == found.mean_requests_per_second == 2


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
    found = list(sort_by_time(entries(*range(100)), window_seconds=1e9, max_held=10))
    assert [entry.time_seconds for entry in found] == list(range(100))


def test_query_file_begins_at_zero_and_leaves_out_what_is_not_the_query() -> None:
    entry = LogEntry(7.5, "/select", (("q", "a"), ("fq", "b"), ("fq", "c"), ("wt", "json")))
    lines = list(query_lines([*entries(5), entry]))
    assert [json.loads(line) for line in lines] == [
        {"time": 0, "params": {"q": "5"}},
        {"time": 2.5, "params": {"q": "a", "fq": ["b", "c"]}},
    ]


def test_written_lines_keep_bodies_and_send_by_post_what_is_too_long_for_an_address() -> None:
    body = {"params": {"debug": "timing"}, "json": {"query": "a"}, "name": "cart", "expect": {}}
    parts: list[dict[str, Any]] = [body, {"json": {"query": "b"}}, {"params": {"q": "c" * 900}}]
    read = [parse_json(json.dumps(part | {"time": 7})) for part in parts]
    written = [json.loads(line) for line in query_lines(each for each in read if each is not None)]
    parts[1] |= {"params": {}}
    parts[2] |= {"method": "POST"}
    assert written == [{"time": 0, **part} for part in parts]
