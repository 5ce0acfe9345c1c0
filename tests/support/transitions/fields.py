"""Fields of a schema, and values to put there: good ones, wrong ones, none."""

import random
from collections.abc import Iterator
from typing import Any

from hack.generate.crd import build_crd
from solrbench.api.kinds import ResourceKind
from support.resources.small_resource import REMOVE, change

Body = dict[str, Any]
Schema = dict[str, Any]
MAX_DEPTH = 8
WORDS = ("a", "abc", "x-1", "512Mi", "http://search:8983/solr", "*:*", "{{a}}", "", "A b/ü", "9")
WRONG: dict[str, list[Any]] = {
    "integer": ["7", 1.5, [], {}, True, -(2**63), 2**62],
    "number": ["7", [], {}, True, -1e308, 1e308],
    "boolean": ["true", 0, [], {}],
    "string": [7, [], {}, True, "x" * 300_000],
    "object": [[], "x", 5],
    "array": [{}, "x", 5],
}


def list_fields(schema: Schema, path: str = "spec", depth: int = 0) -> Iterator[tuple[str, Schema]]:
    """Yield the path and the schema of every field; `0` is the first item of a list."""
    if depth > MAX_DEPTH:
        return
    for name, field in schema.get("properties", {}).items():
        yield f"{path}.{name}", field
        yield from list_fields(field, f"{path}.{name}", depth + 1)
    items = schema.get("items")
    if isinstance(items, dict):
        yield from list_fields(items, f"{path}.0", depth + 1)


def spec_schema(kind: ResourceKind) -> Schema:
    version = build_crd(kind)["spec"]["versions"][0]
    found: Schema = version["schema"]["openAPIV3Schema"]["properties"]["spec"]
    return found


def put_value(body: Body, path: str, value: Any) -> bool:
    """Change a field, if the objects above it are there or can be made."""
    try:
        change(body, path, value)
    except (KeyError, IndexError, TypeError, AttributeError):
        return False
    return True


def changed_fields(schema: Schema, before: Body, after: Body) -> set[str]:
    old, new = before["spec"], after["spec"]
    return {key for key in schema["properties"] if old.get(key, REMOVE) != new.get(key, REMOVE)}


def check_refusal(text: str, path: str) -> None:
    """The field itself, one above or below it, or a rule that spans it must be named."""
    assert path.split(".")[1] in text, f"{path}: {text[:500]}"


def draw_value(schema: Schema, source: random.Random) -> Any:
    """Return a value for a field: in half of the cases of the right form."""
    kind = schema.get("type", "string")
    if source.random() < 0.1:
        return REMOVE
    if source.random() < 0.4:
        return source.choice(WRONG[kind])
    return _draw_good(schema, source)


def _draw_good(schema: Schema, source: random.Random) -> Any:
    if "enum" in schema:
        return source.choice([*schema["enum"], "OfALaterVersion"])
    match schema.get("type", "string"):
        case "boolean":
            return source.random() < 0.5
        case "integer" | "number":
            least, most = schema.get("minimum", 0), schema.get("maximum", 2**31)
            return source.choice([least, least + 1, (least + most) // 2, most, most + 1, least - 1])
        case "array":
            return [_draw_good(schema["items"], source) for _ in range(source.choice([0, 1, 2]))]
        case "object":
            return _draw_object(schema, source)
        case _:
            return source.choice(WORDS)


def _draw_object(schema: Schema, source: random.Random) -> dict[str, Any]:
    fields, required = schema.get("properties", {}), schema.get("required", [])
    if not fields:
        return {source.choice(WORDS): source.choice(WORDS)}
    more = source.sample(sorted(fields), min(1, len(fields)))
    return {name: _draw_good(fields[name], source) for name in dict.fromkeys([*required, *more])}
