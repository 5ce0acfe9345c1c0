"""One row of the tables of bad resources, and the validators' messages."""

from dataclasses import dataclass

from support.resources.small_resource import Changes

# What the API server and pydantic say when the schema itself is broken.
TOO_SMALL = ("greater than or equal to", "greater than or equal to")
TOO_LARGE = ("less than or equal to", "less than or equal to")
NOT_INTEGER = ("must be of type integer", "should be a valid integer")
NOT_NUMBER = ("must be of type number", "should be a valid number")
NOT_STRING = ("must be of type string", "should be a valid string")
NOT_BOOLEAN = ("must be of type boolean", "should be a valid boolean")
NOT_OBJECT = ("must be of type object", "should be a valid dictionary")
NOT_LIST = ("must be of type array", "should be a valid list")
UNKNOWN = ("unknown field", "Extra inputs are not permitted")
MISSING = ("Required value", "Field required")
NOT_A_CHOICE = ("Unsupported value", "Input should be")
TOO_MANY = ("must have at most", "should have at most")
TOO_FEW = ("should have at least 1 items", "should have at least 1 item")
TOO_LONG = ("Too long", "should have at most")


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
