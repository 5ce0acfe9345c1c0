import time
from typing import Any

import pytest

from solrbench.load.errors import LoadError
from solrbench.load.workload.name_table import RequestCounter
from solrbench.load.workload.query_file import WorkloadQuery
from solrbench.load.workload.requests import BodyKind, NextRequest, PreparedRequest
from solrbench.load.workload.transactions import TransactionSource
from support.failing import failing
from support.load.builders import assignment, run_step, sent_json
from support.load.transactions import CHAIN, by_name, echo, prepare, target, workload
from support.servers.http_server import HttpServer, respond_after

INPUTS = [
    WorkloadQuery(None, (("code", "a&b"), ("city", 'Zü "r"'))),
    WorkloadQuery(None, (("code", "2"),)),
]


def first(part: TransactionSource, count: int = 1) -> list[PreparedRequest]:
    duty = assignment()
    begun = part.open_stream(duty, 0, RequestCounter(duty))
    return [next(begun) for _ in range(count)]


def test_values_are_escaped_for_their_place() -> None:
    spec = workload(
        {"name": "a", "parameters": {"q": "code:{{code}}"}, "jsonBody": '{"x": "{{city}}"}'},
        parameters={"rows": "5"},
    )
    part, names = prepare(spec, INPUTS[:1])
    (request,) = first(part)
    assert names == ["lend", "lend.a"]
    assert request.body == b"q=code%3Aa%26b&wt=json&rows=5"
    assert sent_json(request) == {"x": 'Zü "r"'}
    assert (request.template_index, request.is_readable, request.name) == (BodyKind.JSON, True, 1)


def test_waits_within_a_transaction_follow_the_seed() -> None:
    think = {"thinkTime": {"uniform": {"minMilliseconds": 0, "maxMilliseconds": 1000}}}

    def waited(seed: int) -> float:
        spec = workload({"name": "a"}, {"name": "b"} | think, inputs=False, seed=seed)
        (request,) = first(prepare(spec)[0])
        assert request.extra is not None
        assert request.extra.transaction is not None
        following = request.extra.transaction.advance(0, 1, 1, None)
        assert isinstance(following, NextRequest)
        return following.think_seconds

    assert waited(1) == waited(1)
    assert waited(1) != waited(2)


def test_inputs_follow_their_order() -> None:
    part, _ = prepare(workload({"name": "a", "parameters": {"q": "{{code}}"}}), INPUTS)
    sent = [each.body.split(b"&")[0] for each in first(part, 3)]
    assert sent == [b"q=a%26b", b"q=2", b"q=a%26b"]


ASKS_ID = {"name": "a", "parameters": {"q": "{{id}}"}, "extract": {"id": "x"}}
POSTS_NO = {"name": "b", "jsonBody": '{"a": "{{no}}"}'}
ASKS_CITY = {"name": "a", "parameters": {"q": "{{city}}"}}
BAD_PATH = {"name": "a", "extract": {"id": "length(x"}}


@pytest.mark.parametrize(
    ("requests", "inputs", "reason", "message"),
    [
        ([ASKS_ID], False, "BadPlan", "[0]: nothing gives {{id}}"),
        ([{"name": "a"}, POSTS_NO], False, "BadPlan", "[1]: nothing gives {{no}}"),
        ([ASKS_CITY], True, "MalformedQueries", "[0]: {{city}} is not in input 2"),
        ([BAD_PATH], False, "BadPlan", "[0].extract.id: length(x: Invalid jmespath"),
        ([{"name": "a", "jsonBody": '{"a": }'}], False, "BadPlan", "[0].jsonBody: "),
    ],
)
def test_values_without_origin_are_refused_before_the_load(
    requests: list[dict[str, Any]], inputs: bool, reason: str, message: str
) -> None:
    with failing(LoadError, reason) as caught:
        prepare(workload(*requests, inputs=inputs), INPUTS if inputs else None)
    assert caught.value.message.startswith(f"workload.mix[0].transaction.requests{message}")


async def test_values_go_from_answer_to_answer() -> None:
    async with HttpServer(echo) as server:
        what = target(server.url, *CHAIN, inputs=("x", "broken"))
        result = await run_step(what, assignment(users=2, requests=20))
        asked = {exchange.query for exchange in server.exchanges}
    found = by_name(result)
    assert {name: (each.requests, each.failures) for name, each in found.items()} == {
        "lend": (20, 10),
        "lend.a": (20, 10),
        "lend.b": (10, 0),
        "lend.c": (10, 0),
    }
    assert found["lend"].failure_kinds[0].kind == "HTTP500"
    assert asked == {"x", "broken", "<x>!", "<<x>!>"}
    assert result.measured == 40
    received = sum(each.bytes_received for name, each in found.items() if name != "lend")
    assert found["lend"].bytes_received == received


async def test_think_time_is_in_no_number() -> None:
    thought = CHAIN[1] | {"thinkTime": {"constantMilliseconds": 300}}
    async with HttpServer(echo) as server:
        began = time.monotonic()
        result = await run_step(target(server.url, CHAIN[0], thought), assignment(requests=2))
        took = time.monotonic() - began
    assert took >= 0.6
    found = by_name(result)
    parts = found["lend.a"].sum_microseconds + found["lend.b"].sum_microseconds
    assert 0 <= found["lend"].sum_microseconds - parts <= 4
    assert (found["lend"].max_microseconds or 0) < 300_000


async def test_time_that_is_over_ends_a_transaction_in_the_middle() -> None:
    thought = CHAIN[1] | {"thinkTime": {"constantMilliseconds": 60_000}}
    async with HttpServer(echo) as server:
        began = time.monotonic()
        what = target(server.url, CHAIN[0], thought)
        result = await run_step(what, assignment(users=3, seconds=1))
        assert time.monotonic() - began < 10
    # Neither done nor failed: only its first request is counted.
    assert {name: each.requests for name, each in by_name(result).items()} == {"lend.a": 3}


async def test_transactions_under_way_are_finished_when_the_count_is_reached() -> None:
    async with HttpServer(echo) as server:
        result = await run_step(target(server.url, *CHAIN), assignment(users=7, requests=7))
    counts = {name: each.requests for name, each in by_name(result).items()}
    assert counts == dict.fromkeys(("lend", "lend.a", "lend.b", "lend.c"), 7)


async def test_timeout_fails_the_transaction() -> None:
    async with HttpServer(respond_after(2)) as server:
        what = target(server.url, *CHAIN, timeout_seconds=0.1)
        result = await run_step(what, assignment(requests=1))
    found = by_name(result)
    assert {name: each.failures for name, each in found.items()} == {"lend": 1, "lend.a": 1}
    assert found["lend"].failure_kinds[0].kind == "Timeout"
