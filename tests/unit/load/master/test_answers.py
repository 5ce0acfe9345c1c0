"""The pass of answers against a small Solr: what is sent, kept and left out."""

import asyncio
import itertools
import json
from functools import partial
from pathlib import Path
from threading import get_ident
from typing import Any

import pytest

from solrbench.contract.answers import QueryAnswer, Skipped, StoredAnswers
from solrbench.contract.load_plan import AnswersPlan
from solrbench.load.master import answers
from solrbench.load.master.answers import AnswerPass
from solrbench.net.http import NO_AUTH
from support.load.builders import plan_of
from support.servers.http_server import Exchange, HttpServer

SCHEMA: dict[str, Any] = {
    "uniqueKey": "id",
    "fieldTypes": [
        {"name": "string", "class": "solr.StrField"},
        {"name": "random", "class": "solr.RandomSortField"},
    ],
    "fields": [{"name": "id", "type": "string"}],
    "dynamicFields": [{"name": "random_*", "type": "random"}],
}

WANTED = {"queries": 100, "first": 10, "variants": [""], "maxBytes": 1 << 20}

OTHER_ANSWERS = {
    "bad": (b'{"error": {"msg": "undefined field x"}}', 400),
    "grouped": (b'{"grouped": {}}', 200),
    "html": (b"<html>401 Authorization Required</html>", 401),
    "page": (b"<html>log in</html>", 200),
    "wide": (b"[%s{}]" % (b"{}," * 300_000), 200),
}


class SmallSolr:
    """Answers each query with documents named after it; the parameters are kept."""

    def __init__(self, schema: dict[str, Any] = SCHEMA) -> None:
        self.schema = schema
        self.sent: list[dict[str, str]] = []
        self.bodies: list[Any] = []
        self._turns = itertools.count()

    async def __call__(self, exchange: Exchange) -> None:
        if exchange.path.endswith("/schema"):
            exchange.send(json.dumps({"schema": self.schema}).encode())
            return
        parameters = dict(exchange.parameters)
        if parameters.get("action") == "CLUSTERSTATUS":
            states = {"s1": "inactive", "s1_0": "active", "s1_1": "active"}  # s1 was split
            shards = {name: {"state": state, "replicas": {}} for name, state in states.items()}
            found = {"configName": "b", "shards": shards, "router": {"name": "compositeId"}}
            exchange.send(json.dumps({"cluster": {"collections": {"books": found}}}).encode())
            return
        if "echoParams" in parameters:
            shown = {"params": {**parameters, "rows": "20"}}
            exchange.send(json.dumps({"responseHeader": shown}).encode())
            return
        self.sent.append(parameters)
        exchange.send(*self.answer(parameters))

    def answer(self, parameters: dict[str, str]) -> tuple[bytes, int]:
        q, turn = parameters.get("q", ""), next(self._turns)
        if q == "varying":
            return self.documents(turn, "x"), 200
        return OTHER_ANSWERS.get(q) or (self.documents(7, q), 200)

    @staticmethod
    def documents(found: int, name: str) -> bytes:
        documents = [
            {"id": f"{name}-{n}", "score": 3.0 - n, "solrbench_rank_0": n} for n in range(2)
        ]
        facets = {"facet_fields": {"category_s": ["a", 2, "b", 1]}}
        return json.dumps(
            {"response": {"numFound": found, "docs": documents}, "facet_counts": facets}
        ).encode()


async def ask(tmp_path: Path, solr: SmallSolr, *lines: object, **fields: Any) -> StoredAnswers:
    """Return what a pass over the lines of a query file keeps."""
    (tmp_path / "q.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    queries = {"queries": {"configMap": {"name": "q", "key": "q.jsonl"}}}
    now = itertools.count(step=0.5)
    async with HttpServer(solr) as server:
        answer_pass = AnswerPass(
            AnswersPlan.model_validate(WANTED | fields),
            plan_of(queries, solrUrls=[server.url]),
            tmp_path,
            access=lambda: NO_AUTH,
            pause=lambda _: None,
            now=lambda: float(next(now)),
        )
        return await asyncio.to_thread(answer_pass.ask, "")


def by_query(stored: StoredAnswers) -> dict[str, QueryAnswer]:
    return {each.query: each for each in stored.unpack()}


async def test_each_distinct_query_is_kept_once(tmp_path: Path) -> None:
    solr = SmallSolr()
    stored = await ask(tmp_path, solr, {"q": "a"}, {"q": "b"}, {"q": "a"})
    assert (stored.queries, stored.problem, stored.layout) == (2, "", "2 shards, compositeId")
    kept = by_query(stored)["q=a"]
    assert (kept.found, kept.ids, kept.ranks) == (7, ["a-0", "a-1"], [[3.0], [2.0]])
    assert kept.by_score
    assert kept.facets["category_s"].text == '[["a",2],["b",1]]'
    assert len(solr.sent) == 4  # each twice
    sent = solr.sent[0]
    assert (sent["fl"], sent["rows"], sent["wt"]) == ("id,score", "10", "json")


async def test_lists_are_read_while_heartbeats_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: dict[str, int] = {}

    def note(name: str, real: Any, *given: Any) -> Any:
        threads[name] = get_ident()
        return real(*given)

    for name in ("read_query_lists", "distinct_queries"):
        monkeypatch.setattr(answers, name, partial(note, name, getattr(answers, name)))
    assert (await ask(tmp_path, SmallSolr(), {"q": "a"})).queries == 1
    assert threads["read_query_lists"] != threads["distinct_queries"]


async def test_the_sort_of_a_query_is_returned_as_rank(tmp_path: Path) -> None:
    solr = SmallSolr()
    sort = "sum(price_d,2) desc, score desc"
    stored = await ask(tmp_path, solr, {"q": "a", "sort": sort, "fl": "*", "rows": 5})
    assert solr.sent[0]["fl"] == "id,score,solrbench_rank_0:sum(price_d,2)"
    assert solr.sent[0]["rows"] == "5"
    (kept,) = stored.unpack()
    assert kept.ranks == [["0", 3.0], ["1", 2.0]]
    assert stored.fewer_rows == 1


async def test_what_cannot_be_compared_is_kept_with_its_reason(tmp_path: Path) -> None:
    stored = await ask(
        tmp_path,
        SmallSolr(),
        {"q": "bad"},
        {"q": "grouped"},
        {"q": "varying"},
        {"q": "a", "sort": "random_1 asc"},
        {"q": "d:[NOW-1DAY TO *]"},
        {"params": {"q": "b", "fq": ["d:[* TO NOW]", "x:1"]}},
        {"params": {"q": "c", "sort": ["random_1 asc", "id asc"]}},
        {"q": "What happens NOW"},
        {"q": "a", "group": "true"},
    )
    found = by_query(stored)
    assert found["q=bad"].error == "HTTP 400: undefined field x"
    assert {query: each.skipped for query, each in found.items() if each.skipped} == {
        "q=grouped": Skipped.GROUPED,
        "q=varying": Skipped.VARIES,
        "q=a&sort=random_1 asc": Skipped.RANDOM,
        "q=d:[NOW-1DAY TO *]": Skipped.USES_NOW,
        "q=b&fq=d:[* TO NOW]&fq=x:1": Skipped.USES_NOW,
        "q=c&sort=random_1 asc&sort=id asc": Skipped.RANDOM,
        "q=a&group=true": Skipped.GROUPED,
    }


async def test_a_response_that_is_none_of_solr_is_an_error_with_its_status(tmp_path: Path) -> None:
    stored = await ask(tmp_path, SmallSolr(), {"q": "html"}, {"q": "page"}, {"q": "wide"})
    found = {query: each.error for query, each in by_query(stored).items()}
    assert found["q=html"] == "HTTP 401"
    assert found["q=page"].startswith("ForeignDataError: it is not JSON")
    assert found["q=wide"].startswith("ForeignDataError: its values would take")


async def test_replicas_that_settle_are_compared(tmp_path: Path) -> None:
    class Settling(SmallSolr):
        def answer(self, parameters: dict[str, str]) -> tuple[bytes, int]:
            return self.documents(min(next(self._turns), 5), "x"), 200

    (kept,) = (await ask(tmp_path, Settling(), {"q": "a"})).unpack()
    assert (kept.skipped, kept.found) == (None, 5)


async def test_a_body_of_the_json_request_api_is_adapted(tmp_path: Path) -> None:
    solr = SmallSolr()
    line = {"json": {"query": "a", "limit": 3, "params": {"fl": "x"}}, "params": {}}
    (kept,) = (await ask(tmp_path, solr, line)).unpack()
    assert kept.found == 7
    assert "fl" not in solr.sent[0]


async def test_the_same_queries_are_chosen_of_a_long_list(tmp_path: Path) -> None:
    lines = [{"q": f"q{number}"} for number in range(50)]
    first, again = [await ask(tmp_path, SmallSolr(), *lines, queries=7) for _ in range(2)]
    assert (first.queries, first.packed) == (7, again.packed)


async def test_a_schema_without_a_key_is_a_problem_with_a_remedy(tmp_path: Path) -> None:
    stored = await ask(tmp_path, SmallSolr({"fields": []}), {"q": "a"})
    assert "has no uniqueKey" in stored.problem
    assert "spec.comparison.answers.queries to 0" in stored.problem
    assert not stored.unpack()
