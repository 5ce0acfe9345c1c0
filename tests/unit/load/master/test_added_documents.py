"""Documents of steps are counted on every replica, and none is left."""

from typing import Any

import pytest

from solrbench.contract.server_document import AddedDocuments
from solrbench.load.errors import LoadError
from solrbench.load.master.added_documents import WAIT_SECONDS, StepDocuments
from solrbench.load.schedule.messages import STEP_DOCUMENTS
from support.failing import failing
from support.load.builders import access_to, plan_of
from support.servers.indexing_solr import IndexingSolr

PREFIX = f"{STEP_DOCUMENTS}1-r1-s0-one."
OTHER = f"{STEP_DOCUMENTS}1-r1-s0-one-again-1."


class Clock:
    """Time that passes while something waits; `on_pause` is called each time."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.on_pause: Any = lambda: None

    def now(self) -> float:
        return self.seconds

    def pause(self, seconds: float) -> None:
        self.seconds += seconds
        self.on_pause()


def documents_of(solr: IndexingSolr, clock: Clock | None = None) -> StepDocuments:
    access = access_to(solr.in_process)
    clock = clock or Clock()
    plan = plan_of({"queries": {"configMap": {"name": "q", "key": "q"}}}, solrUrls=[solr.url])
    return StepDocuments(plan, lambda: access, clock.pause, clock.now)


def filled(*prefixes: str, number: int = 40) -> IndexingSolr:
    solr = IndexingSolr()
    solr.ids |= {"doc-1", "doc-2"}
    solr.ids |= {f"{prefix}{place:012d}" for prefix in prefixes for place in range(number)}
    return solr


def test_documents_of_one_try_are_counted_and_all_of_steps_are_deleted() -> None:
    solr = filled(PREFIX, OTHER)
    assert documents_of(solr).count_and_delete(PREFIX, 40) == AddedDocuments(documents=40)
    assert solr.ids == {"doc-1", "doc-2"}
    # Before they are counted, and with the deletion.
    assert solr.commits == 2


def test_replica_that_lags_is_waited_for() -> None:
    solr, clock = filled(PREFIX), Clock()
    solr.lacking["books_shard2_n2"] = 7
    clock.on_pause = solr.lacking.clear
    found = documents_of(solr, clock).count_and_delete(PREFIX, 40)
    assert found == AddedDocuments(documents=40)
    assert 0 < clock.seconds < WAIT_SECONDS


def test_replica_that_lacks_documents_is_named() -> None:
    solr, clock = filled(PREFIX), Clock()
    solr.lacking["books_shard2_n2"] = 7
    found = documents_of(solr, clock).count_and_delete(PREFIX, 40)
    own = sum(solr.shard_of(each) == "shard2" for each in solr.removed)
    lacking = f"books_shard2_n2 has {own - 7}, another {own}"
    assert found == AddedDocuments(documents=33, differing=[lacking])


def test_replica_that_is_down_is_named() -> None:
    solr = filled(PREFIX)
    solr.inactive.add("books_shard1_n1")
    found = documents_of(solr).count_and_delete(PREFIX, 40)
    assert found == AddedDocuments(documents=40, differing=["books_shard1_n1 is not active"])


def test_documents_that_every_replica_lost_are_missing() -> None:
    found = documents_of(filled(PREFIX, number=39)).count_and_delete(PREFIX, 40)
    assert found == AddedDocuments(documents=39)


def test_solr_that_does_not_respond_is_a_problem_of_the_result() -> None:
    solr = filled(PREFIX)
    solr.is_silent = True
    found = documents_of(solr).count_and_delete(PREFIX, 40)
    assert found == AddedDocuments(problem="connection refused")


def test_documents_that_cannot_be_deleted_end_the_attempt() -> None:
    solr = filled(PREFIX)
    solr.refuses_deletions = True
    with failing(LoadError, "DocumentsNotDeleted", "500 Internal Server Error"):
        documents_of(solr).delete()


def test_documents_that_are_still_there_end_the_attempt() -> None:
    solr = filled(PREFIX)
    solr.inactive.add("books_shard1_n2")
    with pytest.raises(LoadError, match="books_shard1_n2 is not active"):
        documents_of(solr).delete()
