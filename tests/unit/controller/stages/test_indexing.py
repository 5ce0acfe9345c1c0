"""After the last document: the load waits until every replica shows all of them."""

from typing import Any

import httpx
import pytest

from support.cluster.benchmarks import config_map
from support.controller.indexed_worlds import DOCUMENTS, Index, indexed_world, passed
from support.controller.world import World, condition_of


@pytest.fixture
def world() -> World:
    return indexed_world()


@pytest.mark.parametrize(("tlog", "pull"), [(0, 0), (DOCUMENTS, 0), (0, DOCUMENTS), (1999, 1999)])
def test_replicas_that_are_behind_are_waited_for(
    world: World, monkeypatch: pytest.MonkeyPatch, tlog: int, pull: int
) -> None:
    after = passed(world, monkeypatch, Index(leader=DOCUMENTS, tlog=tlog, pull=pull))
    assert condition_of(after, "DataIndexed") == ("False", "ReplicasDisagree")
    assert condition_of(after, "Succeeded") == ("Unknown", "ReplicasDisagree")
    assert after.status.phase == "Indexing"
    whole = Index(leader=DOCUMENTS, tlog=DOCUMENTS, pull=DOCUMENTS)
    after = passed(world, monkeypatch, whole)
    assert condition_of(after, "DataIndexed") == ("True", "Indexed")
    assert after.status.dataset.documents == DOCUMENTS
    assert after.status.dataset.deleted_documents == DOCUMENTS // 10
    assert whole.commits == 1


@pytest.mark.parametrize("documents", [0, DOCUMENTS - 1, DOCUMENTS + 1])
def test_replicas_that_agree_on_a_wrong_number_are_no_success(
    world: World, monkeypatch: pytest.MonkeyPatch, documents: int
) -> None:
    after = passed(world, monkeypatch, Index(leader=documents, tlog=documents, pull=documents))
    assert condition_of(after, "DataIndexed") == ("False", "DocumentCountMismatch")
    assert after.status.phase == "Failed"


def test_node_that_is_lost_while_documents_are_counted(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Losing(Index):
        def answer(self, request: httpx.Request) -> httpx.Response:
            world.cluster.objects.pop(("Pod", "default", "one-solr-0"), None)
            return super().answer(request)

    whole = Losing(leader=DOCUMENTS, tlog=DOCUMENTS, pull=DOCUMENTS)
    after = passed(world, monkeypatch, whole)
    assert condition_of(after, "DataIndexed") == ("False", "TargetPodLost")
    assert after.status.attempts.target == 2


def test_pods_are_listed_once_for_progress_and_troubles(world: World) -> None:
    del world.cluster.objects["Job", "default", "one-index"]["status"]
    assert condition_of(world.reconcile("one"), "DataIndexed") == ("False", "Indexing")
    assert world.cluster.asked.count("Pod") == 2  # one of them is the look at the target


def without_pod(world: World, pods: int, sent: int | None, **dataset: Any) -> World:
    """Let the pod be one of several and go; `sent` documents were seen before."""
    body = world.cluster.objects["SolrBenchmark", "default", "one"]
    if dataset:
        body["spec"]["dataset"] = dataset
        body["spec"]["workload"] = {"queries": {"configMap": {"name": "mine", "key": "q.txt"}}}
    body["spec"]["dataset"]["indexing"] = {"pods": pods}
    if sent is not None:
        body["status"]["dataset"] = {"documents": sent}
    del world.cluster.objects["Pod", "default", "one-index-0"]
    return world


FILES = {"configMap": {"name": "mine", "keys": ["a.jsonl"]}}


def documents_of(world: World) -> int:
    spec = world.cluster.objects["SolrBenchmark", "default", "one"]["spec"]
    return int(spec["dataset"]["generator"]["documents"])


@pytest.mark.parametrize("surplus", [0, -1, 1])
def test_number_of_the_generator_counts_when_index_pods_are_gone(
    world: World, monkeypatch: pytest.MonkeyPatch, surplus: int
) -> None:
    found = documents_of(world) + surplus
    index = Index(leader=found, tlog=found, pull=found)
    after = passed(without_pod(world, 2, sent=None), monkeypatch, index)
    expected = ("False", "DocumentCountMismatch") if surplus else ("True", "Indexed")
    assert condition_of(after, "DataIndexed") == expected


@pytest.mark.parametrize(
    ("sent", "found", "outcome"),
    [
        (500, 1000, ("True", "Indexed")),
        (None, 1000, ("True", "Indexed")),
        (500, 499, ("False", "DocumentCountMismatch")),
        (None, 0, ("False", "DocumentsUnknown")),
    ],
)
def test_count_of_solr_is_taken_when_reports_of_files_are_gone(
    world: World,
    monkeypatch: pytest.MonkeyPatch,
    sent: int | None,
    found: int,
    outcome: tuple[str, str],
) -> None:
    world.cluster.put(config_map("mine", **{"a.jsonl": "{}", "q.txt": "q=*:*"}))
    index = Index(leader=found, tlog=found, pull=found)
    after = passed(without_pod(world, 2, sent, **FILES), monkeypatch, index)
    assert condition_of(after, "DataIndexed") == outcome
    if outcome[0] == "True":
        assert after.status.dataset.documents == found


def test_pods_of_a_finished_index_are_protected_no_more(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    labels = world.cluster.objects["Job", "default", "one-index"]["metadata"]["labels"]
    metadata = {"name": "one-index", "labels": labels}
    world.cluster.put({"kind": "PodDisruptionBudget", "metadata": metadata})
    behind = Index(leader=DOCUMENTS, tlog=0, pull=0)
    passed(world, monkeypatch, behind)
    assert world.cluster.names("PodDisruptionBudget") == {"one-index"}
    passed(world, monkeypatch, Index(leader=DOCUMENTS, tlog=DOCUMENTS, pull=DOCUMENTS))
    assert "one-index" not in world.cluster.names("PodDisruptionBudget")
