"""Steps and searches that index: each document is there once, and none is left."""

from collections.abc import Callable
from typing import Any

import pytest

from support.cluster import kube
from support.cluster.benchmarks import SMALL_SOLR, small

Run = Callable[..., str]
DOCUMENTS = 2000
"""Of the dataset."""


def documents(name: str) -> int:
    found = kube.solr(f"{name}-solr-0", f"/{name}/select", q="*:*", rows="0")
    number: int = found["response"]["numFound"]
    return number


def wait_for_updates(name: str, attempt: int) -> None:
    def adding() -> bool:
        status = kube.status(name)
        load = status.get("liveLoad") or {}
        of_attempt: bool = (status.get("attempts") or {}).get("load") == attempt
        return of_attempt and load.get("stage") == "Measuring" and load.get("requests", 0) > 0

    kube.wait_for(f"updates of {name}", adding, 300)


def test_documents_are_there_once_after_a_worker_and_the_master_were_killed(run: Run) -> None:
    steps: list[dict[str, Any]] = [
        {"name": "streams", "users": 2, "durationSeconds": 10, "indexing": {"batchSize": 50}},
        {
            "name": "planned",
            "requestsPerSecond": 10,
            "durationSeconds": 10,
            "indexing": {"batchSize": 20, "commitWithinMilliseconds": 1000},
        },
        {"name": "queries", "users": 2, "requests": 50},
    ]
    name = run(
        small(
            "step-indexing",
            target__solrCloud=SMALL_SOLR | {"nodes": 2},
            collection={"shards": 2, "replicas": {"nrt": 1, "pull": 1}},
            load={"workers": 2, "steps": steps},
            objectives=[{"name": "docs", "throughput": {"minDocumentsPerSecond": 1}}],
            cleanup="Never",  # Solr stays, so that it can be asked
        )
    )
    wait_for_updates(name, 1)
    kube.kill_one(name, "load-worker")
    wait_for_updates(name, 2)
    kube.kill_one(name, "load-master")
    status = kube.wait_for_success(name)
    assert status["attempts"] == {"target": 1, "load": 3}
    by_step = {each["step"]: each for each in status["results"]}
    assert by_step["planned"]["documentsPerSecond"] > 150
    assert by_step["streams"]["documentsPerSecond"] > 150
    assert "documentsPerSecond" not in by_step["queries"]
    assert {each["step"] for each in status["objectives"]["results"]} == {"streams", "planned"}
    reasons = [each["reason"] for one in status["verdicts"] for each in one.get("reasons", [])]
    assert "DocumentsLost" not in reasons
    assert status["dataset"]["documents"] == documents(name) == DOCUMENTS
    assert "| Documents/s |" in kube.solrbench("report", name, "-o", "markdown")


def test_capacity_of_indexing_is_in_documents_and_leaves_none(run: Run) -> None:
    search = {"maxTrials": 8, "trialSeconds": 5, "settleSeconds": 1, "confirmSeconds": 6}
    name = run(
        small(
            "capacity-indexing",
            target__solrCloud=SMALL_SOLR | {"nodes": 2},
            collection={"shards": 2},
            load={"capacity": search | {"probeUsers": 4, "indexing": {"batchSize": 20}}},
            objectives=[
                {"name": "fast", "request": "update", "responseTime": {"maxMilliseconds": 200}},
                {"name": "good", "request": "update", "failures": {"maxPercent": 5}},
            ],
            cleanup="Never",  # Solr stays, so that it can be asked
        )
    )
    status = kube.wait_for_success(name, 1200)
    (found,) = status["capacity"]
    assert found["probeRequestsPerSecond"] > 0
    assert found["trials"]
    for trial in found["trials"]:
        documents_per_second = 20 * trial["requestsPerSecond"]
        assert trial["documentsPerSecond"] == pytest.approx(documents_per_second, rel=0.001)
    # So short trials of so small a Solr may well be inconclusive.
    assert found["conclusion"] in {"Found", "Inconclusive"}, found["message"]
    assert "documents/s" in found["message"]
    assert "DocumentsLost" not in found["message"]
    if found["conclusion"] == "Found":
        updates = found["requestsPerSecond"]
        assert found["documentsPerSecond"] == pytest.approx(20 * updates, rel=0.01)
        assert len(found["confirmations"]) >= 1
    assert status["dataset"]["documents"] == documents(name) == DOCUMENTS
    assert found["message"] in status["answers"]
    assert "| Documents/s |" in kube.solrbench("report", name, "-o", "markdown")
