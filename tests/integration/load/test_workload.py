"""Mixes, lists that are used up, transactions and updates by real processes."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from support.load.processes import make_plan, run_plan, sent, serving
from support.results.builders import verdict_of_document
from support.servers.http_server import Exchange, HttpServer

pytestmark = pytest.mark.timeout(120)

GENERATOR = {"documents": 5000, "vocabularyTerms": 1000, "wordsPerDocument": 5}


def make_mix(server: HttpServer, folder: Path, mix: list[dict[str, Any]], **step: Any) -> Any:
    """Return a plan with a mix; of the files, the text in `file` is written where it is mounted."""
    for place, entry in enumerate(mix):
        text = entry.pop("file", None)
        if text is not None:
            (folder / f"mix-{place}").mkdir()
            (folder / f"mix-{place}" / "lines").write_text(text)
    plan = make_plan(server, {"name": "one", "users": 4, **step})
    plan["workload"] = {"mix": mix, "timeoutSeconds": 2}
    plan["generator"] = GENERATOR
    return plan


FILE = {"configMap": {"name": "any", "key": "lines"}}


def test_each_query_is_sent_once_by_all_workers_in_warm_up_and_steps(tmp_path: Path) -> None:
    queries = [f"word{number}" for number in range(900)]
    with serving() as server:
        think = {"thinkTime": {"constantMilliseconds": 50}}
        plan = make_plan(
            server,
            {"name": "counted", "users": 3, "requests": 101},
            {"name": "timed", "users": 4, "durationSeconds": 1, **think},
            {"name": "rest", "users": 3, "requests": 100_000},
            warmUp={"requests": 50, "users": 2},
        )
        plan["workload"]["queries"]["order"] = "Once"
        counted, timed, rest = run_plan(tmp_path, plan, "\n".join(queries))
        asked = sent(server)
    assert counted.requests[0].requests == 101
    assert max(asked.values()) == 1
    # Workers of different speed skip a little, they never go back.
    assert 850 < asked.total() <= 900
    assert [each.queries_exhausted for each in (counted, timed, rest)] == [False, False, True]
    assert rest.requests[0].requests == asked.total() - 151 - timed.requests[0].requests


def test_shares_of_a_mix_follow_its_weights_and_its_seed(tmp_path: Path) -> None:
    with serving() as server:
        mix: list[dict[str, Any]] = [
            {"name": "search", "weight": 6, "queries": FILE, "file": "a\nb\n"},
            {
                "name": "facets",
                "weight": 3,
                "queries": FILE,
                "parameters": {"facet": "true"},
                "method": "POST",
                "handler": "/browse",
                "file": "c\n",
            },
            {"name": "new", "updates": {"generated": {"ids": "New"}, "documentsPerRequest": 3}},
        ]
        plan = make_mix(server, tmp_path, mix, requests=2000)
        plan["stepRuns"].append(plan["stepRuns"][0] | {"id": "again"})
        first, second = run_plan(tmp_path, plan)
        asked = list(server.exchanges)
    shares = {each.request: each.requests for each in first.requests}
    assert shares == {each.request: each.requests for each in second.requests}
    assert sum(shares.values()) == 2000
    # Five standard deviations of a binomial distribution.
    for name, share in {"search": 0.6, "facets": 0.3, "new": 0.1}.items():
        assert abs(shares[name] - 2000 * share) < 5 * (2000 * share * (1 - share)) ** 0.5
    by_path = Counter((each.method, each.path) for each in asked)
    assert by_path["POST", "/solr/books/browse"] == 2 * shares["facets"]
    updates = [each for each in asked if each.path == "/solr/books/update"]
    documents = [document for each in updates for document in json.loads(each.body)]
    ids = Counter(document["id"] for document in documents)
    assert len(documents) == 3 * 2 * shares["new"]
    assert max(ids.values()) == 1
    assert all(each["text_t"] for each in documents)
    assert not any(each.failures for document in (first, second) for each in document.requests)


async def library(exchange: Exchange) -> None:
    """Find a book for a barcode, and take a loan of it."""
    if exchange.path.endswith("/update"):
        exchange.send(b'{"responseHeader":{"status":0,"QTime":2}}\n')
        return
    barcode = exchange.query.removeprefix("barcode:")
    docs = [] if barcode == "lost" else [{"id": f'book "{barcode}" & more', "pages": [1, 2]}]
    response = {"numFound": len(docs), "start": 0, "docs": docs}
    body = {"responseHeader": {"status": 0, "QTime": 7}, "response": response}
    exchange.send(json.dumps(body, separators=(",", ":")).encode() + b"\n")


CHECK_OUT = {
    "name": "check-out",
    "transaction": {
        "inputs": FILE | {"order": "Sequential"},
        "requests": [
            {
                "name": "find",
                "parameters": {"q": "barcode:{{barcode}}"},
                "extract": {"id": "response.docs[0].id", "page": "response.docs[0].pages[1]"},
            },
            {
                "name": "look",
                "parameters": {"q": "{!term f=id}{{id}}", "_route_": "p{{page}}!"},
                "thinkTime": {"constantMilliseconds": 30},
            },
            {
                "name": "loan",
                "handler": "/update",
                "jsonBody": '[{"id": "loan-{{barcode}}", "book_s": "{{id}}"}]',
            },
        ],
    },
    "file": '{"barcode": "1"}\n{"barcode": "2"}\n{"barcode": "lost"}\n{"barcode": "4"}\n',
}


def test_transaction_passes_values_on_and_is_counted_as_a_whole(tmp_path: Path) -> None:
    with serving(library) as server:
        plan = make_mix(server, tmp_path, [dict(CHECK_OUT)], requests=80)
        (document,) = run_plan(tmp_path, plan)
        asked = list(server.exchanges)
    found = {each.request: each for each in document.requests}
    assert {name: (each.requests, each.failures) for name, each in found.items()} == {
        "check-out": (80, 20),
        "check-out.find": (80, 20),
        "check-out.look": (60, 0),
        "check-out.loan": (60, 0),
    }
    assert [name for name, each in found.items() if each.is_transaction] == ["check-out"]
    (kind,) = found["check-out"].failure_kinds
    assert (kind.kind, kind.count) == ("ExtractionFailed", 20)
    assert "response.docs[0].id" in kind.sample
    assert sum(each.requests for each in document.workers) == 200
    parts = sum(each.sum_microseconds for name, each in found.items() if "." in name)
    # Whole microseconds are cut off once for each request.
    assert 0 <= found["check-out"].sum_microseconds - parts <= 200
    looks = [dict(each.parameters) for each in asked if "_route_" in dict(each.parameters)]
    assert {each["q"] for each in looks} == {
        f'{{!term f=id}}book "{barcode}" & more' for barcode in "124"
    }
    assert {each["_route_"] for each in looks} == {"p2!"}
    loans = [json.loads(each.body) for each in asked if each.path.endswith("/update")]
    assert Counter(each[0]["book_s"] for each in loans) == {
        f'book "{barcode}" & more': 20 for barcode in "124"
    }
    slow = found["check-out.find"].slow_requests
    assert len(slow) == 10
    assert [each.qtime_milliseconds for each in slow] == [7] * 10
    assert all(each.query.startswith("q=barcode%3A") for each in slow)
    times = [each.service_time_microseconds for each in slow]
    assert times == sorted(times, reverse=True)
    assert times[0] == found["check-out.find"].max_microseconds


def test_answers_are_held_against_expectations_of_mix_and_line(tmp_path: Path) -> None:
    async def answer(exchange: Exchange) -> None:
        found = exchange.query.removeprefix("n:") or "0"
        body = '{"responseHeader":{"status":0},"response":{"numFound":%s,"docs":["é"]}}'
        exchange.send((body % found).encode())

    lines = [
        {"params": {"q": "n:0"}},
        {"params": {"q": "n:5"}},
        {"name": "own", "params": {"q": "n:0"}, "expect": {"maxNumFound": 0, "contains": "é"}},
        {"name": "text", "params": {"q": "n:7"}, "method": "POST", "expect": {"contains": "x"}},
        {"name": "json", "json": {"query": "a"}, "params": {"q": "n:3"}},
    ]
    with serving(answer) as server:
        mix = [
            {
                "name": "search",
                "queries": FILE | {"order": "Sequential"},
                "expect": {"minNumFound": 1},
                "file": "\n".join(json.dumps(each) for each in lines),
            }
        ]
        plan = make_mix(server, tmp_path, mix, requests=500)
        (document,) = run_plan(tmp_path, plan)
        bodies = {(each.method, each.body, each.query) for each in server.exchanges}
    found = {each.request: each for each in document.requests}
    assert {name: (each.requests, each.failures) for name, each in found.items()} == {
        "search": (200, 100),
        "own": (100, 0),
        "text": (100, 100),
        "json": (100, 0),
    }
    samples = {name: [kind.sample for kind in each.failure_kinds] for name, each in found.items()}
    assert "expected at least 1 documents, found 0" in samples["search"][0]
    assert "expected the text 'x'" in samples["text"][0]
    assert found["own"].empty_results == 100
    assert found["search"].empty_results == 0
    assert ("POST", '{"query":"a"}', "n:3") in bodies


def test_documents_of_a_file_are_sent_in_order(tmp_path: Path) -> None:
    file = "".join(f'{{"id": "d{n}", "t": "é"}}\n\n' for n in range(7))
    with serving() as server:
        mix = [
            {
                "name": "write",
                "updates": FILE | {"documentsPerRequest": 2, "commitWithinMilliseconds": 500},
                "file": file,
            }
        ]
        plan = make_mix(server, tmp_path, mix, requests=14)
        (document,) = run_plan(tmp_path, plan)
        asked = [each for each in server.exchanges if each.path == "/solr/books/update"]
    assert document.requests[0].requests == len(asked) == 14
    assert all(dict(each.parameters)["commitWithin"] == "500" for each in asked)
    ids = Counter(doc["id"] for each in asked for doc in json.loads(each.body))
    assert ids == {f"d{n}": 4 for n in range(7)}


async def partial(exchange: Exchange) -> None:
    """Answer in the format that was asked for: partial, and without a document."""
    asked = dict(exchange.parameters)
    if exchange.path.endswith("/update"):
        exchange.send(b'{"responseHeader":{"status":0,"QTime":2}}\n')
    elif asked.get("wt") == "xml":
        exchange.send(
            b'<response><lst name="responseHeader"><int name="status">0</int>'
            b'<bool name="partialResults">true</bool></lst>'
            b'<result name="response" numFound="0" start="0"/></response>'
        )
    elif asked.get("omitHeader") == "true":
        exchange.send(b'{"response":{"numFound":0,"start":0,"docs":[]}}\n')
    elif exchange.query == "good":
        exchange.send()
    else:
        exchange.send(b'{"responseHeader":{"status":0,"partialResults":true}}\n')


def test_uncheckable_responses_are_not_counted_as_good(tmp_path: Path) -> None:
    both = '{"params": {"q": "good"}}\n{"params": {"q": "good", "wt": "xml"}}\n'
    mix = [
        {"name": "json", "queries": FILE, "file": "good\n"},
        {"name": "xml", "queries": FILE, "parameters": {"wt": "xml"}, "file": "a\n"},
        {"name": "both", "queries": FILE | {"order": "Sequential"}, "file": both},
        {"name": "bare", "queries": FILE, "parameters": {"omitHeader": "true"}, "file": "a\n"},
        {"name": "write", "updates": {"generated": {"ids": "New"}}},
    ]
    step = {"name": "one", "users": 4, "requests": 2500}
    with serving(partial) as server:
        plan = make_mix(server, tmp_path, mix, requests=2500)
        assert plan["workers"] > 1
        (document,) = run_plan(tmp_path, plan)
    found = {each.request: (each.partial_results, each.empty_results) for each in document.requests}
    bare = next(each for each in document.requests if each.request == "bare")
    assert found == {
        "json": (0, 0),
        "xml": (None, None),
        "both": (None, None),
        "bare": (None, bare.requests),
        "write": (0, 0),
    }
    assert not any(each.failures for each in document.requests)
    load = {"workers": plan["workers"], "steps": [step], "validity": {"maxEmptyPercent": 100}}
    gaps = {each.reason: each.message for each in verdict_of_document(document, load).unchecked}
    assert gaps["PartialResults"] == "Partial results of bare, both, xml were not counted."
    assert gaps["EmptyResults"] == "Empty results of both, xml were not counted."
