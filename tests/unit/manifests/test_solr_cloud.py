from typing import Any

import pytest

from support.resources.objects import container, operated_target, pick, stored, target
from support.resources.small_resource import SOLR, Changes

NEWER = frozenset({"defaultInitContainerSecurityContext", "enableServiceLinks"})
SIZE = {"sizeLimit": "5Gi"}
EXTERNAL = {"mode": "External", "connectionString": "zk-0:2181,zk-1:2181", "chroot": "/b"}


def spec(changes: Changes | None = None, known: frozenset[str] = frozenset()) -> dict[str, Any]:
    return dict(operated_target(changes, known)["spec"])


def options(changes: Changes | None = None, known: frozenset[str] = frozenset()) -> dict[str, Any]:
    return dict(spec(changes, known)["customSolrKubeOptions"]["podOptions"])


def test_it_has_the_name_of_its_owner() -> None:
    manifest = operated_target()
    assert (manifest["apiVersion"], manifest["kind"]) == ("solr.apache.org/v1beta1", "SolrCloud")
    metadata = manifest["metadata"]
    assert (metadata["name"], metadata["namespace"]) == ("base", "search")
    (owner,) = metadata["ownerReferences"]
    assert owner["uid"] == stored().metadata.uid


def test_labels_are_those_that_its_pods_must_have() -> None:
    labels = operated_target()["metadata"]["labels"]
    assert options()["labels"] == labels
    assert labels["app.kubernetes.io/component"] == "solr"
    assert labels["solrbench.io/benchmark"] == "base"
    assert labels["solrbench.io/attempt"] == "2"


def test_nodes_and_java_options_are_those_of_the_spec() -> None:
    given = {"nodes": 5, "heap": "2Gi", "gcTune": "-XX:+UseZGC", "solrOpts": "-Da=b"}
    found = spec({f"{SOLR}.{name}": value for name, value in given.items()})
    assert found["replicas"] == 5
    assert found["solrJavaMem"] == "-Xms2048m -Xmx2048m"
    assert (found["solrGCTune"], found["solrOpts"]) == ("-XX:+UseZGC", "-Da=b")
    assert not {"solrGCTune", "solrOpts"} & spec().keys()


def test_the_tag_is_always_said_for_the_default_is_an_old_one() -> None:
    default = {"repository": "solr", "tag": "9.10.1", "pullPolicy": "IfNotPresent"}
    assert spec()["solrImage"] == default
    image = {"repository": "own/solr", "tag": "9.9.0", "pullPolicy": "Never"}
    assert spec({f"{SOLR}.image": image})["solrImage"] == image


def test_pull_secrets_are_those_of_the_pods() -> None:
    secrets = [{"name": "one"}, {"name": "two"}]
    assert options({f"{SOLR}.imagePullSecrets": secrets})["imagePullSecrets"] == secrets
    assert "imagePullSecrets" not in options()
    provided = {f"{SOLR}.imagePullSecrets": secrets, f"{SOLR}.zookeeper.mode": "Provided"}
    policy = spec(provided)["zookeeperRef"]["provided"]["zookeeperPodPolicy"]
    assert policy["imagePullSecrets"] == secrets


def test_no_other_image_is_needed() -> None:
    found = spec({f"{SOLR}.image": {"repository": "registry.example.org/solr", "tag": "9.9.0"}})
    assert found["busyBoxImage"] == found["solrImage"]


def test_nothing_moves_under_load() -> None:
    found = spec()
    assert found["updateStrategy"] == {"method": "Manual"}
    assert found["availability"]["podDisruptionBudget"]["enabled"] is False
    assert found["scaling"] == {"vacatePodsOnScaleDown": False, "populatePodsOnScaleUp": False}
    options = found["customSolrKubeOptions"]["statefulSetOptions"]
    assert options == {"podManagementPolicy": "Parallel"}


@pytest.mark.parametrize(
    ("storage", "wanted"), [({}, {}), ({"ephemeral": {}}, {}), ({"ephemeral": SIZE}, SIZE)]
)
def test_the_index_on_the_node_s_disk(storage: dict[str, Any], wanted: dict[str, str]) -> None:
    found = spec({f"{SOLR}.storage": storage})["dataStorage"]
    assert found == {"ephemeral": {"emptyDir": wanted}}


def test_the_index_on_a_claim_that_goes_with_the_cloud() -> None:
    changes: Changes = {f"{SOLR}.storage": {"persistent": {"size": "5Gi"}}}
    found = spec(changes)["dataStorage"]["persistent"]
    assert found["reclaimPolicy"] == "Delete"
    (ours,) = pick(target(changes), "StatefulSet", "base-solr")["spec"]["volumeClaimTemplates"]
    assert found["pvcTemplate"]["spec"] == ours["spec"]
    assert found["pvcTemplate"]["metadata"]["labels"] == ours["metadata"]["labels"]


def test_resources_and_probes_are_those_of_the_other_provisioner() -> None:
    resources = {"requests": {"cpu": "1"}, "limits": {"memory": "1Gi"}}
    changes: Changes = {f"{SOLR}.resources": resources}
    found = options(changes)
    ours = container(pick(target(changes), "StatefulSet", "base-solr"))
    assert found["resources"] == ours["resources"] == resources
    for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
        assert found[probe].items() <= ours[probe].items()
        assert found[probe]["timeoutSeconds"] >= 10
    assert {"name": "SOLR_REQUESTLOG_ENABLED", "value": "false"} in found["envVars"]


def test_containers_may_not_gain_rights() -> None:
    security = options()["containerSecurityContext"]
    assert security["allowPrivilegeEscalation"] is False
    assert security["capabilities"] == {"drop": ["ALL"]}
    # bin/solr writes its process id and logs below /var/solr
    assert security["readOnlyRootFilesystem"] is False


def test_what_only_newer_definitions_have_is_left_out_for_older_ones() -> None:
    assert not NEWER & options().keys()
    found = options(known=NEWER | {"labels"})
    assert found["defaultInitContainerSecurityContext"]["capabilities"] == {"drop": ["ALL"]}
    assert found["enableServiceLinks"] is False


@pytest.mark.parametrize("limit", [{}, {"cpu": "2"}])
def test_init_containers_have_room_for_a_java_process_and_solr_s_limit_of_cpu(
    limit: dict[str, str],
) -> None:
    changes: Changes = {"spec.target.solrCloud.resources.limits": {"memory": "4Gi", **limit}}
    resources = options(changes)["defaultInitContainerResources"]
    assert resources["limits"] == {"memory": "512Mi", **limit}


def test_our_ensemble_is_handed_over_with_a_path_of_its_own() -> None:
    servers = [f"base-zookeeper-{i}.base-zookeeper.search.svc:2181" for i in (1, 2, 3)]
    info = {"internalConnectionString": ",".join(servers), "chroot": "/search-base"}
    found = spec({f"{SOLR}.zookeeper": {"replicas": 3}})["zookeeperRef"]
    assert found == {"connectionInfo": info}


def test_external_ensemble_is_passed_as_connection_info() -> None:
    found = spec({f"{SOLR}.zookeeper": EXTERNAL})["zookeeperRef"]["connectionInfo"]
    assert found["internalConnectionString"] == "zk-0:2181,zk-1:2181"
    assert found["chroot"].startswith("/b/search.base-")


def provided(**fields: Any) -> dict[str, Any]:
    zookeeper = {"mode": "Provided", "replicas": 3, "heap": "512Mi"} | fields
    return dict(spec({f"{SOLR}.zookeeper": zookeeper})["zookeeperRef"]["provided"])


def test_the_solr_operator_s_own_ensemble() -> None:
    found = provided(resources={"limits": {"memory": "1Gi"}})
    assert (found["replicas"], found["chroot"]) == (3, "/search-base")
    assert found["ephemeral"] == {"emptydirvolumesource": {}}
    policy = found["zookeeperPodPolicy"]
    assert policy["resources"] == {"limits": {"memory": "1Gi"}}
    assert policy["terminationGracePeriodSeconds"] == 5  # its hook would wait 30 s for clients
    environment = {each["name"]: each["value"] for each in policy["env"]}
    assert environment == {"ZK_SERVER_HEAP": "512", "SERVER_JVMFLAGS": "-Xms512m"}


def test_its_pods_are_not_taken_for_solr_nodes() -> None:
    # without them the labels of the SolrCloud would be copied to the members
    for labels in (provided()["labels"], provided()["zookeeperPodPolicy"]["labels"]):
        assert labels["app.kubernetes.io/component"] == "zookeeper"
        assert labels["solrbench.io/benchmark"] == "base"


def test_its_image_only_when_it_can_be_one_of_the_zookeeper_operator() -> None:
    assert "image" not in provided()
    image = {"repository": "registry.example.org/pravega/zookeeper", "tag": "0.2.15"}
    assert provided(image=image)["image"] == image | {"pullPolicy": "IfNotPresent"}
