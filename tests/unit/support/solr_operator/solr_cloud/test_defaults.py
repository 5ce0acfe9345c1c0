from typing import Any

import pytest

from support.solr_operator.solr_cloud.defaults import with_defaults

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
