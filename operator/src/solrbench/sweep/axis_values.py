"""The values of an axis: what they are called, and which fields they set."""

import json
from dataclasses import dataclass
from typing import Any

from solrbench.api.v1alpha1.sweep.axes import Axis
from solrbench.sweep.field_paths import ABSENT

MAX_LABEL = 40
_NAMED = frozenset({"name", "value"})


class AxisValueError(ValueError):
    """A value does not fit its axis."""


@dataclass(frozen=True)
class AxisValue:
    """One value of an axis.

    Attributes:
        axis: name of the axis
        index: its place in the axis
        label: what it is called: its name, or itself as text
        given: itself, or its name; a list for several fields
        settings: path and value of each field; `ABSENT` for one that is left out

    """

    axis: str
    index: int
    label: str
    given: Any
    settings: tuple[tuple[str, Any], ...]

    @property
    def identity(self) -> str:
        """The same text for the same fields with the same values."""
        return json.dumps(
            [[path, None if value is ABSENT else [value]] for path, value in self.settings],
            sort_keys=True,
        )


def read_values(axis: Axis) -> tuple[AxisValue, ...]:
    """Return the values of an axis.

    Raises:
        AxisValueError: if one does not fit the axis, or two are called the same.

    """
    found = tuple(_read(axis, index, given) for index, given in enumerate(axis.values))
    seen: set[str] = set()
    for each in found:
        if each.label in seen:
            raise AxisValueError(f"values[{each.index}]: {each.label} is there twice")
        seen.add(each.label)
    return found


def _read(axis: Axis, index: int, given: Any) -> AxisValue:
    label, value = _label_and_value(given, index)
    if not label or len(label) > MAX_LABEL:
        raise AxisValueError(
            f"values[{index}]: must have 1 to {MAX_LABEL} characters; give it a name:"
            " {name: ..., value: ...}"
        )
    shown = label if isinstance(given, dict) else given
    return AxisValue(axis.name, index, label, shown, tuple(_settings(axis, index, value)))


def _label_and_value(given: Any, index: int) -> tuple[str, Any]:
    if isinstance(given, dict):
        name = given.get("name")
        if not isinstance(name, str) or not given.keys() <= _NAMED:
            raise AxisValueError(f"values[{index}]: an object must be {{name: ..., value: ...}}")
        return name, given.get("value", ABSENT)
    if given is None:
        raise AxisValueError(
            f"values[{index}]: must not be null; {{name: default}} leaves the field out"
        )
    return text_of(given), given


def _settings(axis: Axis, index: int, value: Any) -> list[tuple[str, Any]]:
    paths = axis.paths
    if len(paths) == 1 or value is ABSENT:
        return [(path, value) for path in paths]
    if not isinstance(value, list) or len(value) != len(paths):
        raise AxisValueError(
            f"values[{index}]: must be a list of {len(paths)} values, one for each of fields"
        )
    return list(zip(paths, value, strict=True))


def text_of(value: Any) -> str:
    """Return a plain value as text; those of a list with slashes between."""
    if isinstance(value, list):
        return "/".join(text_of(each) for each in value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return str(value.get("name", "")) or json.dumps(value, sort_keys=True)
    return str(value)
