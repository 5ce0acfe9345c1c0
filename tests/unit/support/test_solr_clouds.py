from typing import Any

import pytest

from support.solr_operator import names
from support.solr_operator.memory import CONNECTION, Memory, bare_cloud, cloud, counts, pod
from support.solr_operator.names import NOT_STOPPED
from support.solr_operator.solr_clouds import (
    SolrClouds,
    agrees,
    build_status,
    open_gates,
    with_defaults,
)
from support.solr_operator.stateful_set import (
    build_budget,
    build_config_map,
    build_services,
    build_stateful_set,
)

Body = dict[str, Any]


def test_fills_what_is_missing_and_keeps_what_is_given() -> None:
    given: Body = {
        "replicas": 1,
        "solrImage": {"tag": "9.9.0"},
        "availability": {"podDisruptionBudget": {"enabled": False}},
        "scaling": {"vacatePodsOnScaleDown": False},
        "dataStorage": {"persistent": {"pvcTemplate": {}}},
    }
    found = with_defaults(given)
    assert found["replicas"] == 1
    assert found["solrImage"] == {"repository": "library/solr", "tag": "9.9.0"}
    assert found["availability"]["podDisruptionBudget"]["enabled"] is False
    assert found["scaling"] == {"vacatePodsOnScaleDown": False, "populatePodsOnScaleUp": True}
    assert found["dataStorage"]["persistent"]["reclaimPolicy"] == "Retain"
    assert given["solrImage"] == {"tag": "9.9.0"}, "the argument must not change"
    assert with_defaults(found) == found


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, {"provided": {"replicas": 3, "chroot": "/"}}),
        ({"provided": {"chroot": "bench"}}, {"provided": {"replicas": 3, "chroot": "/bench"}}),
        (
            {"connectionInfo": {"internalConnectionString": "z:1"}, "provided": {}},
            {"connectionInfo": {"internalConnectionString": "z:1", "chroot": "/"}},
        ),
    ],
)
def test_zookeeper_is_provided_unless_a_connection_is_given(given: Body, expected: Body) -> None:
    found = with_defaults({"zookeeperRef": given})["zookeeperRef"]
    image = found.get("provided", {}).pop("image", None)
    assert found == expected
    assert (image or {}).get("repository") == ("pravega/zookeeper" if image else None)


def test_claims_of_provided_zookeeper_have_a_size() -> None:
    found = with_defaults({"zookeeperRef": {"provided": {"persistence": {}}}})
    persistence = found["zookeeperRef"]["provided"]["persistence"]
    assert persistence["reclaimPolicy"] == "Retain"
    assert persistence["spec"]["resources"]["requests"] == {"storage": "5Gi"}


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


def built(**spec: Any) -> Body:
    return build_stateful_set(cloud(**spec), CONNECTION, {"library/busybox:1.28.0-glibc": "bb:1"})


def pod_of(stateful_set: Body) -> Body:
    found: Body = stateful_set["spec"]["template"]["spec"]
    return found


def environment(container: Body) -> dict[str, str]:
    return {each["name"]: each["value"] for each in container["env"] if "value" in each}


def options(**values: Any) -> Body:
    return {"customSolrKubeOptions": {"podOptions": values}}


def test_names_are_those_of_the_facts() -> None:
    stateful_set = built()
    assert stateful_set["metadata"]["name"] == "bench-solrcloud"
    assert stateful_set["metadata"]["ownerReferences"][0]["uid"] == "u-1"
    assert stateful_set["spec"]["serviceName"] == "bench-solrcloud-headless"
    assert stateful_set["spec"]["updateStrategy"] == {"type": "OnDelete"}
    (node,) = pod_of(stateful_set)["containers"]
    assert environment(node)["SOLR_HOST"] == "$(POD_NAME).bench-solrcloud-headless.search"
    assert environment(node)["ZK_HOST"] == "zk-0:2181/b"


def test_labels_of_the_cloud_win_over_those_of_the_options() -> None:
    found = built(**options(labels={"team": "other", "mine": "yes"}))
    labels = found["spec"]["template"]["metadata"]["labels"]
    assert labels == {
        "team": "search",
        "mine": "yes",
        "solr-cloud": "bench",
        "technology": "solr-cloud",
    }
    assert "mine" not in found["metadata"]["labels"]


def test_chroot_is_made_by_a_container_before_solr() -> None:
    copy, chroot = pod_of(built(solrOpts="-Da=b"))["initContainers"]
    assert copy["image"] == "bb:1"
    assert chroot["name"] == "setup-zk"
    assert environment(chroot)["SOLR_TOOL_OPTS"] == "-Da=b"
    root = build_stateful_set(cloud(), CONNECTION | {"chroot": "/"}, {})
    assert [each["name"] for each in pod_of(root)["initContainers"]] == ["cp-solr-xml"]


def test_init_containers_take_resources_and_security_of_the_options() -> None:
    amounts = {"limits": {"memory": "1Gi"}}
    security = {"allowPrivilegeEscalation": False}
    pod = pod_of(
        built(
            **options(
                defaultInitContainerResources=amounts,
                defaultInitContainerSecurityContext=security,
                containerSecurityContext={"privileged": False},
            )
        )
    )
    assert [each["resources"] for each in pod["initContainers"]] == [amounts] * 2
    assert [each["securityContext"] for each in pod["initContainers"]] == [security] * 2
    assert pod["containers"][0]["securityContext"] == {"privileged": False}


def test_custom_startup_probe_starts_from_the_liveness_probe() -> None:
    (node,) = pod_of(built(**options(startupProbe={"periodSeconds": 3})))["containers"]
    startup = node["startupProbe"]
    assert "initialDelaySeconds" not in startup
    assert (startup["periodSeconds"], startup["timeoutSeconds"]) == (3, 30)
    assert startup["failureThreshold"] == 15
    assert node["livenessProbe"]["periodSeconds"] == 20


def test_variables_of_the_options_come_before_solr_opts() -> None:
    extra = [{"name": "MINE", "value": "1"}]
    (node,) = pod_of(built(solrOpts="-Dx=$(MINE)", **options(envVars=extra)))["containers"]
    names = [each["name"] for each in node["env"]]
    assert names[-2:] == ["MINE", "SOLR_OPTS"]
    assert environment(node)["SOLR_OPTS"] == "-DhostPort=$(SOLR_NODE_PORT) -Dx=$(MINE)"


def test_volumes_of_the_options_are_mounted_only_where_they_say_so() -> None:
    extra = [
        {"name": "logs", "source": {"emptyDir": {}}, "defaultContainerMount": {"mountPath": "/l"}},
        {"name": "idle", "source": {"emptyDir": {}}},
    ]
    pod = pod_of(built(**options(volumes=extra)))
    assert [each["name"] for each in pod["volumes"]][-2:] == ["logs", "idle"]
    mounts = pod["containers"][0]["volumeMounts"]
    assert {"name": "logs", "mountPath": "/l"} in mounts
    assert "idle" not in [each["name"] for each in mounts]


def test_placement_and_grace_period_are_copied() -> None:
    spread = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}
    pod = pod_of(
        built(
            **options(
                nodeSelector={"disk": "ssd"},
                topologySpreadConstraints=[spread],
                terminationGracePeriodSeconds=20,
                podSecurityContext={"runAsUser": 8983},
                imagePullSecrets=[{"name": "key"}],
                enableServiceLinks=False,
            )
        )
    )
    assert pod["nodeSelector"] == {"disk": "ssd"}
    (found,) = pod["topologySpreadConstraints"]
    assert found["labelSelector"]["matchLabels"]["solr-cloud"] == "bench"
    assert pod["securityContext"] == {"fsGroup": 8983, "runAsUser": 8983}
    assert pod["enableServiceLinks"] is False
    assert pod["imagePullSecrets"] == [{"name": "key"}]
    assert environment(pod["containers"][0])["SOLR_STOP_WAIT"] == "15"


def test_storage_decides_claims_volumes_and_gates() -> None:
    claim = {"resources": {"requests": {"storage": "5Gi"}}}
    lasting = built(dataStorage={"persistent": {"pvcTemplate": {"spec": claim}}})
    (template,) = lasting["spec"]["volumeClaimTemplates"]
    assert template["metadata"]["name"] == "data"
    assert template["spec"]["accessModes"] == ["ReadWriteOnce"]
    assert len(pod_of(lasting)["readinessGates"]) == 1
    assert "data" not in [each["name"] for each in pod_of(lasting)["volumes"]]
    passing = built()
    assert passing["spec"]["volumeClaimTemplates"] == []
    assert len(pod_of(passing)["readinessGates"]) == 2
    assert {"name": "data", "emptyDir": {}} in pod_of(passing)["volumes"]


def test_services_differ_in_readiness_and_port() -> None:
    common, headless = build_services(cloud(solrAddressability={"commonServicePort": 81}))
    assert common["spec"]["ports"][0]["port"] == 81
    assert "clusterIP" not in common["spec"]
    assert headless["spec"]["ports"][0]["port"] == 8983
    assert headless["spec"]["publishNotReadyAddresses"] is True
    assert common["metadata"]["labels"]["team"] == "search"


def test_solr_xml_names_the_advertised_port() -> None:
    config = build_config_map(cloud())
    assert config["metadata"]["name"] == "bench-solrcloud-configmap"
    assert "${solr.port.advertise:" in config["data"]["solr.xml"]


def test_disruption_budget_can_be_switched_off() -> None:
    budget = build_budget(cloud())
    assert budget is not None
    assert budget["spec"]["maxUnavailable"] == "25%"
    assert budget["metadata"]["labels"] == {}
    assert build_budget(cloud(availability={"podDisruptionBudget": {"enabled": False}})) is None


NOW = "2026-11-21T00:00:00Z"


def test_counts_come_from_the_pods() -> None:
    pods = [pod("bench-solrcloud-1", ready=False), pod("bench-solrcloud-0")]
    status = build_status(cloud(), {"status": counts(2, 1)}, pods, CONNECTION)
    assert (status["replicas"], status["readyReplicas"], status["upToDateNodes"]) == (2, 1, 2)
    assert [node["name"] for node in status["solrNodes"]] == [
        "bench-solrcloud-0",
        "bench-solrcloud-1",
    ]
    address = "http://bench-solrcloud-0.bench-solrcloud-headless.search:8983"
    assert status["solrNodes"][0]["internalAddress"] == address
    assert status["internalCommonAddress"] == "http://bench-solrcloud-common.search"
    assert status["podSelector"] == "solr-cloud=bench,technology=solr-cloud"
    assert "targetVersion" not in status


def test_pod_of_an_older_template_is_not_up_to_date() -> None:
    status = build_status(
        cloud(), {"status": counts(1, 1)}, [pod("p-0", revision="r0")], CONNECTION
    )
    assert status["upToDateNodes"] == 0
    assert status["solrNodes"][0]["specUpToDate"] is False


def test_other_version_is_reported_until_all_pods_have_the_wanted_one() -> None:
    other = cloud(solrImage={"tag": "9.9.0"})
    status = build_status(other, {"status": counts(1, 1)}, [pod("p-0")], CONNECTION)
    assert (status["version"], status["targetVersion"]) == ("9.10.0", "9.9.0")


def test_common_address_names_any_port_but_80() -> None:
    other = cloud(solrAddressability={"commonServicePort": 81})
    status = build_status(other, {}, [], CONNECTION)
    assert status["internalCommonAddress"] == "http://bench-solrcloud-common.search:81"
    assert status["replicas"] == 0


def test_status_is_held_back_while_pods_and_stateful_set_differ() -> None:
    status = build_status(cloud(), {"status": counts(1, 1)}, [pod("p-0")], CONNECTION)
    assert agrees(status, {"status": counts(1, 1)})
    assert not agrees(status, {"status": counts(1, 0)})
    assert not agrees(status, {"status": counts(2, 1)})
    assert not agrees(status, {})


def test_gates_are_opened_once() -> None:
    body = pod("p-0")
    (condition,) = open_gates(body, NOW)
    assert condition["type"] == NOT_STOPPED
    assert (condition["status"], condition["reason"]) == ("True", "PodStarted")
    body["status"]["conditions"].append(condition | {"status": "False", "reason": "ScaleDown"})
    assert open_gates(body, NOW) == []


def test_stopped_pod_is_scheduled_for_deletion() -> None:
    body = pod("p-0")
    body["status"]["conditions"].append({"type": NOT_STOPPED, "status": "False"})
    status = build_status(cloud(), {"status": counts(1, 1)}, [body], CONNECTION)
    assert status["solrNodes"][0]["scheduledForDeletion"] is True
