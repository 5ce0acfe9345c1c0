"""The double against what the real Solr Operator made of one SolrCloud, where that is at hand."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from support.solr_operator import controller, names
from support.solr_operator.containers import digest
from support.solr_operator.controller import Controller
from support.solr_operator.definitions import (
    VARIABLE,
    build_minimal_definitions,
    load_definitions,
    real_folder,
)
from support.solr_operator.memory import CONNECTION, Memory, cloud, counts, pod
from support.solr_operator.names import parse_copy, reference
from support.solr_operator.solr_clouds import build_status, with_defaults
from support.solr_operator.stateful_set import build_config_map, build_services, build_stateful_set
from support.solr_operator.zookeeper import (
    ZookeeperClusters,
    build_ensemble,
    build_zookeeper_cluster,
    connection_info,
)
from support.solr_operator.zookeeper import with_defaults as with_zookeeper_defaults
from support.solr_operator.zookeeper import with_defaults as zookeeper_with_defaults


def test_name_queued_several_times_is_reconciled_once() -> None:
    seen: list[str] = []

    def reconcile(name: str) -> bool:
        seen.append(name)
        return False

    found = Controller(reconcile)
    for name in ("a", "a", None, "b"):
        found.enqueue(name)
    found.reconcile_next()
    found.reconcile_next()
    assert seen == ["a", "b"]


def test_change_during_a_reconcile_triggers_another() -> None:
    def reconcile(name: str) -> bool:
        reconciled.append(name)
        if len(reconciled) == 1:
            found.enqueue(name)
        return False

    reconciled: list[str] = []
    found = Controller(reconcile)
    found.enqueue("a")
    found.reconcile_next()
    found.reconcile_next()
    assert reconciled == ["a", "a"]


@pytest.mark.parametrize("failing", [True, False])
def test_reconcile_is_repeated_after_an_error_or_on_request(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], failing: bool
) -> None:
    monkeypatch.setattr(controller, "SOON_SECONDS", 0.01)
    reconciled = threading.Semaphore(0)

    def reconcile(name: str) -> bool:
        reconciled.release()
        if failing:
            raise ConnectionError(name)
        return True

    found = Controller(reconcile)
    found.enqueue("a")
    found.reconcile_next()
    found.reconcile_next()
    assert reconciled.acquire(timeout=5)
    assert reconciled.acquire(timeout=5)
    assert ("ConnectionError" in capsys.readouterr().out) is failing


def test_images_under_other_names() -> None:
    copies = dict([parse_copy("library/busybox:1=localhost/bb:2")])
    assert reference({"repository": "library/busybox", "tag": "1"}, copies) == "localhost/bb:2"
    assert reference({"repository": "library/busybox", "tag": "9"}, copies) == "library/busybox:9"
    assert reference({"repository": "plain"}, copies) == "plain"
    with pytest.raises(ValueError, match="NAME=COPY"):
        parse_copy("busybox")


Body = dict[str, Any]


def schema_of(number: int, part: str) -> Body:
    version = build_minimal_definitions()[number]["spec"]["versions"][0]
    found: Body = version["schema"]["openAPIV3Schema"]["properties"][part]
    return found


def unknown(value: Any, schema: Body, path: str = "") -> Iterator[str]:
    """Return the fields that the API server would drop."""
    if schema.get("x-kubernetes-preserve-unknown-fields"):
        return
    if isinstance(value, dict) and "additionalProperties" not in schema:
        for key, each in value.items():
            known = schema.get("properties", {}).get(key)
            if known is None:
                yield f"{path}.{key}"
            else:
                yield from unknown(each, known, f"{path}.{key}")
    elif isinstance(value, list):
        for each in value:
            yield from unknown(each, schema["items"], f"{path}[]")


def test_minimal_definition_knows_a_cloud_with_defaults() -> None:
    body = cloud(
        zookeeperRef={"provided": {"zookeeperPodPolicy": {"labels": {"a": "b"}}}},
        dataStorage={"persistent": {}},
        customSolrKubeOptions={"podOptions": {"labels": {"a": "b"}, "envVars": []}},
    )
    assert list(unknown(with_defaults(body["spec"]), schema_of(0, "spec"))) == []
    status = build_status(body, {"status": counts(1, 1)}, [pod("p-0")], CONNECTION)
    assert list(unknown(status, schema_of(0, "status"))) == []


def test_minimal_definition_knows_a_cluster_with_defaults() -> None:
    body = build_zookeeper_cluster(cloud(zookeeperRef={"provided": {"persistence": {}}}))
    assert body is not None
    spec = with_zookeeper_defaults(body["spec"])
    assert list(unknown(spec, schema_of(1, "spec"))) == []


def test_minimal_definition_keeps_out_what_is_misspelt() -> None:
    wrong = {"customSolrKubeOptions": {"podOption": {}}, "heap": "1Gi"}
    assert list(unknown(wrong, schema_of(0, "spec"))) == [
        ".customSolrKubeOptions.podOption",
        ".heap",
    ]


def test_real_definitions_are_taken_where_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    assert load_definitions() == build_minimal_definitions()
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    for name in ("solrclouds-v0.9.1", "zookeeperclusters-v0.2.15"):
        (tmp_path / f"{name}.yaml").write_text(yaml.safe_dump({"from": name}), "utf-8")
    assert load_definitions("v0.9.1") == [
        {"from": "solrclouds-v0.9.1"},
        {"from": "zookeeperclusters-v0.2.15"},
    ]


BY_THE_API_SERVER = {
    "clusterIP",
    "clusterIPs",
    "creationTimestamp",
    "dnsPolicy",
    "generation",
    "imagePullPolicy",
    "internalTrafficPolicy",
    "ipFamilies",
    "ipFamilyPolicy",
    "persistentVolumeClaimRetentionPolicy",
    "resourceVersion",
    "restartPolicy",
    "revisionHistoryLimit",
    "schedulerName",
    "sessionAffinity",
    "status",
    "terminationMessagePath",
    "terminationMessagePolicy",
    "type",
    "uid",
}
OUR_OWN_TEXT = {"solr.xml"}
SAME_AMOUNT = {"50e-3": "50m"}


@pytest.fixture(scope="module")
def observed_cloud() -> Body:
    return _read("solrcloud.yaml")


@pytest.fixture(scope="module")
def objects() -> dict[str, Body]:
    items = _read("objects.yaml")["items"]
    return {f"{each['kind']}/{each['metadata']['name']}": each for each in items}


def _read(name: str) -> Body:
    folder = real_folder()
    file = folder.parent / "solr-operator-observed" / name if folder else None
    if file is None or not file.exists():
        pytest.skip("nothing of the real Solr Operator is at hand")
    body: Body = yaml.safe_load(file.read_text("utf-8"))
    return body


def zookeeper(observed_cloud: Body) -> Body:
    found: Body = observed_cloud["spec"]["zookeeperRef"]["connectionInfo"]
    return found


def differences(ours: Any, theirs: Any, path: str = "") -> Iterator[str]:
    """Return where two objects differ, apart from what the API server adds to any."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for key in ours.keys() | theirs.keys():
            if key in OUR_OWN_TEXT or (key not in ours and key in BY_THE_API_SERVER):
                continue
            yield from differences(ours.get(key), theirs.get(key), f"{path}.{key}")
    elif isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        for number, (left, right) in enumerate(zip(ours, theirs, strict=True)):
            yield from differences(left, right, f"{path}[{number}]")
    elif (ours or None) != (SAME_AMOUNT.get(str(theirs), theirs) or None):
        yield f"{path}: {ours!r} is {theirs!r} there"


def test_stored_defaults_are_the_same(observed_cloud: Body) -> None:
    sent = yaml.safe_load(
        observed_cloud["metadata"]["annotations"][
            "kubectl.kubernetes.io/last-applied-configuration"
        ]
    )
    assert with_defaults(sent["spec"]) == observed_cloud["spec"]


def test_stateful_set_is_the_same(observed_cloud: Body, objects: dict[str, Body]) -> None:
    ours = build_stateful_set(observed_cloud, zookeeper(observed_cloud), {})
    annotations = ours["spec"]["template"]["metadata"]["annotations"]
    assert annotations.pop("solr.apache.org/solrXmlMd5") == digest()
    theirs = objects["StatefulSet/bench-solrcloud"]
    del theirs["spec"]["template"]["metadata"]["annotations"]["solr.apache.org/solrXmlMd5"]
    assert sorted(differences(ours, theirs)) == []


def test_services_and_config_map_are_the_same(
    observed_cloud: Body, objects: dict[str, Body]
) -> None:
    for ours in (*build_services(observed_cloud), build_config_map(observed_cloud)):
        theirs = objects[f"{ours['kind']}/{ours['metadata']['name']}"]
        assert sorted(differences(ours, theirs)) == []


def test_status_is_the_same(observed_cloud: Body, objects: dict[str, Body]) -> None:
    template = _read("pod.yaml")
    pods = []
    for number in range(2):
        name = f"bench-solrcloud-{number}"
        pods.append(template | {"metadata": template["metadata"] | {"name": name}})
    stateful_set = objects["StatefulSet/bench-solrcloud"]
    assert (
        build_status(observed_cloud, stateful_set, pods, zookeeper(observed_cloud))
        == observed_cloud["status"]
    )


def test_a_difference_would_be_reported() -> None:
    assert list(differences({"a": [{"b": 1}]}, {"a": [{"b": 2}]})) == [".a[0].b: 1 is 2 there"]
    assert list(differences({}, {"a": 1})) == [".a: None is 1 there"]
    assert list(differences({"a": None}, {"a": {}, "uid": "u"})) == []


NAME = "bench-solrcloud-zookeeper"


def asked(**provided: Any) -> Body:
    found = build_zookeeper_cluster(cloud(zookeeperRef={"provided": provided}))
    assert found is not None
    return found | {"metadata": found["metadata"] | {"uid": "zk-1"}}


def ensemble(body: Body, copies: dict[str, str] | None = None) -> Body:
    return build_ensemble(body | {"spec": zookeeper_with_defaults(body["spec"])}, copies or {})[-1]


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
