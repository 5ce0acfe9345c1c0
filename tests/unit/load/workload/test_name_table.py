"""Which answers cannot be checked, by request name; and that they are absent from the result."""

import json
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from solrbench.api.v1alpha1.request_mix import Order
from solrbench.load.engine.target import load_target
from solrbench.load.recording.worker_result import WorkerStepResult
from solrbench.load.workload.loader import load_workload
from solrbench.load.workload.name_table import (
    FULLY_VISIBLE,
    RequestNameTable,
    ResponseVisibility,
    query_positions,
    visibility_of,
)
from solrbench.load.workload.query_file import WorkloadQuery
from solrbench.load.workload.request_mix import PreparedWorkload
from support.load.builders import (
    assignment,
    duty,
    mix_plan,
    plan_of,
    prepare_requests,
    queries_spec,
    run_step,
    target,
    workload,
    write_lists,
)
from support.servers.http_server import Exchange, HttpServer

JSON = ("wt", "json")
XML_ONLY = {"wt": "xml"}
HEADLESS = {"omitHeader": "true"}
FILE = {"configMap": {"name": "q", "key": "lines"}}
NO_CONTENT = ResponseVisibility(content=False, header=True)
NO_HEADER = ResponseVisibility(content=True, header=False)


@pytest.mark.parametrize(
    ("parameters", "body", "visibility"),
    [
        ([JSON], None, FULLY_VISIBLE),
        ([JSON, ("omitHeader", "false")], None, FULLY_VISIBLE),
        ([JSON, ("omitHeader", "off")], None, FULLY_VISIBLE),
        ([JSON, ("omitHeader", "true")], None, NO_HEADER),
        ([JSON, ("omitHeader", "on")], None, NO_HEADER),
        ([JSON, ("omitHeader", "{{any}}")], None, NO_HEADER),
        ([JSON, ("json.wrf", "call")], None, NO_CONTENT),
        ([("wt", "xml")], None, NO_CONTENT),
        ([("wt", "javabin")], None, FULLY_VISIBLE),
        ([("wt", "javabin"), ("json.wrf", "f")], None, FULLY_VISIBLE),
        ([("wt", "{{any}}")], None, NO_CONTENT),
        ([], None, NO_CONTENT),
        ([("wt", "csv"), ("omitHeader", "true")], None, ResponseVisibility(False, False)),
        ([JSON], b'{"query":"a"}', FULLY_VISIBLE),
        ([JSON], b'{"params":{"omitHeader":true}}', NO_HEADER),
        ([JSON], '{"params": {"omitHeader": "{{é}}"}}', NO_HEADER),
    ],
)
def test_what_parameters_let_see(
    parameters: list[tuple[str, str]], body: bytes | str | None, visibility: ResponseVisibility
) -> None:
    assert visibility_of(parameters, body) == visibility


def test_one_request_that_hides_something_is_enough_for_its_name() -> None:
    names = RequestNameTable()
    indexes = [
        names.index_of("seen"),
        names.index_of("mixed", NO_CONTENT),
        names.index_of("mixed"),
        names.index_of("headless"),
        names.index_of("headless", NO_HEADER),
    ]
    assert (indexes, names.names) == ([0, 1, 1, 2, 2], ("seen", "mixed", "headless"))
    assert names.unchecked.partial == {1, 2}
    assert names.unchecked.empty == {1}


def query(name: str, *parameters: tuple[str, str], **fields: Any) -> WorkloadQuery:
    return WorkloadQuery(name, (("q", "a"), *parameters), **fields)


def unchecked(names: Sequence[str], made: Any) -> tuple[set[str], set[str]]:
    return (
        {names[index] for index in made.unchecked.partial},
        {names[index] for index in made.unchecked.empty},
    )


def test_lines_are_held_against_the_parameters_of_the_workload() -> None:
    queries = [
        query("json"),
        query("xml", ("wt", "xml")),
        query("mixed"),
        query("mixed", ("wt", "csv")),
        query("headless", ("omitHeader", "true")),
        query("body", json=b'{"params":{"omitHeader":true}}'),
        query("plain-body", json=b'{"limit":1}'),
    ]
    made = prepare_requests(workload(), queries)
    assert unchecked(made.names, made) == ({"xml", "mixed", "headless", "body"}, {"xml", "mixed"})
    assert [place for place, each in enumerate(made.requests) if not each.is_readable] == [1, 3]
    of_xml = prepare_requests(workload(parameters=XML_ONLY), [*queries, query("own", JSON)])
    assert "own" not in unchecked(of_xml.names, of_xml)[0]
    assert of_xml.requests[-1].is_readable
    assert {"json", "plain-body", "headless"} <= unchecked(of_xml.names, of_xml)[1]
    headless = prepare_requests(
        workload(parameters=HEADLESS), [query("a"), query("b", ("omitHeader", "false"))]
    )
    assert unchecked(headless.names, headless) == ({"a"}, set())


def prepared(folder: Path, *mix: dict[str, Any], **common: Any) -> PreparedWorkload:
    write_lists(folder, *(entry.pop("file", "a\n") for entry in mix))
    return load_workload(plan_of({"mix": list(mix), **common}), folder)


def test_entries_of_a_mix_have_views_of_their_own(tmp_path: Path) -> None:
    document = '{"id": "1"}\n'
    made = prepared(
        tmp_path,
        {"name": "json", "queries": FILE},
        {"name": "xml", "queries": FILE, "parameters": XML_ONLY},
        # Its lines count under the name of another entry.
        {"name": "late", "queries": FILE, "file": '{"name": "xml", "params": {"q": "b"}}\n'},
        {"name": "write", "updates": FILE, "file": document},
        {"name": "write-xml", "updates": FILE, "file": document, "parameters": XML_ONLY},
    )
    assert unchecked(made.names, made) == ({"xml", "write-xml"}, {"xml", "write-xml"})


def test_parameters_for_queries_say_nothing_of_updates(tmp_path: Path) -> None:
    made = prepared(
        tmp_path,
        {"name": "search", "queries": FILE},
        {"name": "write", "updates": FILE, "file": '{"id": "1"}\n'},
        parameters=XML_ONLY,
    )
    assert unchecked(made.names, made) == ({"search"}, {"search"})


def test_what_one_request_hides_its_transaction_cannot_show(tmp_path: Path) -> None:
    def loan(name: str, *requests: dict[str, Any]) -> dict[str, Any]:
        return {"name": name, "transaction": {"requests": list(requests)}}

    find: dict[str, Any] = {"name": "find", "parameters": {"q": "a"}}
    headless = {"name": "look", "parameters": {"q": "b", **HEADLESS}}
    body = {"name": "ask", "jsonBody": '{"params": {"omitHeader": true}}'}
    made = prepared(
        tmp_path,
        loan("good", find),
        loan("half", find, headless),
        loan("body", body),
        loan("xml", find, {"name": "look", "parameters": {"q": "b", **XML_ONLY}}),
    )
    assert unchecked(made.names, made) == (
        {"half", "half.look", "body", "body.ask", "xml", "xml.look"},
        {"xml", "xml.look"},
    )
    assert {made.names[index] for index in made.transactions} == {"good", "half", "body", "xml"}


PARTIAL_XML = (
    b'<response><lst name="responseHeader"><bool name="partialResults">true</bool></lst>'
    b'<result name="response" numFound="0" start="0"/></response>'
)


async def in_the_format_asked_for(exchange: Exchange) -> None:
    asked = dict(exchange.parameters)
    if asked["wt"] == "xml":
        exchange.send(PARTIAL_XML)
        return
    body: dict[str, Any] = {"responseHeader": {"status": 0, "partialResults": True}}
    if exchange.query == "empty":
        body["responseHeader"].pop("partialResults")
        body["response"] = {"numFound": 0, "docs": []}
    if asked.get("omitHeader") == "true":
        body.pop("responseHeader")
    exchange.send(json.dumps(body, separators=(",", ":")).encode())


def counts(result: WorkerStepResult) -> dict[str, tuple[int, int | None, int | None]]:
    return {
        each.request: (each.failures, each.partial_results, each.empty_results)
        for each in result.requests
    }


async def test_responses_without_a_header_leave_their_name_unchecked(tmp_path: Path) -> None:
    get = {"name": "get", "handler": "/get", "parameters": {"id": "1"}}
    find = {"name": "find", "parameters": {"q": "a"}}
    loan = {"name": "loan", "transaction": {"requests": [find, get]}}
    plain = {"name": "plain", "transaction": {"requests": [find]}}

    async def answers(exchange: Exchange) -> None:
        if exchange.path.endswith("/get"):
            exchange.send(b'{"doc":{"id":"1","status":"sold"}}')
        else:
            exchange.send()

    async with HttpServer(answers) as server:
        what = load_target(mix_plan(server.url, loan, plain), tmp_path)
        result = await run_step(what, assignment(requests=20))
    hidden, shown = ("loan", "loan.get"), ("loan.find", "plain", "plain.find")
    assert counts(result) == {n: (0, None if n in hidden else 0, 0) for n in hidden + shown}


def named(name: str, text: str, **parameters: str) -> WorkloadQuery:
    return WorkloadQuery(name, (("q", text), *parameters.items()))


async def test_counts_are_measured_or_absent_in_both_loops() -> None:
    queries = [
        named("json", "empty"),
        named("json", "partial"),
        named("xml", "partial", wt="xml"),
        named("mixed", "empty"),
        named("mixed", "partial", wt="xml"),
        named("headless", "empty", omitHeader="true"),
    ]
    async with HttpServer(in_the_format_asked_for) as server:
        what = target(server.url, queries=queries)
        closed = await run_step(what, assignment(users=2, requests=60))
        planned = await run_step(what, duty(requests=60, requests_per_second=1000))
    assert (
        counts(closed)
        == counts(planned)
        == {
            "json": (10, 10, 10),
            "xml": (0, None, None),
            "mixed": (0, None, None),
            "headless": (0, None, 10),
        }
    )


def take(count: int, order: Order, seed: int = 1, size: int = 1000, **who: Any) -> list[int]:
    queries, duty = queries_spec(order=order, seed=seed), assignment(**who)
    return list(islice(query_positions(queries, size, duty, 0, duty.request_numbers()), count))


def test_sequential_goes_round_the_list_from_the_offset() -> None:
    assert take(7, Order.SEQUENTIAL, size=5, offset=3) == [3, 4, 0, 1, 2, 3, 4]


def test_sequential_workers_share_the_list() -> None:
    one = take(6, Order.SEQUENTIAL, users=4, workers=2, worker=0)
    two = take(6, Order.SEQUENTIAL, users=4, workers=2, worker=1)
    assert (one, two) == ([0, 2, 4, 6, 8, 10], [1, 3, 5, 7, 9, 11])


@pytest.mark.parametrize("order", [Order.RANDOM, Order.ZIPF])
def test_each_seed_worker_repeat_and_step_has_one_sequence_of_its_own(order: Order) -> None:
    assert take(9000, order) == take(9000, order)
    second = {"users": 2, "workers": 2, "worker": 1}
    others: list[dict[str, Any]] = [{}, {"seed": 2}, second, {"repeat": 2}, {"step": "storm"}]
    assert len({tuple(take(20, order, **other)) for other in others}) == 5


def test_random_draws_evenly() -> None:
    counts = Counter(take(50_000, Order.RANDOM, size=10))
    assert set(counts) == set(range(10))
    # Five standard deviations of a binomial distribution: sqrt(50000 * 0.1 * 0.9) = 67.
    assert all(abs(count - 5000) < 5 * 67 for count in counts.values())


def test_zipf_prefers_the_head_by_its_law() -> None:
    counts = Counter(take(50_000, Order.ZIPF, size=100))
    expected = 50_000 / sum(1 / rank for rank in range(1, 101))
    assert counts[0] == pytest.approx(expected, rel=0.05)
    assert counts[9] == pytest.approx(expected / 10, rel=0.15)
    assert max(counts) < 100
