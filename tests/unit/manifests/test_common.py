"""What all objects of a benchmark share: names, owner, labels.

That pods keep the rules of security is tested in test_workload_rules.py.
"""

import re

import pytest

from solrbench.contract import names
from solrbench.manifests.common import Manifest, resources
from support.narrowing import not_none
from support.resources.objects import ATTEMPT, POD_KINDS, everything, pod, stored
from support.resources.small_resource import SOLR, Changes

LONGEST: Changes = {
    "metadata.name": "a" * 40,
    "spec.target.solrCloud.nodes": 100,
    "spec.target.solrCloud.zookeeper": {"replicas": 7},
    "spec.dataset.indexing": {"pods": 64},
    "spec.load": {"workers": 200, "steps": [{"name": "s", "users": 200, "requests": 1}]},
}
ALL = everything()
WITH_PODS = [each for each in ALL if each["kind"] in POD_KINDS]


def title(manifest: Manifest) -> str:
    return f"{manifest['kind']}/{manifest['metadata']['name']}"


def test_kinds_of_pods_are_there() -> None:
    assert {title(each) for each in WITH_PODS} == {
        "StatefulSet/base-zookeeper",
        "StatefulSet/base-solr",
        "Job/base-export",
        "Job/base-index",
        "Job/base-load-master",
        "Job/base-load-worker",
        "Deployment/base-proxy",
    }


@pytest.mark.parametrize("manifest", ALL, ids=title)
def test_every_object_goes_with_its_benchmark(manifest: Manifest) -> None:
    assert manifest["metadata"]["namespace"] == "search"
    owner = {"apiVersion": "solrbench.io/v1alpha1", "kind": "SolrBenchmark", "name": "base"}
    more = {"uid": "0b5b", "controller": True, "blockOwnerDeletion": True}
    assert manifest["metadata"]["ownerReferences"] == [owner | more]


@pytest.mark.parametrize("manifest", ALL, ids=title)
def test_every_object_is_labelled(manifest: Manifest) -> None:
    labels = manifest["metadata"]["labels"]
    assert labels["app.kubernetes.io/managed-by"] == "solrbench-operator"
    assert labels["app.kubernetes.io/instance"] == "base"
    assert labels["solrbench.io/benchmark"] == "base"
    assert labels["app.kubernetes.io/component"] in names.COMPONENTS


def test_no_two_objects_of_a_kind_have_one_name() -> None:
    assert len({title(each) for each in ALL}) == len(ALL)


@pytest.mark.parametrize("manifest", WITH_PODS, ids=title)
def test_pods_have_the_account_and_the_containers_of_their_kind_alone(manifest: Manifest) -> None:
    assert not {"serviceAccountName", "initContainers"} & pod(manifest).keys()


@pytest.mark.parametrize("manifest", WITH_PODS, ids=title)
def test_every_mount_has_its_volume_and_every_volume_a_mount(manifest: Manifest) -> None:
    volumes = [each["name"] for each in pod(manifest)["volumes"]]
    claims = manifest["spec"].get("volumeClaimTemplates", [])
    volumes += [each["metadata"]["name"] for each in claims]
    (only,) = pod(manifest)["containers"]
    mounts = only["volumeMounts"]
    assert {each["name"] for each in mounts} == set(volumes)
    assert len(set(volumes)) == len(volumes)
    paths = [each["mountPath"] for each in mounts]
    assert len(set(paths)) == len(paths)


@pytest.mark.parametrize("manifest", WITH_PODS, ids=title)
def test_pods_are_found_by_component_and_attempt(manifest: Manifest) -> None:
    labels = manifest["spec"]["template"]["metadata"]["labels"]
    assert labels == manifest["metadata"]["labels"]
    assert labels["solrbench.io/attempt"] == str(ATTEMPT)
    selector = manifest["spec"].get("selector", {}).get("matchLabels", {})
    assert selector.items() <= labels.items()
    assert "solrbench.io/attempt" not in selector


def test_names_of_objects_and_pods_stay_within_kubernetes_limits() -> None:
    for manifest in everything(LONGEST):
        name, kind = manifest["metadata"]["name"], manifest["kind"]
        assert re.fullmatch(r"[a-z]([-a-z0-9]*[a-z0-9])?", name)
        if kind in POD_KINDS:  # a pod's host name ends in its number
            spec = manifest["spec"]
            name += f"-{spec.get('completions', spec.get('replicas'))}"
        assert len(name) <= (253 if kind == "ConfigMap" else 63)


def test_values_of_labels_stay_within_kubernetes_limits() -> None:
    for manifest in everything(LONGEST):
        for value in manifest["metadata"]["labels"].values():
            assert re.fullmatch(r"[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?", value)


def test_the_same_benchmark_gives_the_same_objects() -> None:
    assert everything() == everything()


def test_resources_leave_out_what_was_not_given() -> None:
    given = {"requests": {"cpu": "250m", "memory": "1Gi"}, "limits": {"memory": "2Gi"}}
    solr = not_none(stored({f"{SOLR}.resources": given}).spec.target.solr_cloud)
    assert resources(solr.resources) == given
    assert resources(solr.zookeeper.resources) == {}
