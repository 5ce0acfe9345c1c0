"""Structural schemas, the only kind that a CustomResourceDefinition takes, from the models.

A structural schema (Kubernetes documentation, "Specifying a structural schema") gives every node
a type, refers to nothing and unites nothing: an optional field is one that is not required.
Rules become `x-kubernetes-validations`, so the API server validates as the models do.
"""

from collections.abc import Callable
from functools import cache, partial
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue, NoDefault
from pydantic_core import core_schema, to_jsonable_python

from solrbench.api.rules import ListMap, Matches, Model, plain

Schema = dict[str, Any]

VALIDATIONS = "x-kubernetes-validations"

UNSTRUCTURAL = ("title", "propertyNames")
"""What pydantic writes and a structural schema may not hold."""


class StructuralSchema(GenerateJsonSchema):
    """pydantic's generator with the differences that Kubernetes requires; `$ref` still stands."""

    def model_schema(self, schema: core_schema.ModelSchema) -> JsonSchemaValue:
        """Return an object with the rules of its model."""
        node = super().model_schema(schema)
        # A structural schema may not have it beside `properties`: what is unknown is pruned.
        node.pop("additionalProperties", None)
        cls = schema["cls"]
        if issubclass(cls, Model) and cls.rules:
            node[VALIDATIONS] = [{"rule": r.cel, "message": r.message} for r in cls.rules]
        return node

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        """Return the schema without null: an optional field is simply not required."""
        return self.generate_inner(schema["schema"])

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        """Return the schema with the default that the API server fills in; absent stays absent."""
        node = self.generate_inner(schema["schema"])
        default = self.get_default_value(schema)
        # No field takes null: what is absent stays absent.
        if default is None or default is NoDefault:
            return node
        if isinstance(default, BaseModel):
            # As the API server stores it: in camelCase, without what is absent.
            default = plain(default)
        return {**node, "default": to_jsonable_python(default)}

    def int_schema(self, schema: core_schema.IntSchema) -> JsonSchemaValue:
        """Return an integer with the format that its bounds need."""
        node = super().int_schema(schema)
        large = node.get("maximum", 0) > 2**31 - 1
        return {**node, "format": "int64" if large else "int32"}

    def float_schema(self, schema: core_schema.FloatSchema) -> JsonSchemaValue:
        """Return a number with its format."""
        return {**super().float_schema(schema), "format": "double"}

    def list_schema(self, schema: core_schema.ListSchema) -> JsonSchemaValue:
        """Return a list that server-side apply replaces as a whole."""
        return {**super().list_schema(schema), "x-kubernetes-list-type": "atomic"}

    def literal_schema(self, schema: core_schema.LiteralSchema) -> JsonSchemaValue:
        """Return an enumeration, also of one value."""
        node = super().literal_schema(schema)
        # The API server knows no `const`.
        if "const" in node:
            node["enum"] = [node.pop("const")]
        return node

    def function_after_schema(
        self, schema: core_schema.AfterValidatorFunctionSchema
    ) -> JsonSchemaValue:
        """Return the schema of the checked type, with the rule of a `Matches` or `ListMap`."""
        node = super().function_after_schema(schema)
        metadata = schema.get("metadata", {})
        match metadata.get("matches"), metadata.get("list_map"):
            case Matches() as rule, _:
                return {**node, VALIDATIONS: [{"rule": rule.cel, "message": rule.message}]}
            case _, ListMap(key):
                keys = {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": [key]}
                return {**node, **keys}
            case _:
                return node


@cache
def object_schemas(model: type[Model]) -> dict[str, dict[str, Any]]:
    """Return the schema of `model` and of every object in it by name, with `$ref` between them.

    It is made once: not to be changed.
    """
    whole = model.model_json_schema(schema_generator=StructuralSchema)
    parts = whole.pop("$defs", {})
    return {model.__name__: whole, **parts}


def structural_schema(model: type[Model]) -> dict[str, Any]:
    """Return the whole schema of `model` in one piece."""
    parts = object_schemas(model)
    return convert(parts[model.__name__], partial(_inline, parts=parts))


def resolve(node: dict[str, Any], parts: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Return `node` with what it refers to; its own keys win, such as a field's description."""
    if "$ref" not in node:
        return node
    own = {key: value for key, value in node.items() if key != "$ref"}
    return parts[node["$ref"].rpartition("/")[2]] | own


def convert(node: Schema, change: Callable[[Schema], Schema]) -> Schema:
    """Return a schema with each of its nodes changed, the outer ones first, into new ones."""
    result = change(node)
    if "properties" in result:
        fields = result["properties"].items()
        result["properties"] = {name: convert(field, change) for name, field in fields}
    for key in ("items", "additionalProperties"):
        if key in result:
            result[key] = convert(result[key], change)
    return result


def _inline(node: Schema, parts: dict[str, Schema]) -> Schema:
    full = resolve(node, parts)
    result = {key: value for key, value in full.items() if key not in UNSTRUCTURAL}
    # Docstrings are broken at the width of the code.
    if "description" in result:
        result["description"] = " ".join(result["description"].split())
    return result
