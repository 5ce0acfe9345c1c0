"""What a benchmark owns is removed, and what other operators made is left to them."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from solrbench.contract import names
from solrbench.controller.deletion import (
    blocking_finalizer,
    delete_components,
    find_removal_blocker,
)
from solrbench.controller.objects import LOAD, TARGET, find_lost_pods, force_delete
from solrbench.controller.owned_objects import MAX_OWNERS, OWNED_KINDS, OwnedObjects
from solrbench.decide.pods import NOTICE, PATIENCE
from solrbench.errors import ConflictError, TemporaryError
from solrbench.kube.connection import ForbiddenError
from solrbench.reasons.end import ApiServerReason
from support.fakes.fake_cluster import FakeCluster, refusal
from support.narrowing import not_none
from support.resources.objects import ATTEMPT, stored, target, tools
from support.resources.solr_clouds import ready_cloud, ready_stateful_set

BUDGET = "PodDisruptionBudget"
EVERYTHING = (*LOAD, *TARGET)
NOW = datetime(2026, 1, 1, tzinfo=UTC)
FINALIZER = "storage.finalizers.solr.apache.org"
OURS = {"uid": "0b5b", "controller": True}
FORBIDDEN = ForbiddenError(ApiServerReason.API_REFUSED, "forbidden")
API_VERSIONS = {each.kind: each.api_version for each in OWNED_KINDS} | {
    "SolrBenchmark": "solrbench.io/v1alpha1",
    "SolrBenchmarkSweep": "solrbench.io/v1alpha1",
    "DaemonSet": "apps/v1",
}


def cloud(*finalizers: str) -> dict[str, Any]:
    found = ready_cloud()
    found["metadata"]["finalizers"] = list(finalizers)
    return found


def labelled(kind: str, name: str, *owners: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return an object with the labels of the benchmark, and such owners."""
    meta = {
        "name": name,
        "namespace": "search",
        "uid": f"{kind}-{name}",
        "labels": names.labels(stored(), "solr", ATTEMPT),
        "ownerReferences": list(owners),
    }
    return {"apiVersion": API_VERSIONS[kind], "kind": kind, "metadata": meta | more}


def pod(component: str) -> dict[str, Any]:
    labels = names.labels(stored(), component, ATTEMPT)
    return labelled("Pod", f"base-{component}-0", OURS, labels=labels)


def zookeeper_cluster() -> dict[str, Any]:
    """Return one as the Solr Operator makes it: with the labels of the SolrCloud."""
    made = ready_cloud()["metadata"]
    inherited = {key: made[key] for key in ("labels", "ownerReferences")}
    return labelled("ZookeeperCluster", "base-solrcloud-zookeeper", **inherited)


def fake(*bodies: dict[str, Any]) -> FakeCluster:
    """Return a cluster with both operators."""
    return FakeCluster(*bodies, unknown=())


def owned_by(cluster: FakeCluster, now: datetime = NOW) -> OwnedObjects:
    return OwnedObjects(cluster, "search", "base", frozenset(("0b5b",)), now)


def remove(
    cluster: FakeCluster, *components: str, below: int | None = None, now: datetime = NOW
) -> bool:
    return delete_components(owned_by(cluster, now), components or EVERYTHING, below)


def test_load_goes_first_and_kinds_of_operators_before_those_of_kubernetes() -> None:
    assert [each.kind for each in OWNED_KINDS] == [
        "Job",
        "Deployment",
        "SolrCloud",
        "ZookeeperCluster",
        "StatefulSet",
        "Service",
        "ConfigMap",
        "Pod",
        "PersistentVolumeClaim",
        "ReplicaSet",
        "PodDisruptionBudget",
    ]


def test_a_role_of_an_earlier_release_holds_no_removal_up() -> None:
    cluster = fake(*target(), pod("solr"))
    cluster.objects = {key: body for key, body in cluster.objects.items() if key[0] != BUDGET}
    cluster.fault = refusal(FORBIDDEN, kinds=(BUDGET, "Deployment", "ReplicaSet"))
    for _ in range(2):
        remove(cluster)
    assert remove(cluster) is True


def test_everything_of_our_own_goes() -> None:
    cluster = fake(*target(), *tools(), pod("solr"))
    assert remove(cluster) is False  # something was there
    assert remove(cluster) is False
    assert remove(cluster) is True
    assert cluster.objects == {}


def owner(kind: str, name: str, uid: str = "", **more: Any) -> dict[str, Any]:
    reference = {"apiVersion": API_VERSIONS[kind], "kind": kind, "name": name}
    return reference | {"uid": uid or f"{kind}-{name}", "controller": True} | more


def test_what_another_benchmark_made_is_spared_in_spite_of_its_labels() -> None:
    prod, claims = owner("SolrBenchmark", "prod"), "PersistentVolumeClaim"
    cluster = fake(
        labelled("SolrBenchmark", "prod", owner("SolrBenchmarkSweep", "all", "0b5b"), labels={}),
        labelled("StatefulSet", "prod-solr", prod),
        labelled("Service", "prod-solr", prod),
        labelled("ConfigMap", "prod-solr", prod),
        labelled("Pod", "prod-solr-0", owner("StatefulSet", "prod-solr")),
        labelled(claims, "data-prod-solr-0", owner("StatefulSet", "prod-solr", controller=False)),
        labelled(claims, "data-prod-solr-1"),
        labelled("Deployment", "prod-web", prod),
        labelled("ReplicaSet", "prod-web-7", owner("Deployment", "prod-web")),
        labelled("Pod", "prod-web-7-x", owner("ReplicaSet", "prod-web-7")),
    )
    assert remove(cluster) is True
    assert find_removal_blocker(owned_by(cluster)) is None
    assert cluster.deleted == []


def test_what_has_no_controller_is_left_alone_and_not_waited_for() -> None:
    cluster = fake(
        labelled("Pod", "naked", finalizers=["example.com/hold"]),
        labelled("ConfigMap", "naked", owner("SolrBenchmark", "base", "0b5b", controller=False)),
        labelled("Pod", "in-a-circle", owner("Pod", "in-a-circle")),
    )
    assert remove(cluster) is True
    assert cluster.deleted == []


def test_what_cannot_be_read_is_not_ours() -> None:
    cluster = fake(labelled("Pod", "agent-x", owner("DaemonSet", "agent")))
    cluster.fault = refusal(FORBIDDEN, kinds=("DaemonSet",))
    assert remove(cluster) is True
    assert cluster.deleted == []


def test_endless_owners_cost_no_more_than_some_requests() -> None:
    chain = [
        labelled("ConfigMap", f"c{n}", owner("ConfigMap", f"c{n + 1}"), labels={})
        for n in range(2000)
    ]
    many = [
        labelled("ConfigMap", f"m{n}", owner("Service", f"s{n}"), uid=f"m{n}") for n in range(300)
    ]
    cluster = fake(
        *chain,
        *many,
        *(labelled("Service", f"s{n}", labels={}) for n in range(300)),
        labelled("Service", "long", owner("ConfigMap", "c0")),
    )
    assert remove(cluster) is True
    assert cluster.deleted == []
    assert sum(each.method == "get" for each in cluster.requests) <= MAX_OWNERS


def test_what_is_left_of_owners_that_are_gone_is_removed_and_waited_for() -> None:
    held = {"finalizers": ["a-hook"]}
    cluster = fake(
        labelled("Pod", "base-solr-0", owner("StatefulSet", "base-solr", "of-an-earlier"), **held),
        labelled("StatefulSet", "base-solr", owner("SolrBenchmark", "base", "0b5b")),
        labelled("PersistentVolumeClaim", "data-base-solrcloud-0", **held),
        labelled("ConfigMap", "of-an-earlier", owner("SolrBenchmark", "base", "earlier")),
        labelled("SolrBenchmark", "base", uid="0b5b", labels={}),
    )
    for _ in range(2):
        assert remove(cluster) is False
    assert set(cluster.deleted) == {
        "StatefulSet/base-solr",
        "Pod/base-solr-0",
        "PersistentVolumeClaim/data-base-solrcloud-0",
        "ConfigMap/of-an-earlier",
    }


def test_zookeeper_stays_until_no_solr_pod_is_left() -> None:
    cluster = fake(*target(), pod("zookeeper"), pod("solr"))
    cluster.objects["Pod", "search", "base-solr-0"]["metadata"]["finalizers"] = ["a-hook"]
    for _ in range(2):
        assert remove(cluster) is False
        assert "Pod/base-solr-0" in cluster.deleted
        assert cluster.names("StatefulSet") == {"base-zookeeper"}
    del cluster.objects["Pod", "search", "base-solr-0"]
    assert remove(cluster) is False
    assert remove(cluster) is True
    assert {"StatefulSet/base-zookeeper", "Pod/base-zookeeper-0"} <= set(cluster.deleted)


def test_kinds_of_operators_that_are_not_installed_are_no_blocker() -> None:
    cluster = FakeCluster(*target())
    assert blocking_finalizer(owned_by(cluster)) is None
    remove(cluster)
    assert remove(cluster) is True


def test_what_a_solr_cloud_owns_is_left_until_the_cloud_is_gone() -> None:
    cluster = fake(cloud(FINALIZER), ready_stateful_set(), pod("solr"), pod("zookeeper"), *tools())
    assert remove(cluster) is False
    assert "SolrCloud/base" in cluster.deleted
    spared = {"StatefulSet/base-solrcloud", "Pod/base-solr-0", "Pod/base-zookeeper-0"}
    assert spared.isdisjoint(cluster.deleted)
    assert "Job/base-load-worker" in cluster.deleted
    del cluster.objects["SolrCloud", "search", "base"]
    remove(cluster)
    assert "StatefulSet/base-solrcloud" in cluster.deleted
    remove(cluster)
    assert remove(cluster) is True


def test_a_cloud_that_is_being_deleted_is_not_deleted_again() -> None:
    cluster = fake(cloud(FINALIZER))
    remove(cluster)
    assert remove(cluster) is False
    assert cluster.deleted == ["SolrCloud/base"]


def test_a_zookeeper_cluster_is_waited_for_and_never_deleted() -> None:
    cluster = fake(zookeeper_cluster(), ready_stateful_set())
    assert remove(cluster) is False
    assert cluster.deleted == []


def test_a_later_attempt_is_spared() -> None:
    cluster = fake(cloud(), ready_stateful_set())
    assert remove(cluster, *TARGET, below=ATTEMPT) is True
    assert remove(cluster, *TARGET, below=ATTEMPT + 1) is False
    assert "SolrCloud/base" in cluster.deleted


def test_clouds_are_not_listed_when_only_the_load_ends() -> None:
    cluster = fake(cloud(), *tools())
    remove(cluster, *LOAD)
    assert "SolrCloud" not in cluster.asked
    assert remove(cluster, *LOAD) is True


@pytest.mark.parametrize(
    ("body", "reason"),
    [(cloud(), "SolrCloudNotRemoved"), (zookeeper_cluster(), "ZookeeperClusterNotRemoved")],
)
def test_a_resource_that_does_not_go_says_what_it_waits_for(
    body: dict[str, Any], reason: str
) -> None:
    cluster = fake(body)
    body["metadata"]["finalizers"] = [FINALIZER]
    assert blocking_finalizer(owned_by(cluster)) is None  # no deletion has begun
    body["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    found = not_none(blocking_finalizer(owned_by(cluster)))
    assert found.reason == reason
    assert FINALIZER in found.message
    assert blocking_finalizer(replace(owned_by(cluster), benchmark_name="other")) is None


@pytest.mark.parametrize(
    ("finalizer", "holds"),
    [
        ("example.com/hold", True),
        ("kubernetes.io/pvc-protection", False),
        ("batch.kubernetes.io/job-tracking", False),
        ("foregroundDeletion", False),
    ],
)
def test_finalizers_of_others_are_named_on_every_kind(finalizer: str, *, holds: bool) -> None:
    cluster = FakeCluster(*target(), *tools(), pod("solr"))
    for body in cluster.objects.values():
        body["metadata"] |= {"deletionTimestamp": "2026-01-01T00:00:00Z"}
    kinds = {body["kind"] for body in cluster.objects.values()} & {e.kind for e in OWNED_KINDS}
    for kind in kinds:
        body = next(each for each in cluster.objects.values() if each["kind"] == kind)
        body["metadata"]["finalizers"] = [finalizer]
        found = find_removal_blocker(owned_by(cluster))
        assert (found is not None) == holds
        if found is not None:
            assert found.reason == "FinalizersLeft"
            assert f"{kind} {body['metadata']['name']}" in found.message
            assert finalizer in found.message
        del body["metadata"]["finalizers"]
    body = next(each for each in cluster.objects.values() if each["kind"] == "Pod")
    body["metadata"]["finalizers"], body["status"] = [finalizer], {"phase": "Running"}
    assert find_removal_blocker(owned_by(cluster)) is None  # others wait for its end


def node(ready: str, since: datetime) -> dict[str, Any]:
    condition = {"type": "Ready", "status": ready, "lastTransitionTime": since.isoformat()}
    meta = {"name": "worker-1", "namespace": ""}
    return {"kind": "Node", "metadata": meta, "status": {"conditions": [condition]}}


def terminating(component: str, since: datetime) -> dict[str, Any]:
    found = pod(component) | {"spec": {"nodeName": "worker-1"}}
    found["metadata"] |= {"uid": "lost", "deletionTimestamp": since.isoformat()}
    return found


def lost_world(*nodes: dict[str, Any], component: str = "solr") -> FakeCluster:
    """Return a cluster with a pod that should have ended two minutes ago."""
    cluster = fake(*nodes, terminating(component, NOW - timedelta(minutes=2)))
    cluster.on_lost_nodes = {f"base-{component}-0"}
    return cluster


@pytest.mark.parametrize("component", EVERYTHING)
@pytest.mark.parametrize(
    ("nodes", "why"),
    [
        ((), "is gone"),
        ((node("Unknown", NOW - timedelta(minutes=3)),), "has not been ready since 2025-12-31"),
        ((node("False", NOW - timedelta(minutes=3)),), "has not been ready since 2025-12-31"),
    ],
)
def test_a_pod_of_a_lost_node_is_named_and_deleted_without_its_kubelet(
    nodes: tuple[dict[str, Any], ...], why: str, component: str
) -> None:
    cluster = lost_world(*nodes, component=component)
    blocker = not_none(find_removal_blocker(owned_by(cluster)))
    assert blocker.reason == "NodeLost"
    assert f"pod base-{component}-0 cannot end, its node worker-1 {why}" in blocker.message
    assert remove(cluster) is False
    assert cluster.names("Pod") == set()
    assert remove(cluster) is True


@pytest.mark.parametrize(
    ("found", "seconds_overdue"),
    [
        (node("True", NOW - timedelta(hours=1)), 120),  # slow, but not lost
        (node("Unknown", NOW - timedelta(seconds=30)), 120),  # may be back in a moment
        (node("Unknown", NOW - timedelta(hours=1)), 30),  # may still end by itself
    ],
)
def test_a_pod_that_may_still_end_is_left_to_its_kubelet(
    found: dict[str, Any], seconds_overdue: int
) -> None:
    cluster = fake(found, terminating("solr", NOW - timedelta(seconds=seconds_overdue)))
    assert remove(cluster) is False
    assert cluster.deleted == []
    assert find_removal_blocker(owned_by(cluster)) is None


def test_a_lost_pod_is_named_for_some_seconds_before_it_is_force_deleted() -> None:
    cluster = fake(terminating("solr", NOW - PATIENCE - timedelta(seconds=1)))
    assert remove(cluster) is False
    assert cluster.names("Pod") == {"base-solr-0"}
    blocker = not_none(find_removal_blocker(owned_by(cluster)))
    assert blocker.reason == "NodeLost"
    remove(cluster, now=NOW + NOTICE)
    assert cluster.names("Pod") == set()


@pytest.mark.parametrize(
    ("error", "is_named"),
    [
        (ForbiddenError(ApiServerReason.API_REFUSED, "nodes is forbidden"), True),
        (TemporaryError(ApiServerReason.API_UNREACHABLE, "away"), False),
    ],
)
def test_a_pod_whose_node_may_not_be_read_is_named_but_not_force_deleted(
    error: TemporaryError, is_named: bool
) -> None:
    cluster = lost_world()
    cluster.fault = refusal(error, ["get"], ["Node"])
    assert remove(cluster) is False
    assert cluster.names("Pod") == {"base-solr-0"}
    blocker = find_removal_blocker(owned_by(cluster))
    assert ("may not be read (rbac.nodes); repair the node" in str(blocker)) is is_named


def test_a_successor_of_the_same_name_is_spared() -> None:
    cluster = lost_world()
    (lost,) = find_lost_pods(cluster, [cluster.objects["Pod", "search", "base-solr-0"]], NOW)
    cluster.put(pod("solr") | {"spec": {"nodeName": "worker-2"}})
    with pytest.raises(ConflictError):
        force_delete(cluster, [lost])
    assert cluster.names("Pod") == {"base-solr-0"}
