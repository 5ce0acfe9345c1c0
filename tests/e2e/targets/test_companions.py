"""A proxy that a benchmark makes, measures and removes itself."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from support.cluster import kube
from support.cluster.benchmarks import SMALL_REQUESTS, SMALL_SOLR, config_map, small
from support.resources.proxy_manifests import proxy_manifests

NAME = "companion"
MANIFESTS = "companion-manifests"


@pytest.fixture(scope="module")
def status() -> Iterator[dict[str, Any]]:
    variants = [
        {"name": "nodes", "endpoint": "Nodes"},
        {"name": "proxy", "urls": ["http://proxy:8080/solr"]},
    ]
    body = small(
        NAME,
        target={"solrCloud": SMALL_SOLR, "variants": variants},
        companions=[{"configMap": {"name": MANIFESTS}}],
        dataset__firstDocuments=1500,
        load__telemetry={"collect": "ServersAndPods"},
    )
    text = yaml.safe_dump_all(proxy_manifests())
    yield from kube.measured(config_map(MANIFESTS, proxy__yaml=text), body)
    kube.kubectl("delete", "configmap", MANIFESTS, "--ignore-not-found")


def test_all_requests_of_a_variant_go_through_its_companion(status: dict[str, Any]) -> None:
    found = {each["variant"]: (each["requests"], each["failures"]) for each in status["results"]}
    assert found == dict.fromkeys(("nodes", "proxy"), (SMALL_REQUESTS, 0))
    assert len(status["companions"]["pods"]) == 1
    assert status["companions"]["services"] == ["proxy"]


def test_its_pod_and_those_of_the_load_were_read(status: dict[str, Any]) -> None:
    by_variant = {each["variant"]: each for each in status["telemetry"]}
    idle, busy = (by_variant[each]["companionCpuCores"] for each in ("nodes", "proxy"))
    assert 0 <= idle < busy
    for each in by_variant.values():
        assert each.get("missing", []) == []
        assert each["loadCpuCores"] > 0
        assert min(each["loadWorkingSetMaxBytes"], each["companionWorkingSetMaxBytes"]) > 8 << 20
        assert each["loadNetworkBytesPerSecond"] > 0
    (step, *_) = json.loads(kube.solrbench("report", NAME, "-o", "json"))["steps"]
    pods = {each["component"]: each for each in step["telemetry"]["pods"]}
    assert set(pods) == {"solr", "zookeeper", "companion", "load-master", "load-worker"}
    assert len({each["machine"] for each in pods.values()}) == 1
    assert pods["companion"]["server"] in status["companions"]["pods"]


def test_the_index_pod_read_itself(status: dict[str, Any]) -> None:
    found = status["dataset"]["pods"]
    assert found["cpuCores"] > 0
    assert found["workingSetMaxBytes"] > 8 << 20
    assert found["networkSentBytesPerSecond"] > 0


def test_the_companion_is_known_to_lead_to_the_same_collection(status: dict[str, Any]) -> None:
    (verdict,) = [each for each in status["verdicts"] if each.get("variant") == "proxy"]
    words = [each["reason"] for part in ("reasons", "unchecked") for each in verdict.get(part, [])]
    assert "VariantDiffers" not in words


def test_only_the_first_documents_are_in_the_index(status: dict[str, Any]) -> None:
    assert (status["dataset"]["documents"], status["dataset"]["documentsTotal"]) == (1500, 1500)


def test_companions_go_with_the_target(status: dict[str, Any]) -> None:
    kube.kubectl("wait", "--for=condition=CleanedUp", f"sbench/{NAME}", "--timeout=60s")
    label = f"solrbench.io/benchmark={NAME},app.kubernetes.io/component=companion"
    for kind in ("deployments", "replicasets", "pods", "services", "poddisruptionbudgets"):
        assert kube.items(kind, label) == []
