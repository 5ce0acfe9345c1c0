"""The schema of the resource is structural, and bounded wherever a value is."""

from collections.abc import Iterator
from datetime import datetime
from typing import Annotated, Any, ClassVar, Literal

import pytest
from pydantic import Field, StringConstraints

from hack.generate.crd import build_schema
from solrbench.api.kinds import BENCHMARK
from solrbench.api.rules import Matches, Model, Rule
from solrbench.api.schema import VALIDATIONS, structural_schema

UNSTRUCTURAL = {"$ref", "$defs", "anyOf", "oneOf", "allOf", "not", "nullable", "title", "const"}
UNSTRUCTURAL |= {"pattern", "exclusiveMinimum", "exclusiveMaximum"}  # no friendly message
ROOT = ("apiVersion", "kind", "metadata")


def nodes(node: dict[str, Any], path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    yield path, node
    for name, field in node.get("properties", {}).items():
        yield from nodes(field, f"{path}.{name}")
    for key, suffix in (("items", "[]"), ("additionalProperties", ".*")):
        if key in node:
            yield from nodes(node[key], path + suffix)


SCHEMA = build_schema(BENCHMARK)
NODES = {
    path.removeprefix("."): node
    for path, node in nodes(SCHEMA)
    if path.removeprefix(".") not in ROOT
}


def of_type(kind: str) -> dict[str, dict[str, Any]]:
    return {path: node for path, node in NODES.items() if node["type"] == kind}


def test_every_node_has_a_type() -> None:
    assert {path for path, node in NODES.items() if "type" not in node} == set()
    assert len(NODES) > 200


def test_every_field_of_spec_and_status_says_what_it_means() -> None:
    """The definition leaves out what the reference says of parts of the status."""
    named = {
        path.removeprefix("."): node
        for path, node in nodes(structural_schema(BENCHMARK.model))
        if path.startswith((".spec", ".status")) and not path.endswith(("[]", ".*"))
    }
    assert len(named) > 200
    assert {path for path, node in named.items() if not node.get("description")} == set()


def test_nothing_refers_unites_or_is_null() -> None:
    found = {path: UNSTRUCTURAL & node.keys() for path, node in NODES.items()}
    assert {path: keys for path, keys in found.items() if keys} == {}


def test_every_string_is_bounded() -> None:
    free = {
        path
        for path, node in of_type("string").items()
        if not {"maxLength", "enum"} & node.keys() and node.get("format") != "date-time"
    }
    assert free == set()


@pytest.mark.parametrize("kind", ["integer", "number"])
def test_every_number_is_bounded(kind: str) -> None:
    for path, node in of_type(kind).items():
        assert "enum" in node or {"minimum", "maximum"} <= node.keys(), path


def test_format_of_an_integer_holds_its_bounds() -> None:
    for path, node in of_type("integer").items():
        bits = {"int32": 31, "int64": 63}[node["format"]] if "format" in node else 31
        assert max(node.get("enum", [node.get("maximum", 0)])) < 2**bits, path


def test_every_list_and_map_is_bounded() -> None:
    for path, node in of_type("array").items():
        assert "maxItems" in node, path
        assert node["x-kubernetes-list-type"] in {"atomic", "map"}, path
    for path, node in of_type("object").items():
        assert "properties" in node or "maxProperties" in node, path


def test_conditions_are_merged_by_their_type() -> None:
    conditions = NODES["status.conditions"]
    assert conditions["x-kubernetes-list-type"] == "map"
    assert conditions["x-kubernetes-list-map-keys"] == ["type"]
    assert "type" in conditions["items"]["required"]


def test_a_status_has_no_defaults() -> None:
    status = {path: node for path, node in NODES.items() if path.startswith("status")}
    assert {path for path, node in status.items() if "default" in node} == set()


def test_a_field_with_a_default_is_not_required() -> None:
    for path, node in of_type("object").items():
        for name in node.get("required", ()):
            assert "default" not in node["properties"][name], f"{path}.{name}"


class Item(Model):
    """An item."""

    label: str
    """Its label."""


class Small(Model):
    """A model with a field of each kind."""

    count: Annotated[int, Field(ge=0, le=2**31)]
    """An integer beyond 32 bits."""
    kind: Literal["One"] = "One"
    """A choice of one."""
    word: Annotated[str, StringConstraints(max_length=3), Matches("[a-z]+", "must be letters")]
    """A word."""
    moment: datetime | None = None
    """A time or none."""
    item: Item = Item(label="x")
    """An object with a default."""
    labels: Annotated[dict[str, str], Field(max_length=2)] = {}
    """A map."""
    items: Annotated[list[Item], Field(max_length=3)] = []
    """A list."""

    rules: ClassVar = (Rule(cel="self.count > 1", message="must count"),)


FIELDS = structural_schema(Small)["properties"]


def test_integers_beyond_32_bits_say_so() -> None:
    assert FIELDS["count"]["format"] == "int64"


def test_a_choice_of_one_is_an_enumeration() -> None:
    assert FIELDS["kind"]["enum"] == ["One"]
    assert FIELDS["kind"]["default"] == "One"


def test_what_to_write_takes_the_place_of_a_pattern() -> None:
    rule = {"rule": "self.matches(r'^[a-z]+$')", "message": "must be letters"}
    assert FIELDS["word"][VALIDATIONS] == [rule]


def test_an_optional_field_is_only_not_required() -> None:
    wanted = {"description": "A time or none.", "type": "string", "format": "date-time"}
    assert FIELDS["moment"] == wanted


def test_an_object_is_inlined_under_the_field_s_own_description_and_default() -> None:
    assert FIELDS["item"] == {
        "description": "An object with a default.",
        "type": "object",
        "default": {"label": "x"},
        "properties": {"label": {"description": "Its label.", "type": "string"}},
        "required": ["label"],
    }


def test_lists_and_maps_are_as_kubernetes_writes_them() -> None:
    assert FIELDS["items"]["x-kubernetes-list-type"] == "atomic"
    assert FIELDS["items"]["maxItems"] == 3
    assert FIELDS["labels"]["maxProperties"] == 2
    assert FIELDS["labels"]["additionalProperties"] == {"type": "string"}


def test_rules_of_a_model_stand_on_its_object() -> None:
    rule = {"rule": "self.count > 1", "message": "must count"}
    assert structural_schema(Small)[VALIDATIONS] == [rule]
