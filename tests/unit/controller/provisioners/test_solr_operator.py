"""A target of the Solr Operator comes up, or its reason says whose turn it is."""

import socket
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from solrbench.controller import endpoint
from solrbench.controller.context import ReconcileContext
from solrbench.controller.provisioners import zookeeper as provisioned_zookeeper
from solrbench.controller.provisioners.solr_operator import SolrOperatorTarget
from solrbench.controller.settings import Settings
from solrbench.errors import PermanentError, TemporaryError
from solrbench.kube.results import BenchmarkResultStore
from solrbench.net import zookeeper
from support.cluster.benchmarks import service
from support.failing import failing
from support.fakes.fake_cluster import FakeCluster
from support.resources.objects import ATTEMPT, IMAGE, STARTED, stored
from support.resources.small_resource import SOLR, Changes
from support.resources.solr_clouds import (
    CREATED,
    OPENAPI_PATH,
    published_schema,
    ready_cloud,
    ready_stateful_set,
    stored_cloud,
)

NOW = datetime.fromisoformat(CREATED).astimezone(UTC) + timedelta(seconds=30)
NEWER_FIELD = "defaultInitContainerSecurityContext"


@pytest.fixture(autouse=True)
def names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every name be that of a pod for the checks, and this machine for connections."""
    monkeypatch.setattr(
        endpoint, "resolve", lambda host: ["10.0.0.7" if host.startswith("zk.") else "10.96.0.1"]
    )
    monkeypatch.setattr(zookeeper, "lookup", lambda *_: ["127.0.0.1"])
    monkeypatch.setattr(provisioned_zookeeper, "address_check", lambda *_, **__: None)


@pytest.fixture
def outside() -> Iterator[Changes]:
    """Open a port that takes connections, as an outside ZooKeeper does."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield _external(f"zk.search.svc:{server.getsockname()[1]}")


def _external(servers: str) -> Changes:
    return {f"{SOLR}.zookeeper": {"mode": "External", "connectionString": servers}}


def schema(*fields: str) -> dict[str, Any]:
    """Return the document of an API server that knows SolrClouds."""
    return {OPENAPI_PATH: published_schema(*fields)}


def fake(*bodies: dict[str, Any], **more: Any) -> FakeCluster:
    """Return a cluster with both operators."""
    return FakeCluster(service("zk"), *bodies, **({"unknown": ()} | more))


def run(cluster: FakeCluster, changes: Changes, now: datetime = NOW) -> ReconcileContext:
    benchmark = stored({f"{SOLR}.provisioner": "SolrOperator"} | changes)
    reports, settings = BenchmarkResultStore(cluster), Settings((), IMAGE)
    made = ReconcileContext(cluster, reports, settings, benchmark, {}, now)
    attempts = made.status.attempts.model_copy(update={"target": ATTEMPT})
    made.update(attempts=attempts, start_time=STARTED)
    return made


def reason(cluster: FakeCluster, changes: Changes, now: datetime = NOW) -> tuple[str, str]:
    with pytest.raises(TemporaryError) as caught:
        SolrOperatorTarget().ensure_pods(run(cluster, changes, now))
    return caught.value.reason, caught.value.message


def pod(**status: Any) -> dict[str, Any]:
    meta = {
        "name": "base-solrcloud-0",
        "namespace": "search",
        "uid": "p0",
        "creationTimestamp": CREATED,
        "labels": ready_cloud()["metadata"]["labels"],
        "ownerReferences": ready_cloud()["metadata"]["ownerReferences"],
    }
    return {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "status": status}


def test_a_cloud_that_is_up(outside: Changes) -> None:
    cluster = fake(ready_cloud(outside), ready_stateful_set(outside))
    SolrOperatorTarget().ensure_pods(run(cluster, outside))
    assert cluster.applied == []  # what is there is never changed


def test_a_cloud_is_made_once(outside: Changes) -> None:
    cluster = fake(documents=schema("labels"))
    for _ in range(2):
        assert reason(cluster, outside)[0] == "SolrCloudNotReady"
    budget, made = cluster.applied
    assert (budget["kind"], budget["spec"]["minAvailable"]) == ("PodDisruptionBudget", 2)
    assert (made["kind"], made["metadata"]["name"]) == ("SolrCloud", "base")
    assert NEWER_FIELD not in made["spec"]["customSolrKubeOptions"]["podOptions"]
    started = f"{int(STARTED.timestamp()):x}"
    chroot = made["spec"]["zookeeperRef"]["connectionInfo"]["chroot"]
    assert chroot == f"/search.base-{started}-{ATTEMPT}"


def test_a_cloud_of_a_newer_definition(outside: Changes) -> None:
    cluster = fake(documents=schema("labels", NEWER_FIELD))
    reason(cluster, outside)
    assert NEWER_FIELD in cluster.applied[-1]["spec"]["customSolrKubeOptions"]["podOptions"]


def test_nothing_is_made_while_the_definition_is_not_published(outside: Changes) -> None:
    cluster = fake()
    assert reason(cluster, outside)[0] == "SchemaNotPublished"
    assert cluster.applied == []


def test_no_solr_operator_at_all(outside: Changes) -> None:
    found, message = reason(fake(unknown=("SolrCloud",)), outside)
    assert found == "SolrOperatorMissing"
    assert "install the Apache Solr Operator" in message
    assert "set target.solrCloud.provisioner to StatefulSet" in message


def test_a_solr_operator_that_does_not_run(outside: Changes) -> None:
    cluster = fake(stored_cloud(outside))
    assert reason(cluster, outside)[0] == "SolrCloudNotReady"
    found, message = reason(cluster, outside, NOW + timedelta(seconds=60))
    assert found == "SolrOperatorNotRunning"
    assert "watches namespace search" in message


def coming_up(changes: Changes, ready: int, *pods: dict[str, Any]) -> FakeCluster:
    """Return a cluster with a SolrCloud of which so many of two nodes are ready."""
    cloud = ready_cloud(changes)
    cloud["status"]["readyReplicas"] = ready
    return fake(cloud, ready_stateful_set(changes), *pods)


def test_a_cloud_that_comes_up(outside: Changes) -> None:
    found = reason(coming_up(outside, 1, pod(phase="Running")), outside)
    assert found == ("SolrCloudNotReady", "1 of 2 Solr nodes are ready")


def test_a_solr_operator_that_stopped_on_the_way(outside: Changes) -> None:
    why = {"type": "Ready", "status": "False", "reason": "ReadinessGatesNotReady"}
    waiting = pod(phase="Running", conditions=[why])
    found, message = reason(coming_up(outside, 1, waiting), outside)
    assert found == "SolrCloudNotReady"
    assert "Solr runs in base-solrcloud-0, but the Solr Operator has not yet opened" in message


def test_pods_that_are_never_made(outside: Changes) -> None:
    found, message = reason(coming_up(outside, 0), outside)
    assert found == "SolrCloudNotReady"
    assert message.startswith("no pod is created yet")
    assert "kubectl describe statefulset base-solrcloud" in message
    assert "label it baseline" in message
    assert "target.solrCloud.provisioner to StatefulSet" in message


def test_trouble_of_an_init_container_is_the_reason(outside: Changes) -> None:
    waiting = {"waiting": {"reason": "ImagePullBackOff", "message": "no busybox"}}
    init = [{"name": "cp-solr-xml", "restartCount": 0, "state": waiting}]
    starting = pod(phase="Pending", initContainerStatuses=init)
    found, message = reason(coming_up(outside, 1, starting), outside)
    assert found == "ImagePullError"
    assert "cp-solr-xml" in message


def test_foreign_cloud_is_never_touched(outside: Changes) -> None:
    foreign = ready_cloud(outside)
    foreign["metadata"]["ownerReferences"][0]["uid"] = "another"
    cluster = fake(foreign, ready_stateful_set(outside))
    with failing(PermanentError, "SolrCloudNameTaken"):
        SolrOperatorTarget().ensure_pods(run(cluster, outside))
    assert cluster.applied == []
    assert cluster.deleted == []


def test_a_cloud_that_is_going_is_waited_for(outside: Changes) -> None:
    going = ready_cloud(outside)
    going["metadata"]["deletionTimestamp"] = CREATED
    assert reason(fake(going), outside)[0] == "RemovingOldTarget"


def test_an_outside_zookeeper_that_does_not_answer() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        servers = f"zk.search.svc:{server.getsockname()[1]}"
    cluster = fake(documents=schema())
    found, message = reason(cluster, _external(servers))
    assert found == "ZooKeeperUnreachable"
    assert servers in message
    assert cluster.applied == []


@pytest.mark.parametrize(
    "servers", ["zk.other.svc:2181", "zk.search.svc:2181,169.254.169.254:80", "kubernetes:443"]
)
def test_an_outside_zookeeper_must_be_allowed(
    servers: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(zookeeper, "any_reachable", asked.append)
    with failing(PermanentError, "HostNotAllowed"):
        SolrOperatorTarget().ensure_pods(run(fake(documents=schema()), _external(servers)))
    assert asked == []


PROVIDED: Changes = {f"{SOLR}.zookeeper": {"mode": "Provided"}}


def test_a_provided_zookeeper_without_its_operator() -> None:
    found, message = reason(fake(unknown=("ZookeeperCluster",)), PROVIDED)
    assert found == "ZooKeeperOperatorMissing"
    assert "set zookeeper.mode to Ensemble" in message


def test_a_provided_zookeeper_that_is_not_made() -> None:
    cluster = fake(documents=schema())
    found, message = reason(cluster, PROVIDED)
    assert found == "ZooKeeperNotReady"
    assert "has not made ZookeeperCluster base-solrcloud-zookeeper" in message


def test_a_provided_zookeeper_is_not_evicted_while_the_run_lasts() -> None:
    cluster = fake(documents=schema())
    reason(cluster, PROVIDED)
    budgets = {
        each["metadata"]["name"]: each["spec"]
        for each in cluster.applied
        if each["kind"] == "PodDisruptionBudget"
    }
    assert set(budgets) == {"base-solr", "base-zookeeper"}
    spec = budgets["base-zookeeper"]
    provided = cluster.applied[-1]["spec"]["zookeeperRef"]["provided"]
    assert spec["minAvailable"] == provided["replicas"]
    labels = provided["zookeeperPodPolicy"]["labels"]
    assert spec["selector"]["matchLabels"].items() <= labels.items()
