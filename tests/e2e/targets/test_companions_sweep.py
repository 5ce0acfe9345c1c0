"""A sweep whose points differ only in the proxy in front of Solr, on one SolrCloud and index."""

from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from support.cluster import kube
from support.cluster.benchmarks import SMALL_REQUESTS, build_sweep, config_map, ended_sweep, small
from support.resources.proxy_manifests import proxy_manifests

NAME = "endpoints"
MANIFESTS = "endpoint-manifests"
DIRECT = {"name": "nodes", "endpoint": "Nodes"}
PROXY = {"name": "asked", "urls": ["http://proxy:8080/solr"]}
COMPANION = {"configMap": {"name": MANIFESTS}}
ENDPOINTS = {
    "name": "endpoint",
    "fields": ["target.variants", "companions"],
    "values": [
        {"name": "direct", "value": [[DIRECT | {"name": "asked"}, DIRECT], []]},
        {"name": "proxy", "value": [[PROXY, DIRECT], [COMPANION]]},
        {"name": "proxy-last", "value": [[DIRECT, PROXY], [COMPANION]]},
    ],
}
Body = dict[str, Any]


@pytest.fixture(scope="module")
def status() -> Iterator[Body]:
    kube.apply(config_map(MANIFESTS, proxy__yaml=yaml.safe_dump_all(proxy_manifests())))
    with ended_sweep(build_sweep(small(NAME), axes=[ENDPOINTS], order="Listed"), 600) as ended:
        yield ended
    kube.kubectl("delete", "configmap", MANIFESTS, "--ignore-not-found")


def test_points_share_cluster_and_index(status: Body) -> None:
    assert status["phase"] == "Succeeded", status
    assert [each.get("reuses") for each in status["points"]] == [None, "Index", "Index"]
    targets = [kube.status(f"{NAME}-{each['name']}")["target"] for each in status["points"]]
    assert targets[0]["pods"] == targets[1]["pods"] == targets[2]["pods"]


def test_each_point_has_companions_of_its_own(status: Body) -> None:
    found = [kube.status(f"{NAME}-{each['name']}") for each in status["points"]]
    assert "companions" not in found[0]
    second, third = (set(each["companions"]["pods"]) for each in found[1:])
    assert (len(second), len(third), second & third) == (1, 1, set())
    for each in found:
        results = {result["variant"]: result for result in each["results"]}
        assert {result["requests"] for result in results.values()} == {SMALL_REQUESTS}
        assert {result["failures"] for result in results.values()} == {0}


def test_nothing_of_them_is_left(status: Body) -> None:
    kinds = ("pods", "deployments", "statefulsets", "services")
    labels = [f"solrbench.io/benchmark={NAME}-{each['name']}" for each in status["points"]]

    def is_gone() -> bool:
        return not any(kube.items(kind, label) for kind in kinds for label in labels)

    kube.wait_for("removal of target and companions", is_gone, 60)
