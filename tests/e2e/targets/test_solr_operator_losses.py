"""Operators, nodes and definitions that are lost, late or missing while a SolrCloud is needed."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from support.cluster import kube
from support.cluster.benchmarks import ON_OPERATOR, SMALL_SOLR, small
from support.narrowing import not_none
from support.solr.operators import (
    SOLR_OPERATOR,
    ZOOKEEPER_OPERATOR,
    enforce,
    left_of,
    no_definition,
)
from support.solr.solr_state import solr_pods

Run = Callable[..., str]

pytestmark = pytest.mark.usefixtures("solr_operator")

LASTING = {"storage": {"persistent": {"size": "1Gi"}}}
LONG_STEP = {"steps": [{"name": "long", "requestsPerSecond": 20, "durationSeconds": 600}]}
THINKING = {"constantMilliseconds": 100}
STEP = {"steps": [{"name": "one", "users": 2, "requests": 240, "thinkTime": THINKING}]}
ENSEMBLE = {key: SMALL_SOLR["zookeeper"][key] for key in ("replicas", "resources")}
PROVIDED = ON_OPERATOR | {"zookeeper": ENSEMBLE | {"mode": "Provided"}}


def test_benchmark_waits_for_a_solr_operator_that_does_not_run(run: Run) -> None:
    with SOLR_OPERATOR.stopped():
        name = run(small("waiting", target__solrCloud=ON_OPERATOR))
        message = kube.wait_for_reason(name, "TargetReady", "SolrOperatorNotRunning", 150)
        assert name in message
    kube.wait_for("StatefulSet", lambda: kube.get("statefulsets", f"{name}-solrcloud"), 60)


def test_operator_lost_on_the_way_and_under_load(run: Run) -> None:
    """Solr receives no requests until the operator marks it ready, and then does without it."""
    name = run(small("lost-on-the-way", target__solrCloud=ON_OPERATOR, load=STEP))
    kube.wait_for("StatefulSet", lambda: kube.get("statefulsets", f"{name}-solrcloud"), 120)
    with SOLR_OPERATOR.stopped():
        kube.wait_for("Solr", lambda: _solr_runs(name), 120)
        kube.wait_for("words about the gates", lambda: _gates_are_reported(name), 30)
    kube.wait_for_phase(name, "Measuring")
    pods = kube.status(name)["target"]["pods"]
    SOLR_OPERATOR.kill()
    status = kube.wait_for_success(name)
    assert status["attempts"] == {"target": 1, "load": 1}
    assert [each["requests"] for each in status["results"]] == [240]
    assert status["target"]["pods"] == pods
    kube.wait_for("operator", SOLR_OPERATOR.is_running, 60)


def _solr_runs(name: str) -> bool:
    statuses = [pod["status"].get("containerStatuses") for pod in kube.pods(name, "solr")]
    return bool(statuses) and all(each and each[0]["ready"] for each in statuses)


def _gates_are_reported(name: str) -> bool:
    condition = kube.condition(name, "TargetReady")
    assert condition["status"] == "False"
    return condition["reason"] == "SolrCloudNotReady" and "readiness gates" in condition["message"]


def test_lost_node_means_a_new_cloud(run: Run) -> None:
    """Its disk is empty when it comes back, and the Solr Operator does not bring replicas back."""
    target = ON_OPERATOR | {"nodes": 2}
    name = run(small("node-lost", target__solrCloud=target, load=STEP))
    kube.wait_for_phase(name, "Measuring")
    cloud = uid_of_cloud(name)
    kube.kill(solr_pods(name)[0])
    kube.wait_for("second attempt", lambda: kube.status(name)["attempts"]["target"] == 2, 120)
    kube.wait_for_phase(name, "Measuring")
    assert uid_of_cloud(name) != cloud
    status = kube.wait_for_success(name)
    assert [each["requests"] for each in status["results"]] == [240]
    assert status["dataset"]["documents"] == 2000


def uid_of_cloud(name: str) -> str:
    body = not_none(kube.get("solrclouds", name))
    return str(body["metadata"]["uid"])


@pytest.mark.parametrize(
    ("phase", "target"),
    [
        pytest.param("Provisioning", ON_OPERATOR, id="Provisioning"),
        pytest.param("Indexing", ON_OPERATOR, id="Indexing"),
        pytest.param("Indexing", PROVIDED, id="Indexing, provided ZooKeeper"),
    ],
)
def test_deletion_in_an_early_phase_leaves_nothing(
    run: Run, phase: str, target: dict[str, Any]
) -> None:
    """The next test deletes one that measures."""
    documents = {"generator": {"documents": 200_000, "seed": 3}}
    name = f"gone-{phase.lower()}"
    run(small(name, target__solrCloud=target, dataset=documents))
    kube.wait_for_phase(name, phase)
    kube.wait_for("cloud", lambda: kube.get("solrclouds", name), 120)
    kube.delete(name)
    kube.wait_for("removal of what the operators made", lambda: not left_of(name), 90)


def test_claims_wait_for_the_operator(run: Run) -> None:
    """What its finalizer holds goes when it is back; nothing is left behind unseen."""
    name = run(small("held", target__solrCloud=ON_OPERATOR | LASTING, load=LONG_STEP))
    kube.wait_for_phase(name, "Measuring")
    with SOLR_OPERATOR.stopped():
        kube.kubectl("delete", "solrbenchmark", name, "--wait=false")
        kube.wait_for("deletion of the cloud", lambda: _is_held("solrclouds", name), 60)
        messages = kube.wait_for(
            "words about it", lambda: _warnings(name, "SolrCloudNotRemoved"), 60
        )
        assert "check that the operator that made it is running" in messages[0]
    kube.delete(name)
    kube.wait_for("removal of what the operator made", lambda: not left_of(name), 90)


def _warnings(name: str, reason: str) -> list[str]:
    fields = f"involvedObject.name={name},reason={reason},type=Warning"
    found = json.loads(kube.kubectl("get", "events", "--field-selector", fields, "-o", "json"))
    return [each["message"] for each in found["items"]]


def _is_held(kind: str, name: str) -> bool:
    body = kube.get(kind, name)
    assert body is not None, "it went without its operator"
    return "deletionTimestamp" in body["metadata"]


def test_provided_zookeeper_goes_with_the_benchmark(run: Run) -> None:
    name = run(small("provided", target__solrCloud=PROVIDED, cleanup="Never"))
    kube.wait_for_success(name)
    cluster = not_none(kube.get("zookeeperclusters", f"{name}-solrcloud-zookeeper"))
    assert cluster["metadata"]["finalizers"] == ["cleanUpZookeeperPVC"]
    assert cluster["status"]["readyReplicas"] == 1
    kube.delete(name)
    kube.wait_for("removal of the ensemble", lambda: not left_of(name), 90)


def test_provided_zookeeper_waits_for_its_operator(run: Run) -> None:
    """Members join one after another by `zu`; a benchmark that is deleted then leaves none."""
    three = PROVIDED | {"zookeeper": PROVIDED["zookeeper"] | {"replicas": 3}}
    with ZOOKEEPER_OPERATOR.stopped():
        name = run(small("three-members", target__solrCloud=three, load=LONG_STEP))
        kube.wait_for_reason(name, "TargetReady", "ZooKeeperNotReady", 90)
    kube.wait_for("members", lambda: kube.status(name)["target"].get("zookeepers") == 3, 300)
    kube.delete(name)
    kube.wait_for("removal of the ensemble", lambda: not left_of(name), 90)


def test_restricted_namespace_refuses_the_pods(run: Run) -> None:
    enforce("restricted")
    try:
        name = run(small("restricted", target__solrCloud=ON_OPERATOR))
        message = kube.wait_for_reason(name, "TargetReady", "FailedCreate", 120)
    finally:
        enforce("baseline")
    assert 'violates PodSecurity "restricted' in message


@pytest.mark.alone
def test_benchmark_waits_for_the_definitions(run: Run) -> None:
    with no_definition():
        name = run(small("undefined", target__solrCloud=ON_OPERATOR))
        message = kube.wait_for_reason(name, "TargetReady", "SolrOperatorMissing", 120)
        assert "provisioner" in message
    kube.wait_for_success(name)
