from typing import Any

from support.solr_operator.solr_cloud.services import build_budget, build_config_map, build_services
from support.solr_operator.solr_cloud.stateful_set import build_stateful_set
from unit.support.solr_operator.clouds import CONNECTION, cloud

Body = dict[str, Any]


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
