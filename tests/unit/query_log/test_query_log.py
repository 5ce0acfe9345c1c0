from datetime import UTC, datetime

import pytest

from solrbench.query_log.entry import LogEntry
from solrbench.query_log.formats import (
    LogFormat,
    guess_format,
    parse_access,
    parse_json,
    parse_lines,
    parse_solr,
)
from support.solr.log_lines import ACCESS, SOLR

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC).timestamp()


def test_solr_request_came_its_query_time_before_it_was_logged() -> None:
    found = parse_solr(SOLR)
    assert found is not None
    assert found.time_seconds == pytest.approx(NOON)
    assert found.handler == "/select"
    assert found.parameters == (("q", "a b"), ("fq", "x:1"), ("fq", "y:{2}"), ("wt", "json"))
    assert found.shape == "/select fq&q&wt"


@pytest.mark.parametrize(
    "line",
    [
        "",
        "2026-05-01 12:00:00.250 INFO  (main) [] o.a.s.c.CoreContainer started",
        SOLR.replace("q=a+b", "q=a&isShard=true"),
        SOLR.replace("q=a+b", "q=a&distrib=false"),
        SOLR.replace("path=/select", "path=/update"),
        SOLR.replace("path=/select", "path=/admin/ping"),
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
        ACCESS.replace("/select?", "/update?"),
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
    line = '{"time": "2026-05-01T12:00:00Z", "params": {"q": "a", "fq": ["b", "c"], "rows": 5}}'
    wanted = (("q", "a"), ("fq", "b"), ("fq", "c"), ("rows", "5"))
    assert parse_json(line) == LogEntry(NOON, "/select", wanted)
    assert parse_json('{"params": {"q": "a"}}') is None
    assert parse_json("[]") is None
    assert parse_json('{"time": "yesterday", "params": {"q": "a"}}') is None


def test_values_are_those_that_a_replay_sends() -> None:
    entry = parse_json('{"time": 1, "params": {"facet": true, "rows": 5, "fq": ["a", "b"]}}')
    assert entry is not None
    assert entry.parameters == (("facet", "true"), ("rows", "5"), ("fq", "a"), ("fq", "b"))


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
