"""A benchmark on a SolrCloud of the Solr Operator, and others on that SolrCloud."""

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

import pytest

from support.cluster import kube
from support.cluster.benchmarks import ON_OPERATOR, config_map, small
from support.solr.operators import left_of
from support.solr.solr_state import cluster_status, documents_by_core, heap_bytes, solr_pods

Run = Callable[..., str]

LASTING = {"storage": {"persistent": {"size": "1Gi"}}}
READY_SECONDS = 180
NAME = "on-operator"
QUERIES = "queries-of-the-cloud"


@pytest.fixture(scope="module")
def finished(solr_operator: None) -> Iterator[dict[str, Any]]:
    target = ON_OPERATOR | LASTING | {"nodes": 2}
    body = small(NAME, target__solrCloud=target, collection={"shards": 2}, cleanup="Never")
    yield from kube.measured(body)


def test_cloud_belongs_to_the_benchmark(finished: dict[str, Any]) -> None:
    cloud = kube.get("solrclouds", NAME)
    assert cloud is not None
    (owner,) = cloud["metadata"]["ownerReferences"]
    assert (owner["kind"], owner["name"]) == ("SolrBenchmark", NAME)
    assert cloud["spec"]["solrImage"]["tag"]
    assert solr_pods(NAME) == [f"{NAME}-solrcloud-{i}" for i in range(2)]


def test_nodes_know_each_other_by_the_operators_names(finished: dict[str, Any]) -> None:
    service = f"{NAME}-solrcloud-headless.{kube.NAMESPACE}"
    expected = {f"{pod}.{service}:8983_solr" for pod in solr_pods(NAME)}
    assert set(cluster_status(NAME)["live_nodes"]) == expected


def test_documents_and_heap_are_those_asked_for(finished: dict[str, Any]) -> None:
    by_core = documents_by_core(NAME)
    assert len(by_core) == 2
    assert sum(by_core.values()) == finished["dataset"]["documents"] == 2000
    assert heap_bytes(NAME) == {512 * 1024**2}


def test_cloud_has_a_chroot_of_its_own(finished: dict[str, Any]) -> None:
    system = kube.solr(solr_pods(NAME)[0], "/admin/info/system")
    assert system["zkHost"].endswith(f"/{kube.NAMESPACE}-{NAME}")


def beside(name: str, cloud: str, **changes: Any) -> kube.Body:
    """Return a benchmark of a SolrCloud that is there already."""
    existing = {"solrCloudName": cloud, **changes}
    return small(name, target={"existing": existing}, collection={"shards": 2})


def test_cloud_is_ready_in_time(
    finished: dict[str, Any], record_property: Callable[[str, object], None]
) -> None:
    """It takes 30 s on a quiet machine, and more beside the other process of the suite."""
    conditions = {each["type"]: each["lastTransitionTime"] for each in finished["conditions"]}
    ready, started = (
        datetime.fromisoformat(each) for each in (conditions["TargetReady"], finished["startTime"])
    )
    seconds = (ready - started).total_seconds()
    record_property("seconds until a SolrCloud of two nodes is ready", f"{seconds:.0f}")
    assert seconds <= READY_SECONDS


def test_other_benchmarks_may_measure_the_cloud(finished: dict[str, Any], run: Run) -> None:
    name = run(beside("by-cloud", NAME, collectionPolicy="Create"))
    status = kube.wait_for_success(name)
    assert status["dataset"]["documents"] == 2000
    assert set(status["target"]["nodes"]) == set(cluster_status(NAME)["live_nodes"])
    kube.delete(name)
    assert set(cluster_status(NAME)["collections"]) == {NAME}
    assert sum(documents_by_core(NAME).values()) == 2000


def test_other_benchmarks_may_read_its_collection(finished: dict[str, Any], run: Run) -> None:
    before = documents_by_core(NAME)
    body = beside("read-cloud", NAME, collectionPolicy="UseExisting", collectionName=NAME)
    body["spec"]["workload"] = {"queries": {"configMap": {"name": QUERIES}}}
    del body["spec"]["dataset"], body["spec"]["collection"]
    name = run(body, config_map(QUERIES, queries__txt="q=*:*\n"))
    status = kube.wait_for_success(name)
    assert status["dataset"]["documents"] == 2000
    kube.delete(name)
    kube.kubectl("delete", "configmap", QUERIES)
    assert documents_by_core(NAME) == before


def test_zookeeper_of_others_serves_another_cloud(finished: dict[str, Any], run: Run) -> None:
    servers = f"{NAME}-zookeeper.{kube.NAMESPACE}.svc:2181"
    outside = {"mode": "External", "connectionString": servers, "chroot": "/others"}
    name = run(small("outside", target__solrCloud=ON_OPERATOR | {"zookeeper": outside}))
    status = kube.wait_for_success(name)
    assert status["dataset"]["documents"] == 2000
    cloud = kube.get("solrclouds", name)
    assert cloud is None or cloud["spec"]["zookeeperRef"]["connectionInfo"]


def test_cloud_that_is_not_there_is_waited_for(finished: dict[str, Any], run: Run) -> None:
    name = run(beside("no-cloud", "missing"))
    message = kube.wait_for_reason(name, "Accepted", "SolrCloudNotFound", 30)
    assert "target.existing.solrCloudName" in message


def test_deletion_leaves_nothing(finished: dict[str, Any]) -> None:
    before = left_of(NAME)
    assert f"persistentvolumeclaim/data-{NAME}-solrcloud-1" in before
    kube.delete(NAME)
    kube.wait_for("removal of what the operator made", lambda: not left_of(NAME), 90)
