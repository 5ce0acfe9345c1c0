"""Real documents over HTTP on two nodes; everything asked of Solr and ZooKeeper themselves."""

import gzip
import json
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.cluster import kube
from support.cluster.benchmarks import SMALL_SOLR, config_map, small
from support.servers import web_server
from support.solr import debian_corpus
from support.solr.solr_state import (
    cluster_status,
    core_statuses,
    documents_by_core,
    heap_bytes,
    search_requests,
    shards,
    solr_pods,
)

NAME = "corpus"
SERVER = "corpus-files"
QUERIES = 400
PACKAGES = 15_000
"""Enough for several batches of each index pod."""
CACHES = {
    "filter": {"size": 700, "autowarmCount": 0},
    "queryResult": {"size": 900},
    "document": {"size": 1100, "initialSize": 550},
}
MEBIBYTE = 1024 * 1024


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpus")
    command = ["apt-cache", "dumpavail"]
    index = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    packages = index.split("\n\n")[:PACKAGES]
    debian_corpus.main(
        ["--folder", str(folder), "--queries", str(QUERIES), "--seed", "7"],
        "\n\n".join(packages).splitlines(),
    )
    return folder


@pytest.fixture(scope="module")
def documents(folder: Path) -> int:
    with gzip.open(folder / "packages.jsonl.gz") as lines:
        number = sum(1 for _ in lines)
    assert number > 10_000, "the machine's package index is nearly empty; run apt-get update"
    return number


@pytest.fixture(scope="module")
def status(folder: Path, documents: int) -> Iterator[dict[str, Any]]:
    address = web_server.start(SERVER)
    web_server.put(SERVER, folder / "packages.jsonl.gz")
    queries = (folder / "queries.txt").read_text("utf-8")
    yield from kube.measured(
        config_map("corpus-queries", queries__txt=queries),
        small(
            NAME,
            target__solrCloud=SMALL_SOLR
            | {"nodes": 2, "zookeeper": SMALL_SOLR["zookeeper"] | {"replicas": 3}},
            collection={
                "shards": 2,
                "replicas": {"nrt": 2},
                "caches": CACHES,
                "queryResultWindowSize": 50,
            },
            dataset={
                "http": {"urls": [f"{address}/packages.jsonl.gz"]},
                "indexing": {"pods": 2, "batchSize": 500},
                "expectedDocuments": documents,
            },
            workload={"queries": {"configMap": {"name": "corpus-queries"}, "order": "Sequential"}},
            warmUp={"requests": 101},
            load={
                "workers": 2,
                "repeats": {"count": 2},
                "steps": [
                    {"name": "three-users", "users": 3, "requests": QUERIES},
                    {"name": "six-users", "users": 6, "durationSeconds": 10, "spawnRate": 3},
                ],
            },
            cleanup="Never",
        ),
    )
    web_server.stop(SERVER)
    kube.kubectl("delete", "configmap", "corpus-queries")


def test_nodes_are_live_in_zookeepers_view(status: dict[str, Any]) -> None:
    assert len(cluster_status(NAME)["live_nodes"]) == status["target"]["liveNodes"] == 2


def test_heap_is_what_the_jvms_report(status: dict[str, Any]) -> None:
    assert heap_bytes(NAME) == {512 * MEBIBYTE} == {status["target"]["heapBytes"]}


def test_ensemble_is_what_zookeeper_reports(status: dict[str, Any]) -> None:
    answer = kube.solr(solr_pods(NAME)[0], "/admin/zookeeper/status")["zkStatus"]
    assert answer["ensembleSize"] == status["target"]["zookeepers"] == 3
    states = Counter(each["zk_server_state"] for each in answer["details"])
    assert states == {"leader": 1, "follower": 2}


def test_replicas_are_spread_over_both_nodes(status: dict[str, Any]) -> None:
    found = shards(NAME)
    assert len(found) == 2
    nodes: Counter[str] = Counter()
    for shard in found.values():
        replicas = list(shard["replicas"].values())
        assert [each["type"] for each in replicas] == ["NRT", "NRT"]
        assert len({each["node_name"] for each in replicas}) == 2
        nodes.update(each["node_name"] for each in replicas)
    assert sorted(nodes.values()) == [2, 2]


def test_caches_are_as_asked(status: dict[str, Any]) -> None:
    query = kube.solr(solr_pods(NAME)[0], f"/{NAME}/config/query")["config"]["query"]
    caches = [query[name] for name in ("filterCache", "queryResultCache", "documentCache")]
    assert [int(each["size"]) for each in caches] == [700, 900, 1100]
    assert int(caches[-1]["initialSize"]) == 550
    assert int(query["queryResultWindowSize"]) == 50


def test_every_document_is_on_every_replica(status: dict[str, Any], documents: int) -> None:
    by_core = documents_by_core(NAME)
    by_shard: dict[str, set[int]] = {}
    for name, shard in shards(NAME).items():
        cores = [each["core"] for each in shard["replicas"].values()]
        by_shard[name] = {by_core[core] for core in cores}
    assert all(len(counts) == 1 for counts in by_shard.values()), by_shard
    total = sum(counts.pop() for counts in by_shard.values())
    assert total == documents == status["dataset"]["documents"]


def test_index_size_is_that_of_all_cores(status: dict[str, Any]) -> None:
    sizes = sum(core["index"]["sizeInBytes"] for core in core_statuses(NAME).values())
    assert status["dataset"]["indexBytes"] == sizes


def test_exact_requests_are_exact(status: dict[str, Any]) -> None:
    first = status["results"][0]
    counts = first["step"], first["requests"], first["failures"]
    assert counts == ("three-users", 2 * QUERIES, 0)


def test_solr_counted_the_same_requests(status: dict[str, Any]) -> None:
    selector = status["report"]["configMapSelector"]
    stored = kube.items("configmaps", selector)
    assert len(stored) >= 5, "four steps and the environment"
    documents = json.loads(kube.solrbench("report", NAME, "-o", "json"))["steps"]
    sent = sum(each["warmUpRequests"] for each in documents)
    assert sent == 2 * 101
    for each in documents:
        sent += sum(r["requests"] + r["rampRequests"] for r in each["requests"])
    assert search_requests(NAME) == sent


def test_ramp_is_kept_apart(status: dict[str, Any]) -> None:
    ramp = [r.get("rampRequests", 0) for r in status["results"] if r["step"] == "six-users"]
    assert ramp[0] > 0
