from typing import Any

from support.solr_operator import names
from support.solr_operator.solr_cloud.solr_clouds import SolrClouds
from unit.support.solr_operator.clouds import bare_cloud, counts, pod
from unit.support.solr_operator.memory import Memory

Body = dict[str, Any]
CLAIMS = {"persistent": {"reclaimPolicy": "Delete", "pvcTemplate": {"spec": {}}}}


def made(**spec: Any) -> tuple[Memory, SolrClouds]:
    memory = Memory(bare_cloud(**spec))
    clouds = SolrClouds(memory, {})
    assert clouds.reconcile("bench") is True, "defaults are written before anything else"
    assert memory.kinds() == ["SolrCloud/bench"]
    assert clouds.reconcile("bench") is False
    return memory, clouds


def cloud_in(memory: Memory) -> Body:
    found = memory.get(names.SOLR_CLOUD, "bench")
    assert found is not None
    return found


def run_pods(memory: Memory, ready: int) -> None:
    for i in range(2):
        memory.replace(pod(f"bench-solrcloud-{i}", ready=i < ready))
    stateful_set = memory.get(names.STATEFUL_SET, "bench-solrcloud")
    assert stateful_set is not None
    memory.replace(stateful_set | {"status": counts(2, ready)})


def test_objects_come_before_any_status() -> None:
    memory, _ = made()
    assert memory.kinds() == [
        "ConfigMap/bench-solrcloud-configmap",
        "Service/bench-solrcloud-common",
        "Service/bench-solrcloud-headless",
        "SolrCloud/bench",
        "StatefulSet/bench-solrcloud",
    ]
    assert "status" not in cloud_in(memory)


def test_gates_are_opened_and_status_follows_the_pods() -> None:
    memory, clouds = made()
    run_pods(memory, ready=0)
    assert clouds.reconcile("bench") is False
    assert cloud_in(memory)["status"]["readyReplicas"] == 0
    stored = memory.get(names.POD, "bench-solrcloud-0")
    assert stored is not None
    assert [each["type"] for each in stored["status"]["conditions"]] == [
        "Ready",
        names.NOT_STOPPED,
    ]
    run_pods(memory, ready=2)
    clouds.reconcile("bench")
    assert cloud_in(memory)["status"]["readyReplicas"] == 2
    assert "PodDisruptionBudget/bench-solrcloud" in memory.kinds()


def test_status_waits_until_the_stateful_set_has_caught_up() -> None:
    memory, clouds = made()
    memory.replace(pod("bench-solrcloud-0"))
    assert clouds.reconcile("bench") is True
    assert "status" not in cloud_in(memory)


def test_pods_of_an_earlier_stateful_set_do_not_count() -> None:
    memory, clouds = made()
    run_pods(memory, ready=2)
    memory.replace(pod("bench-solrcloud-9", owner="earlier"))
    clouds.reconcile("bench")
    assert len(cloud_in(memory)["status"]["solrNodes"]) == 2


def test_claims_go_with_the_cloud_when_it_says_so() -> None:
    memory, clouds = made(dataStorage=CLAIMS)
    run_pods(memory, ready=2)
    clouds.reconcile("bench")
    assert cloud_in(memory)["metadata"]["finalizers"] == [names.STORAGE_FINALIZER]
    labels = {"solr-cloud": "bench", "technology": "solr-cloud"}
    for name, owner in (("data-bench-solrcloud-0", labels), ("other", {})):
        memory.replace(
            {
                "apiVersion": "v1",
                "kind": "PersistentVolumeClaim",
                "metadata": {"name": name, "labels": owner},
            }
        )
    body = cloud_in(memory)
    memory.replace(body | {"metadata": body["metadata"] | {"deletionTimestamp": "now"}})
    clouds.reconcile("bench")
    assert memory.get(names.SOLR_CLOUD, "bench") is None
    assert [each for each in memory.kinds() if "Claim" in each] == ["PersistentVolumeClaim/other"]


def test_claims_stay_when_they_are_to_be_retained() -> None:
    memory, clouds = made(dataStorage={"persistent": {}})
    run_pods(memory, ready=2)
    clouds.reconcile("bench")
    assert "finalizers" not in cloud_in(memory)["metadata"]


def test_provided_ensemble_is_asked_for_and_not_waited_for() -> None:
    memory, _ = made(zookeeperRef={"provided": {"replicas": 1, "chroot": "/b"}})
    assert "ZookeeperCluster/bench-solrcloud-zookeeper" in memory.kinds()
    assert "StatefulSet/bench-solrcloud" in memory.kinds()


def test_nothing_happens_for_a_cloud_that_is_gone() -> None:
    assert SolrClouds(Memory(), {}).reconcile("bench") is False
