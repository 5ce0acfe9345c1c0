"""Fields of a raw spec by their paths, such as `load.steps[0].users`."""

import re
from typing import Any

_STEP = re.compile(r"([A-Za-z][A-Za-z0-9]*)(?:\[([0-9]{1,3})\])?")

ABSENT = object()
"""Stands for a value that is left out."""


class FieldPathError(ValueError):
    """A path does not fit what is there."""


def parse_path(path: str) -> tuple[str | int, ...]:
    """Return the keys and list positions of a path."""
    found: list[str | int] = []
    for part in path.split("."):
        match = _STEP.fullmatch(part)
        if match is None:
            raise FieldPathError(
                f"{path} is no path of a field; write one such as load.steps[0].users"
            )
        found.append(match[1])
        if match[2] is not None:
            found.append(int(match[2]))
    return tuple(found)


def set_field(spec: Any, path: str, value: Any) -> Any:
    """Return a copy of a raw spec in which one field has a value, or is absent.

    Objects above the field are made where there are none; items of lists must be there.

    Raises:
        FieldPathError: if the path leads through something that is no object, or past a list.

    """
    return _set(spec, parse_path(path), value, path)


def _set(node: Any, keys: tuple[str | int, ...], value: Any, path: str) -> Any:
    if not keys:
        return value
    key, rest = keys[0], keys[1:]
    if isinstance(key, int):
        return _set_item(node, key, rest, value, path)
    if node is not None and node is not ABSENT and not isinstance(node, dict):
        raise FieldPathError(f"{path}: there is no object around {key}")
    found = dict(node) if isinstance(node, dict) else {}
    changed = _set(found.get(key, ABSENT), rest, value, path)
    if changed is ABSENT:
        found.pop(key, None)
    else:
        found[key] = changed
    return found


def _set_item(node: Any, index: int, rest: tuple[str | int, ...], value: Any, path: str) -> Any:
    if not isinstance(node, list) or index >= len(node):
        number = len(node) if isinstance(node, list) else 0
        raise FieldPathError(
            f"{path}: the template has {number} items there, so none at [{index}];"
            " positions count from 0"
        )
    changed = _set(node[index], rest, value, path)
    if changed is ABSENT:
        raise FieldPathError(f"{path}: an item of a list cannot be left out")
    return [*node[:index], changed, *node[index + 1 :]]
