"""The points of a sweep: which combinations its design takes, what they set, what they are called.

Fields of a raw spec are named by their paths, such as `load.steps[0].users`.
"""

import base64
import hashlib
import itertools
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from solrbench.api.expression_values import ExpressionError, check_bool
from solrbench.api.expressions import EXCLUSION, Node, parse_expression
from solrbench.api.v1alpha1.benchmark import MAX_NAME, MAX_NAME_PROVIDED
from solrbench.api.v1alpha1.sweep_spec import Axis, Design, SweepSpec

_STEP = re.compile(r"([A-Za-z][A-Za-z0-9]*)(?:\[([0-9]{1,3})\])?")

ABSENT = object()
"""Stands for a value that is left out."""


class FieldPathError(ValueError):
    """A path does not fit what is there."""


def parse_path(path: str) -> tuple[str | int, ...]:
    """Return the keys and list positions of a path."""
    parts: list[str | int] = []
    for part in path.split("."):
        match = _STEP.fullmatch(part)
        if match is None:
            raise FieldPathError(
                f"{path} is no path of a field; write one such as load.steps[0].users"
            )
        parts.append(match[1])
        if match[2] is not None:
            parts.append(int(match[2]))
    return tuple(parts)


def set_field(spec: Any, path: str, value: Any) -> Any:
    """Return a copy of a raw spec in which one field has a value, or is absent.

    Objects above the field are made where there are none; FieldPathError is raised where the path
    leads through something that is no object, or past the end of a list.
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
    copied = dict(node) if isinstance(node, dict) else {}
    changed = _set(copied.get(key, ABSENT), rest, value, path)
    if changed is ABSENT:
        copied.pop(key, None)
    else:
        copied[key] = changed
    return copied


def _set_item(node: Any, index: int, rest: tuple[str | int, ...], value: Any, path: str) -> Any:
    if not isinstance(node, list) or index >= len(node):
        number = len(node) if isinstance(node, list) else 0
        raise FieldPathError(
            f"{path}: the template has {number} items there, so none at [{index}], counted from 0;"
            " add it to the template, or leave the axis out"
        )
    changed = _set(node[index], rest, value, path)
    if changed is ABSENT:
        raise FieldPathError(f"{path}: an item of a list cannot be omitted")
    return [*node[:index], changed, *node[index + 1 :]]


MAX_LABEL = 40
_NAMED = frozenset({"name", "value"})


class DesignError(ValueError):
    """A value does not fit its axis, or a combination of the spec names what there is not."""


@dataclass(frozen=True)
class AxisValue:
    """One value of an axis; its `label` is its name, or itself as text.

    `given` is itself, or its name; a list for several fields. `settings` are path and value of each
    field, with `ABSENT` for one that is left out.
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
    """Return the values of an axis; DesignError if one does not fit, or two have one name."""
    values = tuple(_read(axis, index, given) for index, given in enumerate(axis.values))
    seen: set[str] = set()
    for value in values:
        if value.label in seen:
            raise DesignError(f"values[{value.index}]: {value.label} is there twice")
        seen.add(value.label)
    return values


def _read(axis: Axis, index: int, given: Any) -> AxisValue:
    label, value = _label_and_value(given, index)
    if not label or len(label) > MAX_LABEL:
        raise DesignError(
            f"values[{index}]: must have 1 to {MAX_LABEL} characters; give it a name:"
            " {name: ..., value: ...}"
        )
    shown = label if isinstance(given, dict) else given
    return AxisValue(axis.name, index, label, shown, tuple(_settings(axis, index, value)))


def _label_and_value(given: Any, index: int) -> tuple[str, Any]:
    if isinstance(given, dict):
        name = given.get("name")
        if not isinstance(name, str) or not given.keys() <= _NAMED:
            raise DesignError(f"values[{index}]: an object must be {{name: ..., value: ...}}")
        return name, given.get("value", ABSENT)
    if given is None:
        raise DesignError(
            f"values[{index}]: must not be null; {{name: default}} leaves the field out"
        )
    return text_of(given), given


def _settings(axis: Axis, index: int, value: Any) -> list[tuple[str, Any]]:
    paths = axis.paths
    if len(paths) == 1 or value is ABSENT:
        return [(path, value) for path in paths]
    if not isinstance(value, list) or len(value) != len(paths):
        raise DesignError(
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


HASH_LENGTH = 7
"""Letters of five bits each: two of 500 points have the same hash once in 280,000 sweeps."""
MAX_POINT_NAME = 20
ROUND_LENGTH = len("-100")
BASELINE = "baseline"

Values = tuple[AxisValue, ...]
"""A value for each axis, in the order of the axes."""


def text_of_values(values: Iterable[AxisValue]) -> str:
    """Return values in words, such as `heap 2Gi, nodes 3`; empty where there are none."""
    return ", ".join(f"{value.axis} {value.label}" for value in values)


def changed_values(values: Values, baseline: Values) -> list[AxisValue]:
    """Return the values that differ from those of the baseline."""
    pairs = zip(values, baseline, strict=True)
    return [value for value, usual in pairs if value.index != usual.index]


@dataclass(frozen=True)
class DesignPoint:
    """A point with a value for each axis; its name is these in short, and a hash of them."""

    name: str
    values: Values
    is_baseline: bool

    @property
    def indexes(self) -> list[int]:
        """The place of each value in its axis."""
        return [value.index for value in self.values]

    @property
    def text(self) -> str:
        """Its values in words, such as `heap 2Gi, nodes 3`."""
        return text_of_values(self.values)

    @property
    def given(self) -> dict[str, Any]:
        """The value of each axis as it is given, of one with a name the name."""
        return {value.axis: value.given for value in self.values}


def benchmark_name(sweep: str, point: str, round_: int = 1) -> str:
    """Return the name of the benchmark of a point, in the first round or a later one."""
    return f"{sweep}-{point}" if round_ == 1 else f"{sweep}-{point}-{round_}"


def max_name_length(sweep: str, spec: SweepSpec, *, short: bool) -> int:
    """Return how many letters the name of a point may have."""
    rounds = 0 if spec.rounds is None else ROUND_LENGTH
    most = MAX_NAME_PROVIDED if short else MAX_NAME
    return min(most - len(sweep) - 1 - rounds, MAX_POINT_NAME)


def make_points(
    sweep: str, spec: SweepSpec, axes: Sequence[Values], named: Iterable[str], *, short: bool
) -> tuple[DesignPoint, ...]:
    """Return the points in the order of the design, each once.

    Names that are `short` leave room for a ZooKeeper of the Solr Operator. Points that have one of
    the names `named` keep it, whatever was added to the axes since. DesignError is raised for an
    axis or a value that there is not, and for an expression of `exclude` that is wrong.
    """
    known = {name[-HASH_LENGTH:]: name for name in named}
    baseline = baseline_values(spec, axes)
    exclusions = []
    for index, text in enumerate(spec.exclude):
        try:
            exclusions.append(parse_expression(text, EXCLUSION))
        except ExpressionError as error:
            raise DesignError(f"spec.exclude[{index}]: {error}") from error
    room = max_name_length(sweep, spec, short=short)
    by_name: dict[str, DesignPoint] = {}
    for values in _combinations(spec, axes, baseline):
        hash_ = _hash_of(values)
        name = known.get(hash_) or _name(_shown(spec.design, values, baseline), hash_, room)
        point = DesignPoint(name, values, values == baseline)
        # A combination may be listed twice, under one name.
        if not _is_excluded(exclusions, point):
            by_name.setdefault(point.name, point)
    return tuple(by_name.values())


def _is_excluded(exclusions: Sequence[Node], point: DesignPoint) -> bool:
    scope = {EXCLUSION.variable: point.given}
    for index, exclusion in enumerate(exclusions):
        try:
            if check_bool(0, exclusion(scope)):
                return True
        except ExpressionError as error:
            raise DesignError(f"spec.exclude[{index}]: {error} (point {point.text})") from error
    return False


def baseline_values(spec: SweepSpec, axes: Sequence[Values]) -> Values:
    """Return the values of the baseline: those given, or the first ones; in a list its first."""
    first = tuple(axis[0] for axis in axes)
    if spec.design is Design.LIST and not spec.baseline:
        return _complete(spec.points[0], axes, first, "points[0]")
    return _complete(spec.baseline, axes, first, "baseline")


def _combinations(spec: SweepSpec, axes: Sequence[Values], baseline: Values) -> Iterator[Values]:
    match spec.design:
        case Design.FULL:
            yield from itertools.product(*axes)
        case Design.LIST:
            for index, point in enumerate(spec.points):
                yield _complete(point, axes, baseline, f"points[{index}]")
        case Design.ONE_AT_A_TIME:
            yield baseline
            for place, values in enumerate(axes):
                for value in values:
                    if value != baseline[place]:
                        yield (*baseline[:place], value, *baseline[place + 1 :])


def _complete(given: Mapping[str, Any], axes: Sequence[Values], rest: Values, where: str) -> Values:
    by_axis = {values[0].axis: values for values in axes}
    chosen = {name: _select(by_axis, name, value, where) for name, value in given.items()}
    return tuple(chosen.get(value.axis, value) for value in rest)


def count_combinations(spec: SweepSpec) -> int:
    """Return how many combinations the design has, before any is left out."""
    lengths = [len(axis.values) for axis in spec.axes]
    match spec.design:
        case Design.FULL:
            return math.prod(lengths)
        case Design.LIST:
            return len(spec.points)
        case Design.ONE_AT_A_TIME:
            return 1 + sum(length - 1 for length in lengths)


def _select(by_axis: Mapping[str, Values], name: str, value: Any, where: str) -> AxisValue:
    if name not in by_axis:
        raise DesignError(f"spec.{where}.{name}: must be one of the axes {', '.join(by_axis)}")
    label = text_of(value)
    for axis_value in by_axis[name]:
        if axis_value.label == label:
            return axis_value
    known = ", ".join(axis_value.label for axis_value in by_axis[name])
    raise DesignError(f"spec.{where}.{name}: must be a value of the axis, or its name: {known}")


def _shown(design: Design, values: Values, baseline: Values) -> list[str]:
    """Return the words of a point's name: all values, or what differs from the baseline."""
    if design is not Design.ONE_AT_A_TIME:
        return [value.label for value in values]
    changed = changed_values(values, baseline)
    return [word for value in changed for word in (value.axis, value.label)] or [BASELINE]


def _name(words: Sequence[str], hash_: str, room: int) -> str:
    slug = re.sub("[^a-z0-9]+", "-", "-".join(words).lower()).strip("-")
    short = slug[: max(0, room - HASH_LENGTH - 1)].strip("-")
    return f"{short}-{hash_}" if short else hash_


def _hash_of(values: Values) -> str:
    # By the values alone: a point keeps its name when an axis gets more of them.
    identity = json.dumps([[value.axis, value.identity] for value in values])
    digest = base64.b32encode(hashlib.sha256(identity.encode()).digest()).decode().lower()
    return digest[:HASH_LENGTH]


def is_name_of(name: str, values: Values) -> bool:
    """Return whether a point of this name has these values."""
    return name.endswith(_hash_of(values))
