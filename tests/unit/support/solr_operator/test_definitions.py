from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from support.solr_operator.definitions import VARIABLE, load_definitions
from support.solr_operator.minimal_definitions import build_minimal_definitions
from support.solr_operator.solr_cloud.defaults import with_defaults
from support.solr_operator.solr_cloud.status import build_status
from support.solr_operator.zookeeper.connection import build_zookeeper_cluster
from support.solr_operator.zookeeper.pods import with_defaults as with_zookeeper_defaults
from unit.support.solr_operator.clouds import CONNECTION, cloud, counts, pod

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
