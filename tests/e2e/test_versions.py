"""Solr 9.8 beside the default version: what differs between versions works the same on both.

The other end-to-end tests run on the default version. One benchmark here has all that is set,
read back and measured through interfaces of Solr; a sweep compares both versions.
"""

import json
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from solrbench.api.solr_versions import COVERED
from support.cluster import kube
from support.cluster.benchmarks import (
    OTHER_VERSION,
    build_sweep,
    config_map,
    ended_sweep,
    small,
    small_solr,
)
from support.resources.proxy_manifests import proxy_manifests
from support.solr.solr_state import documents_by_core, shards, solr_pods

NAME = "on-9-8"
SWEEP = "versions"
DEFAULT_VERSION = "9.10.1"
MANIFESTS = "proxy-on-9-8"
DOCUMENTS = 5000
CACHES = {"filter": {"size": 700}, "queryResult": {"size": 900}, "document": {"size": 1100}}
VARIANTS = [
    {"name": "nodes", "endpoint": "Nodes"},
    {"name": "proxy", "urls": ["http://proxy:8080/solr"]},
]
Body = dict[str, Any]


@pytest.fixture(scope="module")
def status() -> Iterator[Body]:
    target = {"solrCloud": small_solr(OTHER_VERSION) | {"nodes": 2}, "variants": VARIANTS}
    body = small(
        NAME,
        target=target,
        companions=[{"configMap": {"name": MANIFESTS}}],
        collection={"shards": 1, "replicas": {"nrt": 0, "tlog": 1, "pull": 1}, "caches": CACHES},
        dataset={"generator": {"documents": DOCUMENTS, "seed": 3}},
        load={
            "telemetry": {"collect": "ServersAndPods", "intervalSeconds": 1},
            "steps": [{"name": "two-users", "users": 2, "durationSeconds": 6}],
        },
        diagnostics={
            "gcLog": True,
            "threadDumps": {"count": 1, "intervalSeconds": 1},
            "flightRecording": {"durationSeconds": 4},
        },
        cleanup="Never",
    )
    text = yaml.safe_dump_all(proxy_manifests())
    yield from kube.measured(config_map(MANIFESTS, proxy__yaml=text), body)
    kube.kubectl("delete", "configmap", MANIFESTS, "--ignore-not-found")


def test_its_version_is_known_and_covered(status: Body) -> None:
    assert status["target"]["solrVersion"] == OTHER_VERSION
    assert OTHER_VERSION.rpartition(".")[0] in COVERED
    assert "VersionNotTested" not in json.dumps(status["conditions"])


def test_caches_are_as_asked(status: Body) -> None:
    query = kube.solr(solr_pods(NAME)[0], f"/{NAME}/config/query")["config"]["query"]
    caches = [query[name] for name in ("filterCache", "queryResultCache", "documentCache")]
    assert [int(each["size"]) for each in caches] == [700, 900, 1100]


def test_every_document_is_on_both_types_of_replicas(status: Body) -> None:
    (shard,) = shards(NAME).values()
    assert sorted(each["type"] for each in shard["replicas"].values()) == ["PULL", "TLOG"]
    assert list(documents_by_core(NAME).values()) == [DOCUMENTS] * 2
    assert status["dataset"]["documents"] == DOCUMENTS


def test_load_through_nodes_and_proxy_has_no_failure(status: Body) -> None:
    failures = {each["variant"]: each["failures"] for each in status["results"]}
    assert failures == {"nodes": 0, "proxy": 0}
    assert all(each["requests"] > 0 for each in status["results"])


def test_nothing_of_the_telemetry_is_missing(status: Body) -> None:
    assert len(status["telemetry"]) == len(VARIANTS)
    for found in status["telemetry"]:
        assert found.get("missing", []) == []
        assert found["nodes"] == 2
        assert found["cpuMillisecondsPerRequest"] > 0
        assert found["indexBytes"] > 0
    assert status["dataset"]["solr"].get("missing", []) == []


def test_diagnostics_are_in_the_archive(status: Body, tmp_path: Path) -> None:
    archive = tmp_path / "on-9-8.tar.gz"
    kube.solrbench("export", NAME, "--to", str(archive))
    with tarfile.open(archive) as files:
        found = {Path(each.name).name for each in files if "/diagnostics/" in each.name}
    for pod in solr_pods(NAME):
        assert {f"gc-{pod}.log", f"flight-{pod}.jfr"} <= found
        assert any(each.startswith("threads-") and pod in each for each in found), found


@pytest.fixture(scope="module")
def sweep() -> Iterator[Body]:
    tags = [OTHER_VERSION, DEFAULT_VERSION]
    axis = {"name": "version", "field": "target.solrCloud.image.tag", "values": tags}
    with ended_sweep(build_sweep(small(SWEEP), axes=[axis], order="Listed"), 400) as ended:
        yield ended


def test_each_version_has_a_target_of_its_own(sweep: Body) -> None:
    assert sweep["phase"] == "Succeeded", sweep
    assert [each.get("reuses") for each in sweep["points"]] == [None, None]
    points = [kube.status(f"{SWEEP}-{each['name']}") for each in sweep["points"]]
    versions = [each["target"]["solrVersion"] for each in points]
    assert versions == [OTHER_VERSION, DEFAULT_VERSION]
    assert {each["dataset"]["documents"] for each in points} == {2000}


def test_both_versions_answer_the_same(sweep: Body) -> None:
    (found,) = sweep["answerComparisons"]
    assert found["conclusion"] == "SameAnswers", found
    assert found["queries"] > 100
    assert sweep["answers"][0].startswith(f"{DEFAULT_VERSION} answers all ")
