"""Files that are made from the models: definition, pages and the reasons of verdicts."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from hack.generate import __main__, crd
from hack.generate.api_reference import render_reference
from hack.generate.reason_reference import render_reason_reference, render_verdict_reasons
from solrbench.analysis.check_registry import CHECKS, CHECKS_OF_REPEATS, PLACEMENT_CHECKS, REASONS
from solrbench.api.kinds import BENCHMARK, KINDS, ResourceKind
from solrbench.api.schema import VALIDATIONS
from solrbench.api.v1alpha1 import Spec
from solrbench.api.v1alpha1.findings import InvalidReason
from solrbench.reasons.registry import ALL_REASONS, GROUPS
from solrbench.reasons.target import TargetReason


@pytest.mark.slow
def test_files_on_disk_are_up_to_date() -> None:
    assert __main__.diff_files(Path(__file__).parents[3]) == ""


@pytest.mark.slow
def test_check_passes_on_what_was_written(tmp_path: Path) -> None:
    assert __main__.main(["--root", str(tmp_path)]) == 0
    assert __main__.main(["--check", "--root", str(tmp_path)]) == 0


@pytest.mark.slow
def test_check_fails_with_a_diff_of_what_was_edited(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    __main__.main(["--root", str(tmp_path)])
    path = tmp_path / __main__.crd_file(BENCHMARK)
    path.write_text(path.read_text("utf-8").replace("sbench", "bench"), "utf-8")
    assert __main__.main(["--check", "--root", str(tmp_path)]) == 1
    diff = capsys.readouterr().err
    assert "-    - bench\n" in diff
    assert "+    - sbench\n" in diff


@pytest.mark.slow
def test_check_fails_when_a_file_is_missing(tmp_path: Path) -> None:
    assert __main__.main(["--check", "--root", str(tmp_path)]) == 1
    assert list(tmp_path.iterdir()) == []


@cache
def page() -> str:
    return render_reference()


@cache
def sections() -> dict[str, str]:
    return {part.partition("\n")[0]: part.partition("\n")[2] for part in page().split("\n## ")[1:]}


def row(section: str, field: str) -> list[str]:
    lines = sections()[section].splitlines()
    (line,) = [each for each in lines if each.startswith(f"| `{field}` |")]
    return [cell.strip() for cell in line.strip("|").split(" | ")]


def test_every_object_is_linked_to_a_section_that_exists() -> None:
    links = {part.partition(")")[0] for part in page().split("](#")[1:]}
    assert links == {name.lower() for name in sections()} - {"solrbenchmark", "solrbenchmarksweep"}


def test_every_field_of_the_spec_has_a_row() -> None:
    for field in Spec.model_fields.values():
        assert field.alias is not None
        assert row("Spec", field.alias)


@pytest.mark.parametrize(
    ("section", "field", "cells"),
    [
        (
            "SolrCloud",
            "nodes",
            ["integer", "`1`", "1 to 100", "`nodes` is the number of Solr nodes, one pod each."],
        ),
        ("SolrCloud", "image", ["[SolrImage](#solrimage)", "its fields' defaults"]),
        ("SolrCloud", "nodeSelector", ["map of string", "-", "at most 32 entries"]),
        ("Step", "users", ["integer", "-", "1 to 100,000"]),
        ("Step", "requestsPerSecond", ["number", "-", "0 to 1,000,000"]),
        ("Spec", "warmUp", ["[WarmUp](#warmup)", "-"]),
        ("Workload", "method", ["one of `GET`, `POST`", "`GET`"]),
        ("Status", "observedGeneration", ["integer", "-"]),
    ],
)
def test_row_shows_type_default_bounds_and_meaning(
    section: str, field: str, cells: list[str]
) -> None:
    assert row(section, field)[1 : 1 + len(cells)] == cells


def test_page_says_what_may_change_and_the_rules_of_each_object() -> None:
    mutable = "`spec.cleanup`, `spec.results`, `spec.suspend`, `spec.ttlSecondsAfterFinished`"
    assert mutable in page()
    assert "- steps must have different names" in sections()["Load"]


@pytest.fixture(scope="module")
def definition() -> dict[str, Any]:
    return crd.build_crd(BENCHMARK)


@pytest.fixture(scope="module")
def spec(definition: dict[str, Any]) -> Any:
    schema = definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    return schema["properties"]["spec"]


@pytest.mark.parametrize("kind", KINDS)
def test_definition_leaves_room_in_the_annotation_of_kubectl_apply(kind: ResourceKind) -> None:
    size = len(json.dumps(crd.build_crd(kind), separators=(",", ":")).encode())
    assert size < 240_000, "all annotations of an object may have 262,144 bytes"


def columns(definition: dict[str, Any], priority: int) -> list[str]:
    version = definition["spec"]["versions"][0]
    found = version["additionalPrinterColumns"]
    return [each["name"] for each in found if each["priority"] == priority]


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
    shown = ["Phase", "Done-%", "Step", "Req/s", "P95-ms", "Failed-%", "Verdict", "Age"]
    assert columns(definition, 0) == shown
    assert columns(definition, 1) == ["Nodes", "Shards", "ZooKeepers", "Documents", "Message"]


@pytest.mark.parametrize("kind", KINDS)
def test_columns_show_fields_that_exist(kind: ResourceKind) -> None:
    schema = crd.build_schema(kind)
    for _, _, path, _ in kind.columns:
        if path.startswith(".metadata"):
            continue
        node = schema
        for part in path.partition("[?")[0].strip(".").split("."):
            node = node["properties"][part.removesuffix("[0]")]
            node = node["items"] if part.endswith("[0]") else node


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
    text = "metadata:\n  name: solrbenchmarks.solrbench.io\ndescription: '{{ x }}'\n"
    assert """'{{ "{{" }} x }}'""" in crd.render_chart_template(BENCHMARK, text)


def test_page_has_a_row_for_every_reason() -> None:
    page = render_reason_reference()
    rows = [line for line in page.splitlines() if line.startswith("| `")]
    assert len(rows) == len(ALL_REASONS)
    assert page.count("\n## ") == len(GROUPS)


def test_row_has_kind_meaning_and_remedy() -> None:
    reason = TargetReason.SOLR_NOT_READY
    row = f"| `SolrNotReady` | waiting | {reason.meaning} | {reason.remedy} |"
    assert row in render_reason_reference().splitlines()


def test_section_has_a_row_for_every_reason() -> None:
    rows = [line for line in render_verdict_reasons().splitlines() if line.startswith("| `")]
    checks = [*CHECKS, *CHECKS_OF_REPEATS, *PLACEMENT_CHECKS]
    assert [row.split("`")[1] for row in rows] == [*checks, "TargetChanged", "TooFewSamples"]


def test_row_has_meaning_and_remedy_as_sentences() -> None:
    meaning = CHECKS["PodThrottled"].meaning
    row = f"| `PodThrottled` | {meaning} | Raise load.resources.limits.cpu. |"
    assert row in render_verdict_reasons().splitlines()


def test_definition_of_the_resource_names_every_reason() -> None:
    text = InvalidReason.model_json_schema()["properties"]["reason"]
    assert all(word in str(text) for word in REASONS)


def test_defaults_are_taken_out_at_every_depth() -> None:
    node = {"default": 1, "items": {"default": 2}, "properties": {"default": {}}}
    assert crd.without_defaults(node) == {"items": {}, "properties": {"default": {}}}
