from typing import Any

from support.solr_operator import names
from support.solr_operator.zookeeper.clusters import ZookeeperClusters
from support.solr_operator.zookeeper.connection import build_zookeeper_cluster, connection_info
from support.solr_operator.zookeeper.pods import build_ensemble, with_defaults
from unit.support.solr_operator.clouds import cloud
from unit.support.solr_operator.memory import Memory

Body = dict[str, Any]
NAME = "bench-solrcloud-zookeeper"


def asked(**provided: Any) -> Body:
    found = build_zookeeper_cluster(cloud(zookeeperRef={"provided": provided}))
    assert found is not None
    return found | {"metadata": found["metadata"] | {"uid": "zk-1"}}


def ensemble(body: Body, copies: dict[str, str] | None = None) -> Body:
    return build_ensemble(body | {"spec": with_defaults(body["spec"])}, copies or {})[-1]


def container(stateful_set: Body) -> Body:
    (found,) = stateful_set["spec"]["template"]["spec"]["containers"]
    return dict(found)


def test_connection_names_every_member_before_there_is_one() -> None:
    body = cloud(zookeeperRef={"provided": {"replicas": 2, "chroot": "b"}})
    info = connection_info(body)
    host = f"{NAME}-1.{NAME}-headless.search.svc.cluster.local:2181"
    assert info["internalConnectionString"].split(",")[1] == host
    assert info["chroot"] == "/b"


def test_outside_connection_asks_for_no_cluster() -> None:
    assert build_zookeeper_cluster(cloud()) is None


def test_labels_of_the_cloud_reach_everything_but_what_the_pod_policy_names() -> None:
    body = asked(zookeeperPodPolicy={"labels": {"team": "zookeeper"}})
    assert body["metadata"]["labels"]["team"] == "search"
    labels = ensemble(body)["spec"]["template"]["metadata"]["labels"]
    assert labels["team"] == "zookeeper"
    assert (labels["app"], labels["kind"]) == (NAME, "ZookeeperMember")
    assert labels["technology"] == "zookeeper"


def test_storage_is_of_the_kind_of_solrs_unless_named() -> None:
    assert asked()["spec"]["storageType"] == "ephemeral"
    lasting = cloud(zookeeperRef={"provided": {}}, dataStorage={"persistent": {}})
    found = build_zookeeper_cluster(lasting)
    assert found is not None
    assert found["spec"]["storageType"] == "persistence"
    named = asked(persistence={"reclaimPolicy": "Delete"})
    assert named["spec"]["persistence"]["reclaimPolicy"] == "Delete"


def test_pull_secret_of_the_image_moves_to_the_pods() -> None:
    body = asked(image={"repository": "pravega/zookeeper", "imagePullSecret": "key"})
    assert body["spec"]["pod"]["imagePullSecrets"] == [{"name": "key"}]
    assert "imagePullSecret" not in body["spec"]["image"]


def test_other_images_lack_the_scripts_that_are_run() -> None:
    other = asked(image={"repository": "zookeeper", "tag": "3.9.4"})
    assert container(ensemble(other))["command"] == ["/usr/local/bin/zookeeperStart.sh"]
    stand_in = container(ensemble(asked(), {"pravega/zookeeper:0.2.15": "zookeeper:3.9.4"}))
    assert stand_in["image"] == "zookeeper:3.9.4"
    assert stand_in["command"][-1] == "start-foreground"


def variables(**provided: Any) -> dict[str, str]:
    found = container(ensemble(asked(**provided)))
    return {each["name"]: each["value"] for each in found["env"]}


def test_members_know_each_other() -> None:
    assert variables(replicas=1)["ZOO_SERVERS"] == "server.1=localhost:2888:3888;2181"
    domain = f"{NAME}-headless.search.svc.cluster.local"
    servers = variables(replicas=3)["ZOO_SERVERS"].split()
    assert servers[2] == f"server.3={NAME}-2.{domain}:2888:3888;2181"


def test_limit_of_connections_is_the_one_asked_for() -> None:
    assert variables()["ZOO_MAX_CLIENT_CNXNS"] == "60"
    assert variables(config={"maxClientCnxns": 1000})["ZOO_MAX_CLIENT_CNXNS"] == "1000"


def test_claims_of_a_lasting_ensemble() -> None:
    (claim,) = ensemble(asked(persistence={}))["spec"]["volumeClaimTemplates"]
    assert claim["metadata"]["labels"] == {"app": NAME, "uid": "zk-1"}
    assert claim["spec"]["resources"]["requests"] == {"storage": "5Gi"}


def test_reconciles_make_the_ensemble_and_report_its_status() -> None:
    memory = Memory(asked(replicas=1))
    clusters = ZookeeperClusters(memory, {})
    assert clusters.reconcile(NAME) is True, "defaults first"
    assert clusters.reconcile(NAME) is False
    stored = memory.get(names.ZOOKEEPER_CLUSTER, NAME)
    assert stored is not None
    assert stored["metadata"]["finalizers"] == [names.ZOOKEEPER_FINALIZER]
    assert stored["status"]["members"] == {"ready": [], "unready": []}
    assert stored["status"]["conditions"][0] == {"type": "PodsReady", "status": "False"}
    assert f"Service/{NAME}-client" in memory.kinds()


def test_ready_member_is_reported() -> None:
    memory = Memory(asked(replicas=1))
    clusters = ZookeeperClusters(memory, {})
    clusters.reconcile(NAME)
    condition = {"type": "Ready", "status": "True"}
    memory.replace(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": f"{NAME}-0", "labels": {"app": NAME}},
            "status": {"conditions": [condition]},
        }
    )
    clusters.reconcile(NAME)
    stored = memory.get(names.ZOOKEEPER_CLUSTER, NAME)
    assert stored is not None
    assert stored["status"]["members"]["ready"] == [f"{NAME}-0"]
    assert stored["status"]["conditions"][0]["status"] == "True"


def test_deleted_cluster_hangs_until_a_reconcile_has_seen_it() -> None:
    memory = Memory(asked(replicas=1))
    clusters = ZookeeperClusters(memory, {})
    clusters.reconcile(NAME)
    clusters.reconcile(NAME)
    claim = {"name": "data-0", "labels": {"app": NAME}}
    memory.replace({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": claim})
    stored = memory.get(names.ZOOKEEPER_CLUSTER, NAME)
    assert stored is not None
    memory.replace(stored | {"metadata": stored["metadata"] | {"deletionTimestamp": "now"}})
    assert memory.get(names.ZOOKEEPER_CLUSTER, NAME) is not None
    clusters.reconcile(NAME)
    assert memory.get(names.ZOOKEEPER_CLUSTER, NAME) is None
    assert "PersistentVolumeClaim/data-0" not in memory.kinds()


def test_retained_claims_need_no_finalizer() -> None:
    memory = Memory(asked(persistence={"reclaimPolicy": "Retain"}))
    clusters = ZookeeperClusters(memory, {})
    clusters.reconcile(NAME)
    clusters.reconcile(NAME)
    stored = memory.get(names.ZOOKEEPER_CLUSTER, NAME)
    assert stored is not None
    assert "finalizers" not in stored["metadata"]
