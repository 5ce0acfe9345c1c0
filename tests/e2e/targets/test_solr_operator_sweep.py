"""A sweep over shards and users whose points share one SolrCloud of the Solr Operator."""

from collections.abc import Iterator
from typing import Any

import pytest

from support.cluster import kube
from support.cluster.benchmarks import ON_OPERATOR, build_sweep, ended_sweep, small
from support.solr.operators import left_of

NAME = "on-one-cloud"
AXES = [
    {"name": "shards", "field": "collection.shards", "values": [1, 2]},
    {"name": "users", "field": "load.steps[0].users", "values": [1, 2]},
]
Body = dict[str, Any]


@pytest.fixture(scope="module")
def status(solr_operator: None) -> Iterator[Body]:
    body = small(NAME, target__solrCloud=ON_OPERATOR)
    with ended_sweep(build_sweep(body, axes=AXES, order="Listed"), 600) as ended:
        yield ended


def test_points_share_the_cloud_and_the_index(status: Body) -> None:
    assert status["phase"] == "Succeeded", status
    assert [point.get("reuses") for point in status["points"]] == [None, "Index", "Cluster"]
    targets = [kube.status(f"{NAME}-{point['name']}")["target"] for point in status["points"]]
    assert targets[0]["pods"] == targets[1]["pods"] == targets[2]["pods"]


def test_each_point_has_the_shards_it_asks_for(status: Body) -> None:
    benchmarks = [kube.benchmark(f"{NAME}-{point['name']}") for point in status["points"]]
    assert [body["spec"]["collection"]["shards"] for body in benchmarks] == [1, 1, 2]
    assert [body["status"]["dataset"]["documents"] for body in benchmarks] == [2000] * 3
    assert all(point["requestsPerSecond"] > 0 for point in status["points"])


def test_cloud_is_removed_after_the_last_point(status: Body) -> None:
    owner = f"{NAME}-{status['points'][0]['name']}"
    kube.wait_for("removal of the SolrCloud", lambda: not kube.items("solrclouds"), 90)
    # Results of the points stay: they are ConfigMaps.
    kube.wait_for(
        "removal of its objects",
        lambda: all(entry.startswith("configmap/") for entry in left_of(owner)),
        90,
    )
