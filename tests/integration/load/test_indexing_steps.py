"""Steps that index, by real processes: every document is there once, and none is left."""

import signal
from pathlib import Path
from typing import Any

import pytest

from solrbench.contract.step_document import StepRunResult
from support.load.processes import GOES_ON, SOON, kill_one, make_plan, run_plan, running, serving
from support.results.builders import verdict_of_document
from support.servers.http_server import HttpServer
from support.servers.indexing_solr import IndexingSolr

pytestmark = pytest.mark.timeout(120)

GENERATOR = {"documents": 500, "vocabularyTerms": 1000, "wordsPerDocument": 5}
UPDATES = {"name": "updates", "users": 4, "requests": 300, "indexing": {"batchSize": 7}}
PLANNED = {
    "name": "planned",
    "requestsPerSecond": 100,
    "durationSeconds": 2,
    "indexing": {"batchSize": 20, "commitWithinMilliseconds": 900},
}
QUERIES = {"name": "queries", "users": 2, "requests": 40}


def plan_of(server: HttpServer, solr: IndexingSolr, *steps: dict[str, Any], **fields: Any) -> Any:
    solr.url = server.url
    solr.ids |= {f"doc-{number:012d}" for number in range(500)}
    return make_plan(server, *steps, generator=GENERATOR, **fields)


def reasons_of(result: StepRunResult) -> list[str]:
    return [each.reason for each in verdict_of_document(result, {"steps": [UPDATES]}).reasons]


def documents_of(result: StepRunResult) -> int:
    (only,) = result.requests
    assert (only.request, only.failures) == ("update", 0)
    assert result.batch_size is not None
    assert result.added is not None
    assert (result.added.problem, result.added.differing) == ("", [])
    assert result.added.documents == only.requests * result.batch_size
    return result.added.documents


def test_steps_add_documents_beside_steps_that_send_queries(tmp_path: Path) -> None:
    solr = IndexingSolr()
    with serving(solr) as server:
        warm_up = {"requests": 30, "users": 2}
        plan = plan_of(server, solr, UPDATES, QUERIES, PLANNED, warmUp=warm_up)
        texts = "\n".join(f"word{n}" for n in range(60))
        updates, queries, planned = run_plan(tmp_path, plan, texts)
        sent = list(server.exchanges)
    assert documents_of(updates) == 2100
    assert documents_of(planned) == 20 * planned.requests[0].requests > 0
    assert (queries.batch_size, queries.added) == (None, None)
    assert [each.list_offsets for each in (updates, queries, planned)] == [[0], [40], [40]]
    # The warm-up of a step that indexes is one of updates; all its documents are gone, too.
    assert updates.warm_up_requests == 30
    assert len(solr.removed) == 2100 + 30 * 7 + documents_of(planned)
    assert solr.ids == {f"doc-{number:012d}" for number in range(500)}
    within = {dict(each.parameters).get("commitWithin") for each in sent if '"id"' in each.body}
    assert within == {None, "900"}
    assert "DocumentsLost" not in reasons_of(updates)


def test_documents_of_a_worker_that_is_killed_are_replaced(tmp_path: Path) -> None:
    solr = IndexingSolr()
    with serving(solr) as server:
        plan = plan_of(server, solr, UPDATES, **GOES_ON)
        with running(tmp_path, plan, "a", **SOON) as load:
            solr.on_update = lambda number: kill_one(load) if number == 100 else None
            result = load.store("r1-s0-updates", 40)
            assert load.exit_codes() == [0, -signal.SIGKILL, 0]
    assert documents_of(result) == 2100
    # What was sent before it was lost is in no count, and gone as well.
    assert len(solr.removed) > 2100
    assert len(solr.ids) == 500
