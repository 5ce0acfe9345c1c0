"""Values that a test needs and that may be absent by their type."""

from typing import TypeVar

T = TypeVar("T")


def not_none(value: T | None) -> T:
    """Return a value that must be there."""
    assert value is not None
    return value
