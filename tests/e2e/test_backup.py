"""A backup that Solr made, restored in place of indexing: from a claim, and on existing nodes."""

import subprocess
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from support.cluster import benchmarks, kube
from support.cluster.benchmarks import SMALL_SOLR, config_map, small
from support.servers import web_server
from support.solr import existing_solr
from support.solr.solr_state import documents_by_core, shards

SOURCE, NAME, OTHER = "backup-source", "backup", "backup-shards"
CLAIM, FILLER, QUERIES = "backups", "backups-filler", "backup-queries"
BACKUP = "nightly"
MADE_IN = "/var/solr/data/backups"
"""Below Solr's home, where a node may write without a setting."""
FOLDER = "2026"
DOCUMENTS = 2000
SHARDS = {"shards": 2}
UNPACK = (
    "import sys, tarfile\n"
    "with tarfile.open(fileobj=sys.stdin.buffer, mode='r|') as files:\n"
    "    for file in files:\n"
    "        file.mode = 0o755\n"
    f"        files.extract(file, '{web_server.FOLDER}/{FOLDER}')\n"
    "sys.stdin.buffer.read()"  # else kubectl waits for someone who takes the rest
)
"""With rights for Solr's user, who reads what another one has written."""


def in_pod(pod: str, *command: str, stdin: bytes = b"") -> bytes:
    kubectl = ["kubectl", "-n", kube.NAMESPACE, "exec", "-i", pod, "--", *command]
    return subprocess.run(kubectl, input=stdin, capture_output=True, check=True, timeout=120).stdout


@pytest.fixture(scope="module")
def claim() -> Iterator[str]:
    """A claim with the backup of a collection, whose nodes are there, too."""
    body = benchmarks.claim(CLAIM, "256Mi")
    queries = config_map(QUERIES, queries__txt="q=*:*\nq=category_s:books\n")
    kube.apply(body, queries, small(SOURCE, collection=SHARDS, cleanup="Never"))
    kube.wait_for_success(SOURCE)
    pod = f"{SOURCE}-solr-0"
    in_pod(pod, "mkdir", "-p", MADE_IN)
    where: dict[str, Any] = {"name": BACKUP, "collection": SOURCE, "location": MADE_IN}
    kube.solr(pod, "/admin/collections", action="BACKUP", **where)
    web_server.start(FILLER, CLAIM)
    files = in_pod(pod, "tar", "-C", MADE_IN, "-c", ".")
    in_pod(FILLER, "python3", "-c", UNPACK, stdin=files)
    web_server.stop(FILLER)
    yield CLAIM
    kube.delete(SOURCE)
    kube.delete(NAME)  # a claim stays while a pod has it
    kube.kubectl("delete", f"persistentvolumeclaim/{CLAIM}", f"configmap/{QUERIES}")


def restored(name: str, backup: dict[str, Any], **changes: Any) -> kube.Body:
    workload = {"queries": {"configMap": {"name": QUERIES}}}
    dataset = {"backup": {"name": BACKUP} | backup}
    wanted = {"collection": SHARDS, "dataset": dataset, "workload": workload, **changes}
    return small(name, **wanted)


def test_existing_nodes_restore_from_a_folder_of_theirs(
    claim: str, run: Callable[..., str]
) -> None:
    target = {"existing": {"urls": existing_solr.node_urls(SOURCE, 1)}}
    name = run(restored("backup-existing", {"location": MADE_IN}, target=target))
    assert kube.wait_for_success(name)["dataset"]["documents"] == DOCUMENTS
    assert kube.condition(name, "DataIndexed")["reason"] == "Restored"


@pytest.fixture(scope="module")
def status(claim: str) -> Iterator[dict[str, Any]]:
    kube.delete(SOURCE)  # its nodes would take memory from the others
    body = restored(
        NAME,
        {"claimName": claim, "location": FOLDER},
        target__solrCloud=SMALL_SOLR | {"nodes": 2},
        collection=SHARDS | {"replicas": {"nrt": 1, "pull": 1}},
        cleanup="Never",
    )
    body["spec"]["dataset"]["expectedDocuments"] = DOCUMENTS
    yield from kube.measured(body)


def test_every_replica_on_both_nodes_has_its_documents(status: dict[str, Any]) -> None:
    assert status["dataset"]["documents"] == DOCUMENTS
    assert sum(documents_by_core(NAME).values()) == 2 * DOCUMENTS
    for shard in shards(NAME).values():
        replicas = shard["replicas"].values()
        assert sorted(each["type"] for each in replicas) == ["NRT", "PULL"]
        assert len({each["node_name"] for each in replicas}) == 2


def test_documents_are_found_and_can_be_written(status: dict[str, Any]) -> None:
    assert [(each["requests"], each["failures"]) for each in status["results"]] == [(200, 0)]
    pod = f"{NAME}-solr-0"
    found = kube.solr(pod, f"/{NAME}/select", q="id:doc-000000000042")
    assert found["response"]["numFound"] == 1
    # Solr restores into a collection that is read-only meanwhile.
    assert kube.solr(pod, f"/{NAME}/update", commit="true")["responseHeader"]["status"] == 0


def test_time_and_size_are_reported_and_no_job_ran(status: dict[str, Any]) -> None:
    dataset = status["dataset"]
    assert dataset["indexBytes"] > 0
    assert dataset["seconds"] > 0
    assert "documentsPerSecond" not in dataset
    done = kube.condition(NAME, "DataIndexed")
    assert done["reason"] == "Restored"
    assert done["message"].startswith(f"restored {DOCUMENTS} documents in ")
    assert not kube.pods(NAME, "index")


def test_backup_of_another_number_of_shards_is_refused(
    status: dict[str, Any], run: Callable[..., str]
) -> None:
    kube.delete(NAME)
    backup = {"claimName": CLAIM, "location": FOLDER}
    name = run(restored(OTHER, backup, collection={"shards": 1}))
    message = kube.wait_for_reason(name, "Succeeded", "RestoreFailed", 300)
    assert "numShardsOfBackup:2" in message
