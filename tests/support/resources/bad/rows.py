"""One row of the tables of bad resources, and the validators' messages."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from support.resources.small_resource import Changes

# What the API server and pydantic say when the schema itself is broken.
TOO_SMALL = ("greater than or equal to", "must be at least")
TOO_LARGE = ("less than or equal to", "must be at most")
NOT_INTEGER = ("must be of type integer", "must be a whole number")
NOT_NUMBER = ("must be of type number", "must be a number")
NOT_STRING = ("must be of type string", "must be a string")
NOT_BOOLEAN = ("must be of type boolean", "must be true or false")
NOT_OBJECT = ("must be of type object", "must be a mapping")
NOT_LIST = ("must be of type array", "must be a list")
UNKNOWN = ("unknown field", "unknown field")
MISSING = ("Required value", "is required")
NOT_A_CHOICE = ("Unsupported value", "must be")
TOO_MANY = ("must have at most", "must have at most")
TOO_FEW = ("should have at least 1 items", "must have at least 1")
TOO_LONG = ("Too long", "must have at most")


@dataclass(frozen=True)
class Bad:
    """A resource that must be refused.

    It is `resource(changes)`. Both validators name the path `field`, the API server with the
    message `server`, pydantic with the message `local`.
    """

    name: str
    changes: Changes
    field: str
    server: str
    local: str


def bad(name: str, changes: Changes, field: str, message: str | tuple[str, str]) -> Bad:
    """Return a row; a rule of ours has one message for both validators."""
    server, local = (message, message) if isinstance(message, str) else message
    return Bad(name, changes, field, server, local)


def wrong(
    name: str,
    path: str,
    value: Any,
    message: str | tuple[str, str],
    base: Mapping[str, Any] | None = None,
) -> Bad:
    """Return a row whose change beside those of `base` is the field that both messages name."""
    field = re.sub(r"\.(\d+)(?=\.|$)", r"[\1]", path)
    return bad(name, {**(base or {}), path: value}, field, message)


def bad_in_one_way(
    field: str, message: str | tuple[str, str], resources: Mapping[str, Changes]
) -> list[Bad]:
    """Return the rows of `resources`, changes by name, that break the same rule."""
    return [bad(name, changes, field, message) for name, changes in resources.items()]
