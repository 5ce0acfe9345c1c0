"""One row of the tables of bad resources, and the validators' messages."""

from dataclasses import dataclass

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

    Attributes:
        name: what the user did
        changes: how it differs from `resources.resource()`
        field: path that both messages name
        server: what the API server says
        local: what pydantic says
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
