"""Steps that index: each document is there once after pods were killed, and none is left."""

from collections.abc import Callable
from typing import Any

from support.cluster import kube
from support.cluster.benchmarks import SMALL_SOLR, small
from support.cluster.command_line import solrbench

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
        {"name": "streams", "users": 2, "durationSeconds": 15, "indexing": {"batchSize": 50}},
        {
            "name": "planned",
            "requestsPerSecond": 10,
            "durationSeconds": 15,
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
    kube.kill(kube.pods(name, "load-worker")[0]["metadata"]["name"])
    wait_for_updates(name, 2)
    kube.kill(kube.pods(name, "load-master")[0]["metadata"]["name"])
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
    assert "| Documents/s |" in solrbench("report", name, "-o", "markdown")
