"""What a benchmark sets on its pods, and what stays ours."""

from typing import Any

import pytest

from solrbench.api.v1alpha1.pod_options import (
    SOLR_VARIABLES,
    UNDISTURBED,
    VARIABLE_PREFIXES,
    ZOOKEEPER_VARIABLES,
)
from solrbench.contract import names
from support.resources.objects import (
    POD_KINDS,
    container,
    everything,
    operated_target,
    pick,
    pod,
    target,
)
from support.resources.pod_options import AFFINITY, EVERY_OPTION, with_options
from support.resources.small_resource import SOLR, Changes

COMPONENTS = {
    "Solr": ("StatefulSet", "base-solr"),
    "ZooKeeper": ("StatefulSet", "base-zookeeper"),
    "Index": ("Job", "base-index"),
    "LoadMaster": ("Job", "base-load-master"),
    "LoadWorker": ("Job", "base-load-worker"),
    "Companion": ("Deployment", "base-proxy"),
}
COPIED = (
    "nodeSelector",
    "tolerations",
    "priorityClassName",
    "runtimeClassName",
    "serviceAccountName",
)
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
each_component = pytest.mark.parametrize("component", COMPONENTS)


def built(component: str, changes: Changes | None = None) -> dict[str, Any]:
    return pick(everything(changes), *COMPONENTS[component])


def only(component: str) -> Changes:
    return with_options({"components": [component], **EVERY_OPTION})


@each_component
def test_options_reach_the_pods_they_are_for(component: str) -> None:
    manifest = built(component, only(component))
    spec, meta = pod(manifest), manifest["spec"]["template"]["metadata"]
    assert EVERY_OPTION["labels"].items() <= meta["labels"].items()
    assert EVERY_OPTION["annotations"].items() <= meta["annotations"].items()
    assert {key: spec[key] for key in COPIED} == {key: EVERY_OPTION[key] for key in COPIED}
    (spread,) = spec["topologySpreadConstraints"]
    assert spread["topologyKey"] == "topology.kubernetes.io/zone"
    assert spread["labelSelector"]["matchLabels"].items() <= meta["labels"].items()
    assert spec["securityContext"].items() >= EVERY_OPTION["securityContext"].items()
    assert container(manifest)["env"][-3:] == EVERY_OPTION["env"]
    assert spec["affinity"]["nodeAffinity"] == AFFINITY["nodeAffinity"]
    assert spec["affinity"]["podAffinity"] == AFFINITY["podAffinity"]


@each_component
def test_options_reach_no_other_pods(component: str) -> None:
    for other in COMPONENTS.keys() - {component}:
        assert built(other, only(component)) == built(other)


@each_component
def test_nothing_of_ours_is_overridden(component: str) -> None:
    with_all, without = built(component, only(component)), built(component)
    labels = without["spec"]["template"]["metadata"]["labels"]
    assert labels.items() <= with_all["spec"]["template"]["metadata"]["labels"].items()
    assert with_all["metadata"] == without["metadata"]
    assert container(with_all)["securityContext"] == container(without)["securityContext"]
    security = pod(with_all)["securityContext"]
    assert security["runAsNonRoot"] is True
    assert security["seccompProfile"] == {"type": "RuntimeDefault"}
    assert pod(with_all)["automountServiceAccountToken"] is False
    ours = container(without).get("env", [])
    assert container(with_all)["env"][: len(ours)] == ours


@each_component
def test_autoscalers_leave_every_pod_alone(component: str) -> None:
    assert built(component)["spec"]["template"]["metadata"]["annotations"] == UNDISTURBED
    assert UNDISTURBED == {
        "cluster-autoscaler.kubernetes.io/safe-to-evict": "false",
        "karpenter.sh/do-not-disrupt": "true",
    }


@pytest.mark.parametrize("collect", ["Servers", "ServersAndPods"])
def test_no_pod_at_all_has_an_id_where_the_cluster_assigns_them(collect: str) -> None:
    changes = with_options({"securityContext": {"omitIds": True}})
    changes |= {"spec.load.telemetry": {"collect": collect}}
    made = [each for each in everything(changes) if each["kind"] in POD_KINDS]
    assert all(pod(each)["securityContext"]["runAsNonRoot"] is True for each in made)
    for manifest in [*made, operated_target(changes)]:
        for word in ("runAsUser", "runAsGroup", "fsGroup"):
            assert f"'{word}'" not in str(manifest), manifest["metadata"]["name"]


def test_ids_that_are_not_given_are_those_of_the_image() -> None:
    changes = with_options({"securityContext": {"runAsUser": 7}})
    security = pod(built("Solr", changes))["securityContext"]
    assert (security["runAsUser"], security["runAsGroup"], security["fsGroup"]) == (7, 8983, 8983)


@pytest.mark.parametrize("component", ["Index", "LoadMaster", "LoadWorker"])
def test_load_and_index_pods_prefer_nodes_without_solr_in_any_case(component: str) -> None:
    solr = built("Solr")["spec"]["template"]["metadata"]["labels"]
    for changes, others in (({}, 0), (only(component), 1)):
        affinity = pod(built(component, changes))["affinity"]
        away = affinity["podAntiAffinity"]
        assert others or (affinity.keys(), away.keys()) == ({"podAntiAffinity"}, {PREFERRED})
        *given, ours = away[PREFERRED]
        assert len(given) == others
        assert ours["podAffinityTerm"]["topologyKey"] == "kubernetes.io/hostname"
        selected = ours["podAffinityTerm"]["labelSelector"]["matchLabels"]
        assert selected.items() <= solr.items()
        assert selected["app.kubernetes.io/component"] == "solr"


def test_placement_of_one_component_replaces_that_of_the_solr_cloud() -> None:
    shared = {f"{SOLR}.nodeSelector": {"disk": "ssd"}, f"{SOLR}.tolerations": [{"key": "a"}]}
    changes = shared | with_options({"components": ["ZooKeeper"], "nodeSelector": {"disk": "hdd"}})
    assert pod(built("Solr", changes))["nodeSelector"] == {"disk": "ssd"}
    assert pod(built("ZooKeeper", changes))["nodeSelector"] == {"disk": "hdd"}
    assert pod(built("ZooKeeper", changes))["tolerations"][0]["key"] == "a"
    assert "nodeSelector" not in pod(built("Index", changes))


def test_the_operators_variables_are_all_reserved() -> None:
    provided = {f"{SOLR}.zookeeper": {"mode": "Provided"}}
    spec = operated_target(provided)["spec"]
    policy = spec["zookeeperRef"]["provided"]["zookeeperPodPolicy"]
    made = [container(each)["env"] for each in target() if each["kind"] in POD_KINDS]
    listed = [*made, spec["customSolrKubeOptions"]["podOptions"]["envVars"], policy["env"]]
    found = [each["name"] for variables in listed for each in variables]
    assert len(found) > 10
    reserved = {*SOLR_VARIABLES, *ZOOKEEPER_VARIABLES}
    others = [each for each in found if not each.startswith(VARIABLE_PREFIXES)]
    assert set(others) <= reserved


def test_a_solr_cloud_has_the_options_of_its_pods() -> None:
    given = {key: value for key, value in EVERY_OPTION.items() if key != "runtimeClassName"}
    options = operated_target(with_options(given))["spec"]["customSolrKubeOptions"]["podOptions"]
    ours = pod(built("Solr", with_options(given)))
    for key in ("affinity", *COPIED, "topologySpreadConstraints"):
        assert options.get(key) == ours.get(key)
    assert options["podSecurityContext"] == ours["securityContext"]
    assert options["labels"].items() >= EVERY_OPTION["labels"].items()
    assert options["annotations"] == EVERY_OPTION["annotations"] | UNDISTURBED
    assert options["envVars"][-3:] == EVERY_OPTION["env"]
    # The Solr Operator puts the labels of the resource onto all that it makes of it.
    assert "team" not in operated_target(with_options(given))["metadata"]["labels"]


def test_a_provided_zookeeper_has_the_options_of_its_pods() -> None:
    lacking = ("runtimeClassName", "priorityClassName")
    given = {key: value for key, value in EVERY_OPTION.items() if key not in lacking}
    provided = {f"{SOLR}.zookeeper": {"mode": "Provided"}}
    without = operated_target(provided)["spec"]["zookeeperRef"]["provided"]
    assert "securityContext" not in without["zookeeperPodPolicy"]  # its image starts as root
    found = operated_target(provided | with_options(given))["spec"]["zookeeperRef"]["provided"]
    policy = found["zookeeperPodPolicy"]
    for key in ("affinity", "nodeSelector", "tolerations", "serviceAccountName"):
        assert policy[key] == EVERY_OPTION[key]
    assert policy["securityContext"] == EVERY_OPTION["securityContext"]
    assert policy["annotations"] == EVERY_OPTION["annotations"] | UNDISTURBED
    assert policy["env"][-3:] == EVERY_OPTION["env"]
    # The ZooKeeper operator labels pods with those of the resource.
    assert found["labels"] == policy["labels"]
    assert found["labels"].items() >= EVERY_OPTION["labels"].items()


@each_component
def test_no_pod_may_be_evicted_while_a_run_lasts(component: str) -> None:
    changes: Changes = {
        f"{SOLR}.nodes": 3,
        f"{SOLR}.zookeeper": {"replicas": 5},
        "spec.dataset.indexing": {"pods": 4},
        "spec.load.workers": 2,
    }
    manifest = built(component, changes)
    budget = pick(everything(changes), "PodDisruptionBudget", manifest["metadata"]["name"])
    pods = manifest["spec"].get("replicas", manifest["spec"].get("completions"))
    assert budget["spec"]["minAvailable"] == pods
    labels = manifest["spec"]["template"]["metadata"]["labels"]
    selected = budget["spec"]["selector"]["matchLabels"]
    assert selected.items() <= labels.items()
    assert selected[names.LABEL_COMPONENT] == labels[names.LABEL_COMPONENT]
    assert budget["metadata"]["labels"] == manifest["metadata"]["labels"]
