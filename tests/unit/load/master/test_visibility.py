"""Marked documents are found when they are, by each replica, and are gone in the end."""

from statistics import median
from time import monotonic
from typing import Any

import gevent
import pytest

from solrbench.api.v1alpha1.validity import Visibility
from solrbench.contract.server_document import VisibilityResult
from solrbench.load.master import visibility
from solrbench.load.master.visibility import PREFIX, VisibilityProbe, pause_seconds
from support.load.builders import access_to, plan_of
from support.servers.lagging_solr import LaggingSolr


def probing(solr: LaggingSolr, **wanted: Any) -> VisibilityProbe:
    """Return a probe that adds some documents a second."""
    given = Visibility(interval_seconds=1, timeout_seconds=1, fields={"kind": "probe"})
    queries = {"queries": {"configMap": {"name": "q", "key": "q"}}}
    plan = plan_of(queries, solrUrls=["http://a:8983/solr"])
    changed = given.model_copy(update={"interval_seconds": 0.05, **wanted})
    return VisibilityProbe(changed, plan, lambda: access_to(solr), monotonic)


def found_in(probe: VisibilityProbe, seconds: float) -> dict[str, VisibilityResult]:
    probe.begin()
    probe.mark("r1-s0-one")
    gevent.sleep(seconds)
    return {each.replica_type: each for each in probe.end()}


@pytest.mark.parametrize(
    "lags",
    [
        {"NRT": 0.0, "TLOG": 0.05, "PULL": 0.1},
        {"NRT": 0.03, "TLOG": 0.12, "PULL": 0.2},
        {"NRT": 0.08, "TLOG": 0.15, "PULL": 0.3},
    ],
)
def test_each_type_of_replica_finds_documents_after_its_time(lags: dict[str, float]) -> None:
    right = pytest.approx({kind: 1000 * lag for kind, lag in lags.items()}, abs=20)
    # A machine that stands still for a moment makes documents late: then once more.
    for _ in range(3):
        solr = LaggingSolr(lags)
        found = found_in(probing(solr, commit_within_milliseconds=500), 0.6)
        medians = {kind: median(each.milliseconds) for kind, each in found.items()}
        if medians == right:
            break
    assert medians == right
    for each in found.values():
        assert each.documents >= 4
        assert each.not_found == 0
    assert len(solr.deleted) >= 4
    assert solr.added == {}
    assert all(each.startswith(f"{PREFIX}r1-s0-one-") for each in solr.deleted)
    (leftovers, _), (parameters, (document,)), *_ = solr.bodies
    assert leftovers["commit"] == "true"
    assert parameters["commitWithin"] == "500"
    assert document["kind"] == "probe"


def test_the_only_shard_is_known_without_a_request() -> None:
    found = found_in(probing(LaggingSolr({"TLOG": 0.0, "PULL": 0.0}, shards=1)), 0.4)
    assert found["TLOG"].documents == found["PULL"].documents > 0
    assert found["PULL"].problem == ""


def test_what_is_not_found_in_time_is_counted() -> None:
    solr = LaggingSolr({"NRT": 0.0, "PULL": 60.0})
    found = found_in(probing(solr, timeout_seconds=0.2), 0.4)
    assert found["NRT"].documents == found["PULL"].not_found > 0
    assert found["PULL"].milliseconds == []


def test_queries_that_hang_count_in_their_own_step_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(visibility, "TIMEOUT_SECONDS", 0.1)
    solr = LaggingSolr({"NRT": 0.0}, query_seconds=0.6, shards=1)
    probe = probing(solr, timeout_seconds=0.1)
    hanging = found_in(probe, 0.2)["NRT"]
    assert hanging.documents == 0
    assert hanging.not_found > 0
    solr.refuses = "no more of them"
    later = found_in(probe, 0.6)["NRT"]
    assert (later.documents, later.not_found) == (0, 0)


def test_a_refused_document_is_said() -> None:
    solr = LaggingSolr({"NRT": 0.0}, refuses="missing required field: title")
    found = found_in(probing(solr), 0.3)
    assert found["NRT"].documents == 0
    assert "missing required field: title" in found["NRT"].problem


def test_replicas_that_cannot_be_listed_are_said() -> None:
    found = found_in(probing(LaggingSolr({"NRT": 0.0}, is_empty=True)), 0.1)
    assert found[""].documents == 0
    assert "the replicas could not be listed" in found[""].problem


def test_slow_queries_widen_what_is_known_of_a_time() -> None:
    solr = LaggingSolr({"NRT": 0.1}, query_seconds=0.06)
    found = found_in(probing(solr), 0.3)["NRT"]
    assert len(found.errors) == len(found.milliseconds) >= 2
    # From the query that did not find it to the end of the next one: two queries and a pause.
    assert all(each >= 60 for each in found.errors)
    within = zip(found.milliseconds, found.errors, strict=True)
    assert all(time - error <= 100 <= time + error for time, error in within)


def test_documents_that_are_not_added_while_others_wait_are_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert visibility.MAX_UNDER_WAY >= 60 / 0.5  # of a commit each minute none is missed
    monkeypatch.setattr(visibility, "MAX_UNDER_WAY", 2)
    found = found_in(probing(LaggingSolr({"NRT": 0.3})), 0.4)["NRT"]
    skipped = int(found.problem.split()[0])
    assert skipped >= 2
    assert "marked documents were not added while 2 were waited for" in found.problem


@pytest.mark.parametrize(
    ("waited", "under_way", "pause"),
    [(0.0, 1, 0.004), (0.5, 1, 0.01), (30.0, 1, 0.016), (30.0, 64, 0.032), (0.5, 640, 0.01)],
)
def test_pause_grows_with_what_was_waited_and_with_many_documents(
    waited: float, under_way: int, pause: float
) -> None:
    assert pause_seconds(waited, under_way) == pytest.approx(pause)
