"""What a benchmark owns is removed, and what other operators made is left to them."""

from typing import Any, cast

import pytest

from solrbench.cluster.client import Cluster
from solrbench.controller.children import LOAD, TARGET
from solrbench.controller.deletion import OWNED_KINDS, blocking_finalizer, delete_children
from solrbench.plan import names
from support.fakes.fake_cluster import FakeCluster
from support.resources.objects import ATTEMPT, stored, target, tools
from support.resources.solr_clouds import ready_cloud, ready_stateful_set

EVERYTHING = (*LOAD, *TARGET)
FINALIZER = "storage.finalizers.solr.apache.org"


def cloud(*finalizers: str) -> dict[str, Any]:
    found = ready_cloud()
    found["metadata"]["finalizers"] = list(finalizers)
    return found


def pod(component: str) -> dict[str, Any]:
    meta = {
        "name": f"base-{component}-0",
        "namespace": "search",
        "labels": names.labels(stored(), component, ATTEMPT),
    }
    return {"apiVersion": "v1", "kind": "Pod", "metadata": meta}


def zookeeper_cluster() -> dict[str, Any]:
    """Return one as the Solr Operator makes it: with the labels of the SolrCloud."""
    meta = {
        "name": "base-solrcloud-zookeeper",
        "namespace": "search",
        "labels": ready_cloud()["metadata"]["labels"],
    }
    return {
        "apiVersion": "zookeeper.pravega.io/v1beta1",
        "kind": "ZookeeperCluster",
        "metadata": meta,
    }


def fake(*bodies: dict[str, Any]) -> FakeCluster:
    """Return a cluster with both operators."""
    return FakeCluster(*bodies, unknown=())


def remove(cluster: FakeCluster, *components: str, below: int | None = None) -> bool:
    return delete_children(
        cast(Cluster, cluster), "search", "base", components or EVERYTHING, below
    )


def test_load_goes_first_and_kinds_of_operators_before_those_of_kubernetes() -> None:
    assert [each.kind for each in OWNED_KINDS] == [
        "Job",
        "SolrCloud",
        "ZookeeperCluster",
        "StatefulSet",
        "Service",
        "ConfigMap",
        "Pod",
        "PersistentVolumeClaim",
    ]


def test_everything_of_our_own_goes() -> None:
    cluster = fake(*target(), *tools(), pod("solr"))
    assert remove(cluster) is False  # something was there
    assert remove(cluster) is False
    assert remove(cluster) is True
    assert cluster.objects == {}


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


def test_kinds_of_operators_that_are_not_installed_are_no_obstacle() -> None:
    cluster = FakeCluster(*target())
    remove(cluster)
    assert remove(cluster) is True


def test_what_a_solr_cloud_owns_is_left_until_the_cloud_is_gone() -> None:
    cluster = fake(cloud(FINALIZER), ready_stateful_set(), pod("solr"), pod("zookeeper"), *tools())
    assert remove(cluster) is False
    assert "SolrCloud/base" in cluster.deleted
    assert not {"StatefulSet/base-solrcloud", "Pod/base-solr-0", "Pod/base-zookeeper-0"} & set(
        cluster.deleted
    )
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
    cluster = cast(Cluster, fake(body))
    body["metadata"]["finalizers"] = [FINALIZER]
    assert blocking_finalizer(cluster, "search", "base") is None  # no deletion has begun
    body["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    found = blocking_finalizer(cluster, "search", "base")
    assert found is not None
    assert found.reason == reason
    assert FINALIZER in found.message
    assert blocking_finalizer(cluster, "search", "other") is None


def test_without_other_operators_there_is_no_obstacle() -> None:
    assert blocking_finalizer(cast(Cluster, FakeCluster(*target())), "search", "base") is None
