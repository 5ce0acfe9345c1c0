"""The CustomResourceDefinition, and its copy in the chart."""

import json
from typing import Any

import pytest
import yaml

from solrbench.api import crd
from solrbench.api.kinds import BENCHMARK
from solrbench.api.schema import VALIDATIONS
from solrbench.api.v1alpha1 import Spec


@pytest.fixture(scope="module")
def definition() -> dict[str, Any]:
    return crd.build_crd(BENCHMARK)


@pytest.fixture(scope="module")
def spec(definition: dict[str, Any]) -> Any:
    schema = definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    return schema["properties"]["spec"]


def columns(definition: dict[str, Any], priority: int) -> list[str]:
    version = definition["spec"]["versions"][0]
    return [
        each["name"] for each in version["additionalPrinterColumns"] if each["priority"] == priority
    ]


@pytest.fixture(scope="module")
def text() -> str:
    return crd.render_crd(BENCHMARK)


@pytest.fixture(scope="module")
def parsed(text: str) -> Any:
    return yaml.load(text, yaml.CSafeLoader)


def test_yaml_is_the_definition_and_nothing_twice(
    definition: dict[str, Any], text: str, parsed: Any
) -> None:
    assert text.startswith("# Generated")
    assert parsed == json.loads(json.dumps(definition))
    assert "&id" not in text


def test_crd_has_the_names_of_the_resource(definition: dict[str, Any]) -> None:
    assert definition["metadata"]["name"] == "solrbenchmarks.solrbench.io"
    assert definition["spec"]["names"]["shortNames"] == ["sbench"]
    assert definition["spec"]["names"]["categories"] == ["solrbench"]
    assert definition["spec"]["scope"] == "Namespaced"


def test_one_version_is_stored_and_has_a_status_of_its_own(definition: dict[str, Any]) -> None:
    (version,) = definition["spec"]["versions"]
    assert (version["name"], version["served"], version["storage"]) == ("v1alpha1", True, True)
    assert version["subresources"] == {"status": {}}


def test_crd_has_the_printer_columns(definition: dict[str, Any]) -> None:
    assert columns(definition, 0) == [
        "Phase",
        "Done-%",
        "Step",
        "Req/s",
        "P95-ms",
        "Failed-%",
        "Verdict",
        "Age",
    ]
    assert columns(definition, 1) == ["Nodes", "Shards", "ZooKeepers", "Documents", "Message"]


def test_columns_show_fields_that_exist(definition: dict[str, Any]) -> None:
    schema = definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    for _, _, path, _ in BENCHMARK.columns:
        if path.startswith(".metadata"):
            continue
        node = schema
        for part in path.partition("[")[0].strip(".").split("."):
            node = node["properties"][part]


def test_every_field_but_the_mutable_ones_is_guarded(spec: Any) -> None:
    guarded = {
        name
        for name, field in spec["properties"].items()
        if any(rule["rule"] == "self == oldSelf" for rule in field.get(VALIDATIONS, ()))
    }
    assert guarded == spec["properties"].keys() - Spec.mutable


def test_a_field_that_can_come_and_go_is_guarded_on_the_spec_too(spec: Any) -> None:
    rules = [each for each in spec[VALIDATIONS] if "oldSelf" in each["rule"]]
    assert len(rules) == 3
    for field, rule in zip(("dataset", "diagnostics", "warmUp"), rules, strict=True):
        assert rule["rule"] == f"has(self.{field}) == has(oldSelf.{field})"
        assert rule["message"].startswith(f"spec.{field} must not change after creation")


def test_chart_holds_the_same_definition_behind_its_switches(text: str, parsed: Any) -> None:
    template = crd.render_chart_template(BENCHMARK, text)
    assert template.startswith("{{- if .Values.crds.enabled }}\n")
    assert template.endswith("{{- end }}\n")
    plain = "".join(
        line for line in template.splitlines(keepends=True) if not line.strip().startswith("{{-")
    )
    found = yaml.load(plain, yaml.CSafeLoader)
    assert found["metadata"].pop("annotations") == {"helm.sh/resource-policy": "keep"}
    assert found == parsed


def test_braces_of_a_description_are_no_template() -> None:
    template = crd.render_chart_template(
        BENCHMARK, f"metadata:\n{NAME}description: '{{{{ x }}}}'\n"
    )
    assert """'{{ "{{" }} x }}'""" in template


NAME = "  name: solrbenchmarks.solrbench.io\n"
