"""A benchmark on a SolrCloud of the Solr Operator, of which a double runs beside the suite."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from support.cluster import kube
from support.cluster.benchmarks import SMALL_SOLR, config_map, small
from support.solr.solr_state import cluster_status, documents_by_core, heap_bytes, solr_pods
from support.solr_operator.process import SolrOperator

Run = Callable[..., str]

ON_OPERATOR = SMALL_SOLR | {"provisioner": "SolrOperator"}
LASTING = {"storage": {"persistent": {"size": "1Gi"}}}
NAME = "on-operator"
QUERIES = "queries-of-the-cloud"


@pytest.fixture(scope="module")
def finished(solr_operator: SolrOperator) -> Iterator[dict[str, Any]]:
    assert solr_operator.is_running()
    target = ON_OPERATOR | LASTING | {"nodes": 2}
    body = small(NAME, target__solrCloud=target, collection={"shards": 2}, cleanup="Never")
    kube.apply(body)
    yield kube.wait_for_success(NAME)
    kube.delete(NAME)


def left_of(name: str) -> list[str]:
    """Return what the operators made for a benchmark and what they made it from."""
    kinds = "solrclouds,zookeeperclusters,statefulsets,services,configmaps,pods,pvc,pdb"
    found = kube.kubectl("get", kinds, "-o", "name").split()
    return [each for each in found if f"/{name}" in each or f"-{name}-solrcloud" in each]


def test_cloud_belongs_to_the_benchmark(finished: dict[str, Any]) -> None:
    assert finished["phase"] == "Succeeded"
    cloud = kube.get("solrclouds", NAME)
    assert cloud is not None
    (owner,) = cloud["metadata"]["ownerReferences"]
    assert (owner["kind"], owner["name"]) == ("SolrBenchmark", NAME)
    assert cloud["spec"]["solrImage"]["tag"]
    assert solr_pods(NAME) == [f"{NAME}-solrcloud-{i}" for i in range(2)]


def test_nodes_know_each_other_by_the_operators_names(finished: dict[str, Any]) -> None:
    assert finished
    service = f"{NAME}-solrcloud-headless.{kube.NAMESPACE}"
    expected = {f"{pod}.{service}:8983_solr" for pod in solr_pods(NAME)}
    assert set(cluster_status(NAME)["live_nodes"]) == expected


def test_documents_and_heap_are_those_asked_for(finished: dict[str, Any]) -> None:
    by_core = documents_by_core(NAME)
    assert len(by_core) == 2
    assert sum(by_core.values()) == finished["dataset"]["documents"] == 2000
    assert heap_bytes(NAME) == {512 * 1024**2}


def test_cloud_has_a_chroot_of_its_own(finished: dict[str, Any]) -> None:
    assert finished
    system = kube.solr(solr_pods(NAME)[0], "/admin/info/system")
    assert system["zkHost"].endswith(f"/{kube.NAMESPACE}-{NAME}")


def beside(name: str, cloud: str, **changes: Any) -> kube.Body:
    """Return a benchmark of a SolrCloud that is there already."""
    existing = {"solrCloudName": cloud, **changes}
    return small(name, target={"existing": existing}, collection={"shards": 2})


def test_other_benchmarks_may_measure_the_cloud(finished: dict[str, Any], run: Run) -> None:
    assert finished
    name = run(beside("by-cloud", NAME, collectionPolicy="Create"))
    status = kube.wait_for_success(name)
    assert status["dataset"]["documents"] == 2000
    assert set(status["target"]["nodes"]) == set(cluster_status(NAME)["live_nodes"])
    kube.delete(name)
    assert set(cluster_status(NAME)["collections"]) == {NAME}
    assert sum(documents_by_core(NAME).values()) == 2000


def test_other_benchmarks_may_read_its_collection(finished: dict[str, Any], run: Run) -> None:
    assert finished
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


def test_cloud_that_is_not_there_is_waited_for(finished: dict[str, Any], run: Run) -> None:
    assert finished
    name = run(beside("no-cloud", "missing"))
    message = kube.wait_for_reason(name, "Accepted", "SolrCloudNotFound", 30)
    assert "target.existing.solrCloudName" in message


def test_deletion_leaves_nothing(finished: dict[str, Any]) -> None:
    assert finished
    before = left_of(NAME)
    assert f"persistentvolumeclaim/data-{NAME}-solrcloud-1" in before
    kube.delete(NAME)
    kube.wait_for("removal of what the operator made", lambda: not left_of(NAME), 90)


@pytest.fixture
def lenient_namespace() -> Iterator[None]:
    """Let pods in that are not restricted: those of the ZooKeeper operator never are."""
    label = "pod-security.kubernetes.io/enforce"
    kube.kubectl("label", "namespace", kube.NAMESPACE, f"{label}=baseline", "--overwrite")
    yield
    kube.kubectl("label", "namespace", kube.NAMESPACE, f"{label}=restricted", "--overwrite")


@pytest.mark.usefixtures("lenient_namespace")
def test_provided_zookeeper_goes_with_the_benchmark(run: Run, solr_operator: SolrOperator) -> None:
    assert solr_operator.is_running()
    ensemble = {key: SMALL_SOLR["zookeeper"][key] for key in ("replicas", "resources")}
    target = ON_OPERATOR | {"zookeeper": ensemble | {"mode": "Provided"}}
    name = run(small("provided", target__solrCloud=target, cleanup="Never"))
    kube.wait_for_success(name)
    cluster = kube.get("zookeeperclusters", f"{name}-solrcloud-zookeeper")
    assert cluster is not None
    assert cluster["metadata"]["finalizers"] == ["cleanUpZookeeperPVC"]
    assert cluster["status"]["readyReplicas"] == 1
    kube.delete(name)
    kube.wait_for("removal of the ensemble", lambda: not left_of(name), 90)


def test_benchmark_waits_for_a_solr_operator(run: Run, solr_operator: SolrOperator) -> None:
    solr_operator.stop()
    solr_operator.uninstall()
    try:
        name = run(small("waiting", target__solrCloud=ON_OPERATOR))
        message = kube.wait_for_reason(name, "TargetReady", "SolrOperatorMissing", 120)
        assert "provisioner" in message
        solr_operator.install()
        message = kube.wait_for_reason(name, "TargetReady", "SolrOperatorNotRunning", 150)
        assert name in message
    finally:
        solr_operator.install()
        solr_operator.start()
    kube.wait_for_success(name)


def test_operator_lost_on_the_way(run: Run, solr_operator: SolrOperator) -> None:
    """Solr runs, but receives no requests until the operator marks it ready."""
    name = run(small("lost-on-the-way", target__solrCloud=ON_OPERATOR))
    kube.wait_for("StatefulSet", lambda: kube.get("statefulsets", f"{name}-solrcloud"), 120)
    solr_operator.stop()
    try:
        kube.wait_for("Solr", lambda: _solr_runs(name), 120)
        kube.wait_for("words about the gates", lambda: _gates_are_reported(name), 30)
    finally:
        solr_operator.start()
    assert kube.wait_for_success(name)["attempts"] == {"target": 1, "load": 1}


def _solr_runs(name: str) -> bool:
    statuses = [pod["status"].get("containerStatuses") for pod in kube.pods(name, "solr")]
    return bool(statuses) and all(each and each[0]["ready"] for each in statuses)


def _gates_are_reported(name: str) -> bool:
    condition = kube.condition(name, "TargetReady")
    assert condition["status"] == "False"
    return condition["reason"] == "SolrCloudNotReady" and "readiness gates" in condition["message"]


def test_claims_wait_for_the_operator(run: Run, solr_operator: SolrOperator) -> None:
    """What its finalizer holds goes when it is back; nothing is left behind unseen."""
    step = {"steps": [{"name": "long", "users": 1, "durationSeconds": 600}]}
    name = run(small("held", target__solrCloud=ON_OPERATOR | LASTING, load=step))
    kube.wait_for("measuring", lambda: kube.status(name).get("phase") == "Measuring", 300)
    solr_operator.stop()
    try:
        kube.kubectl("delete", "solrbenchmark", name, "--wait=false")
        kube.wait_for("deletion of the cloud", lambda: _is_held(name), 60)
        messages = kube.wait_for(
            "words about it", lambda: _warnings(name, "SolrCloudNotRemoved"), 60
        )
        assert "check that the operator that made it is running" in messages[0]
    finally:
        solr_operator.start()
    kube.delete(name)
    kube.wait_for("removal of what the operator made", lambda: not left_of(name), 90)


def _warnings(name: str, reason: str) -> list[str]:
    fields = f"involvedObject.name={name},reason={reason},type=Warning"
    found = json.loads(kube.kubectl("get", "events", "--field-selector", fields, "-o", "json"))
    return [each["message"] for each in found["items"]]


def _is_held(name: str) -> bool:
    cloud = kube.get("solrclouds", name)
    assert cloud is not None, "the cloud went without its operator"
    return "deletionTimestamp" in cloud["metadata"]
