"""The double against what the real Solr Operator made of one SolrCloud, where that is at hand."""

from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from support.solr_operator.definitions import real_folder
from support.solr_operator.solr_cloud.defaults import with_defaults
from support.solr_operator.solr_cloud.services import build_config_map, build_services
from support.solr_operator.solr_cloud.solr_xml import digest
from support.solr_operator.solr_cloud.stateful_set import build_stateful_set
from support.solr_operator.solr_cloud.status import build_status

Body = dict[str, Any]

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
def cloud() -> Body:
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


def zookeeper(cloud: Body) -> Body:
    found: Body = cloud["spec"]["zookeeperRef"]["connectionInfo"]
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


def test_stored_defaults_are_the_same(cloud: Body) -> None:
    sent = yaml.safe_load(
        cloud["metadata"]["annotations"]["kubectl.kubernetes.io/last-applied-configuration"]
    )
    assert with_defaults(sent["spec"]) == cloud["spec"]


def test_stateful_set_is_the_same(cloud: Body, objects: dict[str, Body]) -> None:
    ours = build_stateful_set(cloud, zookeeper(cloud), {})
    annotations = ours["spec"]["template"]["metadata"]["annotations"]
    assert annotations.pop("solr.apache.org/solrXmlMd5") == digest()
    theirs = objects["StatefulSet/bench-solrcloud"]
    del theirs["spec"]["template"]["metadata"]["annotations"]["solr.apache.org/solrXmlMd5"]
    assert sorted(differences(ours, theirs)) == []


def test_services_and_config_map_are_the_same(cloud: Body, objects: dict[str, Body]) -> None:
    for ours in (*build_services(cloud), build_config_map(cloud)):
        theirs = objects[f"{ours['kind']}/{ours['metadata']['name']}"]
        assert sorted(differences(ours, theirs)) == []


def test_status_is_the_same(cloud: Body, objects: dict[str, Body]) -> None:
    template = _read("pod.yaml")
    pods = []
    for number in range(2):
        name = f"bench-solrcloud-{number}"
        pods.append(template | {"metadata": template["metadata"] | {"name": name}})
    stateful_set = objects["StatefulSet/bench-solrcloud"]
    assert build_status(cloud, stateful_set, pods, zookeeper(cloud)) == cloud["status"]


def test_a_difference_would_be_reported() -> None:
    assert list(differences({"a": [{"b": 1}]}, {"a": [{"b": 2}]})) == [".a[0].b: 1 is 2 there"]
    assert list(differences({}, {"a": 1})) == [".a: None is 1 there"]
    assert list(differences({"a": None}, {"a": {}, "uid": "u"})) == []
