"""Bad answers, silence and connections that end: each a failure of its kind."""

import time
from pathlib import Path
from typing import Any

import pytest

from solrbench.load.engine import timestamped_socket
from solrbench.load.engine.target import load_target, validate_response
from solrbench.load.workload.response_checks import (
    EMPTY_RESULT,
    EMPTY_WITHOUT_HEADER,
    NO_HEADER,
    RequestFailure,
    num_found,
)
from solrbench.stats.histograms import decode
from support.load.builders import (
    assignment,
    duty,
    expecting,
    kinds,
    mix_plan,
    only,
    run_step,
    target,
    write_lists,
)
from support.narrowing import not_none
from support.servers.http_server import GOOD, Exchange, HttpServer, Script, respond_after


def answer(found: object, docs: str = "[]") -> bytes:
    text = f'{{"responseHeader":{{"status":0,"QTime":1}},"response":{{"numFound":{found},"start":0'
    return f'{text},"docs":{docs}}}}}\n'.encode()


@pytest.mark.parametrize(
    ("expected", "body"),
    [
        ({"minNumFound": 3}, answer(3)),
        ({"maxNumFound": 3}, answer(3)),
        ({"minNumFound": 1, "maxNumFound": 1}, answer(1)),
        ({"contains": "é"}, answer(1, '["é"]')),
        ({"minNumFound": 10}, answer(1_000_000_000_000)),
    ],
)
def test_answers_as_expected(expected: dict[str, object], body: bytes) -> None:
    assert validate_response(expecting(**expected), 200, body) is None


@pytest.mark.parametrize(
    ("expected", "body", "message"),
    [
        ({"minNumFound": 3}, answer(2), "expected at least 3 documents, found 2: {"),
        ({"maxNumFound": 3}, answer(4), "expected at most 3 documents, found 4: {"),
        ({"contains": "x"}, answer(1), "expected the text 'x', found a response without: {"),
        (
            {"minNumFound": 0},
            b'{"responseHeader":{"status":0,"QTime":1}}',
            "expected a numFound, found a response without: {",
        ),
    ],
)
def test_unmet_expectations_say_what_was_found(
    expected: dict[str, object], body: bytes, message: str
) -> None:
    found = not_none(validate_response(expecting(**expected), 200, body))
    assert found.kind == "ExpectationFailed"
    assert found.message.startswith(message)


def test_a_broken_answer_is_broken_whatever_was_expected() -> None:
    found = not_none(validate_response(expecting(minNumFound=1), 503, b""))
    assert found.kind == "HTTP503"


HEADER = '{"responseHeader":{"status":0,"QTime":1},'
COMPARED = f'{HEADER}"match":{{"numFound":1,"docs":[{{"id":"a"}}]}},'
GROUPS = '{"matches":7,"groups":[{"groupValue":"a","doclist":{"numFound":3,"docs":[]}}]}'
LONG = '{"responseHeader":{"status":0,"params":{"q":"%s"}},"response":{"numFound":0,"docs":[]}}'


@pytest.mark.parametrize(
    ("body", "found", "remark"),
    [
        (answer(0), 0, EMPTY_RESULT),
        (answer(" 0"), 0, EMPTY_RESULT),
        (answer(10), 10, None),
        (answer(" 10"), 10, None),
        # Neither fields of documents nor stored text are the number of documents.
        (answer(5, '[{"matches":0}]'), 5, None),
        (answer(5, '[{"t":"say \\"numFound\\":0 aloud"}]'), 5, None),
        # The header may be as long as the query that it repeats.
        (LONG % ("word " * 2000), 0, EMPTY_RESULT),
        # Groups found what they match.
        (f'{HEADER}"grouped":{{"x_s":{{"matches":0,"groups":[]}}}}}}', 0, EMPTY_RESULT),
        (f'{HEADER}"grouped":{{"x_s":{GROUPS}}}}}', 7, None),
        (f'{HEADER}"grouped":{{"x_s":{{"matches":7,"doclist":{{"numFound":0}}}}}}}}', 7, None),
        # The document that others are compared with was found, too.
        (f'{COMPARED}"response":{{"numFound":0,"docs":[]}}}}', 0, EMPTY_RESULT),
        (f'{COMPARED}"response":{{"numFound":3,"docs":[]}}}}', 3, None),
        ('{"response":{"numFound":0,"docs":[]}}', 0, EMPTY_WITHOUT_HEADER),
        ('{"response":{"numFound":1,"docs":[]}}', 1, NO_HEADER),
    ],
)
def test_number_of_documents_decides_unless_an_expectation_fails(
    body: bytes | str, found: int, remark: RequestFailure | None
) -> None:
    body = body if isinstance(body, bytes) else body.encode()
    assert num_found(body) == found
    assert validate_response(expecting(), 200, body) is remark
    assert validate_response(expecting(maxNumFound=found), 200, body) is remark
    failed = not_none(validate_response(expecting(minNumFound=found + 1), 200, body))
    assert failed.kind == "ExpectationFailed"


def test_what_is_no_json_may_still_hold_a_text() -> None:
    request = expecting(contains="id,title")._replace(is_readable=False)
    assert validate_response(request, 200, b"id,title\n1,a\n") is None
    assert validate_response(request, 200, b"title\n") is not None


FILE = {"configMap": {"name": "d", "key": "lines"}}
POSTED = {"name": "add", "jsonBody": '[{"id": "1"}]'}


async def _unavailable(exchange: Exchange) -> None:
    exchange.send(b"down for a while", 503)


async def _close_the_second_time(exchange: Exchange) -> None:
    if exchange.on_connection == 0:
        exchange.send()
    else:
        exchange.close()


async def _reset_in_the_middle(exchange: Exchange) -> None:
    exchange.writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{")
    await exchange.writer.drain()
    exchange.close()


async def _no_http(exchange: Exchange) -> None:
    exchange.writer.write(b"220 mail ready\r\n\r\n")


@pytest.mark.parametrize(
    ("script", "kind", "part"),
    [
        (respond_after(60), "Timeout", "within 0.2 s"),
        (_unavailable, "HTTP503", "down for a while"),
        (_reset_in_the_middle, "ConnectionReset", "ended after"),
        (_no_http, "MalformedResponse", "not HTTP"),
    ],
)
async def test_bad_answers_are_failures_of_their_kind(script: Script, kind: str, part: str) -> None:
    async with HttpServer(script) as server:
        what = target(server.url, timeout_seconds=0.2)
        result = await run_step(what, assignment(users=2, requests=4))
    assert kinds(result) == {kind: 4}
    assert part in only(result).failure_kinds[0].sample
    assert (only(result).requests, only(result).failures, len(server.requests)) == (4, 4, 4)


async def test_timeouts_count_with_the_time_waited() -> None:
    async with HttpServer(respond_after(60)) as server:
        # The first request alone: others connect again, in the time that they may take.
        result = await run_step(target(server.url, timeout_seconds=0.2), assignment(requests=1))
    assert (only(result).min_microseconds or 0) >= 190_000
    assert (only(result).max_microseconds or 0) < 1_000_000


async def test_unknown_host_is_a_failure_of_its_own() -> None:
    result = await run_step(target("http://solr.invalid:8983/solr"), assignment(requests=1))
    assert kinds(result) == {"NameResolution": 1}


async def test_chunked_answers_are_read_whole() -> None:
    async def chunked(exchange: Exchange) -> None:
        exchange.send_chunked(GOOD, 7)

    async with HttpServer(chunked) as server:
        result = await run_step(target(server.url), assignment(users=3, requests=30))
    assert (only(result).requests, only(result).failures) == (30, 0)
    assert server.connections == 3


async def test_answer_that_ends_with_its_connection_is_good() -> None:
    async def old(exchange: Exchange) -> None:
        exchange.writer.write(b"HTTP/1.0 200 OK\r\n\r\n" + GOOD)
        exchange.close()

    async with HttpServer(old) as server:
        closed = await run_step(target(server.url), assignment(users=2, requests=10))
        planned = await run_step(target(server.url), duty(requests=10, requests_per_second=500))
    for result in (closed, planned):
        assert (only(result).requests, only(result).failures) == (10, 0)
    assert len(server.requests) == 20


async def test_connection_that_the_server_will_not_keep_is_replaced() -> None:
    async def polite(exchange: Exchange) -> None:
        exchange.send(headers="Connection: close\r\n")
        exchange.close()

    async with HttpServer(polite) as server:
        result = await run_step(target(server.url), assignment(users=2, requests=10))
    assert (only(result).requests, only(result).failures) == (10, 0)
    # Two were there before.
    found = not_none(result.connections)
    assert (found.opened, decode(found.open_time_histogram).count) == (8, 8)
    assert found.open_sum_microseconds > 0
    assert (only(result).retried_requests, server.connections) == (0, 10)


async def test_request_on_a_connection_just_closed_is_sent_once_more() -> None:
    async with HttpServer(_close_the_second_time) as server:
        result = await run_step(target(server.url), assignment(requests=5))
    assert (only(result).requests, only(result).failures) == (5, 0)
    assert (only(result).retried_requests, len(server.requests)) == (4, 5 + 4)


@pytest.mark.parametrize(
    ("entry", "reset"),
    [
        ({"queries": FILE, "handler": "/update/json"}, "write"),
        ({"updates": FILE, "handler": "/ingest"}, "write"),
        ({"transaction": {"requests": [POSTED | {"handler": "/ingest"}]}}, "write.add"),
        ({"transaction": {"requests": [POSTED | {"handler": "/update/json"}]}}, "write.add"),
    ],
)
async def test_update_is_not_sent_again_whatever_its_handler(
    entry: dict[str, Any], reset: str, tmp_path: Path
) -> None:
    write_lists(tmp_path, '{"id": "1"}\n')
    async with HttpServer(_close_the_second_time) as server:
        what = load_target(mix_plan(server.url, {"name": "write", **entry}), tmp_path)
        result = await run_step(what, assignment(requests=4))
    (found,) = [each for each in result.requests if each.request == reset]
    assert {each.kind: each.count for each in found.failure_kinds} == {"ConnectionReset": 2}
    assert (found.retried_requests, len(server.requests)) == (0, 4)


async def test_query_of_the_json_api_is_sent_once_more(tmp_path: Path) -> None:
    query = {"name": "ask", "jsonBody": '{"query": "a"}'}
    async with HttpServer(_close_the_second_time) as server:
        entry = {"name": "find", "transaction": {"requests": [query]}}
        what = load_target(mix_plan(server.url, entry), tmp_path)
        result = await run_step(what, assignment(requests=3))
    assert [each.retried_requests for each in result.requests] == [0, 2]
    assert sum(each.failures for each in result.requests) == 0


async def test_request_is_not_sent_a_third_time() -> None:
    async def once(exchange: Exchange) -> None:
        if exchange.number == 0:
            exchange.send()
        else:
            exchange.close()

    async with HttpServer(once) as server:
        result = await run_step(target(server.url), assignment(requests=2))
    assert kinds(result) == {"ConnectionReset": 1}
    assert (only(result).retried_requests, len(server.requests)) == (1, 3)


@pytest.mark.parametrize("hours", [1, -1])
async def test_wall_clock_that_is_set_under_way_makes_no_time_impossible(
    hours: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    shift_ns = hours * 3_600_000_000_000
    monkeypatch.setattr(timestamped_socket, "_wall", lambda: time.time_ns() + shift_ns)
    began = time.perf_counter()
    async with HttpServer() as server:
        result = await run_step(target(server.url), assignment(requests=5))
    passed = 1e6 * (time.perf_counter() - began)
    assert (only(result).requests, only(result).failures) == (5, 0)
    assert 0 <= (only(result).min_microseconds or 0) <= only(result).sum_microseconds < passed
