from typing import Any

import pytest

from support.resources.objects import container, environment, mounted, pick, pod, target
from support.resources.small_resource import SOLR, Changes

SIZE = {"sizeLimit": "5Gi"}
OLD_NAMES = ("SOLR_HOST", "SOLR_PORT", "SOLR_REQUESTLOG_ENABLED", "ZK_CREATE_CHROOT")
NEW_NAMES = (
    "SOLR_HOST_ADVERTISE",
    "SOLR_PORT_LISTEN",
    "SOLR_LOGS_REQUESTLOG_ENABLED",
    "SOLR_ZOOKEEPER_CHROOT_CREATE",
)


def solr(changes: Changes | None = None) -> dict[str, Any]:
    return pick(target(changes), "StatefulSet", "base-solr")


def test_one_pod_for_each_node_all_at_once() -> None:
    spec = solr({f"{SOLR}.nodes": 5})["spec"]
    assert (spec["replicas"], spec["podManagementPolicy"]) == (5, "Parallel")


def test_a_service_over_all_nodes_only_where_a_variant_goes_through_it() -> None:
    def services(*variants: dict[str, str]) -> dict[str, Any]:
        found = target({"spec.target.variants": list(variants)})
        return {
            each["metadata"]["name"]: each["spec"]
            for each in found
            if each["kind"] == "Service" and "zookeeper" not in each["metadata"]["name"]
        }

    raw, again = {"name": "raw", "endpoint": "Nodes"}, {"name": "again", "endpoint": "Nodes"}
    assert services(raw, again).keys() == {"base-solr"}
    found = services(raw, {"name": "service", "endpoint": "Service"})
    assert found.keys() == {"base-solr", "base-solr-common"}
    common = found["base-solr-common"]
    assert "clusterIP" not in common  # an address of its own, which balances
    assert not common.get("publishNotReadyAddresses")
    assert common["selector"] == solr()["spec"]["selector"]["matchLabels"]
    assert common["ports"] == [{"name": "http", "port": 8983, "targetPort": "http"}]


@pytest.mark.parametrize(("heap", "wanted"), [("512Mi", "512m"), ("2Gi", "2048m")])
def test_heap_in_the_spelling_of_solr(heap: str, wanted: str) -> None:
    assert environment(solr({f"{SOLR}.heap": heap}))["SOLR_HEAP"] == wanted


def test_a_node_calls_itself_by_the_name_others_reach_it_by() -> None:
    manifest = solr()
    names = [each["name"] for each in container(manifest)["env"]]
    assert environment(manifest)["SOLR_HOST"] == "$(POD_NAME).base-solr.search.svc"
    assert names.index("POD_NAME") < names.index("SOLR_HOST")  # expanded in this order
    assert manifest["spec"]["serviceName"] == "base-solr"


@pytest.mark.parametrize(
    ("tag", "old", "new"),
    [
        ("9.10.1", True, False),
        ("10.0.0", False, True),
        ("10-slim", False, True),
        ("own", True, True),
    ],
)
def test_variables_have_the_names_of_each_version(tag: str, old: bool, new: bool) -> None:
    zookeeper = {"mode": "External", "connectionString": "zk:2181", "chroot": "/all"}
    found = environment(solr({f"{SOLR}.image": {"tag": tag}, f"{SOLR}.zookeeper": zookeeper}))
    wanted = ["$(POD_NAME).base-solr.search.svc", "8983", "false", "true"]
    for names, there in ((OLD_NAMES, old), (NEW_NAMES, new)):
        assert [found.get(name) for name in names] == (wanted if there else [None] * 4)
    assert found["SOLR_HEAP"] == "512m"


def test_nodes_know_every_zookeeper() -> None:
    found = environment(solr({f"{SOLR}.zookeeper": {"replicas": 3}}))["ZK_HOST"]
    servers = [f"base-zookeeper-{i}.base-zookeeper.search.svc:2181" for i in (1, 2, 3)]
    assert found == ",".join(servers)


def test_a_path_in_zookeeper_is_made_by_the_first_node() -> None:
    assert "ZK_CREATE_CHROOT" not in environment(solr())
    zookeeper = {"mode": "External", "connectionString": "zk:2181", "chroot": "/all"}
    found = environment(solr({f"{SOLR}.zookeeper": zookeeper}))
    assert found["ZK_HOST"].startswith("zk:2181/all/search.base-")
    assert found["ZK_CREATE_CHROOT"] == "true"


def test_flags_are_passed_on_only_when_given() -> None:
    assert not {"GC_TUNE", "SOLR_OPTS"} & environment(solr()).keys()
    found = environment(solr({f"{SOLR}.gcTune": "-XX:+UseZGC", f"{SOLR}.solrOpts": "-Da=b"}))
    assert (found["GC_TUNE"], found["SOLR_OPTS"]) == ("-XX:+UseZGC", "-Da=b")


def test_backup_is_mounted_read_only_where_solr_may_read() -> None:
    backup = {"name": "nightly", "claimName": "backups", "location": "2026"}
    changes: Changes = {
        "spec.dataset": {"backup": backup},
        "spec.workload.queries": {"configMap": {"name": "q"}},
    }
    manifest = solr(changes)
    source = {"persistentVolumeClaim": {"claimName": "backups", "readOnly": True}}
    assert mounted(manifest, "backup") == ("/mnt/backup", source)
    allowed = "-Dsolr.allowPaths=/mnt/backup -Dsolr.security.allow.paths=/mnt/backup"
    assert environment(manifest)["SOLR_OPTS"] == allowed
    given = environment(solr(changes | {f"{SOLR}.solrOpts": "-Da=b"}))["SOLR_OPTS"]
    assert given == f"{allowed} -Da=b"  # of two flags the last one counts
    assert not [each for each in pod(solr())["volumes"] if each["name"] == "backup"]


def test_solr_image_is_that_of_the_spec() -> None:
    image = {"repository": "solr", "tag": "9.9.0", "pullPolicy": "Always"}
    manifest = solr({f"{SOLR}.image": image, f"{SOLR}.imagePullSecrets": [{"name": "key"}]})
    assert container(manifest)["image"] == "solr:9.9.0"
    assert container(manifest)["imagePullPolicy"] == "Always"
    assert pod(manifest)["imagePullSecrets"] == [{"name": "key"}]
    assert "imagePullSecrets" not in pod(solr())


@pytest.mark.parametrize(
    ("storage", "wanted"), [({}, {}), ({"ephemeral": {}}, {}), ({"ephemeral": SIZE}, SIZE)]
)
def test_the_index_on_the_node_s_disk(storage: dict[str, Any], wanted: dict[str, str]) -> None:
    manifest = solr({f"{SOLR}.storage": storage})
    assert {"name": "data", "emptyDir": wanted} in pod(manifest)["volumes"]
    assert manifest["spec"]["volumeClaimTemplates"] == []


def test_the_index_on_a_claim_that_goes_with_the_node() -> None:
    persistent = {"size": "5Gi", "storageClassName": "fast"}
    spec = solr({f"{SOLR}.storage": {"persistent": persistent}})["spec"]
    (claim,) = spec["volumeClaimTemplates"]
    assert claim["spec"] == {
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": "5Gi"}},
        "storageClassName": "fast",
    }
    assert claim["metadata"]["labels"]["solrbench.io/benchmark"] == "base"
    assert spec["persistentVolumeClaimRetentionPolicy"]["whenDeleted"] == "Delete"
    assert "data" not in {each["name"] for each in spec["template"]["spec"]["volumes"]}


def test_the_cluster_s_storage_class_unless_one_is_named() -> None:
    spec = solr({f"{SOLR}.storage": {"persistent": {"size": "5Gi"}}})["spec"]
    assert "storageClassName" not in spec["volumeClaimTemplates"][0]["spec"]


def test_placement_of_the_spec_is_set() -> None:
    tolerations = [{"key": "dedicated", "value": "solr", "effect": "NoSchedule"}]
    spread_by = {"topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}
    changes: Changes = {
        f"{SOLR}.nodeSelector": {"disk": "ssd"},
        f"{SOLR}.tolerations": tolerations,
        f"{SOLR}.topologySpread": spread_by,
    }
    spec = pod(solr(changes))
    assert spec["nodeSelector"] == {"disk": "ssd"}
    assert spec["tolerations"] == [tolerations[0] | {"operator": "Equal"}]
    (spread,) = spec["topologySpreadConstraints"]
    assert spread_by.items() <= spread.items()
    assert spread["labelSelector"]["matchLabels"]["app.kubernetes.io/component"] == "solr"


@pytest.mark.parametrize("name", ["base-solr", "base-zookeeper"])
def test_placement_by_default_only_spreads(name: str) -> None:
    spec = pod(pick(target(), "StatefulSet", name))
    assert not {"nodeSelector", "tolerations"} & spec.keys()
    assert spec["topologySpreadConstraints"]


def test_service_names_pods_before_they_are_ready() -> None:
    service = pick(target(), "Service", "base-solr")["spec"]
    assert service["clusterIP"] == "None"
    assert service["publishNotReadyAddresses"] is True
    assert service["ports"] == [{"name": "http", "port": 8983}]
    template = solr()["spec"]["template"]["metadata"]["labels"]
    assert service["selector"].items() <= template.items()
