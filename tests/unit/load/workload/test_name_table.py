"""Which answers cannot be judged, by request name; and that they are absent from the outcome."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from solrbench.load.recording.worker_result import WorkerOutcome
from solrbench.load.workload.http_requests import prepare_requests
from solrbench.load.workload.loader import prepare_offer
from solrbench.load.workload.name_table import FULL_VIEW, Naming, View, view_of
from solrbench.load.workload.query_file import Query
from solrbench.load.workload.request_mix import Offer
from solrbench.plan.load_plan import LoadPlan
from support.http_server import Exchange, HttpServer
from unit.load.builders import assignment, run, run_pass, target, workload
from unit.load.engine.test_open_loop import duty

JSON = ("wt", "json")
XML_ONLY = {"wt": "xml"}
HEADLESS = {"omitHeader": "true"}
FILE = {"configMap": {"name": "q", "key": "lines"}}


@pytest.mark.parametrize(
    ("parameters", "body", "view"),
    [
        ([JSON], None, FULL_VIEW),
        ([JSON, ("omitHeader", "false")], None, FULL_VIEW),
        ([JSON, ("omitHeader", "off")], None, FULL_VIEW),
        ([JSON, ("omitHeader", "true")], None, View(content=True, header=False)),
        ([JSON, ("omitHeader", "on")], None, View(content=True, header=False)),
        ([JSON, ("omitHeader", "{{any}}")], None, View(content=True, header=False)),
        ([("wt", "xml")], None, View(content=False, header=True)),
        ([("wt", "{{any}}")], None, View(content=False, header=True)),
        ([], None, View(content=False, header=True)),
        ([("wt", "csv"), ("omitHeader", "true")], None, View(content=False, header=False)),
        ([JSON], b'{"query":"a"}', FULL_VIEW),
        ([JSON], b'{"params":{"omitHeader":true}}', View(content=True, header=False)),
        ([JSON], '{"params": {"omitHeader": "{{é}}"}}', View(content=True, header=False)),
    ],
)
def test_what_parameters_let_see(
    parameters: list[tuple[str, str]], body: bytes | str | None, view: View
) -> None:
    assert view_of(parameters, body) == view


def test_one_request_that_hides_something_is_enough_for_its_name() -> None:
    naming = Naming()
    mixed, headless = View(content=False, header=True), View(content=True, header=False)
    places = [
        naming.place("seen"),
        naming.place("mixed", mixed),
        naming.place("mixed"),
        naming.place("headless"),
        naming.place("headless", headless),
    ]
    assert (places, naming.names) == ([0, 1, 1, 2, 2], ("seen", "mixed", "headless"))
    assert naming.unseen.partial == {1, 2}
    assert naming.unseen.empty == {1}


def query(name: str, *parameters: tuple[str, str], **fields: Any) -> Query:
    return Query(name, (("q", "a"), *parameters), **fields)


def unseen(names: Sequence[str], offer: Any) -> tuple[set[str], set[str]]:
    return (
        {names[place] for place in offer.unseen.partial},
        {names[place] for place in offer.unseen.empty},
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
    assert unseen(made.names, made) == (
        {"xml", "mixed", "headless", "body"},
        {"xml", "mixed"},
    )
    assert [each.json for each in made.requests] == [True, False, True, False, True, True, True]
    of_xml = prepare_requests(workload(parameters=XML_ONLY), [*queries, query("own", JSON)])
    assert "own" not in unseen(of_xml.names, of_xml)[0]
    assert {"json", "plain-body", "headless"} <= unseen(of_xml.names, of_xml)[1]
    headless = prepare_requests(
        workload(parameters=HEADLESS), [query("a"), query("b", ("omitHeader", "false"))]
    )
    assert unseen(headless.names, headless) == ({"a"}, set())


def offered(folder: Path, *mix: dict[str, Any], **common: Any) -> Offer:
    for place, entry in enumerate(mix):
        text = entry.pop("file", "a\n")
        (folder / f"mix-{place}").mkdir()
        (folder / f"mix-{place}" / "lines").write_text(text)
    content = {
        "benchmark": "ns/b",
        "attempt": 1,
        "solrUrls": ["http://node:8983/solr"],
        "collection": "books",
        "workload": {"mix": list(mix), **common},
        "workers": 1,
        "passes": [],
        "masterHost": "m",
    }
    return prepare_offer(LoadPlan.model_validate(content), folder)


def test_entries_of_a_mix_have_views_of_their_own(tmp_path: Path) -> None:
    document = '{"id": "1"}\n'
    made = offered(
        tmp_path,
        {"name": "json", "queries": FILE},
        {"name": "xml", "queries": FILE, "parameters": XML_ONLY},
        # Its lines count under the name of another entry.
        {"name": "late", "queries": FILE, "file": '{"name": "xml", "params": {"q": "b"}}\n'},
        {"name": "write", "updates": FILE, "file": document},
        {"name": "write-xml", "updates": FILE, "file": document, "parameters": XML_ONLY},
    )
    assert unseen(made.names, made) == ({"xml", "write-xml"}, {"xml", "write-xml"})


def test_parameters_for_queries_say_nothing_of_updates(tmp_path: Path) -> None:
    made = offered(
        tmp_path,
        {"name": "search", "queries": FILE},
        {"name": "write", "updates": FILE, "file": '{"id": "1"}\n'},
        parameters=XML_ONLY,
    )
    assert unseen(made.names, made) == ({"search"}, {"search"})


def test_what_one_request_hides_its_transaction_cannot_show(tmp_path: Path) -> None:
    def loan(name: str, *requests: dict[str, Any]) -> dict[str, Any]:
        return {"name": name, "transaction": {"requests": list(requests)}}

    find: dict[str, Any] = {"name": "find", "parameters": {"q": "a"}}
    headless = {"name": "look", "parameters": {"q": "b", **HEADLESS}}
    body = {"name": "ask", "jsonBody": '{"params": {"omitHeader": true}}'}
    made = offered(
        tmp_path,
        loan("good", find),
        loan("half", find, headless),
        loan("body", body),
        loan("xml", find, {"name": "look", "parameters": {"q": "b", **XML_ONLY}}),
    )
    assert unseen(made.names, made) == (
        {"half", "half.look", "body", "body.ask", "xml", "xml.look"},
        {"xml", "xml.look"},
    )
    assert {made.names[place] for place in made.transactions} == {"good", "half", "body", "xml"}


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


def counts(outcome: WorkerOutcome) -> dict[str, tuple[int, int | None, int | None]]:
    return {
        each.request: (each.failures, each.partial_answers, each.empty_answers)
        for each in outcome.requests
    }


def named(name: str, text: str, **parameters: str) -> Query:
    return Query(name, (("q", text), *parameters.items()))


def test_counts_are_measured_or_absent_in_both_loops() -> None:
    queries = [
        named("json", "empty"),
        named("json", "partial"),
        named("xml", "partial", wt="xml"),
        named("mixed", "empty"),
        named("mixed", "partial", wt="xml"),
        named("headless", "empty", omitHeader="true"),
    ]

    async def body() -> None:
        async with HttpServer(in_the_format_asked_for) as server:
            what = target(server.url, queries=queries)
            closed = await run_pass(what, assignment(users=2, requests=60))
            planned = await run_pass(what, duty(requests=60, requests_per_second=1000))
        assert counts(closed) == counts(planned)
        assert counts(closed) == {
            "json": (10, 10, 10),
            "xml": (0, None, None),
            "mixed": (0, None, None),
            "headless": (0, None, 10),
        }

    run(body)
